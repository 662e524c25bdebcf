// kill -9 at random moments, and disks that end: what was flushed is there, once.
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "engine/store/run_database.h"
#include "tests/engine/child_process.h"
#include "tests/engine/store_rows.h"
#include "tests/support/temp_dir.h"

using namespace kernatlas;
namespace kt = kernatlas::testing;
namespace fs = std::filesystem;
using kernatlas::testing::ChildProcess;
using kernatlas::testing::TempDir;
using Clock = std::chrono::steady_clock;

namespace {

// N of the last complete line "flushed N"; 0 when there is none.
std::uint64_t flushed_in(const std::string& text) {
  const std::size_t end = text.rfind('\n');
  if (end == std::string::npos) return 0;
  const std::size_t line = text.rfind("flushed ", end);
  return line == std::string::npos ? 0 : std::stoull(text.substr(line + 8));
}

// Reads the run in full; every ticket below `flushed` must be there once, and everything adds up.
// The number of rows.
std::uint64_t check_run(const fs::path& run, std::uint64_t flushed) {
  auto opened = RunReader::open(run);
  if (!opened) FAIL(opened.error().text());
  const RunReader& reader = **opened;
  std::vector<std::uint64_t> tickets;
  reader.hot_rows(0, [&](const HotRow& row) {
    tickets.push_back(row.ticket);
    return true;
  });
  if (const auto health = reader.health(); !health) FAIL(health.error().text());
  CHECK(std::adjacent_find(tickets.begin(), tickets.end(), std::greater_equal<>()) ==
        tickets.end());
  const auto below = std::lower_bound(tickets.begin(), tickets.end(), flushed);
  CHECK(static_cast<std::uint64_t>(below - tickets.begin()) == flushed);
  const auto totals = reader.totals();
  CHECK(totals.evaluations == tickets.size());
  std::uint64_t sum = 0;
  for (const auto& [kind, count] : totals.outcomes) sum += count;
  CHECK(sum == tickets.size());
  // Some rows in full: the last ones are those a torn write would have hit.
  for (std::size_t i = tickets.size() > 20 ? tickets.size() - 20 : 0; i < tickets.size(); ++i) {
    const auto row = reader.row(tickets[i]);
    REQUIRE(row);
    CHECK(kt::same(*row, kt::some_row(tickets[i])));
  }
  return tickets.size();
}

// Kills the child `life` after its start, or after its first word; what it had said by then.
enum class From { start, first_word };
std::string run_and_kill(const fs::path& run, From from, std::chrono::microseconds life) {
  ChildProcess child({STORE_CHILD, "write", run.string()});
  if (from == From::first_word) (void)child.read_some(60'000);
  std::this_thread::sleep_for(life);
  child.kill();
  return child.read_all();
}

}  // namespace

TEST_CASE("one run, killed and continued again and again") {
  const TempDir dir;
  const fs::path run = dir.path() / "run";
  REQUIRE(RunDatabase::create(run, kt::some_info()));
  constexpr std::uint64_t kSeed = 4711;
  CAPTURE(kSeed);
  Rng rng = stream(kSeed, 0, 0);
  std::uint64_t flushed = 0;
  std::uint64_t rows = 0;
  double elapsed_s = 0;
  const auto begun = Clock::now();
  for (int round = 0; round < 40; ++round) {
    CAPTURE(round);
    const std::string said = run_and_kill(run, round % 2 == 0 ? From::first_word : From::start,
                                          std::chrono::microseconds(uniform_below(rng, 80'000)));
    CAPTURE(said);
    CHECK(said.find("error") == std::string::npos);
    flushed = std::max(flushed, flushed_in(said));
    const std::uint64_t now = check_run(run, flushed);
    CHECK(now >= rows);
    rows = now;
    const double elapsed_now_s = (*RunReader::open(run))->elapsed_s();
    CHECK(elapsed_now_s >= elapsed_s);
    elapsed_s = elapsed_now_s;
  }
  CHECK(flushed > 0);
  CHECK(elapsed_s > 0);
  CHECK(elapsed_s < std::chrono::duration<double>(Clock::now() - begun).count());
}

TEST_CASE("a run killed while it is made is there, or can be made again") {
  constexpr std::uint64_t kSeed = 4712;
  CAPTURE(kSeed);
  Rng rng = stream(kSeed, 0, 0);
  for (int round = 0; round < 25; ++round) {
    CAPTURE(round);
    const TempDir dir;
    const fs::path run = dir.path() / "parent" / "run";
    const std::string said =
        run_and_kill(run, From::start, std::chrono::microseconds(uniform_below(rng, 25'000)));
    CHECK(said.find("error") == std::string::npos);
    if (fs::exists(run / "run.db")) {
      check_run(run, flushed_in(said));
      CHECK(RunDatabase::open(run));
    } else {
      CHECK(said.empty());
      CHECK_FALSE(RunReader::open(run));
      auto again = RunDatabase::create(run, kt::some_info());
      if (!again) FAIL(again.error().text());
    }
  }
}

TEST_CASE("a disk that ends while rows are written") {
  for (const char* size : {"300000", "1000003", "3000000"}) {
    CAPTURE(size);
    const TempDir dir;
    const fs::path run = dir.path() / "run";
    REQUIRE(RunDatabase::create(run, kt::some_info()));
    ChildProcess child({STORE_CHILD, "limited", run.string(), size});
    const std::string said = child.read_all();
    CAPTURE(said);
    CHECK(child.wait() == 3);
    CHECK(said.find("error ") != std::string::npos);
    CHECK((said.find("writing the run database failed") != std::string::npos ||
           said.find("disk is full") != std::string::npos));
    CHECK(said.find("hint: ") != std::string::npos);
    const std::uint64_t rows = check_run(run, flushed_in(said));
    // The smallest may not hold the first group of rows.
    CHECK((rows > 0 || std::string(size) == "300000"));
    // With room again, the run goes on where it was.
    auto database = RunDatabase::open(run);
    REQUIRE(database);
    REQUIRE((*database)->settle(kt::some_row(1'000'000)));
    REQUIRE((*database)->flush());
    CHECK((*database)->reader().evaluations() == rows + 1);
  }
}

TEST_CASE("a disk that ends while a run is made leaves nothing") {
  for (const char* size : {"0", "1", "8192", "20000", "60000"}) {
    CAPTURE(size);
    const TempDir dir;
    const fs::path run = dir.path() / "parent" / "run";
    ChildProcess child({STORE_CHILD, "create", run.string(), size});
    const std::string said = child.read_all();
    CAPTURE(said);
    CHECK(child.wait() == 3);
    CHECK(said.find("hint: ") != std::string::npos);
    CHECK_FALSE(fs::exists(dir.path() / "parent"));
  }
}
