// What every archive kind must do. archive_conformance_test.cc lists the kinds, one line each.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "archives/archive.h"
#include "archives/registry.h"

namespace kernatlas::archives::conformance {

inline constexpr double kFloor = -6;
inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The kind under test: the kinds it is registered with, its spec without axes, for kinds that have
// centroids how to place them, and what it is allowed to promise less than others: a kind that
// exempts itself from more than the test says fails.
struct Subject {
  ArchiveKinds kinds = builtin_kinds();
  ArchiveSpec spec = {};
  std::function<std::vector<double>(const std::vector<Axis>&)> points = {};
  Traits traits = {};
  std::set<std::string> rules = {"strict", "interval", "interleaved"};

  [[nodiscard]] ArchiveSpec spec_for(std::vector<Axis> axes, std::string rule,
                                     double min_gain = 0) const {
    ArchiveSpec full = spec;
    full.axes = std::move(axes);
    full.acceptance = std::move(rule);
    full.min_gain = min_gain;
    full.floor = kFloor;
    if (points) full.points = points(full.axes);
    return full;
  }
  [[nodiscard]] std::unique_ptr<Archive> make(std::vector<Axis> axes, std::string rule,
                                              double min_gain = 0) const {
    auto archive = kinds.make(spec_for(std::move(axes), std::move(rule), min_gain));
    if (!archive) FAIL(archive.error());
    return std::move(*archive);
  }
};

inline std::vector<Axis> test_axes() {
  return {Axis::linear("share", "", 0, 1, 5), Axis::log2("bytes", "B", 16, 4096, 8),
          Axis::categorical("memory", {"direct", "tile", "stream"})};
}

// Two costs that say nothing about the objective; only some kinds look at them.
inline Entry entry(std::uint64_t id, double objective, std::vector<double> measures) {
  return {.id = id,
          .objective = objective,
          .low = objective,
          .high = objective,
          .measures = std::move(measures),
          .costs = {static_cast<double>(id * 7 % 11), static_cast<double>(id * 5 % 13)}};
}

// Entries with distinct ids and objectives, some of them clipped.
inline std::vector<Entry> random_entries(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 rng(seed);
  std::uniform_real_distribution<double> share(-0.2, 1.2), bytes(2, 14), objective(-9, 9);
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < count; ++i) {
    entries.push_back(entry(i, objective(rng),
                            {share(rng), std::exp2(bytes(rng)), static_cast<double>(rng() % 3)}));
    entries.back().low -= 0.1;
    entries.back().high += 0.1;
  }
  return entries;
}

// Everything stored: cell, rank, id and objective of each member, in the order of occupied().
inline std::string dump(const Archive& archive) {
  std::string text;
  for (const std::size_t cell : archive.occupied()) {
    for (const Elite& elite : archive.members(cell)) {
      text += std::to_string(cell) + "/" + std::to_string(elite.rank) + ":" +
              std::to_string(elite.entry.id) + "=" + std::to_string(elite.entry.objective) + " ";
    }
  }
  return text;
}

inline std::map<std::size_t, std::vector<std::uint64_t>> ids_by_cell(const Archive& archive,
                                                                     OrderFree depth) {
  std::map<std::size_t, std::vector<std::uint64_t>> ids;
  for (const std::size_t cell : archive.occupied()) {
    for (const Elite& elite : archive.members(cell)) {
      if (elite.rank == 0 || depth == OrderFree::members) ids[cell].push_back(elite.entry.id);
    }
  }
  return ids;
}

