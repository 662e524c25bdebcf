#include "engine/store/schema.h"

#include <doctest/doctest.h>

#include <array>

#include "tests/support/temp_dir.h"

using namespace kernatlas::store;
using kernatlas::ErrorCode;
using kernatlas::testing::TempDir;

namespace {

Database new_database(const TempDir& dir) {
  auto database = Database::open(database_file(dir.path()), Access::create);
  REQUIRE(database);
  REQUIRE(create_schema(*database));
  return *std::move(database);
}

}  // namespace

TEST_CASE("a new database is recognised and has the schema") {
  const TempDir dir;
  { Database database = new_database(dir); }
  auto opened = open_to_read(dir.path());
  REQUIRE(opened);
  CHECK(check_identity(*opened) == schema_version());
  CHECK(check_schema(*opened));
}

TEST_CASE("steps bring an older file up to date, all or nothing") {
  const std::array<const char*, 1> first{"CREATE TABLE t(x);"};
  const std::array<const char*, 3> later{first[0], "ALTER TABLE t ADD COLUMN y DEFAULT 7;",
                                         "CREATE TABLE u(z);"};
  auto database = Database::in_memory();
  REQUIRE(database);
  REQUIRE(apply_steps(*database, first));
  REQUIRE(database->execute("INSERT INTO t VALUES(1)"));
  CHECK(database->query_int("PRAGMA user_version") == 1);

  const std::array<const char*, 3> broken{first[0], later[1], "CREATE TABLE nonsense"};
  CHECK_FALSE(apply_steps(*database, broken));
  CHECK_FALSE(database->in_transaction());
  CHECK(database->query_int("PRAGMA user_version") == 1);
  CHECK_FALSE(database->query_int("SELECT y FROM t"));

  REQUIRE(apply_steps(*database, later));
  CHECK(database->query_int("PRAGMA user_version") == 3);
  CHECK(database->query_int("SELECT y FROM t") == 7);
  REQUIRE(apply_steps(*database, later));  // nothing left to do
  REQUIRE(apply_steps(*database, first));  // never backwards
  CHECK(database->query_int("PRAGMA user_version") == 3);
}

TEST_CASE("whatever is not a run of this version is refused with a message and a hint") {
  struct Case {
    const char* change;
    const char* message;
  };
  const Case cases[] = {
      {"PRAGMA application_id = 7", "belongs to another program"},
      {"PRAGMA user_version = 2", "written by a newer kernatlas (schema 2)"},
      {"PRAGMA user_version = 0", "no schema version"},
      {"PRAGMA user_version = -3", "no schema version"},
      {"DROP TABLE log", "not those of schema 1"},
      {"CREATE VIEW extra AS SELECT * FROM evaluation", "not those of schema 1"},
      {"ALTER TABLE log ADD COLUMN extra", "not those of schema 1"},
  };
  for (const Case& one : cases) {
    CAPTURE(one.change);
    const TempDir dir;
    {
      Database database = new_database(dir);
      REQUIRE(database.execute(one.change));
    }
    auto opened = open_to_read(dir.path());
    REQUIRE_FALSE(opened);
    CHECK(opened.error().code == ErrorCode::bad_input);
    CHECK(opened.error().message.find(one.message) != std::string::npos);
    CHECK(opened.error().file == database_file(dir.path()).string());
    CHECK_FALSE(opened.error().hint.empty());
  }
}

TEST_CASE("folders without a run say what is missing") {
  const TempDir dir;
  dir.write("file", "x");
  std::filesystem::create_directories(dir.path() / "odd" / "run.db");
  dir.write("zero/run.db", "");
  dir.write("text/run.db", "this is a note about a run, not a run: it goes on for a while\n");
  const std::pair<const char*, const char*> cases[] = {
      {"missing", "no such run folder"}, {"file", "not a folder"},
      {".", "no run in this folder"},    {"odd", "run.db is not a file"},
      {"zero", "database is empty"},     {"text", "not a run database"},
  };
  for (const auto& one : cases) {
    const auto& name = one.first;
    const auto& message = one.second;
    CAPTURE(name);
    auto opened = open_to_read(dir.path() / name);
    REQUIRE_FALSE(opened);
    CHECK(opened.error().code == ErrorCode::bad_input);
    CHECK(opened.error().message.find(message) != std::string::npos);
    CHECK_FALSE(opened.error().hint.empty());
  }
}
