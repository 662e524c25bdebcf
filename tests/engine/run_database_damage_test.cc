// Damaged run databases: whatever the bytes are, there is an Error or consistent data.
#include <doctest/doctest.h>

#include <numeric>

#include "engine/store/run_database.h"
#include "engine/store/schema.h"
#include "engine/store/sqlite.h"
#include "tests/engine/store_rows.h"
#include "tests/support/temp_dir.h"

using namespace kernatlas;
namespace kt = kernatlas::testing;
namespace fs = std::filesystem;
using kernatlas::testing::TempDir;

namespace {

std::string valid_database() {
  const TempDir dir;
  {
    auto database = RunDatabase::create(dir.path() / "run", kt::some_info());
    REQUIRE(database);
    for (std::uint64_t ticket = 0; ticket < 60; ++ticket) {
      REQUIRE((*database)->settle(kt::some_row(ticket)));
    }
    Rng rng = stream(1, 1, 1);
    REQUIRE((*database)->add_examination(3, kt::some_outcome(rng)));
    REQUIRE((*database)->put_state("policy", "state"));
    REQUIRE((*database)->set_finish("budget"));
  }
  return kt::read_file(dir.path() / "run" / "run.db");
}

// Reads everything there is; whether reader and data are fine to the end.
bool read_everything(const fs::path& run) {
  auto opened = RunReader::open(run);
  if (!opened) {
    CHECK_FALSE(opened.error().message.empty());
    CHECK_FALSE(opened.error().hint.empty());
    return false;
  }
  const RunReader& reader = **opened;
  (void)reader.info();
  std::uint64_t rows = 0;
  reader.hot_rows(0, [&](const HotRow& row) {
    ++rows;
    (void)reader.row(row.ticket);
    return true;
  });
  reader.kept_rows([](const SettledRow&) { return true; });
  (void)reader.find("0000");
  (void)reader.examination(3);
  const auto totals = reader.totals();
  if (!reader.health()) {
    CHECK_FALSE(reader.health().error().hint.empty());
    return false;
  }
  std::uint64_t sum = 0;
  for (const auto& [kind, count] : totals.outcomes) sum += count;
  CHECK(sum == totals.evaluations);
  CHECK(rows == totals.evaluations);
  return true;
}

void use_for_writing(const fs::path& run) {
  auto database = RunDatabase::open(run);
  if (!database) {
    CHECK_FALSE(database.error().message.empty());
    return;
  }
  (void)(*database)->settle(kt::some_row(1000));
  (void)(*database)->put_state("policy", "new");
  (void)(*database)->flush();
}

}  // namespace

TEST_CASE("changed bytes") {
  const std::string valid = valid_database();
  constexpr std::uint64_t kSeed = 20260131;
  CAPTURE(kSeed);
  int fine = 0;
  for (std::uint64_t round = 0; round < 60; ++round) {
    CAPTURE(round);
    Rng rng = stream(kSeed, 0, round);
    std::string bytes = valid;
    // Half the rounds hit structure: page headers and cell pointers lie at the start of pages.
    const bool structure = round % 2 == 0;
    for (std::uint64_t i = 1 + uniform_below(rng, 12); i > 0; --i) {
      std::size_t at = uniform_below(rng, bytes.size());
      if (structure) at = at / 8192 * 8192 + at % 60;
      bytes[at] = static_cast<char>(rng());
    }
    const TempDir dir;
    dir.write("run/run.db", bytes);
    fine += read_everything(dir.path() / "run") ? 1 : 0;
    if (round % 4 == 0) use_for_writing(dir.path() / "run");
  }
  CHECK(fine > 0);
  CHECK(fine < 60);
}

TEST_CASE("cut files") {
  const std::string valid = valid_database();
  constexpr std::uint64_t kSeed = 20260201;
  CAPTURE(kSeed);
  for (std::uint64_t round = 0; round < 24; ++round) {
    CAPTURE(round);
    Rng rng = stream(kSeed, 0, round);
    const TempDir dir;
    // The unused end of the last page may be missing without harm; a whole page may not.
    const std::size_t left = uniform_below(rng, valid.size());
    dir.write("run/run.db", valid.substr(0, left));
    CHECK_FALSE((read_everything(dir.path() / "run") && left + 8192 <= valid.size()));
    if (round % 4 == 0) use_for_writing(dir.path() / "run");
  }
  const TempDir dir;
  dir.write("run/run.db", valid);
  CHECK(read_everything(dir.path() / "run"));
}