// Structure and statistics agree with a recomputation from what is stored.
inline void check_consistent(const Archive& archive) {
  const Stats& stats = archive.stats();
  double qd = 0, sum = 0, best = kNan;
  std::set<std::uint64_t> ids;
  std::size_t stored = 0;
  for (const std::size_t cell : archive.occupied()) {
    const auto members = archive.members(cell);
    REQUIRE_FALSE(members.empty());
    REQUIRE(archive.champion(cell) == members.data());
    for (std::size_t rank = 0; rank < members.size(); ++rank) {
      REQUIRE(members[rank].rank == rank);
      REQUIRE(members[rank].cell == cell);
      if (rank > 1) REQUIRE(better(members[rank - 1].entry, members[rank].entry));
      ids.insert(members[rank].entry.id);
      REQUIRE(archive.find(members[rank].entry.id) == &members[rank]);
      ++stored;
    }
    const double objective = members[0].entry.objective;
    qd += std::max(0.0, objective - archive.floor());
    sum += objective;
    if (!(best > objective)) best = objective;
  }
  CHECK(ids.size() == stored);
  CHECK(stats.occupied == archive.occupied().size());
  CHECK(stats.qd_score == doctest::Approx(qd));
  if (stats.occupied == 0) {
    CHECK(std::isnan(stats.best));
    CHECK(std::isnan(stats.mean));
  } else {
    CHECK(stats.best == best);
    CHECK(stats.mean == doctest::Approx(sum / static_cast<double>(stats.occupied)));
  }
  if (stats.cells == 0) {
    CHECK(std::isnan(stats.coverage));
  } else {
    CHECK(stats.coverage ==
          doctest::Approx(static_cast<double>(stats.occupied) / static_cast<double>(stats.cells)));
  }
}

inline void check_elitism(const Subject& subject) {
  if (!subject.traits.elitist) return;
  const auto archive = subject.make(test_axes(), "strict");
  std::map<std::size_t, double> best;
  double qd = 0;
  for (const Entry& each : random_entries(3000, 11)) {
    const std::size_t cell = archive->cell_of(each.measures).value();
    archive->add(each);
    const auto [seen, fresh] = best.try_emplace(cell, each.objective);
    seen->second = std::max(seen->second, each.objective);
    REQUIRE(archive->champion(cell)->entry.objective == seen->second);
    REQUIRE(archive->stats().qd_score >= qd - 1e-9);
    qd = archive->stats().qd_score;
  }
  CHECK(qd > 0);
  check_consistent(*archive);
}

// Entries below the floor open cells without lowering the score.
inline void check_floor(const Subject& subject) {
  const auto archive = subject.make(test_axes(), "strict");
  REQUIRE(archive->floor() == kFloor);
  archive->add(entry(1, kFloor - 3, {0.1, 20, 0}));
  CHECK(archive->stats().qd_score == 0);
  archive->add(entry(2, kFloor + 2, {0.1, 20, 0}));
  CHECK(archive->stats().qd_score == 2);
  archive->add(entry(3, kFloor - 100, {0.9, 4000, 2}));
  CHECK(archive->stats().qd_score == 2);
}

inline void check_order_independence(const Subject& subject) {
  if (subject.traits.order_free == OrderFree::nothing) return;
  std::vector<double> objectives{3, 9, 5};
  std::sort(objectives.begin(), objectives.end());
  do {
    const auto archive = subject.make(test_axes(), "strict");
    for (const double objective : objectives) {
      archive->add(entry(static_cast<std::uint64_t>(objective), objective, {0.5, 100, 1}));
    }
    const std::size_t cell = archive->cell_of(std::vector<double>{0.5, 100, 1}).value();
    REQUIRE(archive->champion(cell)->entry.id == 9);
  } while (std::next_permutation(objectives.begin(), objectives.end()));

  // Equal objectives too: size, then id, decide.
  auto entries = random_entries(1000, 12);
  for (Entry& each : entries) {
    each.objective = std::round(each.objective);
    each.size = static_cast<double>(each.id % 3);
  }
  std::mt19937_64 rng(13);
  std::map<std::size_t, std::vector<std::uint64_t>> expected;
  for (int round = 0; round < 5; ++round) {
    const auto archive = subject.make(test_axes(), "strict");
    for (const Entry& each : entries) archive->add(each);
    if (round == 0) expected = ids_by_cell(*archive, subject.traits.order_free);
    REQUIRE(ids_by_cell(*archive, subject.traits.order_free) == expected);
    std::shuffle(entries.begin(), entries.end(), rng);
  }
}

