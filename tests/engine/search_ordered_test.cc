// Ordered mode: the same seed gives the same archive bit for bit, whatever the number of threads
// and devices, and however often the program is killed.
#include <doctest/doctest.h>

#include <thread>

#include "kernel/rng.h"
#include "tests/support/search_fixture.h"

using namespace kernatlas;
using namespace kernatlas::testing;

namespace {

std::shared_ptr<const Task> ordered_task() {
  return make_tunable_task({"[tune]\nA = [1, 2, 3, 4, 5, 6, 7, 8]\nB = [1, 2, 3, 4, 5, 6]\n",
                            "[tune]\nA = [2, 4, 6]\nB = [1, 5]\nC = [0, 1, 2]\n"},
                           {tune_axis("A", {1, 3, 5, 9}), tune_axis("B", {1, 4, 7})});
}

// Deterministic in the ticket, noisy enough that challengers are contested, with every kind of
// failure; takes a time that has nothing to do with anything.
void make_noisy(FakeBench& bench, bool jitter) {
  bench.on_evaluate = [jitter](const Candidate& candidate, std::uint64_t ticket, int) {
    if (jitter) std::this_thread::sleep_for(std::chrono::microseconds(mix64(ticket) % 300));
    if (mix64(ticket ^ 99) % 6 == 0) return failed(OutcomeKind::crashed);
    const double noise = static_cast<double>(mix64(ticket) % 1000) / 2000;
    return measured(smooth_fitness(candidate) + noise, 0.25);
  };
}

SearchOptions ordered_options(const char* budget) {
  SearchOptions options = search_options("map-elites", budget);
  options.ordered = true;
  options.window = 5;
  return options;
}

std::string rows_text(const MemoryDatabase& database) {
  std::string text;
  for (const auto& [ticket, row] : database.rows()) {
    text += std::to_string(ticket) + " " + row.candidate.hex() + " " + row.op + " " +
            std::string(name(row.verdict.kind)) + " " + std::to_string(row.verdict.cell) + " " +
            exact(row.verdict.gain) + " " + std::to_string(row.verdict.compared_with) + " " +
            std::to_string(row.duplicates_before);
    for (const std::uint64_t parent : row.parents) text += " <" + std::to_string(parent);
    text += "\n";
  }
  return text;
}

struct Whole {
  std::string archive;
  std::string rows;
};

Whole uninterrupted(const std::shared_ptr<const Task>& task, const SearchOptions& options,
                    FakeBench& bench) {
  MemoryDatabase database(info_for(*task, options));
  const auto run = run_search(task, bench, database, options);
  REQUIRE(run.end);
  return {run.archive, rows_text(database)};
}

// Kills the run whenever `every` more rows are settled, until it is over.
Whole killed_every(const std::shared_ptr<const Task>& task, SearchOptions options, FakeBench& bench,
                   std::uint64_t every) {
  MemoryDatabase database(info_for(*task, options));
  for (;;) {
    std::atomic<int> interrupt{0};
    options.interrupt = &interrupt;
    std::uint64_t seen = 0;
    FunctionObserver observer([&](const SettledRow&, const SearchStatus&) {
      if (++seen == every) interrupt = 2;
    });
    const auto run = run_search(task, bench, database, options, &observer);
    REQUIRE(run.end);
    if (run.end->reason != "interrupted") return {run.archive, rows_text(database)};
    REQUIRE(seen == every);
  }
}

}  // namespace

TEST_CASE("the archive does not depend on the number of devices and threads") {
  const auto task = ordered_task();
  const SearchOptions options = ordered_options("60e");
  FakeBench one(1);
  make_noisy(one, false);
  const Whole reference = uninterrupted(task, options, one);
  CHECK(one.comparisons > 0);
  for (const int devices : {2, 7}) {
    CAPTURE(devices);
    FakeBench many(devices);
    make_noisy(many, true);
    const Whole whole = uninterrupted(task, options, many);
    CHECK(whole.archive == reference.archive);
    CHECK(whole.rows == reference.rows);
    CHECK_FALSE(many.overlapped);
  }
}

