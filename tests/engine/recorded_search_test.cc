// The search on the recorded backend with the store on disk: what a user's run is made of.
#include <doctest/doctest.h>

#include <filesystem>

#include "backends/recorded/recorded_task.h"
#include "kernel/rng.h"
#include "tests/support/search_fixture.h"
#include "tests/support/temp_dir.h"

using namespace kernatlas;
using namespace kernatlas::testing;

namespace {

// 16 × 12 × 3 configurations; one in nine fails.
std::string table_text() {
  std::string text =
      "# constraint: area = \"A * B <= 150\"\nA,B,C,status,median_ms,compile_ms,benchmark_ms\n";
  for (int a = 1; a <= 16; ++a) {
    for (int b = 1; b <= 12; ++b) {
      for (int c = 0; c < 3; ++c) {
        const std::uint64_t bits = mix64(static_cast<std::uint64_t>(a * 1000 + b * 10 + c));
        const double ms = 1 + 0.1 * (a - 11) * (a - 11) + 0.2 * (b - 5) * (b - 5) + c +
                          static_cast<double>(bits % 100) / 200;
        text += std::to_string(a) + "," + std::to_string(b) + "," + std::to_string(c) +
                (bits % 9 == 0 ? ",launch_error,," : ",measured," + std::to_string(ms) + ",") +
                "300,12.5\n";
      }
    }
  }
  return text;
}

struct Recorded {
  TempDir dir;
  std::shared_ptr<const Task> task = load_recorded_task(dir.write("t.csv", table_text())).value();

  std::unique_ptr<Bench> open(int devices) const {
    BenchOptions options;
    options.seed = 3;
    options.devices = devices;
    options.parameters = {{"noise", "0.05"}, {"fail_rate", "0.05"}};
    return default_backends().find("recorded")->open(task, options).value();
  }
};

SearchOptions options_for(bool ordered, const char* budget) {
  SearchOptions options = search_options("map-elites", budget);
  options.ordered = ordered;
  options.window = 6;
  return options;
}

std::string run_once(const Recorded& recorded, int devices, const std::filesystem::path& dir,
                     const SearchOptions& options) {
  const auto bench = recorded.open(devices);
  const auto database = RunDatabase::create(dir, info_for(*recorded.task, options)).value();
  const auto run = run_search(recorded.task, *bench, *database, options);
  REQUIRE(run.end);
  CHECK(run.end->reason == "budget");
  return run.archive;
}

}  // namespace

TEST_CASE("an ordered run on disk is the same at one, two and seven devices") {
  const Recorded recorded;
  const SearchOptions options = options_for(true, "400e");
  const std::string one = run_once(recorded, 1, recorded.dir.path() / "r1", options);
  CHECK(run_once(recorded, 2, recorded.dir.path() / "r2", options) == one);
  CHECK(run_once(recorded, 7, recorded.dir.path() / "r7", options) == one);
  const auto reader = RunReader::open(recorded.dir.path() / "r7").value();
  CHECK(reader->evaluations() == 400);
  CHECK(archive_text(*rebuild_archive(*reader).value()) == one);
}

TEST_CASE("an ordered run on disk is the same however often it was stopped at once") {
  const Recorded recorded;
  SearchOptions options = options_for(true, "150e");
  const std::string reference = run_once(recorded, 2, recorded.dir.path() / "whole", options);
  for (const std::uint64_t every : {7u, 40u}) {
    CAPTURE(every);
    const auto dir = recorded.dir.path() / ("cut" + std::to_string(every));
    (void)RunDatabase::create(dir, info_for(*recorded.task, options)).value();
    for (;;) {
      const auto bench = recorded.open(1);
      const auto database = RunDatabase::open(dir).value();
      std::atomic<int> interrupt{0};
      options.interrupt = &interrupt;
      std::uint64_t seen = 0;
      FunctionObserver observer([&](const SettledRow&, const SearchStatus&) {
        if (++seen == every) interrupt = 2;
      });
      const auto run = run_search(recorded.task, *bench, *database, options, &observer);
      REQUIRE(run.end);
      if (run.end->reason == "interrupted") continue;
      CHECK(run.archive == reference);
      CHECK(database->reader().evaluations() == 150);
      break;
    }
  }
}

TEST_CASE("steady state on disk: exact budget, and the archive rebuilt is the search's own") {
  const Recorded recorded;
  const auto bench = recorded.open(3);
  const SearchOptions options = options_for(false, "300e");
  const auto dir = recorded.dir.path() / "steady";
  std::string archive;
  {
    const auto database = RunDatabase::create(dir, info_for(*recorded.task, options)).value();
    const auto run = run_search(recorded.task, *bench, *database, options);
    REQUIRE(run.end);
    archive = run.archive;
  }
  const auto reader = RunReader::open(dir).value();
  CHECK(reader->evaluations() == 300);
  CHECK(archive_text(*rebuild_archive(*reader).value()) == archive);
  std::uint64_t sum = 0;
  for (const auto& [kind, count] : reader->outcomes()) sum += count;
  CHECK(sum == 300);
}

TEST_CASE("the best kernel of a small space is found, and the run says when all is tried") {
  const Recorded recorded;
  BenchOptions exact;
  exact.devices = 2;
  const auto bench = default_backends().find("recorded")->open(recorded.task, exact).value();
  // Drawing at random leaves no doubt: 40 draws for each candidate before giving up.
  SearchOptions options = options_for(false, "unlimited");
  options.policy = find_policy("random").value();
  MemoryDatabase database(info_for(*recorded.task, options));
  const auto run = run_search(recorded.task, *bench, database, options);
  REQUIRE(run.end);
  CHECK(run.end->reason == "exhausted");
  double best = -100;
  for (const auto& [ticket, row] : database.rows()) {
    if (row.outcome.measured()) best = std::max(best, row.outcome.fitness);
  }
  CHECK(run.end->status.best_fitness == best);
  const auto table = RecordedTable::load(recorded.dir.path() / "t.csv").value();
  // Within the constraint: 16 · 12 · 3 less what A · B > 150 rules out.
  CHECK(database.rows().size() == 552);
  CHECK(best <= std::log2(table.baseline_ms() / table.best_ms()));
}
