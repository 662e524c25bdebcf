// What the shared part of Archive does; archive_conformance_test.cc checks it through every kind.
#include "archives/archive.h"

#include <doctest/doctest.h>

#include <cmath>
#include <set>
#include <string>

#include "archives/grid.h"

using namespace kernatlas::archives;

TEST_CASE("statuses have distinct names") {
  std::set<std::string_view> names;
  for (const AddStatus status : {AddStatus::rejected, AddStatus::improved, AddStatus::opened,
                                 AddStatus::contested, AddStatus::refused}) {
    names.insert(name(status));
  }
  CHECK(names ==
        std::set<std::string_view>{"rejected", "improved", "opened", "contested", "refused"});
}

TEST_CASE("an empty archive has no best, no mean, and full-length counters") {
  const auto archive = make_grid({Axis::linear("x", "", 0, 1, 4), Axis::linear("y", "", 0, 1, 4)},
                                 strict_acceptance());
  const Stats& stats = archive->stats();
  CHECK(stats.cells == 16);
  CHECK(stats.coverage == 0);
  CHECK(std::isnan(stats.best));
  CHECK(std::isnan(stats.mean));
  CHECK(stats.adds() == 0);
  CHECK(stats.below.size() == 2);
  CHECK(stats.above.size() == 2);
  CHECK(stats.first.size() == 2);
  CHECK(stats.last.size() == 2);
}

TEST_CASE("a size that is no number loses every tie") {
  const auto archive = make_grid({Axis::linear("x", "", 0, 1, 1)}, strict_acceptance());
  Entry unknown{.id = 1, .objective = 1, .low = 1, .high = 1, .measures = {0.5}};
  unknown.size = std::nan("");
  archive->add(unknown);
  CHECK(archive->add({.id = 2, .objective = 1, .low = 1, .high = 1, .measures = {0.5}, .size = 1e9})
            .status == AddStatus::improved);
}

TEST_CASE("refusals say why") {
  const auto archive = make_grid({Axis::categorical("memory", {"a", "b"})}, strict_acceptance());
  CHECK(archive->add({.id = 1, .measures = {}}).reason == "0 measures for 1 axes");
  CHECK(archive->add({.id = 1, .measures = {7}}).reason == "axis \"memory\" has no bin for 7");
  CHECK(archive->add({.id = 1, .objective = std::nan(""), .measures = {0}}).reason ==
        "the objective is nan");
}
