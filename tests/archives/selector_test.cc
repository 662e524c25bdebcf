#include "archives/selector.h"

#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <stdexcept>

#include "archives/grid.h"

using namespace kernatlas::archives;

namespace {

constexpr int kDraws = 20000;

// Cells 0 … n-1 on one axis of `bins`, with objective = cell.
std::unique_ptr<Archive> row(std::size_t bins, const std::vector<std::size_t>& cells) {
  auto grid =
      make_grid({Axis::linear("x", "", 0, static_cast<double>(bins), bins)}, strict_acceptance());
  for (const std::size_t cell : cells) {
    const auto value = static_cast<double>(cell);
    grid->add(
        {.id = cell, .objective = value, .low = value, .high = value, .measures = {value + 0.5}});
  }
  return grid;
}

// Pearson's statistic of kDraws selections against expected probabilities by cell.
double chi_square(const Selector& selector, const Archive& archive,
                  const std::map<std::size_t, double>& expected, std::uint64_t seed) {
  std::mt19937_64 rng(seed);
  std::map<std::size_t, int> seen;
  for (int i = 0; i < kDraws; ++i) {
    const Elite* elite = selector.select(archive, rng);
    REQUIRE(elite != nullptr);
    REQUIRE(elite->rank == 0);
    ++seen[elite->cell];
  }
  double statistic = 0;
  for (const auto& [cell, probability] : expected) {
    const double want = probability * kDraws;
    statistic += (seen[cell] - want) * (seen[cell] - want) / want;
  }
  return statistic;
}

}  // namespace

TEST_CASE("uniform: every occupied cell alike") {
  const auto archive = row(10, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  std::map<std::size_t, double> expected;
  for (std::size_t i = 0; i < 10; ++i) expected[i] = 0.1;
  // 99.9 % point of chi-square with 9 degrees of freedom.
  CHECK(chi_square(*uniform_selector(), *archive, expected, 1) < 27.9);
}

TEST_CASE("rank: linear in the rank, the best `pressure` times the average") {
  const auto archive = row(10, {3, 0, 7, 1, 9, 2, 8, 4, 6, 5});
  for (const double pressure : {1.3, 1.8, 2.0}) {
    CAPTURE(pressure);
    std::map<std::size_t, double> expected;
    for (std::size_t i = 0; i < 10; ++i) {
      const double position = static_cast<double>(i) / 9;  // 0 worst … 1 best
      const double share = (2 - pressure) + 2 * (pressure - 1) * position;
      if (share > 0) expected[i] = share / 10;
    }
    CHECK(chi_square(*rank_selector(pressure), *archive, expected, 2) < 27.9);
  }
  CHECK_THROWS_AS(static_cast<void>(rank_selector(1)), std::invalid_argument);
  CHECK_THROWS_AS(static_cast<void>(rank_selector(2.1)), std::invalid_argument);
  CHECK_THROWS_AS(static_cast<void>(rank_selector(std::nan(""))), std::invalid_argument);
}

TEST_CASE("rarity: in proportion to 1 / (1 + occupied neighbours)") {
  const auto archive = row(10, {0, 1, 2, 5, 8, 9});
  const std::map<std::size_t, double> weight{{0, 1.0 / 2}, {1, 1.0 / 3}, {2, 1.0 / 2},
                                             {5, 1.0},     {8, 1.0 / 2}, {9, 1.0 / 2}};
  double sum = 0;
  for (const auto& [cell, each] : weight) sum += each;
  std::map<std::size_t, double> expected;
  for (const auto& [cell, each] : weight) expected[cell] = each / sum;
  // 99.9 % point with 5 degrees of freedom.
  CHECK(chi_square(*rarity_selector(), *archive, expected, 3) < 20.5);
}

TEST_CASE("same archive and generator, same picks; the only cell; the empty archive") {
  const auto archive = row(10, {1, 2, 3, 7});
  const auto single = row(10, {4});
  const auto empty = row(10, {});
  for (const char* name : {"uniform", "rank", "rarity"}) {
    CAPTURE(name);
    const auto selector = make_selector(name);
    REQUIRE(selector != nullptr);
    CHECK(selector->name() == name);
    std::mt19937_64 a(9), b(9), c(10);
    int differing = 0;
    for (int i = 0; i < 200; ++i) {
      const Elite* first = selector->select(*archive, a);
      CHECK(first == selector->select(*archive, b));
      differing += first != selector->select(*archive, c);
    }
    CHECK(differing > 20);
    CHECK(selector->select(*single, a)->cell == 4);
    CHECK(selector->select(*empty, a) == nullptr);
  }
  CHECK(make_selector("best") == nullptr);
}
