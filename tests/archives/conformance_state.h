// The part of the suite about batches, bookkeeping and states; included by conformance.h.
#pragma once

#include <bit>

#include "tests/archives/conformance.h"

namespace kernatlas::archives::conformance {

inline std::uint64_t bits(double value) {
  return std::bit_cast<std::uint64_t>(std::isnan(value) ? kNan : value);
}

// Bit for bit, NaN equal to NaN.
inline void check_same_stats(const Stats& a, const Stats& b) {
  CHECK(a.cells == b.cells);
  CHECK(a.occupied == b.occupied);
  CHECK(bits(a.coverage) == bits(b.coverage));
  CHECK(bits(a.qd_score) == bits(b.qd_score));
  CHECK(bits(a.sum) == bits(b.sum));
  CHECK(bits(a.best) == bits(b.best));
  CHECK(bits(a.mean) == bits(b.mean));
  CHECK(a.opened == b.opened);
  CHECK(a.improved == b.improved);
  CHECK(a.rejected == b.rejected);
  CHECK(a.contested == b.contested);
  CHECK(a.refused == b.refused);
  CHECK(a.below == b.below);
  CHECK(a.above == b.above);
  CHECK(a.first == b.first);
  CHECK(a.last == b.last);
}

inline void check_same_state(const Archive& a, const Archive& b) {
  const ArchiveState left = a.state(), right = b.state();
  CHECK(left.spec == right.spec);
  CHECK(left.elites == right.elites);
  CHECK(left.extra == right.extra);
  check_same_stats(left.counters, right.counters);
}

// A reader that knows only what add() answers knows exactly what is stored.
inline void check_bookkeeping(const Subject& subject) {
  const auto archive = subject.make(test_axes(), "strict");
  std::set<std::uint64_t> stored;
  std::mt19937_64 rng(21);
  for (Entry& each : random_entries(3000, 20)) {
    if (rng() % 8 == 0) each.id = rng() % 3000;  // some ids come again
    const bool was_stored = stored.contains(each.id);
    const AddOutcome outcome = archive->add(each);
    if (outcome.kept) stored.insert(each.id);
    for (const std::uint64_t id : outcome.dropped) REQUIRE(stored.erase(id) == 1);
    if (outcome.status != AddStatus::refused) REQUIRE(outcome.kept == stored.contains(each.id));
    if (outcome.status == AddStatus::refused) REQUIRE(was_stored);
    REQUIRE((archive->find(each.id) != nullptr) == stored.contains(each.id));
  }
  std::set<std::uint64_t> found;
  for (const Elite& elite : archive->state().elites) found.insert(elite.entry.id);
  CHECK(found == stored);
  check_consistent(*archive);
}

inline std::map<std::uint64_t, AddOutcome> add_as_batch(Archive& archive,
                                                        const std::vector<Entry>& entries) {
  const auto outcomes = archive.add_batch(entries);
  REQUIRE(outcomes.size() == entries.size());
  std::map<std::uint64_t, AddOutcome> by_id;
  for (std::size_t i = 0; i < entries.size(); ++i) by_id[entries[i].id] = outcomes[i];
  return by_id;
}

inline void check_batch_order(const Subject& subject) {
  const auto first = random_entries(300, 22);
  auto second = random_entries(500, 23);
  for (Entry& each : second) each.id += 1000;
  const auto one_by_one = subject.make(test_axes(), "strict");
  for (const Entry& each : first) one_by_one->add(each);
  for (const Entry& each : second) one_by_one->add(each);
  std::mt19937_64 rng(24);
  std::map<std::uint64_t, AddOutcome> expected;
  Stats stats;
  for (int round = 0; round < 4; ++round) {
    const auto archive = subject.make(test_axes(), "strict");
    archive->add_batch(first);
    const auto outcomes = add_as_batch(*archive, second);
    check_consistent(*archive);
    CHECK(archive->stats().adds() == 800);
    if (round == 0) {
      expected = outcomes;
      stats = archive->stats();
      CHECK(dump(*archive) == dump(*one_by_one));
    }
    if (subject.traits.order_free == OrderFree::nothing) return;
    CHECK(ids_by_cell(*archive, subject.traits.order_free) ==
          ids_by_cell(*one_by_one, subject.traits.order_free));
    CHECK(archive->stats().opened == stats.opened);
    CHECK(archive->stats().improved == stats.improved);
    CHECK(archive->stats().rejected == stats.rejected);
    for (const auto& [id, outcome] : outcomes) {
      REQUIRE(outcome.status == expected.at(id).status);
      REQUIRE(outcome.cell == expected.at(id).cell);
      REQUIRE(outcome.gain == expected.at(id).gain);
      REQUIRE(outcome.displaced == expected.at(id).displaced);
      if (subject.traits.order_free == OrderFree::members) {
        REQUIRE(outcome.kept == expected.at(id).kept);
      }
    }
    std::shuffle(second.begin(), second.end(), rng);
  }
}

// Four entries into one new cell: one elite, one `opened`. Into an occupied one: at most one
// `improved`, compared with who was there before.
inline void check_batch_rewards(const Subject& subject) {
  if (!subject.traits.cells_by_measures) return;
  const auto archive = subject.make(test_axes(), "strict");
  const std::vector<double> here{0.5, 100, 1};
  auto outcomes = archive->add_batch(
      {entry(1, 1, here), entry(2, 4, here), entry(3, 2, here), entry(4, 3, here)});
  const Elite* champion = archive->champion(archive->occupied()[0]);
  CHECK(archive->stats().opened == 1);
  CHECK(archive->stats().improved == 0);
  CHECK(archive->stats().rejected == 3);
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    CHECK((outcomes[i].status == AddStatus::opened) == (i + 1 == champion->entry.id));
    CHECK(outcomes[i].kept == (archive->find(i + 1) != nullptr));
    CHECK_FALSE(outcomes[i].displaced.has_value());
  }
  const std::uint64_t former = champion->entry.id;
  const double former_objective = champion->entry.objective;
  outcomes = archive->add_batch({entry(11, 5, here), entry(12, 9, here), entry(13, kNan, here),
                                 entry(14, 8, here), entry(12, 9, here)});
  CHECK(archive->stats().improved == 1);
  CHECK(archive->stats().refused == 1);
  CHECK(outcomes[2].status == AddStatus::refused);
  champion = archive->champion(archive->occupied()[0]);
  for (const std::size_t i : {0, 1, 3}) {
    if (outcomes[i].status != AddStatus::improved) continue;
    CHECK(outcomes[i].displaced.value() == former);
    CHECK(champion->entry.objective == (i == 0 ? 5 : i == 1 ? 9 : 8));
    if (subject.traits.elitist) {
      CHECK(outcomes[i].gain == champion->entry.objective - former_objective);
    }
  }
  if (subject.traits.elitist) CHECK(champion->entry.id == 12);
  check_consistent(*archive);
  CHECK(archive->add_batch({}).empty());
}

