#include "engine/search/search.h"

#include <doctest/doctest.h>

#include <map>
#include <mutex>
#include <numeric>
#include <set>
#include <stdexcept>

#include "tests/support/search_fixture.h"

using namespace kernatlas;
using namespace kernatlas::testing;

namespace {

constexpr const char* kTwoTunables =
    "[tune]\nA = [1, 2, 3, 4, 5, 6, 7, 8]\nB = [1, 2, 3, 4, 5, 6]\n";

std::shared_ptr<const Task> two_tunables() {
  return make_tunable_task({kTwoTunables},
                           {tune_axis("A", {1, 3, 5, 9}), tune_axis("B", {1, 4, 7})});
}

std::uint64_t sum(const std::vector<std::uint64_t>& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

// Proposes what it is told, in order, then nothing.
class Scripted final : public Operator {
 public:
  explicit Scripted(std::vector<Assignment> script) : script_(std::move(script)) {}
  std::string_view name() const override { return "scripted"; }
  std::string_view summary() const override { return "for tests"; }
  std::vector<Settled> heard;

 protected:
  std::optional<Proposal> do_propose(const Surroundings& around, Rng&) override {
    if (next_ == script_.size()) return std::nullopt;
    return Proposal{{around.task.seeds[0], script_[next_++], {}}, {}};
  }
  void do_learn(const Settled& settled) override { heard.push_back(settled); }

 private:
  std::vector<Assignment> script_;
  std::size_t next_ = 0;
};

}  // namespace

TEST_CASE("a budget of n evaluations settles n, never more, never fewer") {
  for (const bool ordered : {false, true}) {
    for (const std::uint32_t window : {1u, 3u, 8u}) {
      for (const char* budget : {"1e", "2e", "7e", "30e"}) {
        CAPTURE(ordered);
        CAPTURE(window);
        CAPTURE(budget);
        const auto task = two_tunables();
        SearchOptions options = search_options("map-elites", budget);
        options.ordered = ordered;
        options.window = window;
        MemoryDatabase database(info_for(*task, options));
        FakeBench bench(2);
        const auto run = run_search(task, bench, database, options);
        REQUIRE(run.end);
        CHECK(run.end->reason == "budget");
        CHECK(database.rows().size() == *options.budget.evaluations);
        CHECK(bench.evaluations == static_cast<int>(*options.budget.evaluations));
        CHECK(run.end->status.spent.evaluations == *options.budget.evaluations);
        CHECK(sum(run.end->status.outcomes) == *options.budget.evaluations);
        CHECK(run.end->status.in_flight == 0);
        CHECK_FALSE(bench.overlapped);
      }
    }
  }
}

TEST_CASE("ten good, ten bad and ten repeated proposals are counted as such") {
  std::vector<Assignment> script;
  for (std::int64_t i = 0; i < 10; ++i) {
    script.push_back({i % 8 + 1, i / 8 + 1});  // good
    script.push_back({i % 8 + 1, i / 8 + 1});  // the same again
    script.push_back({i % 8 + 1, i / 8 + 5});  // does not compile
  }
  OperatorRegistry operators;
  auto owned = std::make_unique<Scripted>(script);
  Scripted& scripted = *owned;
  operators.add(std::move(owned));
  const auto task = two_tunables();
  SearchOptions options = search_options("random", "1000e");
  options.policy.operators = {{"scripted", 1}};
  MemoryDatabase database(info_for(*task, options));
  FakeBench bench;
  bench.on_compile = [](const Candidate& candidate) -> tl::expected<CompiledPtr, Outcome> {
    if (candidate.assignment[1] < 5) return std::make_shared<Compiled>();
    return tl::unexpected(failed(OutcomeKind::compile_error));
  };
  Search search(task, bench, operators, database, options);
  const auto end = search.run();
  REQUIRE(end);
  CHECK(end->reason == "exhausted");
  CHECK(end->status.spent.evaluations == 20);
  CHECK(end->status.duplicates == 10);
  CHECK(end->status.outcomes[static_cast<std::size_t>(OutcomeKind::measured)] == 10);
  CHECK(end->status.outcomes[static_cast<std::size_t>(OutcomeKind::compile_error)] == 10);
  CHECK(database.reader().duplicates() == 10);
  CHECK(database.rows().size() == 20);
  CHECK(bench.evaluations == 10);
  const archives::Stats& archive = end->status.archive;
  CHECK(archive.opened + archive.improved + archive.rejected == 10);
  // Every outcome was heard, in settlement order.
  REQUIRE(scripted.heard.size() == 20);
  for (std::size_t i = 0; i < 20; ++i) CHECK(scripted.heard[i].ticket == database.order()[i]);
}

TEST_CASE("failures teach but never breed: twenty compile errors and one valid kernel") {
  const auto task = make_tunable_task(
      {"[tune]\nA = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, "
       "18, 19, 20]\n"},
      {tune_axis("A", {0, 10, 21})});
  const SearchOptions options = search_options("map-elites", "unlimited");
  MemoryDatabase database(info_for(*task, options));
  FakeBench bench;
  bench.on_compile = [](const Candidate& candidate) -> tl::expected<CompiledPtr, Outcome> {
    if (candidate.assignment[0] == 13) return std::make_shared<Compiled>();
    return tl::unexpected(failed(OutcomeKind::compile_error));
  };
  const auto run = run_search(task, bench, database, options);
  REQUIRE(run.end);
  CHECK(run.end->reason == "exhausted");
  REQUIRE(database.rows().size() == 21);
  std::optional<std::uint64_t> valid;
  for (const auto& [ticket, row] : database.rows()) {
    if (row.outcome.measured()) valid = ticket;
    CHECK(row.outcome.measured() == row.verdict.kept);
  }
  REQUIRE(valid);
  CHECK(run.end->status.best_ticket == valid);
  for (const auto& [ticket, row] : database.rows()) {
    for (const std::uint64_t parent : row.parents) CHECK(parent == *valid);
  }
}

TEST_CASE("a space is searched to its last candidate, compile options included") {
  for (const bool ordered : {false, true}) {
    const auto task = make_tunable_task(
        {"[tune]\nA = [1, 2, 3, 4, 5, 6]\n", "[tune]\nA = [1, 2]\nB = [1, 2, 3]\n"},
        {tune_axis("A", {1, 3, 7})});
    SearchOptions options = search_options("map-elites", "unlimited");
    options.ordered = ordered;
    options.window = 5;
    MemoryDatabase database(info_for(*task, options));
    FakeBench bench(3);
    bench.compile_options = {{.name = "opt", .values = {2, 3}, .labels = {}}};
    const auto run = run_search(task, bench, database, options);
    REQUIRE(run.end);
    CHECK(run.end->reason == "exhausted");
    std::set<std::string> ids;
    for (const auto& [ticket, row] : database.rows()) {
      ids.insert(row.candidate.hex());
      CHECK_FALSE(row.options.empty());
    }
    CHECK(database.rows().size() == 24);
    CHECK(ids.size() == 24);
  }
}

TEST_CASE("a task without tunables is over after its seeds") {
  const auto task = make_tunable_task({"[tune]\nA = [1]\n"}, {tune_axis("A", {0, 2})});
  const SearchOptions options = search_options("map-elites", "100e");
  MemoryDatabase database(info_for(*task, options));
  FakeBench bench;
  const auto run = run_search(task, bench, database, options);
  REQUIRE(run.end);
  CHECK(run.end->reason == "exhausted");
  CHECK(database.rows().size() == 1);
  CHECK(database.rows().at(0).op == "seed");
}

TEST_CASE("the first interrupt settles what is in flight, the second drops it") {
  for (const bool ordered : {false, true}) {
    for (const int level : {1, 2}) {
      CAPTURE(ordered);
      CAPTURE(level);
      const auto task = two_tunables();
      SearchOptions options = search_options("map-elites", "unlimited");
      std::atomic<int> interrupt{0};
      options.interrupt = &interrupt;
      options.ordered = ordered;
      options.window = 6;
      MemoryDatabase database(info_for(*task, options));
      FakeBench bench(3);
      std::uint64_t seen = 0;
      FunctionObserver observer([&](const SettledRow&, const SearchStatus&) {
        if (++seen == 10) interrupt = level;
      });
      const auto run = run_search(task, bench, database, options, &observer);
      REQUIRE(run.end);
      CHECK(run.end->reason == "interrupted");
      CHECK(database.rows().size() == seen);
      if (level == 1) {
        // Nothing that was evaluated is lost.
        CHECK(bench.evaluations == static_cast<int>(database.rows().size()));
        CHECK(database.rows().size() >= 10);
        CHECK(database.rows().size() <= 16);
      } else {
        CHECK(database.rows().size() == 10);
      }
    }
  }
}

TEST_CASE("a full disk ends the run with its error; what was settled stays") {
  for (const bool ordered : {false, true}) {
    const auto task = two_tunables();
    SearchOptions options = search_options("map-elites", "40e");
    options.ordered = ordered;
    MemoryDatabase database(info_for(*task, options));
    database.capacity = 13;
    FakeBench bench(2);
    const auto run = run_search(task, bench, database, options);
    REQUIRE_FALSE(run.end);
    CHECK(run.end.error().code == ErrorCode::io);
    CHECK(database.rows().size() == 13);
  }
}

TEST_CASE("a lost device is retried and never held against the candidate") {
  const auto task = two_tunables();
  const SearchOptions options = search_options("map-elites", "20e");
  MemoryDatabase database(info_for(*task, options));
  FakeBench bench(2);
  std::mutex mutex;
  std::map<std::uint64_t, int> attempts;
  bench.on_evaluate = [&](const Candidate& candidate, std::uint64_t ticket, int) {
    const std::lock_guard lock(mutex);
    if (ticket % 5 == 2 && ++attempts[ticket] <= 3) return failed(OutcomeKind::device_lost);
    return measured(smooth_fitness(candidate));
  };
  const auto run = run_search(task, bench, database, options);
  REQUIRE(run.end);
  CHECK(database.rows().size() == 20);
  for (const auto& [ticket, row] : database.rows()) CHECK(row.outcome.measured());
  CHECK(attempts.at(7) == 4);
}

TEST_CASE("a device that stays lost ends the run, and its ticket stays open") {
  for (const bool at_compile : {false, true}) {
    const auto task = two_tunables();
    const SearchOptions options = search_options("map-elites", "20e");
    MemoryDatabase database(info_for(*task, options));
    FakeBench bench;
    std::atomic<int> calls{0};
    if (at_compile) {
      bench.on_compile = [&](const Candidate&) -> tl::expected<CompiledPtr, Outcome> {
        if (calls++ < 3) return std::make_shared<Compiled>();
        return tl::unexpected(failed(OutcomeKind::device_lost));
      };
    } else {
      bench.on_evaluate = [&](const Candidate& candidate, std::uint64_t, int) {
        return calls++ < 3 ? measured(smooth_fitness(candidate)) : failed(OutcomeKind::device_lost);
      };
    }
    const auto run = run_search(task, bench, database, options);
    REQUIRE_FALSE(run.end);
    CHECK(run.end.error().code == ErrorCode::unavailable);
    CHECK(run.end.error().message.find("told to fail") != std::string::npos);
    CHECK(database.rows().size() <= 3);
    for (const auto& [ticket, row] : database.rows()) CHECK(row.outcome.measured());
  }
}

TEST_CASE("a step that throws ends the run as an error") {
  const auto task = two_tunables();
  const SearchOptions options = search_options("map-elites", "20e");
  MemoryDatabase database(info_for(*task, options));
  FakeBench bench;
  bench.on_evaluate = [](const Candidate& candidate, std::uint64_t ticket, int) {
    if (ticket == 5) throw std::runtime_error("surprise");
    return measured(smooth_fitness(candidate));
  };
  const auto run = run_search(task, bench, database, options);
  REQUIRE_FALSE(run.end);
  CHECK(run.end.error().code == ErrorCode::internal);
  CHECK(run.end.error().message.find("surprise") != std::string::npos);
}

TEST_CASE("target and stagnation end a run") {
  const auto task = two_tunables();
  SearchOptions options = search_options("map-elites", "unlimited");
  FakeBench bench;
  bench.on_evaluate = [](const Candidate&, std::uint64_t ticket, int) {
    return measured(ticket == 6 ? 2.5 : 0);
  };
  options.target_speedup = 4;
  options.window = 2;
  MemoryDatabase database(info_for(*task, options));
  const auto target = run_search(task, bench, database, options);
  REQUIRE(target.end);
  CHECK(target.end->reason == "target");
  CHECK(target.end->status.best_ticket == 6u);
  CHECK(target.end->status.best_fitness == 2.5);

  options.target_speedup.reset();
  options.stagnation = 5;
  bench.on_evaluate = [](const Candidate&, std::uint64_t, int) {
    return failed(OutcomeKind::crashed);
  };
  MemoryDatabase fresh(info_for(*task, options));
  const auto stagnant = run_search(task, bench, fresh, options);
  REQUIRE(stagnant.end);
  CHECK(stagnant.end->reason == "stagnation");
  CHECK(fresh.rows().size() <= 7);
  CHECK(fresh.rows().size() >= 5);
  CHECK_FALSE(stagnant.end->status.best_ticket);
}

TEST_CASE("a feature that the backend does not report is named before anything is stored") {
  const auto task = make_tunable_task(
      {kTwoTunables},
      {{.feature = "occupancy", .unit = "", .scale = "linear", .edges = {0, 1}, .labels = {}}});
  const SearchOptions options = search_options("map-elites", "20e");
  MemoryDatabase database(info_for(*task, options));
  FakeBench bench;
  bench.features.set("occ", 0.5);
  const auto run = run_search(task, bench, database, options);
  REQUIRE_FALSE(run.end);
  CHECK(run.end.error().message.find("occupancy") != std::string::npos);
  CHECK(run.end.error().expected.find("occ") != std::string::npos);
  CHECK(database.rows().empty());
}

TEST_CASE("one candidate without the feature is refused, not the whole run") {
  const auto task = make_tunable_task(
      {kTwoTunables},
      {{.feature = "bytes", .unit = "", .scale = "linear", .edges = {0, 9}, .labels = {}}});
  SearchOptions options = search_options("map-elites", "20e");
  options.window = 1;
  MemoryDatabase database(info_for(*task, options));
  FakeBench bench;
  bench.on_evaluate = [](const Candidate& candidate, std::uint64_t ticket, int) {
    Outcome outcome = measured(smooth_fitness(candidate));
    if (ticket != 4) outcome.features.set("bytes", 3.0);
    return outcome;
  };
  const auto run = run_search(task, bench, database, options);
  REQUIRE(run.end);
  CHECK(database.rows().at(4).verdict.kind == Verdict::Kind::refused);
  CHECK(run.end->status.archive.refused == 1);
}

TEST_CASE("what cannot work is said before the first evaluation") {
  const auto task = two_tunables();
  SearchOptions options = search_options("map-elites", "20e");
  FakeBench bench;
  SUBCASE("an unknown operator") {
    options.policy.operators.emplace_back("teleport", 1);
  }
  SUBCASE("an unknown selector") {
    options.policy.selector = "luck";
  }
  SUBCASE("no operators") {
    options.policy.operators.clear();
  }
  SUBCASE("a negative weight") {
    options.policy.operators[0].second = -1;
  }
  SUBCASE("an absurd window") {
    options.window = 1000000;
  }
  RunInfo info = info_for(*task, options);
  SUBCASE("damaged axes") {
    info.axes_json = "[]";
  }
  MemoryDatabase database(info);
  const auto run = run_search(task, bench, database, options);
  REQUIRE_FALSE(run.end);
  CHECK_FALSE(run.end.error().message.empty());
  CHECK(bench.compilations == 0);
}

TEST_CASE("an axis over a tunable that one seed lacks is refused at the start") {
  const auto task =
      make_tunable_task({"[tune]\nA = [1, 2]\n", "[tune]\nB = [1, 2]\n"}, {tune_axis("A", {1, 3})});
  const SearchOptions options = search_options("map-elites", "20e");
  MemoryDatabase database(info_for(*task, options));
  FakeBench bench;
  const auto run = run_search(task, bench, database, options);
  REQUIRE_FALSE(run.end);
  CHECK(run.end.error().message.find("tune.A") != std::string::npos);
  CHECK(bench.compilations == 0);
}

TEST_CASE("the seeds come first, and again on no resume") {
  const auto task = make_tunable_task({kTwoTunables, "[tune]\nA = [1, 2, 3]\nB = [9]\n"},
                                      {tune_axis("A", {1, 3, 5, 9})});
  SearchOptions options = search_options("map-elites", "10e");
  MemoryDatabase database(info_for(*task, options));
  FakeBench bench;
  REQUIRE(run_search(task, bench, database, options).end);
  for (int session = 0; session < 5; ++session) {
    const auto run = run_search(task, bench, database, options);
    REQUIRE(run.end);
    CHECK(run.end->reason == "budget");
    CHECK(run.end->status.spent.evaluations == 10);
  }
  CHECK(bench.evaluations == 10);
  options.budget = Budget::parse("20e").value();
  REQUIRE(run_search(task, bench, database, options).end);
  int seeds = 0;
  for (const auto& [ticket, row] : database.rows()) seeds += row.op == "seed" ? 1 : 0;
  CHECK(seeds == 2);
  CHECK(database.rows().at(0).op == "seed");
  CHECK(database.rows().at(1).op == "seed");
  CHECK(database.rows().size() == 20);
}

TEST_CASE("an archive rebuilt from the database is the search's own") {
  for (const bool ordered : {false, true}) {
    const auto task = two_tunables();
    SearchOptions options = search_options("map-elites", "45e");
    options.ordered = ordered;
    options.window = 4;
    MemoryDatabase database(info_for(*task, options));
    FakeBench bench(2);
    bench.compile_options = {{.name = "opt", .values = {2, 3}, .labels = {}}};
    const auto run = run_search(task, bench, database, options);
    REQUIRE(run.end);
    const auto rebuilt = rebuild_archive(database.reader());
    REQUIRE(rebuilt);
    CHECK(archive_text(**rebuilt) == run.archive);
    CHECK((*rebuilt)->occupied().size() > 3);
  }
}

TEST_CASE("the default window keeps compilers and devices busy") {
  FakeBench bench(3);
  CHECK(default_window(bench) == 2 + 3 + 1);
}
