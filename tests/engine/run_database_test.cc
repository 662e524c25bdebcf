#include "engine/store/run_database.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <thread>

#include "engine/store/schema.h"
#include "engine/store/sqlite.h"
#include "tests/engine/store_rows.h"
#include "tests/support/temp_dir.h"

using namespace kernatlas;
namespace kt = kernatlas::testing;
namespace fs = std::filesystem;
using kernatlas::testing::TempDir;

namespace {

std::unique_ptr<RunDatabase> must_create(const fs::path& run) {
  auto database = RunDatabase::create(run, kt::some_info());
  if (!database) FAIL(database.error().text());
  return *std::move(database);
}

std::unique_ptr<RunDatabase> must_open(const fs::path& run) {
  auto database = RunDatabase::open(run);
  if (!database) FAIL(database.error().text());
  return *std::move(database);
}

std::unique_ptr<RunReader> must_read(const fs::path& run) {
  auto reader = RunReader::open(run);
  if (!reader) FAIL(reader.error().text());
  return *std::move(reader);
}

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& item : fs::directory_iterator(folder)) {
    names.push_back(item.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

TEST_CASE("what is settled is read back, in order, bit for bit") {
  const TempDir dir;
  const fs::path run = dir.path() / "deep" / "er" / "run";
  {
    auto database = must_create(run);
    for (const std::uint64_t ticket : {3, 1, 2, 0, 9, 5, 4}) {
      REQUIRE(database->settle(kt::some_row(ticket)));
    }
    REQUIRE(database->flush());
    CHECK(database->reader().evaluations() == 7);
  }
  CHECK(names_in(run) == std::vector<std::string>{"lock", "run.db"});
  const auto reader = must_read(run);
  std::vector<std::uint64_t> tickets;
  const auto operators = reader->operators();
  reader->hot_rows(0, [&](const HotRow& hot) {
    tickets.push_back(hot.ticket);
    const SettledRow row = kt::some_row(hot.ticket);
    CHECK(hot.candidate == row.candidate);
    CHECK(operators.at(hot.op) == row.op);
    CHECK(hot.duplicates_before == row.duplicates_before);
    CHECK(hot.kind == row.outcome.kind);
    CHECK(hot.verdict == row.verdict.kind);
    CHECK(hot.cell == row.verdict.cell);
    CHECK(hot.kept == row.verdict.kept);
    CHECK(kt::same(hot.gain, row.verdict.gain));
    CHECK(kt::same(hot.fitness, row.outcome.fitness));
    CHECK(kt::same(hot.fitness_interval, row.outcome.fitness_interval));
    CHECK(kt::same(hot.cost_s, row.outcome.costs.total_s()));
    const auto whole = reader->row(hot.ticket);  // inside the pass, on the same connection
    REQUIRE(whole);
    CHECK(kt::same(*whole, row));
    return true;
  });
  CHECK(tickets == std::vector<std::uint64_t>{0, 1, 2, 3, 4, 5, 9});
  CHECK_FALSE(reader->row(6));
  CHECK(reader->health());
}

TEST_CASE("totals add up, and info is as it was given") {
  const TempDir dir;
  auto database = must_create(dir.path() / "run");
  std::map<OutcomeKind, std::uint64_t> kinds;
  std::uint64_t duplicates = 0;
  for (std::uint64_t ticket = 0; ticket < 300; ++ticket) {
    SettledRow row = kt::some_row(ticket);
    ++kinds[row.outcome.kind];
    duplicates += row.duplicates_before;
    REQUIRE(database->settle(std::move(row)));
  }
  REQUIRE(database->flush());
  const auto totals = database->reader().totals();
  CHECK(totals.evaluations == 300);
  CHECK(totals.duplicates == duplicates);
  CHECK(std::map(totals.outcomes.begin(), totals.outcomes.end()) == kinds);
  CHECK(database->reader().outcomes() == totals.outcomes);
  CHECK(database->reader().duplicates() == duplicates);
  const RunInfo info = database->reader().info();
  const RunInfo want = kt::some_info();
  CHECK(info.task == want.task);
  CHECK(info.task_hash == want.task_hash);
  CHECK(info.backend == want.backend);
  CHECK(info.parameters_json == want.parameters_json);
  CHECK(info.policy == want.policy);
  CHECK(info.seed == want.seed);
  CHECK(info.ordered == want.ordered);
  CHECK(info.window == want.window);
  CHECK(info.budget == want.budget);
  CHECK(info.contract == want.contract);
  CHECK(info.axes_json == want.axes_json);
  CHECK(info.options_json == want.options_json);
  CHECK(info.baselines_json == want.baselines_json);
  CHECK(info.archive_kind == want.archive_kind);
  CHECK(info.archive_depth == want.archive_depth);
  CHECK(kt::same(info.target_speedup, want.target_speedup));
  CHECK(info.stagnation == want.stagnation);
  CHECK(info.program_version == want.program_version);
  CHECK(info.created_unix == want.created_unix);
}

TEST_CASE("kept rows are those with a kept verdict, whole") {
  const TempDir dir;
  auto database = must_create(dir.path() / "run");
  std::vector<std::uint64_t> want;
  for (std::uint64_t ticket = 0; ticket < 200; ++ticket) {
    SettledRow row = kt::some_row(ticket);
    if (row.verdict.kept) want.push_back(ticket);
    REQUIRE(database->settle(std::move(row)));
  }
  REQUIRE(database->flush());
  std::vector<std::uint64_t> got;
  database->reader().kept_rows([&](const SettledRow& row) {
    CHECK(kt::same(row, kt::some_row(row.ticket)));
    got.push_back(row.ticket);
    return true;
  });
  CHECK(got == want);
  int calls = 0;
  database->reader().kept_rows([&](const SettledRow&) { return ++calls < 2; });
  CHECK(calls == 2);
}

TEST_CASE("each source is stored once, over sessions too") {
  const TempDir dir;
  const fs::path run = dir.path() / "run";
  for (std::uint64_t first : {0, 100}) {
    auto database = first == 0 ? must_create(run) : must_open(run);
    for (std::uint64_t ticket = first; ticket < first + 100; ++ticket) {
      REQUIRE(database->settle(kt::some_row(ticket)));
    }
    REQUIRE(database->flush());
  }
  auto database = store::open_to_read(run);
  REQUIRE(database);
  CHECK(database->query_int("SELECT count(*) FROM source") == 3);
  CHECK(database->query_int("SELECT sum(length(text)) FROM source").value() <
        static_cast<std::int64_t>(kt::some_sources()[0]->text().size()));
  CHECK(database->query_int("SELECT count(*) FROM operator") == 5);
}

TEST_CASE("a row without a source, and texts of any bytes") {
  const TempDir dir;
  auto database = must_create(dir.path() / "run");
  SettledRow row = kt::some_row(0);
  row.source = nullptr;
  row.op = std::string("with \0 in it", 12);
  row.assignment = std::string("\0\xff", 2);
  row.outcome.message = "it's \"quoted\"; DROP TABLE record; --";
  REQUIRE(database->settle(row));
  REQUIRE(database->flush());
  const auto back = database->reader().row(0);
  REQUIRE(back);
  CHECK(kt::same(*back, row));
}

TEST_CASE("details are cut at the limit") {
  const TempDir dir;
  auto database = must_create(dir.path() / "run");
  SettledRow row = kt::some_row(0);
  row.outcome.detail = std::string(3 * kDetailLimit, 'x');
  REQUIRE(database->settle(row));
  REQUIRE(database->flush());
  CHECK(database->reader().row(0)->outcome.detail == std::string(kDetailLimit, 'x'));
}

TEST_CASE("a ticket settled twice is an error, and one row") {
  const TempDir dir;
  const fs::path run = dir.path() / "run";
  auto database = must_create(run);
  REQUIRE(database->settle(kt::some_row(0)));
  REQUIRE(database->settle(kt::some_row(1)));
  SettledRow again = kt::some_row(2);
  again.ticket = 1;
  (void)database->settle(again);
  (void)database->settle(kt::some_row(3));  // queued in the same group: it stays
  auto flushed = database->flush();
  REQUIRE_FALSE(flushed);
  CHECK(flushed.error().code == ErrorCode::internal);
  CHECK(flushed.error().message == "ticket 1 was settled twice");
  CHECK_FALSE(database->settle(kt::some_row(4)));
  database.reset();
  const auto reader = must_read(run);
  CHECK(reader->evaluations() == 3);
  CHECK(kt::same(*reader->row(1), kt::some_row(1)));
  CHECK(reader->row(3));
  CHECK_FALSE(reader->row(4));
  reader->hot_rows(0, [](const HotRow&) { return true; });
  CHECK(reader->health());
}

TEST_CASE("examinations: the latest counts") {
  const TempDir dir;
  auto database = must_create(dir.path() / "run");
  Rng rng = stream(4, 4, 4);
  Outcome first = kt::some_outcome(rng);
  Outcome second = kt::some_outcome(rng);
  second.fitness = 2.5;
  second.fitness_interval = {2, 3};
  second.detail = std::string(500, 'd');
  CHECK_FALSE(database->reader().examination(5));
  REQUIRE(database->add_examination(5, first));
  REQUIRE(database->add_examination(5, second));
  const auto back = database->reader().examination(5);
  REQUIRE(back);
  CHECK(kt::same(*back, second));
}

TEST_CASE("finish, budget and elapsed time over sessions") {
  const TempDir dir;
  const fs::path run = dir.path() / "run";
  double elapsed_s = 0;
  {
    auto database = must_create(run);
    CHECK(database->reader().finish().reason.empty());
    REQUIRE(database->settle(kt::some_row(0)));
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    REQUIRE(database->set_finish("budget"));
    const Finish finish = database->reader().finish();
    CHECK(finish.reason == "budget");
    CHECK(finish.evaluations == 1);
    CHECK(finish.unix_ms > 1'700'000'000'000);
    elapsed_s = database->reader().elapsed_s();
    CHECK(elapsed_s >= 0.03);
  }
  auto database = must_open(run);
  CHECK(database->reader().finish().reason.empty());  // it runs again
  CHECK(database->reader().elapsed_s() >= elapsed_s);
  REQUIRE(database->set_budget("300e"));
  CHECK(database->reader().info().budget == "300e");
  CHECK(database->reader().info().task == "softmax");
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  REQUIRE(database->flush());
  REQUIRE(database->set_finish("interrupted"));
  CHECK(database->reader().elapsed_s() >= elapsed_s + 0.03);
  database.reset();
  CHECK(must_read(run)->finish().reason == "interrupted");
}

TEST_CASE("states are replaced, seen at once, and kept") {
  const TempDir dir;
  const fs::path run = dir.path() / "run";
  const std::string bytes("\0\x01\xff", 3);
  {
    auto database = must_create(run);
    CHECK_FALSE(database->state("policy"));
    REQUIRE(database->put_state("policy", "old"));
    REQUIRE(database->put_state("policy", bytes));
    REQUIRE(database->put_state("empty", ""));
    CHECK(database->state("policy") == bytes);
  }
  auto database = must_open(run);
  CHECK(database->state("policy") == bytes);
  CHECK(database->state("empty") == "");
  CHECK_FALSE(database->state("other"));
}

TEST_CASE("more rows than the queue holds, in groups") {
  const TempDir dir;
  auto database = must_create(dir.path() / "run");
  SettledRow row = kt::some_row(0);
  row.outcome.detail.clear();
  const std::uint64_t count = 6 * RunDatabase::kCommitRows;
  for (std::uint64_t ticket = 0; ticket < count; ++ticket) {
    SettledRow next = row;
    next.ticket = ticket;
    REQUIRE(database->settle(std::move(next)));
  }
  REQUIRE(database->flush());
  CHECK(database->reader().evaluations() == count);
}

TEST_CASE("rows are committed without a flush") {
  const TempDir dir;
  auto database = must_create(dir.path() / "run");
  REQUIRE(database->settle(kt::some_row(0)));
  const auto reader = must_read(dir.path() / "run");
  for (int i = 0; i < 1000 && reader->evaluations() == 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  CHECK(reader->evaluations() == 1);
}

TEST_CASE("create refuses what is there, and leaves it alone") {
  const TempDir dir;
  fs::create_directories(dir.path() / "empty");
  dir.write("notes/todo.txt", "x");
  dir.write("file", "x");
  { auto database = must_create(dir.path() / "run"); }
  { auto database = must_create(dir.path() / "empty" / ""); }
  const std::pair<const char*, const char*> cases[] = {
      {"notes", "the folder is not empty"},
      {"run", "there is a run in this folder already"},
      {"file", "not a folder"},
      {"file/below", "cannot be made"},
  };
  for (const auto& one : cases) {
    const auto& name = one.first;
    const auto& message = one.second;
    CAPTURE(name);
    auto database = RunDatabase::create(dir.path() / name, kt::some_info());
    REQUIRE_FALSE(database);
    CHECK(database.error().message.find(message) != std::string::npos);
    CHECK_FALSE(database.error().hint.empty());
  }
  CHECK(names_in(dir.path() / "notes") == std::vector<std::string>{"todo.txt"});
  CHECK(names_in(dir.path() / "run") == std::vector<std::string>{"lock", "run.db"});
}

TEST_CASE("create starts anew where a creation was killed") {
  const TempDir dir;
  dir.write("run/run.db.new", "half a database");
  dir.write("run/run.db.new-wal", "and its log");
  dir.write("run/lock", "process 1");
  { auto database = must_create(dir.path() / "run"); }
  CHECK(names_in(dir.path() / "run") == std::vector<std::string>{"lock", "run.db"});
}

TEST_CASE("a run has one writer") {
  const TempDir dir;
  const fs::path run = dir.path() / "run";
  auto database = must_create(run);
  auto second = RunDatabase::open(run);
  REQUIRE_FALSE(second);
  CHECK(second.error().code == ErrorCode::locked);
  CHECK(RunReader::open(run));
  database.reset();
  CHECK(RunDatabase::open(run));
}

TEST_CASE("open leaves a foreign folder untouched") {
  const TempDir dir;
  dir.write("other/run.db", "something else entirely, and long enough to be looked at\n");
  CHECK_FALSE(RunDatabase::open(dir.path() / "other"));
  CHECK(names_in(dir.path() / "other") == std::vector<std::string>{"run.db"});
}

TEST_CASE("a write that fails surfaces, and what was committed stays") {
  const TempDir dir;
  const fs::path run = dir.path() / "run";
  auto database = must_create(run);
  for (std::uint64_t ticket = 0; ticket < 50; ++ticket) {
    REQUIRE(database->settle(kt::some_row(ticket)));
  }
  REQUIRE(database->flush());
  database.reset();
  {
    // Holes in the numbering of words: the next new word cannot be stored.
    auto raw = store::Database::open(store::database_file(run), store::Access::write);
    REQUIRE(raw);
    REQUIRE(raw->execute("DELETE FROM word WHERE id BETWEEN 1 AND 3"));
  }
  database = must_open(run);
  SettledRow row = kt::some_row(50);
  row.outcome.device = "a word that is not there yet";
  (void)database->settle(row);
  for (std::uint64_t ticket = 51; ticket < 80; ++ticket) {
    SettledRow next = kt::some_row(ticket);
    next.outcome.device = "device number " + std::to_string(ticket);
    (void)database->settle(std::move(next));
  }
  auto flushed = database->flush();
  REQUIRE_FALSE(flushed);
  CHECK(database->settle(kt::some_row(99)).error().message == flushed.error().message);
  CHECK_FALSE(database->set_finish("budget"));
  CHECK(database->reader().evaluations() == 50);
}

TEST_CASE("verdicts have names") {
  CHECK(name(Verdict::Kind::none) == "none");
  CHECK(name(Verdict::Kind::rejected) == "rejected");
  CHECK(name(Verdict::Kind::improved) == "improved");
  CHECK(name(Verdict::Kind::opened) == "opened");
  CHECK(name(Verdict::Kind::contested) == "contested");
  CHECK(name(Verdict::Kind::refused) == "refused");
}
