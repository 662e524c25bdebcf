// Steady state: nobody waits for a slow one, devices are never shared, and a killed run goes on.
#include <doctest/doctest.h>

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <set>
#include <utility>

#include "kernel/rng.h"
#include "tests/support/search_fixture.h"

using namespace kernatlas;
using namespace kernatlas::testing;

namespace {

std::shared_ptr<const Task> steady_task() {
  return make_tunable_task({"[tune]\nA = [1, 2, 3, 4, 5, 6, 7, 8]\nB = [1, 2, 3, 4, 5, 6, 7, 8]\n"},
                           {tune_axis("A", {1, 3, 5, 9}), tune_axis("B", {1, 4, 9})});
}

// Waits until a count is reached; the limit only keeps a broken build from hanging for ever.
class Counter {
 public:
  void add() {
    {
      const std::lock_guard lock(mutex_);
      ++count_;
    }
    changed_.notify_all();
  }
  bool wait_for(int count) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(30), [&] { return count_ >= count; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int count_ = 0;
};

}  // namespace

TEST_CASE("slow devices hold up nobody but themselves") {
  const auto task = steady_task();
  SearchOptions options = search_options("map-elites", "40e");
  options.window = 6;
  MemoryDatabase database(info_for(*task, options));
  FakeBench bench(4);
  Counter settled;
  std::atomic<bool> overtaken{true};
  // Tickets 0 and 1 keep two of the four devices until 30 others have been settled.
  bench.on_evaluate = [&](const Candidate& candidate, std::uint64_t ticket, int) {
    if (ticket < 2 && !settled.wait_for(30)) overtaken = false;
    return measured(smooth_fitness(candidate));
  };
  FunctionObserver observer([&](const SettledRow&, const SearchStatus&) { settled.add(); });
  const auto run = run_search(task, bench, database, options, &observer);
  REQUIRE(run.end);
  CHECK(overtaken);
  CHECK(database.rows().size() == 40);
  CHECK_FALSE(bench.overlapped);
  CHECK(std::set<std::uint64_t>(database.order().begin() + 30, database.order().end()).contains(0));
}

TEST_CASE("a comparison occupies a device, not the search") {
  const auto task = steady_task();
  SearchOptions options = search_options("map-elites", "40e");
  options.window = 5;
  MemoryDatabase database(info_for(*task, options));
  FakeBench bench(2);
  Counter settled;
  std::atomic<bool> first{true}, went_on{true};
  std::atomic<int> settled_count{0};
  bench.on_compare = [&](const Candidate& challenger, const Candidate& incumbent, std::uint64_t) {
    if (first.exchange(false)) went_on = settled.wait_for(settled_count + 3);
    Comparison comparison;
    comparison.log2_gain = smooth_fitness(challenger) - smooth_fitness(incumbent);
    comparison.finding = Comparison::Finding::faster;
    return comparison;
  };
  FunctionObserver observer([&](const SettledRow&, const SearchStatus&) {
    ++settled_count;
    settled.add();
  });
  const auto run = run_search(task, bench, database, options, &observer);
  REQUIRE(run.end);
  CHECK(bench.comparisons > 0);
  CHECK(went_on);
  CHECK_FALSE(bench.overlapped);
  CHECK(database.rows().size() == 40);
}

TEST_CASE("an improvement is believed only when the comparison confirms it") {
  const auto task = make_tunable_task({"[tune]\nA = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]\n"},
                                      {tune_axis("A", {0, 11})});
  SearchOptions options = search_options("map-elites", "unlimited");
  options.window = 1;
  FakeBench bench;
  // Every later candidate looks better; only those of even tickets are.
  bench.on_evaluate = [](const Candidate&, std::uint64_t ticket, int) {
    return measured(static_cast<double>(ticket));
  };
  bench.on_compare = [](const Candidate&, const Candidate&, std::uint64_t ticket) {
    Comparison comparison;
    comparison.finding =
        ticket % 2 == 0 ? Comparison::Finding::faster : Comparison::Finding::ambiguous;
    comparison.log2_gain = 0.5;
    return comparison;
  };
  MemoryDatabase database(info_for(*task, options));
  const auto run = run_search(task, bench, database, options);
  REQUIRE(run.end);
  REQUIRE(database.rows().size() == 10);
  CHECK(bench.comparisons == 9);
  for (const auto& [ticket, row] : database.rows()) {
    const std::uint64_t of_ticket = ticket;
    CAPTURE(of_ticket);
    if (ticket == 0) {
      CHECK(row.verdict.kind == Verdict::Kind::opened);
      CHECK_FALSE(row.verdict.comparison);
      continue;
    }
    REQUIRE(row.verdict.comparison);
    CHECK(row.verdict.compared_with == (ticket - 1) / 2 * 2);
    CHECK(row.verdict.kind ==
          (ticket % 2 == 0 ? Verdict::Kind::improved : Verdict::Kind::rejected));
  }
  CHECK(run.end->status.best_ticket == 8u);
  CHECK(run.end->status.archive.improved == 4);
  const auto rebuilt = rebuild_archive(database.reader());
  REQUIRE(rebuilt);
  CHECK(archive_text(**rebuilt) == run.archive);
}

TEST_CASE("an incumbent that no longer compiles stays") {
  const auto task = make_tunable_task({"[tune]\nA = [1, 2, 3, 4]\n"}, {tune_axis("A", {0, 5})});
  SearchOptions options = search_options("map-elites", "1e");
  options.window = 1;
  FakeBench bench;
  bench.on_evaluate = [](const Candidate&, std::uint64_t ticket, int) {
    return measured(static_cast<double>(ticket));
  };
  MemoryDatabase database(info_for(*task, options));
  REQUIRE(run_search(task, bench, database, options).end);
  // A new session has no compiled code of the incumbent.
  options.budget = Budget::parse("2e").value();
  bool incumbent_next = false;
  bench.on_compile = [&](const Candidate&) -> tl::expected<CompiledPtr, Outcome> {
    if (std::exchange(incumbent_next, true))
      return tl::unexpected(failed(OutcomeKind::compile_error));
    return std::make_shared<Compiled>();
  };
  const auto run = run_search(task, bench, database, options);
  REQUIRE(run.end);
  CHECK(bench.comparisons == 0);
  CHECK(database.rows().at(1).verdict.kind == Verdict::Kind::rejected);
  CHECK(database.rows().at(1).verdict.comparison->message.find("compiles") != std::string::npos);
  CHECK(run.end->status.best_ticket == 0u);
}

TEST_CASE("a candidate is told what it has to beat: the champion of its own cell") {
  const auto task = steady_task();
  SearchOptions options = search_options("map-elites", "30e");
  options.window = 1;
  MemoryDatabase database(info_for(*task, options));
  FakeBench bench;
  std::map<std::uint64_t, std::optional<double>> told;
  bench.on_incumbent = [&](std::uint64_t ticket, const std::optional<Incumbent>& incumbent) {
    told[ticket] = incumbent ? std::optional(incumbent->fitness) : std::nullopt;
  };
  REQUIRE(run_search(task, bench, database, options).end);
  std::map<std::uint64_t, double> champions;  // by cell, as the run went
  for (const auto& [ticket, row] : database.rows()) {
    const std::uint64_t of_ticket = ticket;
    CAPTURE(of_ticket);
    const auto champion = champions.find(row.verdict.cell);
    CHECK(told.at(ticket).has_value() == (champion != champions.end()));
    if (champion != champions.end()) CHECK(*told.at(ticket) == champion->second);
    if (row.verdict.kind == Verdict::Kind::opened || row.verdict.kind == Verdict::Kind::improved) {
      champions[row.verdict.cell] = row.outcome.fitness;
    }
  }
}

TEST_CASE("a killed run goes on: no ticket twice, the budget exact, the archive the database's") {
  const auto task = steady_task();
  SearchOptions options = search_options("map-elites", "55e");
  options.window = 6;
  FakeBench bench(3);
  bench.on_evaluate = [](const Candidate& candidate, std::uint64_t ticket, int) {
    const double noise = static_cast<double>(mix64(ticket) % 1000) / 2000;
    return measured(smooth_fitness(candidate) + noise, 0.25);
  };
  for (std::uint64_t every = 1; every < 50; every = every * 2 + 1) {
    CAPTURE(every);
    MemoryDatabase database(info_for(*task, options));
    for (;;) {
      std::atomic<int> interrupt{0};
      options.interrupt = &interrupt;
      std::uint64_t seen = 0;
      FunctionObserver observer([&](const SettledRow&, const SearchStatus&) {
        if (++seen == every) interrupt = 2;
      });
      const std::size_t before = database.rows().size();
      const auto run = run_search(task, bench, database, options, &observer);
      REQUIRE(run.end);
      CHECK(database.rows().size() == before + seen);
      CHECK(run.end->status.spent.evaluations == database.rows().size());
      const auto rebuilt = rebuild_archive(database.reader());
      REQUIRE(rebuilt);
      CHECK(archive_text(**rebuilt) == run.archive);
      if (run.end->reason != "interrupted") break;
    }
    CHECK(database.rows().size() == 55);
    std::set<std::string> ids;
    for (const auto& [ticket, row] : database.rows()) ids.insert(row.candidate.hex());
    CHECK(ids.size() == 55);
    // Tickets that a kill left open were used again.
    CHECK(database.rows().rbegin()->first == 54);
  }
}

TEST_CASE("a run whose tickets have gaps finishes them: 1, 2, 5 and 9 of 10 means six more") {
  const auto task = steady_task();
  SearchOptions options = search_options("map-elites", "10e");
  options.window = 1;
  FakeBench bench;
  MemoryDatabase database(info_for(*task, options));
  REQUIRE(run_search(task, bench, database, options).end);
  for (const std::uint64_t ticket : {0, 3, 4, 6, 7, 8}) database.forget(ticket);
  const int before = bench.evaluations;
  const auto run = run_search(task, bench, database, options);
  REQUIRE(run.end);
  CHECK(bench.evaluations - before == 6);
  CHECK(database.rows().size() == 10);
  CHECK(database.rows().rbegin()->first == 9);
}
