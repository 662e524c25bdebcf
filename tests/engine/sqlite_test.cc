#include "engine/store/sqlite.h"

#include <doctest/doctest.h>
#include <sqlite3.h>

#include <cmath>

#include "tests/support/temp_dir.h"

using namespace kernatlas::store;
using kernatlas::ErrorCode;
using kernatlas::testing::TempDir;

TEST_CASE("values of every type come back") {
  auto database = Database::in_memory();
  REQUIRE(database);
  REQUIRE(database->execute("CREATE TABLE t(i INTEGER, d REAL, x TEXT, b BLOB, n)"));
  auto insert = database->prepare("INSERT INTO t VALUES(?,?,?,?,?)");
  REQUIRE(insert);
  const std::string text("a\0b", 3);
  const std::string blob("\xff\0\x01", 3);
  insert->bind(1, std::int64_t{-5});
  insert->bind(2, -0.0);
  insert->bind_text(3, text);
  insert->bind_blob(4, blob);
  insert->bind_null(5);
  CHECK(insert->step() == Statement::Step::done);
  insert->reset();
  insert->bind(2, std::nan(""));
  insert->bind_text(3, "");
  insert->bind_blob(4, "");
  CHECK(insert->step() == Statement::Step::done);
  CHECK(database->last_row() == 2);
  auto query = database->prepare("SELECT * FROM t ORDER BY rowid");
  REQUIRE(query);
  REQUIRE(query->step() == Statement::Step::row);
  CHECK(query->column_int(0) == -5);
  CHECK(query->column_double(1) == 0);  // SQLite does not keep the sign of zero
  CHECK(query->column_bytes(2) == text);
  CHECK(query->column_bytes(3) == blob);
  CHECK(query->column_null(4));
  REQUIRE(query->step() == Statement::Step::row);
  CHECK(std::isnan(query->column_double(1)));
  CHECK_FALSE(query->column_null(2));
  CHECK(query->column_bytes(3).empty());
  CHECK_FALSE(query->column_null(3));
  CHECK(query->step() == Statement::Step::done);
}

TEST_CASE("query_int: the first value, or zero") {
  auto database = Database::in_memory();
  REQUIRE(database);
  CHECK(database->query_int("SELECT 42") == 42);
  CHECK(database->query_int("SELECT 42 WHERE 0") == 0);
  CHECK_FALSE(database->query_int("SELECT nonsense"));
  CHECK_FALSE(database->query_int("SELECT abs(-9223372036854775808)"));  // overflows in step()
  CHECK(database->code() == SQLITE_ERROR);
}

TEST_CASE("read transactions nest and end with the outermost") {
  auto database = Database::in_memory();
  REQUIRE(database);
  {
    const ReadTransaction outer(*database);
    CHECK(database->in_transaction());
    { const ReadTransaction inner(*database); }
    CHECK(database->in_transaction());
  }
  CHECK_FALSE(database->in_transaction());
}

TEST_CASE("files whose names mean something in an URI") {
  const TempDir dir;
  const auto file = dir.path() / "50%? #1.db";
  {
    auto made = Database::open(file, Access::create);
    REQUIRE(made);
    REQUIRE(made->execute("CREATE TABLE t(x)"));
  }
  CHECK(std::filesystem::exists(file));
  auto opened = Database::open(file, Access::read);
  REQUIRE(opened);
  CHECK(opened->query_int("SELECT count(*) FROM sqlite_schema") == 1);
  auto written = opened->execute("CREATE TABLE u(x)");
  REQUIRE_FALSE(written);
  CHECK(written.error().code == ErrorCode::io);
  CHECK_FALSE(Database::open(dir.path() / "missing.db", Access::read));
  CHECK_FALSE(Database::open(dir.path() / "missing.db", Access::write));
}

TEST_CASE("a schema from a stranger cannot run triggers") {
  const TempDir dir;
  const auto file = dir.path() / "t.db";
  auto database = Database::open(file, Access::create);
  REQUIRE(database);
  REQUIRE(
      database->execute("CREATE TABLE t(x); CREATE TABLE u(x);"
                        "CREATE TRIGGER r AFTER INSERT ON t BEGIN INSERT INTO u VALUES(1); END;"
                        "INSERT INTO t VALUES(1)"));
  CHECK(database->query_int("SELECT count(*) FROM u") == 0);
}

TEST_CASE("every kind of failure is explained with a hint") {
  const std::pair<int, ErrorCode> cases[] = {
      {SQLITE_NOTADB, ErrorCode::bad_input},
      {SQLITE_CORRUPT_INDEX, ErrorCode::bad_input},
      {SQLITE_CONSTRAINT_UNIQUE, ErrorCode::bad_input},
      {SQLITE_FULL, ErrorCode::io},
      {SQLITE_READONLY_DIRECTORY, ErrorCode::io},
      {SQLITE_BUSY, ErrorCode::locked},
      {SQLITE_LOCKED, ErrorCode::locked},
      {SQLITE_CANTOPEN_ISDIR, ErrorCode::io},
      {SQLITE_IOERR_WRITE, ErrorCode::io},
      {SQLITE_NOMEM, ErrorCode::io},
      {SQLITE_MISUSE, ErrorCode::internal},
  };
  for (const auto& one : cases) {
    const auto& code = one.first;
    const auto& expected = one.second;
    CAPTURE(code);
    const auto error = sqlite_error(code, "what SQLite says", 0, "run/run.db");
    CHECK(error.code == expected);
    CHECK(error.file == "run/run.db");
    CHECK_FALSE(error.hint.empty());
  }
  const auto caused = sqlite_error(SQLITE_IOERR_WRITE, "disk I/O error", EFBIG, "run.db");
  CHECK(caused.message.find("File too large") != std::string::npos);
}