inline std::unique_ptr<Archive> restored(const Subject& subject, const ArchiveState& state) {
  auto archive = subject.kinds.restore(state);
  if (!archive) FAIL(archive.error());
  return std::move(*archive);
}

inline void check_restore(const Subject& subject) {
  for (const std::string& rule : subject.rules) {
    CAPTURE(rule);
    const auto archive = subject.make(test_axes(), rule, rule == "interleaved" ? 0.02 : 0);
    check_same_state(*restored(subject, archive->state()), *archive);  // an empty one
    std::mt19937_64 rng(26);
    std::unique_ptr<Archive> twin;
    std::size_t count = 0;
    for (const Entry& each : random_entries(1200, 25)) {
      if (++count == 600) twin = restored(subject, archive->state());
      const AddOutcome outcome = archive->add(each);
      if (twin) REQUIRE(twin->add(each).status == outcome.status);
      if (outcome.status != AddStatus::contested) continue;
      const Evidence evidence{*outcome.incumbent, 0.5, rng() % 2 == 0};
      archive->add(each, evidence);
      if (twin) twin->add(each, evidence);
    }
    check_same_state(*twin, *archive);
    CHECK(dump(*twin) == dump(*archive));
    check_same_state(*restored(subject, archive->state()), *archive);
  }
}

using State = ArchiveState&;

template <typename Refuses>
void spoil_specs(const Refuses& refuses) {
  refuses("kind", [](State s) { s.spec.kind = "cube"; });
  refuses("option", [](State s) { s.spec.options["colour"] = 3; });
  refuses("option value", [](State s) {
    for (auto& [name, value] : s.spec.options) value = kNan;
    s.spec.options["depth"] = kNan;
  });
  refuses("rule", [](State s) { s.spec.acceptance = "lucky"; });
  refuses("floor", [](State s) { s.spec.floor = kInfinity; });
  refuses("axes", [](State s) { s.spec.axes.pop_back(); });
  refuses("points", [](State s) { s.spec.points.push_back(kNan); });
}

