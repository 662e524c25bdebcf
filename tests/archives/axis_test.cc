#include "archives/axis.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>

using namespace kernatlas::archives;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A value on a boundary opens the bin above it; the next smaller number is in the bin below.
void check_exact(const Axis& axis) {
  const auto& edges = axis.boundaries();
  REQUIRE(edges.size() == axis.bins() + 1);
  for (std::size_t i = 0; i < axis.bins(); ++i) {
    CAPTURE(i);
    CHECK(axis.locate(edges[i])->index == i);
    CHECK(axis.locate(std::nextafter(edges[i + 1], -kInfinity))->index == i);
    CHECK(axis.locate(edges[i] / 2 + edges[i + 1] / 2)->index == i);
  }
  CHECK(axis.locate(edges.back())->index == axis.bins() - 1);
  CHECK(axis.locate(edges.back())->where == Bin::Where::inside);
  CHECK(axis.locate(std::nextafter(edges.back(), kInfinity))->where == Bin::Where::above);
  CHECK(axis.locate(std::nextafter(edges.front(), -kInfinity))->where == Bin::Where::below);
}

}  // namespace

TEST_CASE("boundaries are exact for ranges of any width and place") {
  check_exact(Axis::linear("seconds", "s", 0, 1e-6, 10));
  check_exact(Axis::linear("seconds", "s", 3e-6, 4e-6, 10));
  check_exact(Axis::linear("bytes", "B", 0, 1e12, 7));
  check_exact(Axis::linear("offset", "", 1e12, 1e12 + 1, 16));
  check_exact(Axis::linear("everything", "", -1.7e308, 1.7e308, 5));
  check_exact(Axis::log2("bytes", "B", 1e-9, 1e9, 13));
  check_exact(Axis::edges("e", "", Scale::linear, {-3, -1, 0, 0.5, 1e9}));
}

TEST_CASE("steps are equal widths, or equal ratios") {
  CHECK(Axis::linear("x", "", 1, 4, 3).boundaries() == std::vector<double>{1, 2, 3, 4});
  CHECK(Axis::linear("x", "", 0, 10, 10).boundaries()[7] == 7.0);
  CHECK(Axis::log2("x", "", 16, 1024, 6).boundaries() ==
        std::vector<double>{16, 32, 64, 128, 256, 512, 1024});
  CHECK(Axis::log2("x", "", 1, 4, 1).boundaries() == std::vector<double>{1, 4});
}

TEST_CASE("numbers outside go to the edge bin and say so; NaN goes nowhere") {
  const Axis axis = Axis::linear("x", "", 0, 10, 5);
  CHECK(axis.locate(-kInfinity)->where == Bin::Where::below);
  CHECK(axis.locate(-kInfinity)->index == 0);
  CHECK(axis.locate(kInfinity)->where == Bin::Where::above);
  CHECK(axis.locate(kInfinity)->index == 4);
  CHECK_FALSE(axis.locate(std::nan("")).has_value());
}

TEST_CASE("quantiles put equal shares into the bins and merge equal neighbours") {
  std::vector<double> samples;
  for (int i = 0; i <= 100; ++i) samples.push_back(100 - i);
  const Axis axis = Axis::quantile("x", "", samples, 4);
  CHECK(axis.boundaries() == std::vector<double>{0, 25, 50, 75, 100});
  check_exact(axis);
  // Half of the samples are 7: the quantiles at 1/4, 1/2 and 3/4 are the same number.
  const Axis merged = Axis::quantile("x", "", {1, 7, 7, 7, 9}, 4);
  CHECK(merged.boundaries() == std::vector<double>{1, 7, 9});
  CHECK(merged.scale() == Scale::quantile);
  const Axis one = Axis::quantile("x", "", {5, 5, 5, kInfinity, std::nan("")}, 4);
  CHECK(one.bins() == 1);
  CHECK(one.locate(5)->where == Bin::Where::inside);
  CHECK(one.locate(6)->where == Bin::Where::above);
  const Axis largest = Axis::quantile("x", "", {std::numeric_limits<double>::max()}, 2);
  CHECK(largest.locate(std::numeric_limits<double>::max())->where == Bin::Where::inside);
}