// The same calls, evidence included, give the same archive; half of them, then the rest, too.
inline void check_replay(const Subject& subject) {
  if (!subject.rules.contains("interleaved")) return;
  const auto entries = random_entries(2000, 14);
  struct Call {
    Entry entry;
    std::optional<Evidence> evidence;
  };
  std::vector<Call> journal;
  std::mt19937_64 rng(15);
  const auto archive = subject.make(test_axes(), "interleaved", 0.02);
  for (const Entry& each : entries) {
    journal.push_back({each, std::nullopt});
    const AddOutcome first = archive->add(each);
    if (first.status != AddStatus::contested) continue;
    const double gain = static_cast<double>(rng() % 100) / 100 - 0.5;
    journal.push_back({each, Evidence{first.incumbent.value(), gain, gain > 0.1}});
    const AddOutcome second = archive->add(each, journal.back().evidence);
    REQUIRE(second.status == (gain > 0.1 ? AddStatus::improved : AddStatus::rejected));
  }
  CHECK(archive->stats().improved > 0);
  check_consistent(*archive);
  const auto again = subject.make(test_axes(), "interleaved", 0.02);
  for (const Call& call : journal) again->add(call.entry, call.evidence);
  CHECK(dump(*again) == dump(*archive));
  CHECK(again->stats().qd_score == archive->stats().qd_score);
}

// Every measure either has a cell or is refused, whatever the width of the range.
inline void check_total_index(const Subject& subject) {
  for (const double width : {1e-9, 1e-6, 1.0, 1e12}) {
    for (const OutOfRange policy : {OutOfRange::clip, OutOfRange::reject}) {
      const auto archive = subject.make({Axis::linear("x", "", 0, width, 10, policy)}, "strict");
      std::uint64_t id = 0;
      for (const double x : {kNan, kInfinity, -kInfinity, -width, -0.0, 0.0, width / 2, width,
                             std::nextafter(width, kInfinity), 1e300, 5e-324}) {
        CAPTURE(x);
        CAPTURE(width);
        const std::vector<double> measures{x};
        const auto cell = archive->cell_of(measures);
        const bool inside = x >= 0 && x <= width;
        CHECK(cell.has_value() == (!std::isnan(x) && (inside || policy == OutOfRange::clip)));
        const AddOutcome outcome = archive->add(entry(++id, 1, measures));
        CHECK((outcome.status == AddStatus::refused) == !cell.has_value());
        CHECK(outcome.reason.empty() == cell.has_value());
        if (cell && subject.traits.cells_by_measures) CHECK(outcome.cell == *cell);
      }
      CHECK(archive->stats().below[0] == 2);
      CHECK(archive->stats().above[0] == 3);
    }
  }
}

inline void check_refusals(const Subject& subject) {
  const auto archive = subject.make(test_axes(), "strict");
  for (const double objective : {kNan, kInfinity, -kInfinity}) {
    CHECK(archive->add(entry(1, objective, {0.5, 100, 1})).status == AddStatus::refused);
  }
  for (const std::vector<double>& measures : std::vector<std::vector<double>>{
           {}, {0.5, 100}, {0.5, 100, 1, 1}, {0.5, 100, 3}, {0.5, 100, 0.5}, {0.5, kNan, 0}}) {
    const AddOutcome outcome = archive->add(entry(1, 1, measures));
    CHECK(outcome.status == AddStatus::refused);
    CHECK_FALSE(outcome.kept);
    CHECK_FALSE(outcome.reason.empty());
  }
  CHECK(archive->occupied().empty());
  CHECK(archive->stats().refused == 9);
  CHECK(archive->champion(0) == nullptr);
  CHECK(archive->members(0).empty());
  check_consistent(*archive);
}

