#include "archives/nearest.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "archives/random.h"

using namespace kernatlas::archives;

namespace {

// Numeric axes, and one of three labels where `mixed`.
MeasureSpace space_of(std::size_t dimensions, bool mixed) {
  std::vector<Axis> axes;
  for (std::size_t i = 0; i < dimensions; ++i) {
    axes.push_back(mixed && i == 1 ? Axis::categorical("kind", {"a", "b", "c"})
                                   : Axis::linear("x" + std::to_string(i), "", 0, 1, 4));
  }
  return MeasureSpace(axes);
}

// Places on a coarse lattice, so that ties and duplicates are common, or anywhere.
std::vector<double> places(const MeasureSpace& space, std::size_t count, bool lattice,
                           std::mt19937_64& rng) {
  std::vector<double> numbers;
  for (std::size_t i = 0; i < count * space.dimensions(); ++i) {
    if (space.categorical(i % space.dimensions())) {
      numbers.push_back(static_cast<double>(below(rng, 3)));
    } else {
      numbers.push_back(lattice ? static_cast<double>(below(rng, 5)) / 4 : fraction(rng));
    }
  }
  return numbers;
}

std::vector<std::size_t> by_sorting(const MeasureSpace& space, const std::vector<double>& points,
                                    const double* place) {
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t i = 0; i * space.dimensions() < points.size(); ++i) {
    order.emplace_back(space.squared(place, points.data() + i * space.dimensions()), i);
  }
  std::sort(order.begin(), order.end());
  std::vector<std::size_t> indices;
  for (const auto& each : order) indices.push_back(each.second);
  return indices;
}

}  // namespace

TEST_CASE("tree and brute force find what sorting finds, ties by index") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    std::mt19937_64 rng(seed);
    const std::size_t dimensions = 1 + below(rng, 6);
    const bool mixed = dimensions > 1 && below(rng, 2) == 0;
    const bool lattice = below(rng, 2) == 0;
    const std::size_t count = 1 + below(rng, 300);
    CAPTURE(seed);
    const MeasureSpace space = space_of(dimensions, mixed);
    const auto points = places(space, count, lattice, rng);
    const auto tree = tree_nearest(space, points);
    const auto brute = brute_force_nearest(space, points);
    const auto quickest = quickest_nearest(space, points);
    for (int i = 0; i < 40; ++i) {
      const auto place = places(space, 1, lattice, rng);
      const auto expected = by_sorting(space, points, place.data());
      REQUIRE(tree->nearest(place.data()) == expected[0]);
      REQUIRE(brute->nearest(place.data()) == expected[0]);
      REQUIRE(quickest->nearest(place.data()) == expected[0]);
      for (const std::size_t k : {std::size_t{0}, std::size_t{1}, std::size_t{7}, count + 5}) {
        const auto begin = expected.begin();
        const std::vector<std::size_t> want(
            begin, begin + static_cast<std::ptrdiff_t>(std::min(k, count)));
        REQUIRE(tree->nearest(place.data(), k) == want);
        REQUIRE(brute->nearest(place.data(), k) == want);
      }
    }
  }
}

TEST_CASE("labels differ by one whole axis, scales count in their own way") {
  const MeasureSpace space({Axis::log2("bytes", "B", 1, 256, 8), Axis::linear("x", "", 0, 10, 5),
                            Axis::categorical("kind", {"a", "b", "c"})});
  double a[3], b[3];
  space.scale(std::vector<double>{1, 0, 0}, a);
  space.scale(std::vector<double>{16, 5, 2}, b);
  CHECK(b[0] == doctest::Approx(0.5));
  CHECK(space.squared(a, b) == doctest::Approx(0.25 + 0.25 + 1));
  CHECK(space.squared(a, b) == space.squared(b, a));
  double back[3];
  space.unscale({b, 3}, back);
  CHECK(back[0] == doctest::Approx(16));
  CHECK(back[1] == 5);
  CHECK(back[2] == 2);
}