TEST_CASE("categories are whole positions") {
  const Axis axis = Axis::categorical("memory", {"direct", "tile", "stream"});
  CHECK(axis.bins() == 3);
  CHECK(axis.position("stream").value() == 2);
  CHECK_FALSE(axis.position("cache").has_value());
  CHECK(axis.locate(2)->index == 2);
  for (const double bad : {-1.0, 0.5, 3.0, kInfinity, -kInfinity}) {
    CHECK_FALSE(axis.locate(bad).has_value());
  }
  CHECK(axis.bin_text(1) == "tile");
}

TEST_CASE("bins are named for people") {
  const Axis clipped = Axis::log2("bytes", "B", 128, 1024, 3);
  CHECK(clipped.bin_text(0) == "< 256");
  CHECK(clipped.bin_text(1) == "[256, 512)");
  CHECK(clipped.bin_text(2) == "≥ 512");
  const Axis strict = Axis::log2("bytes", "B", 128, 1024, 3, OutOfRange::reject);
  CHECK(strict.bin_text(0) == "[128, 256)");
  CHECK(strict.bin_text(2) == "[512, 1024]");
  CHECK(Axis::linear("x", "", 0, 1, 1).bin_text(0) == "any");
  CHECK(Axis::linear("x", "", 1e12, 1e12 + 3, 3).bin_text(1) == "[1000000000001, 1000000000002)");
}

TEST_CASE("impossible axes are refused") {
  const auto linear = [](double low, double high, std::size_t bins) {
    return Axis::linear("x", "", low, high, bins);
  };
  CHECK_THROWS_AS(static_cast<void>(linear(0, 1, 0)), std::invalid_argument);
  CHECK_THROWS_AS(static_cast<void>(linear(1, 1, 2)), std::invalid_argument);
  CHECK_THROWS_AS(static_cast<void>(linear(2, 1, 2)), std::invalid_argument);
  CHECK_THROWS_AS(static_cast<void>(linear(0, kInfinity, 2)), std::invalid_argument);
  CHECK_THROWS_AS(static_cast<void>(linear(std::nan(""), 1, 2)), std::invalid_argument);
  CHECK_THROWS_AS(static_cast<void>(linear(1, std::nextafter(1, 2), 2)), std::invalid_argument);
  CHECK_THROWS_AS(static_cast<void>(Axis::log2("x", "", 0, 1, 2)), std::invalid_argument);
  CHECK_THROWS_AS(static_cast<void>(Axis::log2("x", "", 1, 2, 0)), std::invalid_argument);
  CHECK_THROWS_AS(static_cast<void>(Axis::log2("x", "", 1, kInfinity, 2)), std::invalid_argument);
  CHECK_THROWS_AS(static_cast<void>(Axis::edges("x", "", Scale::log2, {-1, 1})),
                  std::invalid_argument);
  CHECK_THROWS_AS(static_cast<void>(Axis::edges("x", "", Scale::linear, {1})),
                  std::invalid_argument);
  CHECK_THROWS_AS(static_cast<void>(Axis::edges("x", "", Scale::categorical, {1, 2})),
                  std::invalid_argument);
  CHECK_THROWS_AS(static_cast<void>(Axis::quantile("x", "", {std::nan("")}, 2)),
                  std::invalid_argument);
  CHECK_THROWS_AS(static_cast<void>(Axis::quantile("x", "", {1}, 0)), std::invalid_argument);
  CHECK_THROWS_AS(static_cast<void>(Axis::categorical("x", {})), std::invalid_argument);
  CHECK_THROWS_AS(static_cast<void>(Axis::categorical("x", {"a", "a"})), std::invalid_argument);
  CHECK_THROWS_WITH(static_cast<void>(linear(2, 1, 1)),
                    "axis \"x\": boundaries must be strictly ascending");
}

