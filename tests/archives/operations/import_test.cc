#include "archives/operations/import.h"

#include <doctest/doctest.h>

#include "archives/operations/identity.h"
#include "tests/support/temp_dir.h"

using namespace kernatlas::archives;
using kernatlas::testing::TempDir;

namespace {

ImportOptions options_with(std::vector<Axis> axes) {
  ImportOptions options;
  options.subject = "sphere";
  options.contract = "elsewhere";
  options.spec.axes = std::move(axes);
  options.spec.options = {{"depth", 1}};
  return options;
}

std::vector<Axis> two_axes() {
  return {Axis::linear("x", "", -1, 1, 4), Axis::linear("y", "", -1, 1, 2)};
}

constexpr const char* kCsv =
    "solution_0,solution_1,objective,measures_0,measures_1,index,note\n"
    "0.1,0.2,10.5,-0.9,0.5,3,plain\n"
    "0.3,0.4,11,-0.8,0.6,3,\"quoted, \"\"text\"\"\nsecond line\"\n"
    "0.5,0.6,-2e1,0.9,-0.5,7,\n"
    "0.7,0.8,nan,0.1,0.1,5,\n"
    "0.9,1.0,1,?,0.1,5,\n";

}  // namespace

TEST_CASE("a pyribs data frame: best of each cell, every column kept, bad rows counted") {
  const TempDir dir;
  const auto file = dir.write("archive.csv", kCsv);
  const auto imported = import_pyribs(file, options_with(two_axes()), builtin_kinds());
  REQUIRE_MESSAGE(imported.has_value(), imported.error().text());
  CHECK(imported->read == 5);
  CHECK(imported->skipped == 2);
  const Atlas& atlas = imported->atlas;
  CHECK(atlas.subject == "sphere");
  CHECK(atlas.contract == "elsewhere");
  REQUIRE(atlas.state.elites.size() == 2);
  CHECK(atlas.state.elites[0].entry.objective == 11);
  CHECK(atlas.state.elites[0].entry.measures == std::vector<double>{-0.8, 0.6});
  CHECK(atlas.state.elites[1].entry.objective == -20);
  const PayloadMap payload = unpack(atlas.records[0].payload, atlas.blobs);
  CHECK(payload.at("note") == "quoted, \"text\"\nsecond line");
  CHECK(payload.at("solution_1") == "0.4");
  CHECK(atlas.records[0].key == content_key("0.3,0.4"));
  CHECK(builtin_kinds().restore(atlas.state).has_value());
}

TEST_CASE("older pyribs columns and a single solution column") {
  const TempDir dir;
  const auto file =
      dir.write("old.csv", ",solution,objective,behavior_0\n0,\"text, with comma\",1,0.5\n");
  const auto imported =
      import_pyribs(file, options_with({Axis::linear("x", "", 0, 1, 4)}), builtin_kinds());
  REQUIRE(imported.has_value());
  REQUIRE(imported->atlas.records.size() == 1);
  CHECK(imported->atlas.records[0].key == content_key("text, with comma"));
}

TEST_CASE("CSV files that are something else say what is missing") {
  const TempDir dir;
  struct Case {
    const char* text;
    const char* message;
  };
  for (const Case& each : {Case{"", "is empty"}, Case{"a,b\n1,2\n", "no column \"objective\""},
                           Case{"objective\n1\n", "no column \"measures_0\""},
                           Case{"objective,measures_0\n1,2\n", "1 columns of measures for 2 axes"},
                           Case{"objective,measures_0,measures_1\n1,2\n", "row 2 has 2 fields"}}) {
    CAPTURE(each.text);
    const auto file = dir.write("bad.csv", each.text);
    const auto imported = import_pyribs(file, options_with(two_axes()), builtin_kinds());
    REQUIRE_FALSE(imported.has_value());
    CHECK(imported.error().text().find(each.message) != std::string::npos);
    CHECK(imported.error().file == file.string());
  }
  CHECK_FALSE(import_pyribs(dir.path() / "none.csv", options_with(two_axes()), builtin_kinds())
                  .has_value());
}

TEST_CASE("an OpenEvolve checkpoint: metrics become objective and measures, code the source") {
  const TempDir dir;
  dir.write("c/metadata.json", R"({"best_program_id": "a", "last_iteration": 3})");
  dir.write("c/programs/a.json",
            R"({"id": "a", "code": "def f(): pass", "language": "python", "parent_id": null,
                "generation": 2, "metrics": {"combined_score": 0.75, "speed": 3.0},
                "complexity": 120.0, "diversity": 0.5, "metadata": {"island": 0}})");
  dir.write("c/programs/b.json",
            R"({"id": "b", "code": "def g(): pass", "parent_id": "a", "complexity": 900,
                "metrics": {"accuracy": 0.5, "speed": 1.5}})");
  dir.write("c/programs/c.json",
            R"({"id": "c", "code": "broken", "metrics": {}, "complexity": 1})");
  dir.write("c/programs/notes.txt", "not a program");
  const auto options = options_with(
      {Axis::linear("complexity", "", 0, 1000, 10), Axis::linear("speed", "x", 0, 4, 4)});
  const auto imported = import_openevolve(dir.path() / "c", options, builtin_kinds());
  REQUIRE_MESSAGE(imported.has_value(), imported.error().text());
  CHECK(imported->read == 3);
  CHECK(imported->skipped == 1);
  const Atlas& atlas = imported->atlas;
  REQUIRE(atlas.state.elites.size() == 2);
  CHECK(atlas.state.elites[0].entry.objective == 0.75);
  CHECK(atlas.state.elites[0].entry.measures == std::vector<double>{120, 3});
  CHECK(atlas.state.elites[1].entry.objective == 0.5);  // the mean without the axis
  const PayloadMap payload = unpack(atlas.records[1].payload, atlas.blobs);
  CHECK(payload.at("source") == "def g(): pass");
  CHECK(payload.at("parent_id") == "a");
}

TEST_CASE("folders that are no checkpoint, and damaged programs, name the file") {
  const TempDir dir;
  const auto options = options_with({Axis::linear("complexity", "", 0, 1000, 10)});
  const auto none = import_openevolve(dir.path(), options, builtin_kinds());
  REQUIRE_FALSE(none.has_value());
  CHECK(none.error().message == "is no checkpoint of OpenEvolve");
  dir.write("metadata.json", "{}");
  const auto bad = dir.write("programs/x.json", "{\"id\": ");
  const auto damaged = import_openevolve(dir.path(), options, builtin_kinds());
  REQUIRE_FALSE(damaged.has_value());
  CHECK(damaged.error().file == bad.string());
  dir.write("programs/x.json", std::string(100000, '['));
  CHECK_FALSE(import_openevolve(dir.path(), options, builtin_kinds()).has_value());
  dir.write("programs/x.json", "[]");
  CHECK_FALSE(import_openevolve(dir.path(), options, builtin_kinds()).has_value());
}