TEST_CASE("a log of garbage is ignored, and files beside the database do no harm") {
  const std::string valid = valid_database();
  const TempDir dir;
  dir.write("run/run.db", valid);
  dir.write("run/run.db-wal", std::string(20'000, 'w'));
  dir.write("run/run.db-shm", std::string(32'768, 's'));
  CHECK(read_everything(dir.path() / "run"));
}

TEST_CASE("rows that make no sense are named, one kind at a time") {
  const std::string valid = valid_database();
  struct Case {
    const char* change;
    const char* message;
  };
  const Case at_open[] = {
      {"UPDATE info SET value = 'x' WHERE key = 'seed'", "'seed'"},
      {"UPDATE info SET value = '2' WHERE key = 'ordered'", "'ordered'"},
      {"UPDATE info SET value = '-1' WHERE key = 'window'", "'window'"},
      {"UPDATE info SET value = '' WHERE key = 'archive_depth'", "'archive_depth'"},
      {"UPDATE info SET value = 'fast' WHERE key = 'target_speedup'", "'target_speedup'"},
      {"UPDATE info SET value = '1 2' WHERE key = 'stagnation'", "'stagnation'"},
      {"UPDATE info SET value = '1e3' WHERE key = 'created_unix'", "'created_unix'"},
      {"DELETE FROM info WHERE key = 'task'", "'task'"},
      {"UPDATE total SET kind = 11 WHERE kind = 10", "table total"},
      {"UPDATE total SET evaluations = -1 WHERE kind = 0", "table total"},
      {"UPDATE session SET elapsed_s = -1", "table session"},
      {"DELETE FROM operator WHERE id = 0", "table operator"},
  };
  const Case in_rows[] = {
      {"UPDATE evaluation SET candidate = x'00' WHERE ticket = 7", "evaluation 7"},
      {"UPDATE evaluation SET kind = 11 WHERE ticket = 7", "evaluation 7"},
      {"UPDATE evaluation SET verdict = -1 WHERE ticket = 7", "evaluation 7"},
      {"UPDATE evaluation SET kept = 2 WHERE ticket = 7", "evaluation 7"},
      {"UPDATE evaluation SET operator = 99 WHERE ticket = 7", "evaluation 7"},
      {"UPDATE evaluation SET duplicates_before = -1 WHERE ticket = 7", "evaluation 7"},
      {"DELETE FROM evaluation WHERE ticket = 7", "number of evaluations"},
      {"DELETE FROM record WHERE ticket = 7", "record of evaluation 7"},
      {"UPDATE record SET source = 99 WHERE ticket = 7", "record of evaluation 7"},
      {"UPDATE record SET body = x'01' WHERE ticket = 7", "record of evaluation 7"},
      {"INSERT OR REPLACE INTO log VALUES(7, x'09')", "log of evaluation 7"},
      {"UPDATE source SET text = x'01'", "source "},
      {"UPDATE source SET language = 'fortran'", "the language of source "},
      {"DELETE FROM word", "record of evaluation"},
      {"UPDATE examination SET kind = 12", "examination of evaluation 3"},
      {"UPDATE examination SET body = x''", "examination of evaluation 3"},
  };
  const auto check = [&](const Case& one, bool opens) {
    CAPTURE(one.change);
    const TempDir dir;
    const fs::path run = dir.path() / "run";
    dir.write("run/run.db", valid);
    {
      auto raw = store::Database::open(run / "run.db", store::Access::write);
      REQUIRE(raw);
      REQUIRE(raw->execute(one.change));
    }
    auto reader = RunReader::open(run);
    CHECK(reader.has_value() == opens);
    if (!reader) {
      CHECK(reader.error().code == ErrorCode::bad_input);
      CHECK(reader.error().message.find(one.message) != std::string::npos);
      CHECK_FALSE(RunDatabase::open(run));
      return;
    }
    (*reader)->hot_rows(0, [&](const HotRow& row) {
      (void)(*reader)->row(row.ticket);
      return true;
    });
    (void)(*reader)->examination(3);
    const auto health = (*reader)->health();
    REQUIRE_FALSE(health);
    CHECK(health.error().code == ErrorCode::bad_input);
    CHECK(health.error().message.find(one.message) != std::string::npos);
  };
  for (const Case& one : at_open) check(one, false);
  for (const Case& one : in_rows) check(one, true);
}

TEST_CASE("a source that no longer parses is an error that names its file") {
  const TempDir dir;
  const fs::path run = dir.path() / "run";
  dir.write("run/run.db", valid_database());
  {
    auto raw = store::Database::open(run / "run.db", store::Access::write);
    REQUIRE(raw);
    REQUIRE(raw->execute("UPDATE source SET text = CAST(x'00' || '/*kernatlas oops' AS BLOB)"));
  }
  auto reader = RunReader::open(run);
  REQUIRE(reader);
  CHECK_FALSE((*reader)->row(0));
  REQUIRE_FALSE((*reader)->health());
  CHECK((*reader)->health().error().file.find(".cpp") != std::string::npos);
}