TEST_CASE("scales have names; axes compare by all they are") {
  for (const Scale scale : {Scale::linear, Scale::log2, Scale::quantile, Scale::categorical}) {
    CHECK(parse_scale(name(scale)) == scale);
  }
  CHECK_FALSE(parse_scale("log").has_value());
  Axis axis = Axis::linear("x", "s", 0, 1, 2);
  CHECK(axis == Axis::linear("x", "s", 0, 1, 2));
  CHECK_FALSE(axis == Axis::linear("x", "ms", 0, 1, 2));
  axis.set_version(2);
  CHECK(axis.version() == 2);
  CHECK_FALSE(axis == Axis::linear("x", "s", 0, 1, 2));
  CHECK(axis.name() == "x");
  CHECK(axis.unit() == "s");
}

TEST_CASE("the quick look-up finds what a search of the boundaries finds") {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 rng(seed);
    std::uniform_real_distribution<double> any(-1, 1), size(-15, 15);
    const double low = any(rng) * std::pow(10, size(rng));
    const double high = low + std::pow(10, size(rng));
    if (!(high > low)) continue;
    const auto bins = static_cast<std::size_t>(1 + rng() % 1000);
    std::vector<double> edges;
    try {
      edges = Axis::linear("x", "", low, high, bins).boundaries();
    } catch (const std::invalid_argument&) {
      continue;  // too narrow for that many different boundaries
    }
    // Uneven ones claim to be linear too.
    if (seed % 3 == 0 && edges.size() > 3) edges.erase(edges.begin() + 1);
    const Axis axis = Axis::edges("x", "", Scale::linear, edges);
    for (int i = 0; i < 200; ++i) {
      double value = low + (high - low) * (any(rng) * 0.5 + 0.5);
      if (i % 2 == 0) value = edges[rng() % edges.size()];
      if (i % 4 == 0) value = std::nextafter(value, i % 8 == 0 ? kInfinity : -kInfinity);
      if (value < edges.front() || value > edges.back()) continue;
      std::size_t expected = 0;
      while (expected + 1 < axis.bins() && value >= edges[expected + 1]) ++expected;
      REQUIRE(axis.locate(value)->index == expected);
    }
  }
}

TEST_CASE("scaled space: ends, middles and back, for every scale") {
  const Axis linear = Axis::linear("x", "", -2, 6, 4);
  CHECK(linear.scaled(0) == 0.25);
  CHECK(linear.unscaled(0.25) == 0);
  const Axis log = Axis::log2("x", "", 2, 32, 4);
  CHECK(log.scaled(8) == doctest::Approx(0.5));
  CHECK(log.unscaled(0.5) == doctest::Approx(8));
  const Axis quantile = Axis::edges("x", "", Scale::quantile, {0, 1, 100});
  CHECK(quantile.scaled(0.5) == 0.25);
  CHECK(quantile.scaled(50.5) == 0.75);
  CHECK(quantile.unscaled(0.75) == 50.5);
  const Axis labels = Axis::categorical("x", {"a", "b", "c"});
  CHECK(labels.scaled(2) == 2);
  CHECK(labels.unscaled(1) == 1);
  const Axis huge = Axis::linear("x", "", -1.5e308, 1.5e308, 3);
  CHECK(huge.scaled(0) == 0.5);
  CHECK(huge.locate(0)->index == 1);
  for (const Axis& axis : {linear, log, quantile, huge}) {
    CAPTURE(name(axis.scale()));
    CHECK(axis.scaled(axis.boundaries().front()) == 0);
    CHECK(axis.scaled(axis.boundaries().back()) == 1);
    CHECK(axis.scaled(-kInfinity) == 0);
    CHECK(axis.scaled(kInfinity) == 1);
    CHECK(axis.unscaled(-1) == axis.boundaries().front());
    CHECK(axis.unscaled(2) == axis.boundaries().back());
    double before = 0;
    for (int i = 1; i < 100; ++i) {
      const double place = i / 100.0;
      const double there = axis.scaled(axis.unscaled(place));
      CHECK(there == doctest::Approx(place));
      CHECK(there >= before);
      before = there;
    }
  }
}
