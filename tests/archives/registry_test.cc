#include "archives/registry.h"

#include <set>
#include <stdexcept>

#include "archives/grid.h"
#include "tests/archives/kinds.h"

using namespace kernatlas::archives;
using testing::make;
using testing::refusal;

namespace {

ArchiveSpec grid_spec() {
  return {.kind = "grid", .axes = {Axis::linear("x", "", 0, 1, 2)}};
}

}  // namespace

TEST_CASE("all kinds are there, described, with numbers in their own range") {
  const ArchiveKinds kinds = builtin_kinds();
  CHECK(kinds.names() ==
        std::vector<std::string>{"grid", "cvt", "dominated-novelty", "pareto", "soft"});
  for (const std::string& name : kinds.names()) {
    const Kind* kind = kinds.find(name);
    REQUIRE(kind != nullptr);
    CHECK_FALSE(kind->description.empty());
    CHECK(kind->description.find('\n') == std::string::npos);
    for (const KindOption& option : kind->options) {
      CHECK_FALSE(option.meaning.empty());
      CHECK(option.standard >= option.least);
      CHECK(option.standard <= option.most);
    }
  }
  CHECK(kinds.find("cube") == nullptr);
}

TEST_CASE("options are filled in and checked") {
  CHECK(make(grid_spec())->spec().options == std::map<std::string, double>{{"depth", 3}});
  ArchiveSpec spec = grid_spec();
  spec.options = {{"colour", 1}};
  CHECK(refusal(spec) == "grid: there is no option \"colour\"");
  for (const double depth : {0.0, -1.0, 1.5, 1e300, std::numeric_limits<double>::quiet_NaN()}) {
    spec.options = {{"depth", depth}};
    CHECK(refusal(spec).find("depth must be a whole number from 1 to 1000000") !=
          std::string::npos);
  }
  spec = grid_spec();
  spec.points = {0.5};
  CHECK(refusal(spec) == "grid: takes no centroids");
  spec.kind = "cube";
  CHECK(refusal(spec) ==
        "there is no archive kind \"cube\"; known: grid, cvt, dominated-novelty, pareto, soft");
}

TEST_CASE("the grid's own maker and the registry make the same archive") {
  const auto mine = make_grid({Axis::linear("x", "", 0, 1, 2)}, interleaved_acceptance(0.25),
                              {.depth = 2, .floor = -1});
  CHECK(mine->spec().acceptance == "interleaved");
  CHECK(mine->spec().min_gain == 0.25);
  CHECK(mine->spec() == make(mine->spec())->spec());
  CHECK(builtin_kinds().restore(mine->state()).value()->spec() == mine->spec());
}

TEST_CASE("kinds of one's own, once each") {
  ArchiveKinds kinds = builtin_kinds();
  Kind mine = grid_kind();
  CHECK_THROWS_AS(kinds.add(mine), std::invalid_argument);
  kinds.add("mine", "a grid by another name", mine.factory, mine.options);
  ArchiveSpec spec = grid_spec();
  spec.kind = "mine";
  CHECK(kinds.make(spec).value()->kind() == "mine");
  CHECK_FALSE(builtin_kinds().make(spec).has_value());
}

TEST_CASE("a score keeps its history's rounding, a lie is found") {
  const auto archive = make(grid_spec());
  archive->add(testing::entry(1, 0.1, {0.2}));
  archive->add(testing::entry(2, 0.2, {0.8}));
  archive->add(testing::entry(3, 0.3, {0.2}));
  ArchiveState state = archive->state();
  state.counters.qd_score += 1e-12;
  CHECK(builtin_kinds().restore(state).value()->stats().qd_score == state.counters.qd_score);
  state.counters.qd_score += 1e-3;
  CHECK(builtin_kinds().restore(state).error().find("do not fit") != std::string::npos);
}

TEST_CASE("objectives of any size do not spoil the sums") {
  const auto archive = make_grid({Axis::linear("x", "", 0, 1, 2)}, interleaved_acceptance(0));
  archive->add(testing::entry(1, 1e300, {0.2}));
  archive->add(testing::entry(2, 0.5, {0.8}));
  archive->add(testing::entry(3, 0.25, {0.2}), Evidence{1, 1, true});
  CHECK(archive->stats().sum == 0.75);
  CHECK(archive->stats().qd_score == 12.75);
  CHECK(builtin_kinds().restore(archive->state()).has_value());
}
