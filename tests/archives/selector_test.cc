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
  Random rng(seed);
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
  for (const std::string_view name : selector_names()) {
    CAPTURE(name);
    const auto selector = make_selector(name);
    REQUIRE(selector != nullptr);
    CHECK(selector->name() == name);
    Random a(9), b(9), c(10);
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
  CHECK(make_selector("target") == nullptr);
}

TEST_CASE("curiosity: cells whose children got in, within bounds") {
  const auto archive = row(4, {0, 1, 2, 3});
  const auto selector = curiosity_selector();
  const AddOutcome in{.status = AddStatus::improved, .cell = 3};
  const AddOutcome out{.status = AddStatus::rejected, .cell = 3};
  selector->learn({.parent_cell = 0, .outcome = in});
  selector->learn({.parent_cell = 0, .outcome = in});
  selector->learn({.parent_cell = 1, .outcome = out});
  for (int i = 0; i < 20; ++i) {
    selector->learn({.parent_cell = 2, .outcome = out});
    selector->learn({.parent_cell = 2, .outcome = {.status = AddStatus::refused}});
  }
  // Scores 3, ½, the least 0.1, and 1 for who never had a child.
  CHECK(chi_square(*selector, *archive,
                   {{0, 3 / 4.6}, {1, 0.5 / 4.6}, {2, 0.1 / 4.6}, {3, 1 / 4.6}}, 4) < 16.3);
  for (int i = 0; i < 1000; ++i) selector->learn({.parent_cell = 3, .outcome = in});
  CHECK(chi_square(*selector, *archive,
                   {{0, 3 / 53.6}, {1, 0.5 / 53.6}, {2, 0.1 / 53.6}, {3, 50 / 53.6}}, 5) < 16.3);
}

TEST_CASE("improvement: cells that newcomers take, and old news fade") {
  const auto archive = row(3, {0, 1, 2});
  const auto selector = improvement_selector();
  const auto fell_into = [&](std::size_t cell, AddStatus status, int times) {
    for (int i = 0; i < times; ++i) {
      selector->learn({.parent_cell = 77, .outcome = {.status = status, .cell = cell}});
    }
  };
  fell_into(0, AddStatus::improved, 4);
  fell_into(1, AddStatus::rejected, 8);
  fell_into(2, AddStatus::refused, 50);  // fell nowhere
  // (4 + 1) / (4 + 2), 1 / 10, 1 / 2
  const double sum = 5.0 / 6 + 0.1 + 0.5;
  CHECK(chi_square(*selector, *archive, {{0, 5.0 / 6 / sum}, {1, 0.1 / sum}, {2, 0.5 / sum}}, 6) <
        13.8);
  // 28 more make 32 of which 4 got in; halved: 16 and 2.
  fell_into(0, AddStatus::rejected, 28);
  const double later = 3.0 / 18 + 0.1 + 0.5;
  CHECK(chi_square(*selector, *archive, {{0, 3.0 / 18 / later}, {1, 0.1 / later}, {2, 0.5 / later}},
                   7) < 13.8);
}

TEST_CASE("noise: in proportion to 1 / samples") {
  const auto archive = make_grid({Axis::linear("x", "", 0, 3, 3)}, strict_acceptance());
  for (const std::uint64_t samples : {0, 1, 4}) {
    Entry entry{.id = samples, .objective = 1, .low = 1, .high = 1, .measures = {0.5}};
    entry.measures[0] = samples == 4 ? 2.5 : static_cast<double>(samples) + 0.5;
    entry.samples = samples;
    archive->add(entry);
  }
  CHECK(chi_square(*noise_selector(), *archive, {{0, 1 / 2.25}, {1, 1 / 2.25}, {2, 0.25 / 2.25}},
                   8) < 13.8);
}

TEST_CASE("novelty: the one least like the others wins its tournament") {
  const auto archive = row(20, {0, 1, 2, 3, 4, 19});
  Random rng(9);
  int lonely = 0;
  for (int i = 0; i < kDraws; ++i) {
    lonely += novelty_selector(3)->select(*archive, rng)->cell == 19;
  }
  // It wins whenever it is drawn: 1 − (5/6)³, five standard deviations around.
  CHECK(std::abs(lonely / static_cast<double>(kDraws) - 0.4213) < 0.018);
  CHECK_THROWS_AS(static_cast<void>(novelty_selector(0)), std::invalid_argument);
}

TEST_CASE("target: uniformly inside, else the nearest in scaled space") {
  const auto archive = row(10, {0, 3, 4, 5, 9});
  CHECK(chi_square(*target_selector({{3.0, 5.0}}), *archive, {{3, 0.5}, {4, 0.5}}, 10) < 10.9);
  CHECK(chi_square(*target_selector({}), *archive,
                   {{0, 0.2}, {3, 0.2}, {4, 0.2}, {5, 0.2}, {9, 0.2}}, 11) < 18.5);
  Random rng(12);
  CHECK(target_selector({{7.0, 7.1}})->select(*archive, rng)->cell == 5);
  CHECK(target_selector({{8.5, INFINITY}})->select(*archive, rng)->cell == 9);
  const auto log = make_grid({Axis::log2("bytes", "B", 1, 1024, 10)}, strict_acceptance());
  log->add({.id = 1, .objective = 1, .low = 1, .high = 1, .measures = {4}});
  log->add({.id = 2, .objective = 1, .low = 1, .high = 1, .measures = {256}});
  // 64 is two octaves from 256 and four from 4.
  CHECK(target_selector({{64, 64}})->select(*log, rng)->entry.id == 2);
  CHECK(target_selector({{1, 1}, {5, 6}})->select(*log, rng)->entry.id == 1);
  CHECK_THROWS_AS(static_cast<void>(target_selector({{2, 1}})), std::invalid_argument);
  CHECK_THROWS_AS(static_cast<void>(target_selector({{std::nan(""), 1}})), std::invalid_argument);
}
