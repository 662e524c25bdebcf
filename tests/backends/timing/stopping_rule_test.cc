#include "backends/timing/stopping_rule.h"

#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "kernel/rng.h"

using namespace kernatlas;

namespace {

// A clock that shows `truth` with relative noise, and now and then a long pause.
struct NoisyClock {
  double truth;
  double noise;
  double pauses;  // share of samples that take 1.5 times as long
  Rng rng;
  double sample() {
    std::normal_distribution<double> normal(1, noise);
    return truth * normal(rng) * (uniform01(rng) < pauses ? 1.5 : 1);
  }
};

StopReason drive(StoppingRule& rule, NoisyClock& clock, double unit_s = 1e-3) {
  double elapsed = 0;
  for (int i = 0; i < 10000; ++i) {
    const double sample = clock.sample();
    rule.add(sample);
    elapsed += sample * unit_s;
    if (const StopReason reason = rule.decide(elapsed); reason != StopReason::not_yet)
      return reason;
  }
  return StopReason::not_yet;
}

}  // namespace

TEST_CASE("a steady clock stops at the minimum, however small the budget") {
  StoppingRule rule({.budget_s = 0});
  NoisyClock clock{1, 0.001, 0, Rng(1)};
  CHECK(drive(rule, clock) == StopReason::precise);
  CHECK(rule.samples().size() == 20);
  CHECK(rule.noise().empty());
}

TEST_CASE("a noisy clock uses the budget or the sample limit") {
  NoisyClock clock{1, 0.10, 0, Rng(2)};
  StoppingRule timed({.budget_s = 0.1});
  CHECK(drive(timed, clock) == StopReason::out_of_time);
  CHECK(timed.samples().size() >= 95);
  CHECK(timed.samples().size() <= 110);
  StoppingRule counted({.max_samples = 50, .budget_s = 1e9});
  CHECK(drive(counted, clock) == StopReason::enough_samples);
  CHECK(counted.samples().size() == 50);
}

TEST_CASE("a very slow kernel stops below the minimum, but has an interval") {
  StoppingRule rule({.hard_limit_s = 5});
  NoisyClock clock{1000, 0.01, 0, Rng(3)};
  CHECK(drive(rule, clock) == StopReason::out_of_time);
  CHECK(rule.samples().size() == 6);
}

TEST_CASE("racing") {
  const std::uint64_t seed = 77;
  MESSAGE("seed " << seed);
  Rng rng(seed);
  int cut_equal = 0;
  int cut_slow = 0;
  std::size_t samples = 0;
  for (int round = 0; round < 500; ++round) {
    StoppingRule equal({.incumbent = 1});
    NoisyClock clock{1, 0.03, 0.05, Rng(rng())};
    cut_equal += drive(equal, clock) == StopReason::cut ? 1 : 0;
    StoppingRule slow({.incumbent = 1});
    NoisyClock slower{1.5, 0.03, 0.05, Rng(rng())};
    cut_slow += drive(slow, slower) == StopReason::cut ? 1 : 0;
    samples += slow.samples().size();
  }
  CHECK(cut_equal == 0);
  CHECK(cut_slow >= 495);
  CHECK(samples < 500 * 8);  // most after the first six
}

TEST_CASE("noise verdicts") {
  StoppingRule few({});
  few.add(1);
  CHECK(few.noise() == "only 1 samples");

  StoppingRule outliers({});
  for (int i = 0; i < 40; ++i) outliers.add(i % 7 == 0 ? 5 : 1 + 1e-4 * i);
  CHECK(outliers.noise().find("outliers") != std::string::npos);

  StoppingRule modes({});
  for (int i = 0; i < 40; ++i) modes.add(i % 2 == 0 ? 1.2 : 1 + 1e-4 * i);
  CHECK(modes.noise().find("two modes") != std::string::npos);

  StoppingRule wide({});
  NoisyClock clock{1, 0.2, 0, Rng(4)};
  for (int i = 0; i < 20; ++i) wide.add(clock.sample());
  CHECK(wide.noise().find("known to") != std::string::npos);
  wide.restart();
  CHECK(wide.samples().empty());
}

TEST_CASE("an attack by slow warm-up cannot shrink the number of samples") {
  // The first samples eat the whole budget; still at least the minimum is taken.
  StoppingRule rule({.budget_s = 0.1});
  double elapsed = 0;
  std::size_t taken = 0;
  for (; rule.decide(elapsed) == StopReason::not_yet; ++taken) {
    const double sample = taken < 3 ? 1 : 0.001;
    rule.add(sample);
    elapsed += sample;
  }
  CHECK(taken >= 20);
}
