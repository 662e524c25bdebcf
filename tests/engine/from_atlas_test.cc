#include "engine/search/from_atlas.h"

#include <doctest/doctest.h>

#include <set>

#include "kernel/rng.h"
#include "tests/support/search_fixture.h"

using namespace kernatlas;
using namespace kernatlas::testing;

namespace {

constexpr const char* kSeed = "[tune]\nA = [1, 2, 3, 4, 5, 6, 7, 8]\nB = [1, 2, 3, 4]\n";
constexpr const char* kOther = "[tune]\nA = [3, 5, 7, 11, 13, 17, 19]\nB = [9, 10]\n";

std::shared_ptr<const Task> small_task() {
  return make_tunable_task({kSeed}, {tune_axis("A", {1, 3, 5, 9}), tune_axis("B", {1, 3, 10})});
}

Candidate candidate(const char* source, Assignment assignment) {
  return {KernelSource::parse(source, Language::recorded, "old.toml").value(),
          std::move(assignment),
          {}};
}

// Elites with these objectives, then a proposal; payloads as kernatlas writes them.
archives::Atlas atlas_of(const std::vector<std::pair<Candidate, double>>& elites,
                         const std::vector<Candidate>& proposals) {
  archives::Atlas atlas;
  for (const auto& [each, objective] : elites) {
    archives::Elite elite;
    elite.entry.objective = objective;
    atlas.state.elites.push_back(elite);
    atlas.records.push_back({each.id().hex(), pack(candidate_payload(each, {}), atlas.blobs)});
  }
  for (const Candidate& each : proposals) {
    atlas.proposals.push_back(
        {each.id().hex(), "elsewhere", pack(candidate_payload(each, {}), atlas.blobs)});
  }
  return atlas;
}

std::vector<Candidate> old_elites() {
  return {candidate(kSeed, {8, 4}), candidate(kOther, {5, 9}), candidate(kSeed, {2, 3}),
          candidate(kSeed, {1, 1}),  // the seed itself
          candidate(kOther, {7, 9})};
}

SearchOptions options_for(bool ordered, const char* budget) {
  SearchOptions options = search_options("map-elites", budget);
  options.ordered = ordered;
  options.window = 4;
  return options;
}

std::string rows_text(const MemoryDatabase& database) {
  std::string text;
  for (const auto& [ticket, row] : database.rows()) {
    text += std::to_string(ticket) + " " + row.op + " " + row.candidate.hex() + " " +
            std::string(name(row.verdict.kind)) + "\n";
  }
  return text;
}

std::multiset<std::string> imported_ids(const MemoryDatabase& database) {
  std::multiset<std::string> ids;
  for (const auto& [ticket, row] : database.rows()) {
    if (row.op == kImportOperator) ids.insert(row.candidate.hex());
  }
  return ids;
}

// Sessions of one run, each stopped at once after so many settlements, until one ends by itself.
template <typename Session>
RunResult run_with_stops(std::uint64_t every, SearchOptions options, const Session& session) {
  for (;;) {
    std::atomic<int> interrupt{0};
    options.interrupt = &interrupt;
    std::uint64_t seen = 0;
    FunctionObserver observer([&](const SettledRow&, const SearchStatus&) {
      if (++seen == every) interrupt = 2;
    });
    RunResult run = session(options, &observer);
    REQUIRE(run.end);
    if (run.end->reason != "interrupted") return run;
  }
}

}  // namespace

TEST_CASE("a candidate survives being a payload, options by what this backend has") {
  const std::vector<Tunable> options{{"O", {2, 3}, {}}, {"fast", {0, 1}, {"off", "on"}}};
  Candidate one = candidate(kSeed, {4, 2});
  one.options = {3, 1};
  const auto payload = candidate_payload(one, options);
  CHECK(candidate_from(payload, options)->id() == one.id());
  CHECK(candidate_from(payload, {{"fast", {0, 1}, {"off", "on"}}})->options == CompileOptions{1});
  CHECK(candidate_from(payload, {{"O", {1, 2}, {}}})->options == CompileOptions{1});
  CHECK(candidate_from(payload, {})->options.empty());
}

TEST_CASE("elites come best first, then proposals; what does not fit is counted and explained") {
  const auto task = small_task();
  archives::Atlas atlas = atlas_of({{candidate(kSeed, {1, 2}), 0.5},
                                    {candidate(kOther, {3, 9}), 2.5},
                                    {candidate(kSeed, {8, 1}), 1.5}},
                                   {candidate(kSeed, {8, 1}), candidate(kSeed, {6, 1})});
  atlas.proposals.push_back({"x", "", pack({{"source", "text"}}, atlas.blobs)});
  atlas.proposals.push_back({"y", "", pack({}, atlas.blobs)});
  auto wrong = candidate_payload(candidate(kSeed, {6, 2}), {});
  wrong["assignment"] = "A=6 B=17";
  atlas.proposals.push_back({"z", "", pack(wrong, atlas.blobs)});
  const Imports imports = imports_of(atlas, *task, {});
  std::vector<Assignment> assignments;
  for (const Candidate& each : imports.candidates) assignments.push_back(each.assignment);
  CHECK(assignments == std::vector<Assignment>{{3, 9}, {8, 1}, {1, 2}, {6, 1}});
  CHECK(imports.skipped == 3);
  CHECK(imports.reason.find("its language is \"\"") != std::string::npos);
}