template <typename Refuses>
void spoil_elites(const Refuses& refuses) {
  refuses("cell", [](State s) { s.elites.back().cell += 1; });
  refuses("huge cell", [](State s) { s.elites[0].cell = ~std::size_t{0}; });
  refuses("rank", [](State s) { s.elites[0].rank = 1; });
  refuses("huge rank", [](State s) { s.elites.back().rank = ~std::size_t{0}; });
  refuses("id twice", [](State s) { s.elites.push_back(s.elites[0]); });
  refuses("objective", [](State s) { s.elites[0].entry.objective = kNan; });
  refuses("infinite objective", [](State s) {
    s.elites[0].entry.objective = s.elites[0].entry.low = s.elites[0].entry.high = kInfinity;
  });
  refuses("interval", [](State s) { s.elites[0].entry.high = kNan; });
  refuses("narrow interval",
          [](State s) { s.elites[0].entry.high = s.elites[0].entry.objective - 1; });
  refuses("size", [](State s) { s.elites[0].entry.size = kNan; });
  refuses("no measures", [](State s) { s.elites[0].entry.measures.clear(); });
  refuses("measures", [](State s) { s.elites[0].entry.measures.push_back(0); });
  refuses("measure", [](State s) { s.elites[0].entry.measures[0] = kNan; });
  refuses("label", [](State s) { s.elites[0].entry.measures[2] = 77; });
  refuses("a member too many", [](State s) {
    for (int i = 0; i < 5100; ++i) {
      s.elites.push_back(s.elites.back());
      s.elites.back().entry.id = 100000 + static_cast<std::uint64_t>(i);
      s.elites.back().rank += 1;
    }
  });
  refuses("a cell twice", [](State s) {
    s.elites.push_back(s.elites[0]);
    s.elites.back().entry.id = 999999;
  });
  refuses("a member missing", [](State s) {
    std::erase_if(s.elites, [&](const Elite& elite) { return elite.cell == s.elites[0].cell; });
  });
}

template <typename Refuses>
void spoil_counters(const Refuses& refuses) {
  refuses("score", [](State s) { s.counters.qd_score += 1; });
  refuses("score that is none", [](State s) { s.counters.qd_score = kNan; });
  refuses("sum", [](State s) { s.counters.sum = kInfinity; });
  refuses("occupied", [](State s) { s.counters.occupied += 1; });
  refuses("cells", [](State s) { s.counters.cells += 1; });
  refuses("counters per axis", [](State s) { s.counters.below.clear(); });
  refuses("extra", [](State s) { s.extra.push_back(1); });
  refuses("extra that is none", [](State s) { s.extra.assign(s.extra.size() + 1, kNan); });
}

inline void check_hostile_states(const Subject& subject) {
  const auto archive = subject.make(test_axes(), "strict");
  for (const Entry& each : random_entries(300, 27)) archive->add(each);
  const ArchiveState good = archive->state();
  REQUIRE(subject.kinds.restore(good).has_value());
  REQUIRE_FALSE(good.elites.empty());
  const auto refuses = [&](const std::string& what, auto&& spoil) {
    CAPTURE(what);
    ArchiveState bad = good;
    spoil(bad);
    const auto result = subject.kinds.restore(bad);
    REQUIRE_FALSE(result.has_value());
    CHECK_FALSE(result.error().empty());
  };
  spoil_specs(refuses);
  spoil_elites(refuses);
  spoil_counters(refuses);
}

struct Recorder final : Watcher {
  std::vector<std::pair<std::uint64_t, AddStatus>> seen_;
  void seen(const Entry& entry, const std::optional<Evidence>&,
            const AddOutcome& outcome) override {
    seen_.emplace_back(entry.id, outcome.status);
  }
};

inline void check_watcher(const Subject& subject) {
  const auto archive = subject.make(test_axes(), "strict");
  Recorder recorder;
  archive->watch(&recorder);
  auto entries = random_entries(50, 28);
  entries[10].objective = kNan;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const AddOutcome outcome = archive->add(entries[i]);
    REQUIRE(recorder.seen_.size() == i + 1);
    REQUIRE(recorder.seen_.back() == std::pair(entries[i].id, outcome.status));
  }
  archive->watch(nullptr);
  archive->add(entries[0]);
  CHECK(recorder.seen_.size() == entries.size());
}

}  // namespace kernatlas::archives::conformance