// What add() answers is what happened, and the counters add up.
inline void check_outcomes(const Subject& subject) {
  if (!subject.traits.elitist || !subject.rules.contains("interval")) return;
  const auto archive = subject.make(test_axes(), "interval");
  std::uint64_t calls = 0;
  Stats counted;
  for (const Entry& each : random_entries(2000, 16)) {
    const std::size_t cell = archive->cell_of(each.measures).value();
    const Elite* before = archive->champion(cell);
    const std::optional<Entry> former = before ? std::optional(before->entry) : std::nullopt;
    const AddOutcome outcome = archive->add(each);
    ++calls;
    REQUIRE(outcome.cell == cell);
    const bool champion_now = archive->champion(cell)->entry.id == each.id;
    const auto members = archive->members(cell);
    const bool stored = std::any_of(members.begin(), members.end(),
                                    [&](const Elite& elite) { return elite.entry.id == each.id; });
    REQUIRE(outcome.kept == stored);
    REQUIRE((outcome.status == AddStatus::opened) == !former.has_value());
    REQUIRE((outcome.status == AddStatus::opened || outcome.status == AddStatus::improved) ==
            champion_now);
    REQUIRE(outcome.displaced.has_value() == (outcome.status == AddStatus::improved));
    if (outcome.displaced) {
      REQUIRE(*outcome.displaced == former->id);
      REQUIRE(outcome.gain == each.objective - former->objective);
      REQUIRE(outcome.gain > 0);
    } else {
      REQUIRE(outcome.gain == 0);
    }
    counted.opened += outcome.status == AddStatus::opened;
    counted.improved += outcome.status == AddStatus::improved;
    counted.rejected += outcome.status == AddStatus::rejected;
  }
  const Stats& stats = archive->stats();
  CHECK(stats.opened == counted.opened);
  CHECK(stats.improved == counted.improved);
  CHECK(stats.rejected == counted.rejected);
  CHECK(stats.adds() == calls);
  CHECK(stats.opened == stats.occupied);
  check_consistent(*archive);
}

// A contested entry changes nothing; evidence about somebody else is no evidence.
inline void check_contest(const Subject& subject) {
  if (!subject.rules.contains("interleaved")) return;
  const auto archive = subject.make(test_axes(), "interleaved", 0.1);
  const std::vector<double> measures{0.5, 100, 1};
  archive->add(entry(1, 2, measures));
  const std::string before = dump(*archive);
  for (const std::optional<Evidence>& evidence :
       {std::optional<Evidence>(), std::optional(Evidence{77, 3, true})}) {
    const AddOutcome outcome = archive->add(entry(2, 3, measures), evidence);
    CHECK(outcome.status == AddStatus::contested);
    CHECK(outcome.incumbent.value() == 1);
    CHECK_FALSE(outcome.kept);
    CHECK(dump(*archive) == before);
  }
  CHECK(archive->add(entry(3, 3, measures), Evidence{1, 0.05, true}).status == AddStatus::rejected);
  CHECK(archive->champion(archive->occupied()[0])->entry.id == 1);
  const AddOutcome won = archive->add(entry(4, 1.95, measures), Evidence{1, 0.2, true});
  CHECK(won.status == AddStatus::improved);
  CHECK(won.displaced.value() == 1);
  CHECK(won.gain == doctest::Approx(-0.05));
  CHECK(archive->stats().best == 1.95);
  CHECK(archive->stats().contested == 2);
  check_consistent(*archive);
}

// Many entries of one new cell: one opens it, the rest are told how they really ended.
inline void check_crowd_in_one_cell(const Subject& subject) {
  if (!subject.traits.elitist) return;
  const auto archive = subject.make(test_axes(), "strict");
  const std::vector<double> objectives{1, 4, 2, 8, 5, 7};
  for (std::size_t i = 0; i < objectives.size(); ++i) {
    archive->add(entry(i, objectives[i], {0.5, 100, 1}));
  }
  const Stats& stats = archive->stats();
  CHECK(stats.opened == 1);
  CHECK(stats.improved == 2);
  CHECK(stats.rejected == 3);
  CHECK(stats.occupied == 1);
  CHECK(stats.best == 8);
  check_consistent(*archive);
}

inline void check_same_id(const Subject& subject) {
  if (!subject.traits.cells_by_measures) return;
  const auto archive = subject.make(test_axes(), "strict");
  const std::vector<double> measures{0.5, 100, 1};
  for (int round = 0; round < 3; ++round) {
    archive->add(entry(7, 2, measures));
    archive->add(entry(8, 1, measures));
    archive->add(entry(9, 3, measures));
    check_consistent(*archive);
  }
  CHECK(archive->champion(archive->occupied()[0])->entry.id == 9);
  const AddOutcome champion = archive->add(entry(9, 50, measures));
  CHECK(champion.status == AddStatus::rejected);
  CHECK(champion.kept);
  CHECK(archive->stats().best == 3);
  const std::vector<double> elsewhere{0.1, 20, 0};
  if (archive->cell_of(elsewhere) != archive->cell_of(measures)) {
    CHECK(archive->add(entry(9, 60, elsewhere)).status == AddStatus::refused);
    CHECK(archive->occupied().size() == 1);
  }
  // A stored entry handed back by reference: what it refers to moves while it is added.
  const auto members = archive->members(archive->occupied()[0]);
  archive->add(members.back().entry);
  check_consistent(*archive);
}