TEST_CASE("the archive does not depend on where the run was killed") {
  const auto task = ordered_task();
  const SearchOptions options = ordered_options("50e");
  FakeBench bench(2);
  make_noisy(bench, false);
  const Whole reference = uninterrupted(task, options, bench);
  for (std::uint64_t every = 1; every <= 50; every += every < 12 ? 1 : 7) {
    CAPTURE(every);
    const Whole whole = killed_every(task, options, bench, every);
    CHECK(whole.archive == reference.archive);
    CHECK(whole.rows == reference.rows);
  }
}

TEST_CASE("a finished run goes on with a larger budget as if it had always had it") {
  const auto task = ordered_task();
  FakeBench bench(2);
  make_noisy(bench, false);
  const SearchOptions longer = ordered_options("48e");
  const Whole reference = uninterrupted(task, longer, bench);
  for (const char* first : {"1e", "4e", "5e", "6e", "31e"}) {
    CAPTURE(first);
    const SearchOptions shorter = ordered_options(first);
    MemoryDatabase database(info_for(*task, shorter));
    REQUIRE(run_search(task, bench, database, shorter).end);
    const auto run = run_search(task, bench, database, longer);
    REQUIRE(run.end);
    CHECK(run.archive == reference.archive);
    CHECK(rows_text(database) == reference.rows);
  }
}

TEST_CASE("a search that has to wait for settlements is reproducible as well") {
  // Only compile options can move, and only of a parent: nothing can be proposed until the seed is
  // settled, and near the end nearly everything is known.
  const auto task = make_tunable_task({"[tune]\nA = [1]\n"}, {tune_axis("A", {0, 2})});
  SearchOptions options = ordered_options("unlimited");
  options.policy.operators = {{"seed", 1}, {"move_option", 1}};
  FakeBench bench(2);
  bench.compile_options = {{.name = "p", .values = {0, 1, 2, 3}, .labels = {}},
                           {.name = "q", .values = {0, 1, 2}, .labels = {}}};
  make_noisy(bench, true);
  const Whole reference = uninterrupted(task, options, bench);
  CHECK(reference.rows.find("move_option") != std::string::npos);
  FakeBench other(7);
  other.compile_options = bench.compile_options;
  make_noisy(other, false);
  CHECK(uninterrupted(task, options, other).rows == reference.rows);
  for (std::uint64_t every = 1; every <= 8; ++every) {
    CAPTURE(every);
    const Whole whole = killed_every(task, options, bench, every);
    CHECK(whole.archive == reference.archive);
    CHECK(whole.rows == reference.rows);
  }
}

TEST_CASE("racing, which depends on the moment, is off in ordered mode") {
  const auto task = ordered_task();
  FakeBench bench(2);
  std::atomic<int> hints{0};
  bench.on_incumbent = [&](std::uint64_t, const std::optional<Incumbent>& incumbent) {
    hints += incumbent ? 1 : 0;
  };
  MemoryDatabase database(info_for(*task, ordered_options("30e")));
  REQUIRE(run_search(task, bench, database, ordered_options("30e")).end);
  CHECK(hints == 0);
}

TEST_CASE("an ordered run is not resumed with another window, nor with a hole in it") {
  const auto task = ordered_task();
  SearchOptions options = ordered_options("20e");
  FakeBench bench;
  MemoryDatabase database(info_for(*task, options));
  REQUIRE(run_search(task, bench, database, options).end);
  options.budget = Budget::parse("30e").value();
  options.window = 6;
  const auto other_window = run_search(task, bench, database, options);
  REQUIRE_FALSE(other_window.end);
  CHECK(other_window.end.error().message.find("6") != std::string::npos);
  options.window = 5;
  database.forget(7);
  const auto hole = run_search(task, bench, database, options);
  REQUIRE_FALSE(hole.end);
  CHECK(hole.end.error().code == ErrorCode::internal);
}

TEST_CASE("damaged state of an ordered run is an error") {
  const auto task = ordered_task();
  const SearchOptions options = ordered_options("20e");
  FakeBench bench;
  MemoryDatabase database(info_for(*task, options));
  REQUIRE(database.put_state("ordered.drained_before", "x"));
  const auto run = run_search(task, bench, database, options);
  REQUIRE_FALSE(run.end);
  CHECK(run.end.error().message.find("damaged") != std::string::npos);
}
