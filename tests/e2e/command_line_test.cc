// The program from outside: exit codes, messages, and what bad input leaves behind.
#include <doctest/doctest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/support/program.h"
#include "tests/support/temp_dir.h"

namespace fs = std::filesystem;
using kernatlas::testing::ProgramResult;
using kernatlas::testing::run_kernatlas;
using kernatlas::testing::TempDir;

namespace {

// Two tunables, 16 valid configurations, one of which does not compile.
constexpr const char* kTable =
    "BLOCK,VEC,status,median_ms,mean_ms,min_ms,cv,runs,compile_ms,benchmark_ms,overhead_ms\n";

std::string table_text() {
  std::string text = kTable;
  for (int block = 1; block <= 8; block *= 2) {
    for (int vec = 1; vec <= 8; vec *= 2) {
      const double ms = 10.0 / (block + vec);
      const bool fails = block == 8 && vec == 8;
      text += std::to_string(block) + "," + std::to_string(vec) +
              (fails ? ",compile_error,,,,,,1,0,0"
                     : ",measured," + std::to_string(ms) + "," + std::to_string(ms) + "," +
                           std::to_string(ms) + ",0.01,10,1,1,1") +
              "\n";
    }
  }
  return text;
}

std::string path(const TempDir& dir, const char* name) {
  return (dir.path() / name).string();
}

ProgramResult run_recorded(const TempDir& dir, const char* out,
                           std::vector<std::string> more = {}) {
  std::vector<std::string> arguments{"run",   path(dir, "table.csv"), "--backend", "recorded",
                                     "--out", path(dir, out),         "--seed",    "5"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_kernatlas(arguments);
}

}  // namespace

TEST_CASE("no command, an unknown command and an unknown flag are usage errors") {
  CHECK(run_kernatlas({}).exit_code == 2);
  CHECK(run_kernatlas({"dance"}).exit_code == 2);
  CHECK(run_kernatlas({"run", "--dance"}).exit_code == 2);
  CHECK(run_kernatlas({"--help"}).exit_code == 0);
  CHECK(run_kernatlas({"--version"}).exit_code == 0);
  CHECK(run_kernatlas({"run", "--help"}).out.find("--budget") != std::string::npos);
}

TEST_CASE("a recorded run ends, shows and adds up") {
  const TempDir dir;
  dir.write("table.csv", table_text());
  const ProgramResult run = run_recorded(dir, "r", {"--budget", "10e"});
  CAPTURE(run.err);
  REQUIRE(run.exit_code == 0);
  const ProgramResult shown = run_kernatlas({"show", path(dir, "r"), "--json"});
  REQUIRE(shown.exit_code == 0);
  const auto json = nlohmann::json::parse(shown.out);
  CHECK(json["evaluations"] == 10);
  std::uint64_t sum = 0;
  for (const auto& [kind, count] : json["outcomes"].items()) sum += count.get<std::uint64_t>();
  CHECK(sum == 10);
  CHECK(json["finished"] == "budget");
  CHECK(json["backend"] == "recorded");
  CHECK(json["best"]["speedup"].get<double>() >= 1);
  CHECK(json["elites"].size() == json["archive"]["occupied"].get<std::size_t>());
  const std::string id = json["best"]["id"];
  const ProgramResult one = run_kernatlas({"show", path(dir, "r"), id.substr(0, 8)});
  CHECK(one.exit_code == 0);
  CHECK(one.out.find(id) != std::string::npos);
  CHECK(one.out.find("lineage") != std::string::npos);
}

TEST_CASE("a small space is exhausted long before the budget, every point once") {
  const TempDir dir;
  dir.write("table.csv", table_text());
  REQUIRE(run_recorded(dir, "r", {"--budget", "500e", "--quiet"}).exit_code == 0);
  const auto json = nlohmann::json::parse(run_kernatlas({"show", path(dir, "r"), "--json"}).out);
  CHECK(json["finished"] == "exhausted");
  CHECK(json["evaluations"] == 16);
  CHECK(json["outcomes"]["compile_error"] == 1);
}

TEST_CASE("resume goes on to a larger budget and is idempotent at the same one") {
  const TempDir dir;
  dir.write("table.csv", table_text());
  REQUIRE(run_recorded(dir, "r", {"--budget", "4e", "--quiet"}).exit_code == 0);
  for (int i = 0; i < 3; ++i) {
    REQUIRE(run_kernatlas({"resume", path(dir, "r"), "--quiet"}).exit_code == 0);
    const auto json = nlohmann::json::parse(run_kernatlas({"show", path(dir, "r"), "--json"}).out);
    CHECK(json["evaluations"] == 4);
  }
  REQUIRE(run_kernatlas({"resume", path(dir, "r"), "--budget", "9e", "--quiet"}).exit_code == 0);
  const auto json = nlohmann::json::parse(run_kernatlas({"show", path(dir, "r"), "--json"}).out);
  CHECK(json["evaluations"] == 9);
}

TEST_CASE("ordered runs of one seed are the same, whatever the devices; other seeds differ") {
  const TempDir dir;
  dir.write("table.csv", table_text());
  const auto elites = [&](const char* out, std::vector<std::string> more) {
    more.insert(more.end(), {"--budget", "9e", "--quiet", "--ordered", "--window", "3"});
    REQUIRE(run_recorded(dir, out, more).exit_code == 0);
    return nlohmann::json::parse(run_kernatlas({"show", path(dir, out), "--json"}).out)["elites"];
  };
  CHECK(elites("a", {}) == elites("b", {"--devices", "3"}));
}

TEST_CASE("bad input: exit code 2, a message that names it, and nothing left behind") {
  const TempDir dir;
  dir.write("table.csv", table_text());
  dir.write("broken.csv", std::string(kTable) + "1,2,measured,zero,,,,,,,\n");
  dir.write("folder/task.toml", "summary = \"x\"\ndims = [\"N\"]\n[[workload]\n");
  dir.write("file.txt", "not a run");
  struct Case {
    std::vector<std::string> arguments;
    const char* message;
  };
  const std::vector<Case> cases = {
      {{"run", "no-such-task", "--out", path(dir, "x")}, "no task"},
      {{"run", path(dir, "folder"), "--out", path(dir, "x")}, "task.toml:3"},
      {{"run", path(dir, "broken.csv"), "--backend", "recorded", "--out", path(dir, "x")},
       "broken.csv:2"},
      {{"run", "softmax", "--backend", "abacus", "--out", path(dir, "x")}, "abacus"},
      {{"run", path(dir, "table.csv"), "--backend", "recorded", "--budget", "many", "--out",
        path(dir, "x")},
       "many"},
      {{"run", path(dir, "table.csv"), "--backend", "recorded", "--policy", "luck", "--out",
        path(dir, "x")},
       "luck"},
      {{"run", path(dir, "table.csv"), "--backend", "recorded", "--set", "noise", "--out",
        path(dir, "x")},
       "NAME=VALUE"},
      {{"show", path(dir, "nowhere")}, "nowhere"},
      {{"show", path(dir, "file.txt")}, "file.txt"},
      {{"resume", path(dir, "folder")}, "folder"},
      {{"check", path(dir, "none.cpp")}, "none.cpp"},
      {{"check", path(dir, "file.txt"), "--task", "softmax"}, "file.txt"},
      {{"export", path(dir, "nowhere")}, "nowhere"},
  };
  for (const Case& each : cases) {
    CAPTURE(each.arguments[0]);
    CAPTURE(each.message);
    const ProgramResult result = run_kernatlas(each.arguments);
    CAPTURE(result.err);
    CHECK(result.exit_code == 2);
    CHECK(result.err.find(each.message) != std::string::npos);
    CHECK(result.err.find("internal") == std::string::npos);
    CHECK_FALSE(fs::exists(dir.path() / "x"));
  }
}

TEST_CASE("an existing run directory is never written over") {
  const TempDir dir;
  dir.write("table.csv", table_text());
  REQUIRE(run_recorded(dir, "r", {"--budget", "4e", "--quiet"}).exit_code == 0);
  const ProgramResult again = run_recorded(dir, "r", {"--budget", "9e"});
  CHECK(again.exit_code == 2);
  CHECK(again.err.find("hint") != std::string::npos);
  const auto json = nlohmann::json::parse(run_kernatlas({"show", path(dir, "r"), "--json"}).out);
  CHECK(json["evaluations"] == 4);
}

TEST_CASE("nothing correct found is exit code 1") {
  const TempDir dir;
  dir.write("table.csv", std::string(kTable) + "1,1,compile_error,,,,,,1,0,0\n" +
                             "1,2,measured,1,1,1,0.01,10,1,1,1\n");
  const ProgramResult run = run_recorded(dir, "r", {"--budget", "5e", "--set", "fail_rate=1"});
  CAPTURE(run.err);
  CHECK(run.exit_code == 1);
}

TEST_CASE("a run whose task copy was changed is not resumed") {
  const TempDir dir;
  dir.write("table.csv", table_text());
  REQUIRE(run_recorded(dir, "r", {"--budget", "4e", "--quiet"}).exit_code == 0);
  dir.write("r/task/table.csv", table_text() + "16,1,measured,1,1,1,0.01,10,1,1,1\n");
  const ProgramResult resumed = run_kernatlas({"resume", path(dir, "r"), "--budget", "9e"});
  CHECK(resumed.exit_code == 2);
  CHECK(resumed.err.find("changed") != std::string::npos);
}
