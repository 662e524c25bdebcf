// docs/operations.md, run from top to bottom as a reader would; then what its commands promise.
#include <doctest/doctest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "tests/support/program.h"
#include "tests/support/temp_dir.h"

namespace fs = std::filesystem;
using kernatlas::testing::ProgramResult;
using kernatlas::testing::read_file;
using kernatlas::testing::run_program;
using kernatlas::testing::TempDir;
using Json = nlohmann::json;

namespace {

// BLOCK × VEC, 40 configurations, one of which does not compile; `factor` scales all times.
std::string table_text(double factor) {
  std::string text =
      "BLOCK,VEC,status,median_ms,mean_ms,min_ms,cv,runs,compile_ms,benchmark_ms,overhead_ms\n";
  for (int block = 1; block <= 16; block *= 2) {
    for (int vec = 1; vec <= 8; ++vec) {
      const auto ms =
          std::to_string(factor * (2 + (block - 4) * (block - 4) + (vec - 5) * (vec - 5)));
      const bool fails = block == 16 && vec == 8;
      text += std::to_string(block) + "," + std::to_string(vec) +
              (fails ? ",compile_error,,,,,,1,0,0"
                     : ",measured," + ms + "," + ms + "," + ms + ",0.01,10,1,1,1") +
              "\n";
    }
  }
  return text;
}

void write_inputs(const TempDir& dir) {
  dir.write("table.csv", table_text(1));
  dir.write("archive.csv",
            "solution_0,solution_1,objective,measures_0,measures_1,index\n"
            "0.1,0.2,-3.5,0.15,0.25,61\n0.3,-0.4,-1,0.35,-0.45,64\n");
  dir.write("checkpoint_100/metadata.json", R"({"best_program_id": "a", "last_iteration": 100})");
  dir.write("checkpoint_100/programs/a.json",
            R"({"id": "a", "code": "def f(): pass", "language": "python", "complexity": 120,
                "metrics": {"combined_score": 0.75, "speed": 3.0}})");
}

ProgramResult shell(const TempDir& dir, const std::string& line) {
  return run_program({"/bin/sh", "-c",
                      "cd '" + dir.path().string() + "' && PATH='" +
                          kernatlas::testing::bin_dir().string() + "':\"$PATH\" && " + line});
}

Json json_of(const TempDir& dir, const std::string& line) {
  const ProgramResult result = shell(dir, line);
  CAPTURE(line);
  CAPTURE(result.err);
  REQUIRE(result.exit_code == 0);
  return Json::parse(result.out);
}

Json archive_json(const TempDir& dir, const std::string& archive) {
  static int number = 0;
  const std::string out = "export-" + std::to_string(number++) + ".json";
  const ProgramResult result =
      shell(dir, "kernatlas export " + archive + " --to json --out " + out);
  CAPTURE(result.err);
  REQUIRE(result.exit_code == 0);
  return Json::parse(read_file(dir.path() / out));
}

std::string run_line(const std::string& table, int seed, int budget, const std::string& out,
                     const std::string& more = "") {
  return "kernatlas run " + table + " --backend recorded --seed " + std::to_string(seed) +
         " --budget " + std::to_string(budget) + "e --out " + out + " --quiet " + more;
}

std::set<std::string> keys_of(const Json& list) {
  std::set<std::string> keys;
  for (const Json& each : list) keys.insert(each["key"].get<std::string>());
  return keys;
}

}  // namespace

TEST_CASE("every example of docs/operations.md works, in order") {
  const TempDir dir;
  write_inputs(dir);
  std::istringstream page(read_file(kernatlas::testing::source_dir() / "docs/operations.md"));
  bool inside = false;
  std::set<std::string> commands;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("```")) {
      inside = line == "```sh";
      continue;
    }
    if (!inside) continue;
    CAPTURE(line);
    const ProgramResult result = shell(dir, line);
    CAPTURE(result.err);
    CHECK(result.exit_code == 0);
    std::istringstream words(line);
    std::string command;
    words >> command >> command;
    commands.insert(command);
  }
  CHECK(commands ==
        std::set<std::string>{"compact", "diff", "export", "import", "merge", "rebin", "run"});
  CHECK(read_file(dir.path() / "both.atlas") == read_file(dir.path() / "again.atlas"));
}

