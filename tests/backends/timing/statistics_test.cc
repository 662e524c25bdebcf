#include "backends/timing/statistics.h"

#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "kernel/rng.h"

using namespace kernatlas;

namespace {
std::vector<double> sorted_normal(std::size_t n, double mean, double deviation, Rng& rng) {
  std::normal_distribution<double> normal(mean, deviation);
  std::vector<double> values(n);
  for (double& value : values) value = normal(rng);
  std::sort(values.begin(), values.end());
  return values;
}
}  // namespace

TEST_CASE("median and quartiles of small samples") {
  CHECK(std::isnan(median({})));
  CHECK(median({3}) == 3);
  CHECK(median({4, 1}) == 2.5);
  CHECK(median({9, 1, 5}) == 5);
  const std::vector<double> five = {1, 2, 3, 4, 5};
  CHECK(quantile(five, 0.25) == 2);
  CHECK(quantile(five, 0) == 1);
  CHECK(quantile(five, 1) == 5);
  CHECK(quantile(five, 0.375) == 2.5);
}

TEST_CASE("interval ranks are those of the tables") {
  // Known 95 % ranks (1-based, lower end): n=6 → 1, 10 → 2, 20 → 6, 30 → 10, 100 → 40.
  const std::pair<std::size_t, double> known[] = {{6, 1}, {10, 2}, {20, 6}, {30, 10}, {100, 40}};
  for (const auto& known_rank : known) {
    const std::size_t n = known_rank.first;
    const double low = known_rank.second;
    std::vector<double> values(n);
    for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<double>(i + 1);
    CAPTURE(n);
    CHECK(median_interval(values).low == low);
    CHECK(median_interval(values).high == static_cast<double>(n + 1) - low);
  }
  const std::vector<double> five = {1, 2, 3, 4, 5};
  CHECK(std::isinf(median_interval(five).low));
  CHECK(std::isinf(median_interval(five).high));
}

TEST_CASE("the interval covers the true median in at least 95 % of the cases") {
  const std::uint64_t seed = 2026;
  MESSAGE("seed " << seed);
  Rng rng(seed);
  for (const std::size_t n : {6u, 20u, 57u, 1500u}) {
    std::exponential_distribution<double> skewed(1);
    const int rounds = n > 1000 ? 400 : 3000;
    int covered = 0;
    for (int round = 0; round < rounds; ++round) {
      std::vector<double> values(n);
      for (double& value : values) value = skewed(rng);
      std::sort(values.begin(), values.end());
      const Interval interval = median_interval(values);
      covered += interval.low <= std::log(2) && std::log(2) <= interval.high ? 1 : 0;
    }
    CAPTURE(n);
    CHECK(covered >= static_cast<int>(0.935 * rounds));
  }
}

TEST_CASE("summary") {
  std::vector<double> samples(40, 10);
  for (std::size_t i = 0; i < 20; ++i) samples[i] = 11;
  samples[39] = 100;
  samples[38] = 90;
  const Summary summary = summarize(samples);
  CHECK(summary.samples == 40);
  CHECK(summary.median == 11);
  CHECK(summary.outliers == 2);
  CHECK(summary.iqr() == 1);
  CHECK(summary.minimum == 10);
  CHECK(summary.maximum == 100);
  CHECK(summary.relative_half_width() == doctest::Approx(1.0 / 11));
  CHECK(summarize({}).samples == 0);
}

TEST_CASE("two modes are found, one mode is not split") {
  const std::uint64_t seed = 99;
  MESSAGE("seed " << seed);
  Rng rng(seed);
  int false_alarms = 0;
  int found = 0;
  for (int round = 0; round < 500; ++round) {
    false_alarms += is_bimodal(sorted_normal(30, 100, 5, rng)) ? 1 : 0;
    std::vector<double> two = sorted_normal(20, 100, 1, rng);
    const std::vector<double> other = sorted_normal(12, 110, 1, rng);
    two.insert(two.end(), other.begin(), other.end());
    std::sort(two.begin(), two.end());
    found += is_bimodal(two) ? 1 : 0;
  }
  CHECK(false_alarms <= 25);  // about 3 % are expected; such a run is merely repeated
  CHECK(found >= 495);
  CHECK_FALSE(is_bimodal(std::vector<double>(30, 5.0)));
  // Two modes close together are one for our purposes.
  std::vector<double> close(15, 100.0);
  close.insert(close.end(), 15, 102.0);
  CHECK_FALSE(is_bimodal(close));
}
