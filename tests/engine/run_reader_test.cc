#include "engine/store/run_reader.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "engine/store/schema.h"
#include "tests/engine/child_process.h"
#include "tests/engine/store_rows.h"
#include "tests/support/skip.h"
#include "tests/support/temp_dir.h"

using namespace kernatlas;
namespace kt = kernatlas::testing;
namespace fs = std::filesystem;
using kernatlas::testing::ChildProcess;
using kernatlas::testing::TempDir;

namespace {

SettledRow row_with(std::uint64_t ticket, const Hash128& candidate, OutcomeKind kind) {
  SettledRow row = kt::some_row(ticket);
  row.candidate = candidate;
  row.outcome.kind = kind;
  return row;
}

std::unique_ptr<RunDatabase> made(const fs::path& run, std::uint64_t rows) {
  auto database = RunDatabase::create(run, kt::some_info());
  if (!database) FAIL(database.error().text());
  for (std::uint64_t ticket = 0; ticket < rows; ++ticket) {
    REQUIRE((*database)->settle(kt::some_row(ticket)));
  }
  REQUIRE((*database)->flush());
  return *std::move(database);
}

// Settles rows in another process until at least `least` are on disk, then kills it.
void crash(const fs::path& run, std::uint64_t least) {
  ChildProcess child({STORE_CHILD, "write", run.string()});
  const auto enough = [&] {
    const std::size_t last = child.text().rfind("flushed ");
    return last != std::string::npos && std::stoull(child.text().substr(last + 8)) >= least;
  };
  while (!enough()) REQUIRE(child.read_some(10'000));
  child.kill();
}

// A folder that user nobody may enter and read but not write.
void make_read_only(const fs::path& top, const fs::path& run) {
  using fs::perms;
  const auto enter = perms::owner_all | perms::group_read | perms::group_exec | perms::others_read |
                     perms::others_exec;
  fs::permissions(top, enter);
  for (const auto& item : fs::directory_iterator(run)) {
    fs::permissions(item, perms::owner_read | perms::group_read | perms::others_read);
  }
  fs::permissions(run, enter & ~perms::owner_write);
}

std::string said_by(const std::vector<std::string>& command) {
  ChildProcess child(command);
  return child.read_all();
}

}  // namespace

TEST_CASE("hot_rows begins and stops where it is told") {
  const TempDir dir;
  const auto database = made(dir.path() / "run", 20);
  std::vector<std::uint64_t> tickets;
  database->reader().hot_rows(15, [&](const HotRow& row) {
    tickets.push_back(row.ticket);
    return row.ticket < 17;
  });
  CHECK(tickets == std::vector<std::uint64_t>{15, 16, 17});
  CHECK(database->reader().health());
}

TEST_CASE("find: a candidate by the beginning of its id") {
  const TempDir dir;
  auto made_database = RunDatabase::create(dir.path() / "run", kt::some_info());
  REQUIRE(made_database);
  RunDatabase& database = **made_database;
  const Hash128 a{0xabcd'0000'0000'0001, 1};
  const Hash128 b{0xabcd'0000'0000'0001, 2};
  const Hash128 c{0x1234'5678'9abc'def0, ~0ull};
  const Hash128 d{0x9999'0000'0000'0000, 0};
  REQUIRE(database.settle(row_with(0, a, OutcomeKind::measured)));
  REQUIRE(database.settle(row_with(1, b, OutcomeKind::measured)));
  REQUIRE(database.settle(row_with(2, c, OutcomeKind::device_lost)));
  REQUIRE(database.settle(row_with(3, c, OutcomeKind::measured)));
  REQUIRE(database.settle(row_with(4, c, OutcomeKind::device_lost)));
  REQUIRE(database.settle(row_with(5, d, OutcomeKind::device_lost)));
  REQUIRE(database.settle(row_with(6, d, OutcomeKind::device_lost)));
  REQUIRE(database.flush());
  const RunReader& reader = database.reader();
  CHECK(reader.find(a.hex()) == 0);
  CHECK(reader.find(b.hex()) == 1);
  CHECK(reader.find("1234") == 3);  // the try that says something
  CHECK(reader.find("123456789ABCDEF0f") == 3);
  CHECK(reader.find("9999") == 6);
  const std::pair<const char*, const char*> failures[] = {
      {"abcd", "several candidates' ids begin with 'abcd': abcd0000"},
      {"ffff", "no candidate's id begins with 'ffff'"},
      {"abc", "is not the id of a candidate"},
      {"wxyz", "is not the id of a candidate"},
      {"0123456789abcdef0123456789abcdef0", "is not the id of a candidate"},
  };
  for (const auto& one : failures) {
    const auto& prefix = one.first;
    const auto& message = one.second;
    CAPTURE(prefix);
    const auto found = reader.find(prefix);
    REQUIRE_FALSE(found);
    CHECK(found.error().code == ErrorCode::bad_input);
    CHECK(found.error().message.find(message) != std::string::npos);
    CHECK_FALSE(found.error().hint.empty());
  }
  CHECK(reader.health());  // a wrong question is no damage
}

TEST_CASE("totals are of one moment while another connection writes") {
  const TempDir dir;
  const fs::path run = dir.path() / "run";
  auto database = made(run, 1);
  std::atomic<bool> stop = false;
  std::atomic<std::uint64_t> looks = 0;
  std::atomic<std::uint64_t> wrong = 0;
  std::thread watcher([&] {
    auto reader = RunReader::open(run);
    if (!reader) {
      ++wrong;
      return;
    }
    std::uint64_t before = 0;
    do {
      const auto totals = (*reader)->totals();
      std::uint64_t sum = 0;
      for (const auto& [kind, count] : totals.outcomes) sum += count;
      if (sum != totals.evaluations || sum < before) ++wrong;
      before = sum;
      (*reader)->hot_rows(0, [](const HotRow&) { return true; });  // checks rows against totals
      if (!(*reader)->health()) ++wrong;
      ++looks;
    } while (!stop);
  });
  std::uint64_t ticket = 1;
  while (looks < 5 && wrong == 0) {
    for (int i = 0; i < 50; ++i) REQUIRE(database->settle(kt::some_row(ticket++)));
    REQUIRE(database->flush());
  }
  stop = true;
  watcher.join();
  CHECK(wrong == 0);
}

TEST_CASE("a callback sees the moment at which the pass began") {
  const TempDir dir;
  const fs::path run = dir.path() / "run";
  auto database = made(run, 10);
  auto reader = RunReader::open(run);
  REQUIRE(reader);
  int rows = 0;
  (*reader)->hot_rows(0, [&](const HotRow& row) {
    if (row.ticket == 0) {
      REQUIRE(database->settle(kt::some_row(10)));
      REQUIRE(database->flush());
    }
    CHECK((*reader)->evaluations() == 10);
    ++rows;
    return true;
  });
  CHECK(rows == 10);
  CHECK((*reader)->evaluations() == 11);
  const SettledRow row = *(*reader)->row(10);  // with words and operators that came later
  CHECK(kt::same(row, kt::some_row(10)));
}

TEST_CASE("a run that crashed is read with what its log holds") {
  const TempDir dir;
  const fs::path run = dir.path() / "run";
  crash(run, 100);
  REQUIRE(fs::file_size(run / "run.db-wal") > 0);
  auto reader = RunReader::open(run);
  REQUIRE(reader);
  CHECK((*reader)->evaluations() >= 100);
  CHECK((*reader)->elapsed_s() > 0);
  CHECK((*reader)->finish().reason.empty());
}

TEST_CASE("a reader without write permission") {
  const TempDir dir;
  const fs::path run = dir.path() / "run";
  SUBCASE("after a clean end") {
    made(run, 100).reset();
  }
  SUBCASE("after a crash, with the log and its index") {
    crash(run, 100);
  }
  SUBCASE("after a crash, with the log alone") {
    crash(run, 100);
    fs::remove(run / "run.db-shm");
  }
  if (geteuid() == 0) fs::permissions(run / "lock", fs::perms::owner_read);
  make_read_only(dir.path(), run);
  const std::string said = said_by({STORE_CHILD, "read", run.string()});
  CAPTURE(said);
  REQUIRE(said.starts_with("rows "));
  CHECK(std::stoull(said.substr(5)) >= 100);
  const std::string refused = said_by({STORE_CHILD, "resume", run.string()});
  CHECK(refused.find("cannot be opened for writing (Permission denied)") != std::string::npos);
  CHECK(refused.find("hint: ") != std::string::npos);
  fs::permissions(run, fs::perms::owner_all);
}

TEST_CASE("a reader without write permission while another process writes") {
  const TempDir dir;
  const fs::path run = dir.path() / "run";
  auto database = made(run, 100);
  make_read_only(dir.path(), run);
  const std::string said = said_by({STORE_CHILD, "read", run.string()});
  CHECK(said == "rows 100\n");
  fs::permissions(run, fs::perms::owner_all);
}

TEST_CASE("another process holds the run") {
  const TempDir dir;
  const fs::path run = dir.path() / "run";
  made(run, 3).reset();
  ChildProcess child({STORE_CHILD, "hold", run.string()});
  while (child.text().find("ready") == std::string::npos) REQUIRE(child.read_some(10'000));
  auto second = RunDatabase::open(run);
  REQUIRE_FALSE(second);
  CHECK(second.error().code == ErrorCode::locked);
  CHECK(second.error().message.find("store_child") != std::string::npos);
  auto reader = RunReader::open(run);
  REQUIRE(reader);
  CHECK((*reader)->evaluations() == 3);
  child.kill();
  CHECK(RunDatabase::open(run));  // the lock died with its holder
}
