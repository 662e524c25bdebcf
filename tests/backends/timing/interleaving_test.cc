#include "backends/timing/interleaving.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <random>

#include "backends/timing/statistics.h"
#include "kernel/rng.h"

using namespace kernatlas;
using Finding = Comparison::Finding;

namespace {

// Simulates a whole comparison as the CPU evaluator makes it: per pair and side the median over a
// few samples, each off by up to ±3 %, on a machine whose speed drifts and now and then pauses.
Finding simulate(double ratio, Rng& rng, std::size_t pairs = 12) {
  constexpr int kSamples = 9;
  double drift = 1;
  const auto measure = [&](double truth) {
    std::vector<double> samples;
    for (int i = 0; i < kSamples; ++i) {
      const double noise = 0.97 + 0.06 * uniform01(rng);
      const double pause = uniform01(rng) < 0.02 ? 1.5 : 1;
      samples.push_back(truth * drift * noise * pause);
    }
    return median(samples);
  };
  std::vector<double> gains;
  for (const bool challenger_first : abba_order(pairs, uniform01(rng) < 0.5)) {
    drift *= 1 + 0.01 * (uniform01(rng) - 0.3);  // slowly heating up
    double a = 0;
    double b = 0;
    if (challenger_first) {
      a = measure(ratio);
      b = measure(1);
    } else {
      b = measure(1);
      a = measure(ratio);
    }
    gains.push_back(std::log2(b / a));
  }
  return decide(gains);
}

}  // namespace

TEST_CASE("the order alternates and can be flipped") {
  CHECK(abba_order(4, false) == std::vector<bool>{true, false, true, false});
  CHECK(abba_order(3, true) == std::vector<bool>{false, true, false});
  CHECK(abba_order(0, true).empty());
}

TEST_CASE("equal kernels are not called faster, a 3 % faster one is found") {
  const std::uint64_t seed = 33;
  MESSAGE("seed " << seed);
  Rng rng(seed);
  constexpr int kRounds = 2000;
  int false_faster = 0;
  int false_slower = 0;
  int found = 0;
  int found_slower = 0;
  for (int round = 0; round < kRounds; ++round) {
    const Finding equal = simulate(1, rng);
    false_faster += equal == Finding::faster ? 1 : 0;
    false_slower += equal == Finding::slower ? 1 : 0;
    found += simulate(0.97, rng) == Finding::faster ? 1 : 0;
    found_slower += simulate(1.03, rng) == Finding::slower ? 1 : 0;
  }
  MESSAGE("false faster " << false_faster << ", false slower " << false_slower << ", found "
                          << found << " of " << kRounds);
  CHECK(false_faster < kRounds / 100);
  CHECK(false_slower < kRounds / 100);
  CHECK(found > kRounds * 9 / 10);
  CHECK(found_slower > kRounds * 9 / 10);
}

TEST_CASE("the rule's two halves are both needed") {
  std::vector<double> gains(10, 0.05);
  CHECK(decide(gains) == Finding::faster);
  gains[0] = -1;
  CHECK(decide(gains) == Finding::faster);
  gains[1] = -1;
  CHECK(decide(gains) == Finding::ambiguous);                          // 8 of 10
  CHECK(decide(std::vector<double>(10, 0.01)) == Finding::ambiguous);  // all agree on 0.7 %
  CHECK(decide(std::vector<double>(10, -0.05)) == Finding::slower);
  CHECK(decide(std::vector<double>(9, 0.05)) == Finding::ambiguous);  // too few
  CHECK(decide({}) == Finding::ambiguous);
  gains.assign(10, 0.05);
  gains[3] = std::numeric_limits<double>::quiet_NaN();
  CHECK(decide(gains) == Finding::ambiguous);
  CHECK(decide(std::vector<double>(4, 0.01), {.min_pairs = 3, .min_gain = 0.001}) ==
        Finding::faster);
}