TEST_CASE("merging runs keeps the best of each cell, in either order, and finds it again") {
  const TempDir dir;
  write_inputs(dir);
  REQUIRE(shell(dir, run_line("table.csv", 1, 12, "a.krun")).exit_code == 0);
  REQUIRE(shell(dir, run_line("table.csv", 2, 12, "b.krun")).exit_code == 0);
  const Json merged = json_of(dir, "kernatlas merge a.krun b.krun --out m.atlas --json");
  CHECK(merged["foreign"] == 0);
  REQUIRE(shell(dir, "kernatlas merge b.krun a.krun a.krun --out n.atlas").exit_code == 0);
  CHECK(read_file(dir.path() / "m.atlas") == read_file(dir.path() / "n.atlas"));
  std::map<std::size_t, double> best;
  for (const char* run : {"a.krun", "b.krun"}) {
    for (const Json& elite : archive_json(dir, run)["elites"]) {
      auto& value = best.try_emplace(elite["cell"].get<std::size_t>(), -1e9).first->second;
      value = std::max(value, elite["objective"].get<double>());
    }
  }
  std::size_t champions = 0;
  for (const Json& elite : archive_json(dir, "m.atlas")["elites"]) {
    if (elite["rank"] != 0) continue;
    ++champions;
    CHECK(elite["objective"].get<double>() == best.at(elite["cell"].get<std::size_t>()));
  }
  CHECK(champions == best.size());
  const Json same = json_of(dir, "kernatlas diff m.atlas n.atlas --json");
  CHECK(same["changes"].empty());
}

TEST_CASE("elites of another device come in as proposals, and run --from measures them here") {
  const TempDir dir;
  write_inputs(dir);
  dir.write("fast/table.csv", table_text(0.25));
  REQUIRE(shell(dir, run_line("table.csv", 1, 20, "here.krun")).exit_code == 0);
  REQUIRE(shell(dir, run_line("fast/table.csv", 2, 9, "there.krun")).exit_code == 0);
  const Json merged = json_of(dir, "kernatlas merge there.krun here.krun --out m.atlas --json");
  CHECK(merged["foreign"].get<int>() > 0);
  const Json atlas = archive_json(dir, "m.atlas");
  const Json here = archive_json(dir, "here.krun");
  CHECK(keys_of(atlas["elites"]) == keys_of(here["elites"]));
  for (const Json& proposal : atlas["proposals"]) {
    CHECK(proposal["origin"] == archive_json(dir, "there.krun")["contract"]);
    CHECK_FALSE(proposal.contains("objective"));
  }
  std::set<std::string> foreign = keys_of(archive_json(dir, "there.krun")["elites"]);
  for (const std::string& key : keys_of(here["elites"])) foreign.erase(key);
  CHECK(keys_of(atlas["proposals"]) == foreign);

  const ProgramResult run =
      shell(dir,
            "kernatlas run table.csv --backend recorded --from there.krun --seed 3 --budget "
            "6e --window 2 --ordered --out c.krun --no-examination");
  CAPTURE(run.err);
  REQUIRE(run.exit_code == 0);
  CHECK(run.err.find("elites to measure here first") != std::string::npos);
  REQUIRE(shell(dir, "kernatlas resume c.krun --budget 25e --quiet").exit_code == 0);
  const Json resumed = archive_json(dir, "c.krun");
  REQUIRE(shell(dir,
                "kernatlas run table.csv --backend recorded --from there.krun --seed 3 "
                "--budget 25e --window 2 --ordered --out d.krun --quiet")
              .exit_code == 0);
  const Json whole = archive_json(dir, "d.krun");
  CHECK(resumed["elites"] == whole["elites"]);
  bool imported = false;
  for (const Json& elite : whole["elites"]) {
    imported = imported || elite["payload"]["operator"] == "import";
  }
  CHECK(imported);
}

TEST_CASE("rebin from a run finds what the old archive turned away") {
  const TempDir dir;
  write_inputs(dir);
  REQUIRE(shell(dir, run_line("table.csv", 1, 100, "a.krun", "--depth 1")).exit_code == 0);
  REQUIRE(shell(dir,
                "kernatlas rebin a.krun --axis tune.BLOCK=edges:1,2,4,8,16,17 --option depth=8 "
                "--out fine.atlas")
              .exit_code == 0);
  CHECK(archive_json(dir, "fine.atlas")["elites"].size() == 39);
  REQUIRE(shell(dir,
                "kernatlas rebin a.krun --axis tune.BLOCK=linear:0:17:1 --option depth=1 --out "
                "one.atlas")
              .exit_code == 0);
  const Json one = archive_json(dir, "one.atlas");
  REQUIRE(one["elites"].size() == 1);
  CHECK(one["elites"][0]["payload"]["assignment"] == "BLOCK=4 VEC=5");
  REQUIRE(shell(dir, "kernatlas rebin a.krun --out same.atlas").exit_code == 0);
  CHECK(json_of(dir, "kernatlas diff a.krun same.atlas --json")["changes"].empty());
  const Json labels =
      json_of(dir, "kernatlas rebin fine.atlas --axis tune.VEC=labels:1,5 --out x.atlas --json");
  CHECK(labels["elites"] == 10);
  CHECK(labels["refused"] == 29);
}

