#include "archives/soft.h"

#include "archives/grid.h"
#include "archives/result_archive.h"
#include "tests/archives/kinds.h"

using namespace kernatlas::archives;
using testing::entry;
using testing::make;
using testing::refusal;

namespace {

ArchiveSpec spec_of(double rate, double least) {
  return {.kind = "soft",
          .axes = {Axis::linear("x", "", 0, 1, 2)},
          .options = {{"learning_rate", rate}, {"threshold_min", least}}};
}

}  // namespace

TEST_CASE("thresholds move a share of the way, acceptance follows them") {
  const auto archive = make(spec_of(0.25, 0));
  CHECK_FALSE(archive->traits().elitist);
  CHECK(archive->add(entry(1, 0, {0.1})).status == AddStatus::rejected);
  CHECK(archive->occupied().empty());
  const AddOutcome opened = archive->add(entry(2, 8, {0.1}));
  CHECK(opened.status == AddStatus::opened);
  CHECK(opened.gain == 8);
  CHECK(archive->state().extra == std::vector<double>{2});
  // Above the threshold of 2, though below the champion's 8.
  const AddOutcome worse = archive->add(entry(3, 6, {0.1}));
  CHECK(worse.status == AddStatus::improved);
  CHECK(worse.gain == 4);
  CHECK(worse.displaced.value() == 2);
  CHECK(worse.dropped == std::vector<std::uint64_t>{2});
  CHECK(archive->state().extra == std::vector<double>{3});
  CHECK(archive->stats().best == 6);
  CHECK(archive->stats().qd_score == 12);
  CHECK(archive->add(entry(4, 3, {0.1})).status == AddStatus::rejected);
  CHECK(archive->add(entry(5, 1, {0.9})).gain == 1);
  CHECK(archive->state().extra == std::vector<double>{3, 0.25});
}

TEST_CASE("rate 1 is elitist, rate 0 takes everything above the least") {
  const auto hard = make(spec_of(1, -6));
  const auto loose = make(spec_of(0, -6));
  for (const double objective : {1, 5, 3, 4}) {
    hard->add(entry(static_cast<std::uint64_t>(objective), objective, {0.1}));
    loose->add(entry(static_cast<std::uint64_t>(objective), objective, {0.1}));
  }
  CHECK(hard->champion(0)->entry.objective == 5);
  CHECK(loose->champion(0)->entry.objective == 4);
}

TEST_CASE("a result archive keeps what the soft one lets go") {
  const auto search = make(spec_of(0.1, -6));
  {
    const ResultArchive result(*search, make({.kind = "grid", .axes = search->axes()}));
    search->add(entry(1, 9, {0.1}));
    search->add(entry(2, 7, {0.1}));
    search->add(entry(3, -9, {0.9}));  // rejected by the threshold, still seen
    search->add(entry(4, 1, {}));      // refused by both
    CHECK(search->champion(0)->entry.id == 2);
    CHECK(result.archive().champion(0)->entry.id == 1);
    CHECK(result.archive().champion(1)->entry.id == 3);
    CHECK(result.archive().stats().refused == 1);
    CHECK(result.archive().stats().adds() == 4);
  }
  search->add(entry(5, 8, {0.1}));  // nobody watches any more
  CHECK_THROWS_AS(ResultArchive(*search, nullptr), std::invalid_argument);
  CHECK_THROWS_AS(ResultArchive(*search, make({.kind = "grid",
                                               .axes = {Axis::linear("x", "", 0, 1, 2),
                                                        Axis::linear("y", "", 0, 1, 2)}})),
                  std::invalid_argument);
}

TEST_CASE("thresholds that cannot be are refused") {
  const auto archive = make(spec_of(0.5, 0));
  archive->add(entry(1, 4, {0.1}));
  for (const std::vector<double>& extra :
       {std::vector<double>{}, {2, 2}, {-1}, {std::numeric_limits<double>::infinity()}}) {
    ArchiveState state = archive->state();
    state.extra = extra;
    CHECK_FALSE(builtin_kinds().restore(state).has_value());
  }
  ArchiveState state = archive->state();
  state.spec.options["threshold_min"] = 5;
  state.extra = {6};
  CHECK(builtin_kinds().restore(state).error().find("below threshold_min") != std::string::npos);
  CHECK_FALSE(refusal(spec_of(1.5, 0)).empty());
}
