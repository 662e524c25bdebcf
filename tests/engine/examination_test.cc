#include "engine/search/examination.h"

#include <doctest/doctest.h>

#include <atomic>

#include "backends/recorded/recorded_task.h"
#include "tests/support/search_fixture.h"
#include "tests/support/temp_dir.h"

using namespace kernatlas;
using namespace kernatlas::testing;

namespace {

// 8 × 8 configurations whose time falls with A and B.
std::string table_text() {
  std::string text = "A,B,status,median_ms,compile_ms,benchmark_ms\n";
  for (int a = 1; a <= 8; ++a) {
    for (int b = 1; b <= 8; ++b) {
      text += std::to_string(a) + "," + std::to_string(b) + ",measured," +
              std::to_string(20.0 - a - b) + ",1,1\n";
    }
  }
  return text;
}

// A finished search with noise: what it measured best was partly luck.
struct Searched {
  explicit Searched(const char* noise) {
    BenchOptions options;
    options.seed = 3;
    options.parameters = {{"noise", noise}};
    bench = default_backends().find("recorded")->open(task, options).value();
    const SearchOptions search = search_options("random", "60e");
    database = RunDatabase::create(dir.path() / "run", info_for(*task, search)).value();
    const auto run = run_search(task, *bench, *database, search);
    REQUIRE(run.end);
    archive = rebuild_archive(database->reader()).value();
  }

  TempDir dir;
  std::shared_ptr<const Task> task = load_recorded_task(dir.write("t.csv", table_text())).value();
  std::unique_ptr<Bench> bench;
  std::unique_ptr<RunDatabase> database;
  std::unique_ptr<archives::Archive> archive;
};

}  // namespace

TEST_CASE("without noise the examination confirms what the search measured") {
  const Searched searched("0");
  ExaminationOptions options;
  options.max_elites = 1000;
  std::size_t last = 0;
  const auto summary = examine_elites(*searched.archive, *searched.bench, *searched.database,
                                      options, [&](std::size_t done, std::size_t total) {
                                        CHECK(done == last + 1);
                                        CHECK(total == searched.archive->occupied().size());
                                        last = done;
                                      });
  REQUIRE(summary);
  CHECK(summary->examined == searched.archive->occupied().size());
  CHECK(summary->failed == 0);
  CHECK(summary->corrected_qd_score == doctest::Approx(summary->raw_qd_score));
  CHECK(summary->raw_qd_score == doctest::Approx(searched.archive->stats().qd_score));
  // The stored outcomes give the same sums.
  const auto stored = summarise_examinations(*searched.archive, searched.database->reader());
  CHECK(stored.examined == summary->examined);
  CHECK(stored.corrected_qd_score == doctest::Approx(summary->corrected_qd_score));
  CHECK(stored.best_ticket == summary->best_ticket);
}

TEST_CASE("with noise the corrected score is the lower one: luck does not repeat") {
  const Searched searched("0.3");
  ExaminationOptions options;
  options.max_elites = 1000;
  const auto summary =
      examine_elites(*searched.archive, *searched.bench, *searched.database, options);
  REQUIRE(summary);
  CHECK(summary->corrected_qd_score < summary->raw_qd_score);
}

TEST_CASE("the examination takes the best first, and keeps to its limits") {
  const Searched searched("0");
  ExaminationOptions options;
  options.max_elites = 3;
  const auto summary =
      examine_elites(*searched.archive, *searched.bench, *searched.database, options);
  REQUIRE(summary);
  CHECK(summary->examined == 3);
  REQUIRE(summary->best_ticket);
  for (const std::size_t cell : searched.archive->occupied()) {
    const archives::Elite& elite = *searched.archive->champion(cell);
    const auto best = searched.database->reader().row(*summary->best_ticket);
    CHECK(elite.entry.objective <= best->outcome.fitness);
  }
  const std::atomic<int> interrupted{1};
  options.interrupt = &interrupted;
  const auto none = examine_elites(*searched.archive, *searched.bench, *searched.database, options);
  REQUIRE(none);
  CHECK(none->examined == 0);
  CHECK_FALSE(none->best_ticket);
}

TEST_CASE("a stored row gives its candidate back, and damage is an error") {
  const Searched searched("0");
  const std::uint64_t ticket =
      searched.archive->champion(searched.archive->occupied()[0])->entry.id;
  auto row = *searched.database->reader().row(ticket);
  const auto candidate = candidate_of(row, searched.bench->options());
  REQUIRE(candidate);
  CHECK(candidate->id() == row.candidate);
  row.assignment = "A=99 B=1";
  CHECK_FALSE(candidate_of(row, searched.bench->options()));
  row.assignment = "A=1 B=1";
  row.options = "speed=ludicrous";
  CHECK_FALSE(candidate_of(row, searched.bench->options()));
}