inline void check_intervals(const Subject& subject) {
  if (!subject.rules.contains("interval")) return;
  const auto archive = subject.make(test_axes(), "interval");
  const std::vector<double> measures{0.5, 100, 1};
  Entry unknown = entry(1, 2, measures);
  unknown.low = -kInfinity;
  unknown.high = kInfinity;
  archive->add(unknown);
  const Entry& stored = archive->champion(archive->occupied()[0])->entry;
  CHECK(stored.low == 2);
  CHECK(stored.high == 2);
  Entry unset = entry(2, 3, measures);
  unset.low = unset.high = 0;
  CHECK(archive->add(unset).status == AddStatus::improved);
  Entry wide = entry(3, 4, measures);
  wide.low = 2.5;
  wide.high = 5;
  CHECK(archive->add(wide).status == AddStatus::rejected);
}

inline void check_text(const Subject& subject) {
  const auto archive = subject.make(test_axes(), "strict");
  CHECK(archive->kind() == subject.spec.kind);
  const Traits traits = archive->traits();
  CHECK(traits.elitist == subject.traits.elitist);
  CHECK(traits.cells_by_measures == subject.traits.cells_by_measures);
  CHECK(traits.order_free == subject.traits.order_free);
  CHECK(archive->axes() == test_axes());
  for (const Entry& each : random_entries(50, 17)) archive->add(each);
  for (const std::size_t cell : archive->occupied()) {
    for (const std::string& text : archive->cell_text(cell)) CHECK_FALSE(text.empty());
  }
  CHECK_FALSE(subject.kinds.make(subject.spec_for(test_axes(), "lucky")).has_value());
  for (const std::string rule : {"strict", "interval", "interleaved"}) {
    CHECK(subject.kinds.make(subject.spec_for(test_axes(), rule)).has_value() ==
          subject.rules.contains(rule));
  }
}

}  // namespace kernatlas::archives::conformance

#include "tests/archives/conformance_state.h"

namespace kernatlas::archives::conformance {

inline void check_conformance(const Subject& subject) {
  SUBCASE("elitism and a score that never falls") {
    check_elitism(subject);
  }
  SUBCASE("floor") {
    check_floor(subject);
  }
  SUBCASE("order independence under the strict rule") {
    check_order_independence(subject);
  }
  SUBCASE("replay gives the same archive") {
    check_replay(subject);
  }
  SUBCASE("the index is a total function") {
    check_total_index(subject);
  }
  SUBCASE("refusals") {
    check_refusals(subject);
  }
  SUBCASE("status, kept and displaced agree with what happened") {
    check_outcomes(subject);
  }
  SUBCASE("contests") {
    check_contest(subject);
  }
  SUBCASE("a crowd in one cell") {
    check_crowd_in_one_cell(subject);
  }
  SUBCASE("an id is stored once") {
    check_same_id(subject);
  }
  SUBCASE("missing intervals") {
    check_intervals(subject);
  }
  SUBCASE("what is said to be kept and dropped is what is stored") {
    check_bookkeeping(subject);
  }
  SUBCASE("a batch equals its entries in any order") {
    check_batch_order(subject);
  }
  SUBCASE("a batch rewards only who is there in the end") {
    check_batch_rewards(subject);
  }
  SUBCASE("restored, an archive is the same and goes on the same") {
    check_restore(subject);
  }
  SUBCASE("impossible states are refused") {
    check_hostile_states(subject);
  }
  SUBCASE("a watcher sees every add") {
    check_watcher(subject);
  }
  SUBCASE("texts and traits") {
    check_text(subject);
  }
}

}  // namespace kernatlas::archives::conformance