TEST_CASE("compact drops runners-up, import keeps what it reads") {
  const TempDir dir;
  write_inputs(dir);
  REQUIRE(shell(dir, run_line("table.csv", 1, 32, "a.krun")).exit_code == 0);
  const Json compacted =
      json_of(dir, "kernatlas compact a.krun --drop features --out s.atlas --json");
  CHECK(compacted["elites"] == compacted["occupied"]);
  for (const Json& elite : archive_json(dir, "s.atlas")["elites"]) {
    CHECK(elite["rank"] == 0);
    CHECK_FALSE(elite["payload"].contains("features"));
    CHECK(elite["payload"].contains("source"));
  }
  const Json imported = json_of(
      dir,
      "kernatlas import archive.csv --axis x=linear:-1:1:10 --axis y=linear:-1:1:10 --out i.atlas "
      "--json");
  CHECK(imported["read"] == 2);
  CHECK(imported["elites"] == 2);
  CHECK(imported["contract"] == "pyribs");
  CHECK(imported["subject"] == "archive");
  CHECK(imported["best"] == -1);
}

TEST_CASE("bad input: exit code 2, one clear message, and no file left behind") {
  const TempDir dir;
  write_inputs(dir);
  REQUIRE(shell(dir, run_line("table.csv", 1, 12, "a.krun")).exit_code == 0);
  REQUIRE(shell(dir, "kernatlas export a.krun --to atlas --out a.atlas").exit_code == 0);
  REQUIRE(
      shell(dir,
            "kernatlas import archive.csv --axis x=linear:-1:1:10 --axis y=linear:-1:1:10 --out "
            "i.atlas")
          .exit_code == 0);
  const std::string bytes = read_file(dir.path() / "a.atlas");
  dir.write("cut.atlas", bytes.substr(0, bytes.size() / 2));
  dir.write("text.atlas", "not an atlas");
  dir.write("empty/nothing.txt", "");
  struct Case {
    const char* line;
    const char* message;
  };
  for (const Case& each : {
           Case{"merge a.krun nowhere.atlas --out x.atlas", "nowhere.atlas"},
           Case{"merge a.krun cut.atlas --out x.atlas", "cut.atlas: byte "},
           Case{"merge a.krun text.atlas --out x.atlas", "no atlas file"},
           Case{"merge a.krun empty --out x.atlas", "empty"},
           Case{"merge a.krun i.atlas --out x.atlas", "do not mix"},
           Case{"merge a.krun --out a.atlas", "exists already"},
           Case{"merge a.krun --out nowhere/x.atlas", "nowhere/x.atlas"},
           Case{"diff a.krun i.atlas", "nothing in common"},
           Case{"rebin a.krun --axis nonsense --out x.atlas", "none of the archive's"},
           Case{"rebin a.krun --axis tune.BLOCK=linear:9:1:4 --out x.atlas", "tune.BLOCK"},
           Case{"rebin a.krun --axis tune.BLOCK=circular:9 --out x.atlas", "circular"},
           Case{"rebin a.krun --option depth=0 --out x.atlas", "depth"},
           Case{"rebin a.krun --option depth --out x.atlas", "NAME=NUMBER"},
           Case{"rebin a.krun --kind sphere --out x.atlas", "sphere"},
           Case{"rebin a.atlas --axis tune.NONE=linear:1:9:4 --out x.atlas", "tune.NONE"},
           Case{"import table.csv --axis x=linear:0:1:2 --out x.atlas", "objective"},
           Case{"import archive.csv --axis x=linear:0:1:2 --out x.atlas", "2 columns of measures"},
           Case{"import archive.csv --axis x=quantile:2 --out x.atlas", "quantiles"},
           Case{"import empty --axis x=linear:0:1:2 --out x.atlas", "no checkpoint"},
           Case{"export text.atlas --to json --out x.atlas", "no atlas file"},
           Case{"compact a.krun --depth 0 --out x.atlas", "depth"},
           Case{"run table.csv --backend recorded --from text.atlas --out x.atlas",
                "no atlas file"},
           Case{"run table.csv --backend recorded --from i.atlas --out x.atlas",
                "candidate for table"},
       }) {
    CAPTURE(each.line);
    const ProgramResult result = shell(dir, std::string("kernatlas ") + each.line);
    CAPTURE(result.err);
    CHECK(result.exit_code == 2);
    CHECK(result.err.find(each.message) != std::string::npos);
    CHECK(result.err.find("internal") == std::string::npos);
    CHECK_FALSE(fs::exists(dir.path() / "x.atlas"));
  }
  CHECK(read_file(dir.path() / "a.atlas") == bytes);
}
