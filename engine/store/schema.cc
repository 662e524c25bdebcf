#include "engine/store/schema.h"

#include <sqlite3.h>

#include <array>
#include <string>

namespace kernatlas::store {
namespace {

namespace fs = std::filesystem;

constexpr const char* kVersion1 = R"sql(
CREATE TABLE info(
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE session(
  id INTEGER PRIMARY KEY,
  process TEXT NOT NULL,
  started_unix_ms INTEGER NOT NULL,
  elapsed_s REAL NOT NULL,
  finish_reason TEXT NOT NULL,
  finish_evaluations INTEGER NOT NULL,
  finish_unix_ms INTEGER NOT NULL);
CREATE TABLE total(
  kind INTEGER PRIMARY KEY,
  evaluations INTEGER NOT NULL,
  duplicates INTEGER NOT NULL);
CREATE TABLE operator(
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL);
CREATE TABLE word(
  id INTEGER PRIMARY KEY,
  text TEXT NOT NULL);
CREATE TABLE source(
  id INTEGER PRIMARY KEY,
  hash BLOB NOT NULL UNIQUE,
  language TEXT NOT NULL,
  file TEXT NOT NULL,
  text BLOB NOT NULL);
CREATE TABLE evaluation(
  ticket INTEGER PRIMARY KEY,
  candidate BLOB NOT NULL,
  operator INTEGER NOT NULL,
  duplicates_before INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  verdict INTEGER NOT NULL,
  cell INTEGER NOT NULL,
  kept INTEGER NOT NULL,
  gain REAL,
  fitness REAL,
  fitness_low REAL,
  fitness_high REAL,
  cost_s REAL);
CREATE TABLE record(
  ticket INTEGER PRIMARY KEY,
  source INTEGER,
  assignment TEXT NOT NULL,
  options TEXT NOT NULL,
  body BLOB NOT NULL);
CREATE TABLE log(
  ticket INTEGER PRIMARY KEY,
  text BLOB NOT NULL);
CREATE TABLE examination(
  ticket INTEGER PRIMARY KEY,
  unix_ms INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  fitness REAL,
  fitness_low REAL,
  fitness_high REAL,
  body BLOB NOT NULL,
  log BLOB NOT NULL);
CREATE TABLE state(
  key TEXT PRIMARY KEY,
  value BLOB NOT NULL) WITHOUT ROWID;
)sql";

constexpr std::array<const char*, 1> kSteps{kVersion1};

// Every object with its SQL, in one text that two equal schemas share.
Result<std::string> schema_text(Database& database) {
  auto query = database.prepare(
      "SELECT type || ' ' || name || ' ' || tbl_name || ' ' || coalesce(sql, '') "
      "FROM sqlite_schema ORDER BY type, name");
  if (!query) return fail(query.error());
  std::string text;
  for (;;) {
    switch (query->step()) {
      case Statement::Step::row:
        text += query->column_bytes(0);
        text += '\n';
        break;
      case Statement::Step::done:
        return text;
      case Statement::Step::failed:
        return fail(database.error());
    }
  }
}

Error foreign(const Database& database, const std::string& what) {
  return {.code = ErrorCode::bad_input,
          .message = what,
          .file = database.file().string(),
          .expected = "the run.db that `kernatlas run` writes",
          .hint = "check the path; a run is a folder with run.db in it"};
}

// SQLite cannot make the files that a reader of a WAL database shares with a writer.
bool folder_is_read_only(int extended_code) {
  const int code = extended_code & 0xff;
  return code == SQLITE_CANTOPEN || code == SQLITE_READONLY || code == SQLITE_PERM;
}

Access access_without_shared_files(const fs::path& file) {
  std::error_code ignored;
  const auto pending = fs::file_size(file.string() + "-wal", ignored);
  return ignored || pending == 0 ? Access::read_frozen : Access::read_alone;
}

// Opens and reads the first page, so that a file that cannot be read fails here.
Result<Database> open_and_touch(const fs::path& file, Access access, int& extended_code) {
  auto database = Database::open(file, access);
  if (!database) {
    extended_code = SQLITE_CANTOPEN;
    return database;
  }
  auto version = database->query_int("SELECT 1 FROM sqlite_schema LIMIT 1");
  if (!version) {
    extended_code = database->extended_code();
    return fail(version.error());
  }
  return database;
}

}  // namespace

std::span<const char* const> schema_steps() {
  return kSteps;
}

Result<void> apply_steps(Database& database, std::span<const char* const> steps) {
  auto version = database.query_int("PRAGMA user_version");
  if (!version) return fail(version.error());
  if (*version >= static_cast<std::int64_t>(steps.size())) return {};
  std::string script = "BEGIN IMMEDIATE;";
  for (auto i = static_cast<std::size_t>(*version); i < steps.size(); ++i) script += steps[i];
  script += ";PRAGMA user_version = " + std::to_string(steps.size()) + ";COMMIT;";
  auto done = database.execute(script);
  if (!done && database.in_transaction()) (void)database.execute("ROLLBACK");
  return done;
}

Result<void> create_schema(Database& database) {
  auto done = database.execute(
      "PRAGMA page_size = 8192; PRAGMA application_id = " + std::to_string(kApplicationId) +
      "; PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF");
  if (!done) return done;
  return apply_steps(database, schema_steps());
}

Result<std::int64_t> check_identity(Database& database) {
  auto id = database.query_int("PRAGMA application_id");
  if (!id) return fail(id.error());
  if (*id != kApplicationId) {
    auto objects = database.query_int("SELECT 1 FROM sqlite_schema LIMIT 1");
    if (!objects) return fail(objects.error());
    return fail(foreign(database, *objects == 0 ? "the run database is empty: the run never started"
                                                : "this SQLite file belongs to another program"));
  }
  auto version = database.query_int("PRAGMA user_version");
  if (!version) return fail(version.error());
  if (*version > schema_version()) {
    return fail({.code = ErrorCode::bad_input,
                 .message = "the run was written by a newer kernatlas (schema " +
                            std::to_string(*version) + ")",
                 .file = database.file().string(),
                 .expected = "schema " + std::to_string(schema_version()) + " or older",
                 .hint = "use the version that wrote it, or a newer one"});
  }
  if (*version < 1) {
    return fail(foreign(database, "the run database has no schema version: it is damaged"));
  }
  return *version;
}

Result<void> check_schema(Database& database) {
  auto expected = Database::in_memory();
  if (!expected) return fail(expected.error());
  if (auto done = apply_steps(*expected, schema_steps()); !done) return done;
  auto want = schema_text(*expected);
  if (!want) return fail(want.error());
  auto have = schema_text(database);
  if (!have) return fail(have.error());
  if (*have == *want) return {};
  return fail({.code = ErrorCode::bad_input,
               .message = "the tables of the run database are not those of schema " +
                          std::to_string(schema_version()),
               .file = database.file().string(),
               .expected = "the schema of docs/formats/run-directory.md",
               .hint = "the file was changed by another program, or is damaged"});
}

Result<void> check_run_folder(const fs::path& run_dir) {
  std::error_code ignored;
  const auto folder = fs::status(run_dir, ignored);
  if (!fs::exists(folder)) {
    return fail({.code = ErrorCode::bad_input,
                 .message = "there is no such run folder",
                 .file = run_dir.string(),
                 .expected = "a folder made by `kernatlas run --out`",
                 .hint = "check the path"});
  }
  if (!fs::is_directory(folder)) {
    return fail({.code = ErrorCode::bad_input,
                 .message = "this is not a folder",
                 .file = run_dir.string(),
                 .expected = "a run folder",
                 .hint = "give the folder that has run.db in it"});
  }
  const fs::path file = database_file(run_dir);
  const auto status = fs::status(file, ignored);
  if (!fs::is_regular_file(status)) {
    return fail(
        {.code = ErrorCode::bad_input,
         .message = fs::exists(status) ? "run.db is not a file" : "there is no run in this folder",
         .file = file.string(),
         .expected = "a folder with run.db in it",
         .hint = "check the path, or start a run with `kernatlas run TASK --out " +
                 run_dir.string() + "`"});
  }
  return {};
}

Result<Identified> open_identified(const fs::path& run_dir) {
  if (auto folder = check_run_folder(run_dir); !folder) return fail(folder.error());
  const fs::path file = database_file(run_dir);
  int code = 0;
  auto database = open_and_touch(file, Access::read, code);
  if (!database && folder_is_read_only(code)) {
    auto again = open_and_touch(file, access_without_shared_files(file), code);
    // The first error is the one a person can understand.
    if (again) database = std::move(again);
  }
  if (!database) return fail(database.error());
  auto version = check_identity(*database);
  if (!version) return fail(version.error());
  return Identified{*std::move(database), *version};
}

Result<Database> open_to_read(const fs::path& run_dir) {
  auto opened = open_identified(run_dir);
  if (!opened) return fail(opened.error());
  if (opened->version < schema_version()) {
    return fail({.code = ErrorCode::bad_input,
                 .message = "the run was written by an older kernatlas (schema " +
                            std::to_string(opened->version) + ")",
                 .file = opened->database.file().string(),
                 .expected = "schema " + std::to_string(schema_version()),
                 .hint = "`kernatlas resume` brings it up to date; nothing is lost"});
  }
  if (auto same = check_schema(opened->database); !same) return fail(same.error());
  return std::move(opened->database);
}

Result<void> configure_writer(Database& database) {
  // FULL: the log reaches the disk with every commit. Commits are grouped, so it costs little;
  // NORMAL would survive kill -9 but not a power cut.
  return database.execute(
      "PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 2000;"
      "PRAGMA journal_size_limit = 67108864; PRAGMA temp_store = MEMORY");
}

}  // namespace kernatlas::store
