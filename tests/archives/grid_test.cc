#include "archives/grid.h"

#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <stdexcept>

using namespace kernatlas::archives;

namespace {

Entry entry(std::uint64_t id, double objective, std::vector<double> measures) {
  return {.id = id,
          .objective = objective,
          .low = objective,
          .high = objective,
          .measures = std::move(measures)};
}

std::vector<std::uint64_t> ids(const Archive& archive, std::size_t cell) {
  std::vector<std::uint64_t> result;
  for (const Elite& elite : archive.members(cell)) result.push_back(elite.entry.id);
  return result;
}

std::unique_ptr<Archive> one_cell(std::unique_ptr<Acceptance> rule, std::size_t depth) {
  return make_grid({Axis::linear("x", "", 0, 1, 1)}, std::move(rule), {.depth = depth});
}

}  // namespace

TEST_CASE("cells are row-major, first axis slowest, and have texts") {
  const auto grid = make_grid({Axis::linear("a", "", 0, 2, 2), Axis::linear("b", "", 0, 3, 3),
                               Axis::categorical("c", {"p", "q"})},
                              strict_acceptance());
  CHECK(grid->kind() == "grid");
  CHECK(grid->stats().cells == 12);
  CHECK(grid->cell_of(std::vector<double>{0.5, 0.5, 0}).value() == 0);
  CHECK(grid->cell_of(std::vector<double>{0.5, 0.5, 1}).value() == 1);
  CHECK(grid->cell_of(std::vector<double>{0.5, 1.5, 0}).value() == 2);
  CHECK(grid->cell_of(std::vector<double>{1.5, 2.5, 1}).value() == 11);
  CHECK(grid->cell_text(11) == std::vector<std::string>{"≥ 1", "≥ 2", "q"});
  CHECK(grid->cell_text(2) == std::vector<std::string>{"< 1", "[1, 2)", "p"});
}

TEST_CASE("a cell keeps the best `depth` entries in order") {
  const auto grid = one_cell(strict_acceptance(), 3);
  for (const double objective : {4, 3, 1, 0, 5}) {
    const AddOutcome outcome =
        grid->add(entry(static_cast<std::uint64_t>(objective), objective, {0.5}));
    CHECK(outcome.kept == (objective != 0));
  }
  CHECK(ids(*grid, 0) == std::vector<std::uint64_t>{5, 4, 3});
  // What fell out may come back as a new entry.
  CHECK(grid->add(entry(1, 6, {0.5})).status == AddStatus::improved);
  CHECK(ids(*grid, 0) == std::vector<std::uint64_t>{1, 5, 4});
}

TEST_CASE("a challenger that loses its re-run may stay as a runner-up and win a later one") {
  const auto grid = one_cell(interleaved_acceptance(0.1), 3);
  grid->add(entry(1, 1, {0.5}));
  const AddOutcome lost = grid->add(entry(2, 1.5, {0.5}), Evidence{1, 0.0, false});
  CHECK(lost.status == AddStatus::rejected);
  CHECK(lost.kept);
  CHECK(ids(*grid, 0) == std::vector<std::uint64_t>{1, 2});
  const AddOutcome again = grid->add(entry(2, 1.4, {0.5}));
  CHECK(again.status == AddStatus::contested);
  CHECK(again.kept);
  CHECK(grid->members(0)[1].entry.objective == 1.5);
  CHECK(grid->add(entry(2, 1.4, {0.5}), Evidence{1, 0.3, true}).status == AddStatus::improved);
  CHECK(ids(*grid, 0) == std::vector<std::uint64_t>{2, 1});
  CHECK(grid->champion(0)->entry.objective == 1.4);
  // Judged afresh, kept out: the newer numbers replace the older ones.
  CHECK(grid->add(entry(1, 0.5, {0.5})).status == AddStatus::rejected);
  CHECK(grid->members(0)[1].entry.objective == 0.5);
}

TEST_CASE("the former champion takes its place among the runners-up") {
  const auto grid = one_cell(interleaved_acceptance(0), 3);
  grid->add(entry(1, 1, {0.5}));
  grid->add(entry(2, 3, {0.5}), Evidence{1, 0, false});
  grid->add(entry(3, 2, {0.5}), Evidence{1, 0, false});
  CHECK(ids(*grid, 0) == std::vector<std::uint64_t>{1, 2, 3});
  grid->add(entry(4, 1.5, {0.5}), Evidence{1, 1, true});
  CHECK(ids(*grid, 0) == std::vector<std::uint64_t>{4, 2, 3});
}