TEST_CASE("what is stored is loaded, and damage is an error") {
  const auto task = small_task();
  MemoryDatabase database(info_for(*task, options_for(false, "1e")));
  CHECK(load_imports(database, {})->empty());
  const auto candidates = old_elites();
  REQUIRE(store_imports(database, candidates, {}).has_value());
  const auto loaded = load_imports(database, {});
  REQUIRE(loaded.has_value());
  REQUIRE(loaded->size() == candidates.size());
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    CHECK((*loaded)[i].id() == candidates[i].id());
  }
  CHECK((*loaded)[0].source == (*loaded)[2].source);
  CHECK(foreign_candidates(*loaded, *task) == 2);
  REQUIRE(database.put_state("import.candidates", "rubbish").has_value());
  CHECK_FALSE(load_imports(database, {}).has_value());
}

TEST_CASE("old elites are proposed once each, right after the seeds, and measured here") {
  for (const bool ordered : {false, true}) {
    CAPTURE(ordered);
    const auto task = small_task();
    const SearchOptions options = options_for(ordered, "30e");
    MemoryDatabase database(info_for(*task, options));
    const auto candidates = old_elites();
    REQUIRE(store_imports(database, candidates, {}).has_value());
    FakeBench bench;
    const auto run = run_search(task, bench, database, options);
    REQUIRE(run.end);
    CHECK(database.rows().at(0).op == "seed");
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      const SettledRow& row = database.rows().at(1 + i);
      CAPTURE(i);
      if (i == 3) {  // known already: its ticket is somebody else's
        CHECK(row.op != kImportOperator);
        continue;
      }
      CHECK(row.op == kImportOperator);
      CHECK(row.candidate == candidates[i].id());
      CHECK(row.outcome.fitness == doctest::Approx(smooth_fitness(candidates[i])));
      CHECK(row.parents.empty());
    }
    CHECK(imported_ids(database).size() == 4);
    CHECK(database.rows().size() == 30);
    // Operators move in what was imported.
    bool moved = false;
    for (const auto& [ticket, row] : database.rows()) {
      moved = moved || (ticket > 5 && row.source->text() == kOther);
    }
    CHECK(moved);
  }
}

TEST_CASE(
    "an ordered run that was started from an archive resumes exactly, wherever it is killed") {
  const auto task = small_task();
  const SearchOptions options = options_for(true, "24e");
  const auto session = [&](MemoryDatabase& database, const SearchOptions& with,
                           SearchObserver* observer) {
    FakeBench bench;
    bench.on_evaluate = [](const Candidate& each, std::uint64_t ticket, int) {
      if (mix64(ticket) % 5 == 0) return failed(OutcomeKind::crashed);
      return measured(smooth_fitness(each), 0.2);
    };
    return run_search(task, bench, database, with, observer);
  };
  MemoryDatabase whole(info_for(*task, options));
  REQUIRE(store_imports(whole, old_elites(), {}).has_value());
  const auto reference = session(whole, options, nullptr);
  REQUIRE(reference.end);
  for (std::uint64_t every = 1; every <= 9; ++every) {
    CAPTURE(every);
    MemoryDatabase database(info_for(*task, options));
    REQUIRE(store_imports(database, old_elites(), {}).has_value());
    const auto run = run_with_stops(every, options, [&](const auto& with, auto* observer) {
      return session(database, with, observer);
    });
    CHECK(run.archive == reference.archive);
    CHECK(rows_text(database) == rows_text(whole));
  }
}

TEST_CASE("a steady run that was killed while importing neither loses nor repeats one") {
  const auto task = small_task();
  const SearchOptions options = options_for(false, "15e");
  for (std::uint64_t every = 1; every <= 5; ++every) {
    CAPTURE(every);
    MemoryDatabase database(info_for(*task, options));
    REQUIRE(store_imports(database, old_elites(), {}).has_value());
    run_with_stops(every, options, [&](const auto& with, auto* observer) {
      FakeBench bench;
      return run_search(task, bench, database, with, observer);
    });
    std::multiset<std::string> expected;
    const auto candidates = old_elites();
    for (const std::size_t i : {0, 1, 2, 4}) expected.insert(candidates[i].id().hex());
    CHECK(imported_ids(database) == expected);
  }
}

TEST_CASE("a tiny space is not used up before all old elites had their turn") {
  const auto task = make_tunable_task({"[tune]\nA = [1, 2]\n"}, {tune_axis("A", {1, 2, 10})});
  const SearchOptions options = options_for(true, "50e");
  MemoryDatabase database(info_for(*task, options));
  std::vector<Candidate> foreign;
  for (int value = 3; value < 9; ++value) {
    foreign.push_back(
        candidate(("[tune]\nA = [" + std::to_string(value) + "]\n").c_str(), {value}));
  }
  REQUIRE(store_imports(database, foreign, {}).has_value());
  FakeBench bench;
  const auto run = run_search(task, bench, database, options);
  REQUIRE(run.end);
  CHECK(run.end->reason == "exhausted");
  CHECK(imported_ids(database).size() == 6);
  CHECK(database.rows().size() == 8);
}