TEST_CASE("the best champion of all is found again when evidence dethrones it") {
  const auto grid =
      make_grid({Axis::linear("x", "", 0, 3, 3)}, interleaved_acceptance(0.1), {.depth = 1});
  grid->add(entry(1, 5, {0.5}));
  grid->add(entry(2, 4, {1.5}));
  grid->add(entry(3, 1, {2.5}));
  CHECK(grid->stats().best == 5);
  grid->add(entry(4, 3, {0.5}), Evidence{1, 0.5, true});
  CHECK(grid->stats().best == 4);
  CHECK(grid->stats().qd_score == doctest::Approx(3 + 4 + 1 + 18));
  CHECK(grid->stats().mean == doctest::Approx(8.0 / 3));
}

TEST_CASE("memory grows with occupied cells: a grid of 2^48 cells works") {
  std::vector<Axis> axes;
  for (const char* name : {"a", "b", "c", "d", "e", "f"}) {
    axes.push_back(Axis::linear(name, "", 0, 1, 256));
  }
  const auto grid = make_grid(axes, strict_acceptance());
  CHECK(grid->stats().cells == std::size_t{1} << 48);
  std::mt19937_64 rng(3);
  std::uniform_real_distribution<double> any(0, 1);
  for (std::uint64_t id = 0; id < 1000; ++id) {
    grid->add(entry(id, any(rng), {any(rng), any(rng), any(rng), any(rng), any(rng), any(rng)}));
  }
  CHECK(grid->stats().occupied == 1000);
  CHECK(grid->stats().coverage == doctest::Approx(1000 / std::exp2(48)));
  axes.push_back(Axis::linear("g", "", 0, 1, 2));
  CHECK_THROWS_AS(static_cast<void>(make_grid(axes, strict_acceptance())), std::invalid_argument);
}

TEST_CASE("a range that does not fit shows in the statistics") {
  const auto grid = make_grid({Axis::linear("time", "s", 0, 1, 10)}, strict_acceptance());
  CHECK(grid->stats().edge_share(0) == 0);
  for (std::uint64_t id = 0; id < 100; ++id) {
    grid->add(entry(id, 0, {id < 95 ? 20.0 : 0.5}));
  }
  CHECK(grid->stats().above[0] == 95);
  CHECK(grid->stats().last[0] == 95);
  CHECK(grid->stats().edge_share(0) > 0.9);
  // Inside the range, yet all in one edge bin: nothing is clipped, and it still shows.
  const auto narrow = make_grid({Axis::linear("time", "s", 0, 1, 10)}, strict_acceptance());
  for (std::uint64_t id = 0; id < 100; ++id) narrow->add(entry(id, 0, {0.05}));
  CHECK(narrow->stats().below[0] + narrow->stats().above[0] == 0);
  CHECK(narrow->stats().edge_share(0) == 1);
}

TEST_CASE("a rejecting axis refuses and counts") {
  const auto grid =
      make_grid({Axis::linear("x", "", 0, 1, 4, OutOfRange::reject)}, strict_acceptance());
  const AddOutcome outcome = grid->add(entry(1, 1, {1.5}));
  CHECK(outcome.status == AddStatus::refused);
  CHECK(outcome.reason == "1.5 is out of the range of axis \"x\"");
  CHECK(grid->stats().above[0] == 1);
  CHECK(grid->stats().last[0] == 0);
}

TEST_CASE("occupied neighbours are one bin away, or another label") {
  const auto grid =
      make_grid({Axis::linear("x", "", 0, 5, 5), Axis::categorical("c", {"p", "q", "r"})},
                strict_acceptance());
  const auto add = [&](double x, double c) {
    static std::uint64_t id = 0;
    return grid->add(entry(++id, 1, {x + 0.5, c})).cell;
  };
  const std::size_t middle = add(2, 0);
  CHECK(grid->occupied_neighbours(middle) == 0);
  const std::size_t beside = add(3, 0);
  add(2, 2);
  add(4, 0);  // two bins away
  add(3, 1);  // one step on each of two axes
  CHECK(grid->occupied_neighbours(middle) == 2);
  CHECK(grid->occupied_neighbours(beside) == 3);
  CHECK(grid->occupied_neighbours(12345) == 0);
}

TEST_CASE("impossible grids are refused") {
  const Axis x = Axis::linear("x", "", 0, 1, 2);
  CHECK_THROWS_AS(static_cast<void>(make_grid({}, strict_acceptance())), std::invalid_argument);
  CHECK_THROWS_AS(static_cast<void>(make_grid({x, x}, strict_acceptance())), std::invalid_argument);
  CHECK_THROWS_AS(static_cast<void>(make_grid({x}, nullptr)), std::invalid_argument);
  CHECK_THROWS_AS(static_cast<void>(make_grid({x}, strict_acceptance(), {.depth = 0})),
                  std::invalid_argument);
  CHECK_THROWS_AS(
      static_cast<void>(make_grid({x}, strict_acceptance(), {.depth = 1, .floor = std::nan("")})),
      std::invalid_argument);
}
