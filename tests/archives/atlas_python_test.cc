// A foreign program, written from the page alone and with nothing but Python's standard library,
// reads what we write.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/archives/atlas_sample.h"
#include "tests/support/program.h"
#include "tests/support/skip.h"
#include "tests/support/temp_dir.h"

using namespace kernatlas::archives;
using namespace kernatlas::archives::testing;
using kernatlas::testing::ProgramResult;
using kernatlas::testing::run_program;
using kernatlas::testing::TempDir;

namespace {

bool has_python() {
  return run_program({"/usr/bin/env", "python3", "--version"}).exit_code == 0;
}

ProgramResult read_foreign(const std::filesystem::path& file) {
  const auto script = kernatlas::testing::source_dir() / "tests/archives/read_atlas.py";
  return run_program({"/usr/bin/env", "python3", script.string(), file.string()});
}

}  // namespace

TEST_CASE("Python reads every number, text and payload") {
  if (!has_python()) return kernatlas::testing::skip("there is no python3");
  const TempDir dir;
  Atlas atlas = sample_atlas(1, 400);
  atlas.state.spec.points = {0.5, 1, -2};
  REQUIRE(save_atlas(dir.path() / "a.atlas", atlas).has_value());
  const ProgramResult result = read_foreign(dir.path() / "a.atlas");
  CAPTURE(result.err);
  REQUIRE(result.exit_code == 0);
  const auto json = nlohmann::json::parse(result.out);
  const auto& header = json["header"];
  CHECK(header["subject"] == atlas.subject);
  CHECK(header["contract"] == atlas.contract);
  CHECK(header["context"]["device"] == "test device");
  CHECK(header["axes"][0]["edges"].get<std::vector<double>>() ==
        atlas.state.spec.axes[0].boundaries());
  CHECK(header["axes"][2]["labels"].get<std::vector<std::string>>() ==
        atlas.state.spec.axes[2].labels());
  CHECK(header["counters"]["opened"] == atlas.state.counters.opened);
  CHECK(header["numbers"]["points"].get<std::vector<double>>() == atlas.state.spec.points);
  REQUIRE(json["elites"].size() == atlas.state.elites.size());
  for (std::size_t i = 0; i < atlas.state.elites.size(); ++i) {
    const Elite& elite = atlas.state.elites[i];
    const auto& read = json["elites"][i];
    CHECK(read["id"] == elite.entry.id);
    CHECK(read["cell"] == elite.cell);
    CHECK(read["rank"] == elite.rank);
    CHECK(read["objective"].get<double>() == elite.entry.objective);
    CHECK(read["low"].get<double>() == elite.entry.low);
    CHECK(read["measures"].get<std::vector<double>>() == elite.entry.measures);
    CHECK(read["samples"] == elite.entry.samples);
    CHECK(read["key"] == atlas.records[i].key);
    CHECK(read["payload"]["source"] == sample_payload(elite.entry.id).at("source"));
    CHECK(read["payload"]["assignment"] == sample_payload(elite.entry.id).at("assignment"));
  }
  REQUIRE(json["proposals"].size() == 1);
  CHECK(json["proposals"][0]["origin"] == "device 2, engine 1");
}

TEST_CASE("Python notices damage, too") {
  if (!has_python()) return kernatlas::testing::skip("there is no python3");
  const TempDir dir;
  const std::string bytes = bytes_of(sample_atlas(2, 50));
  for (const std::size_t at : {std::size_t{3}, std::size_t{40}, bytes.size() / 2}) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 4);
    dir.write("b.atlas", damaged);
    CHECK(read_foreign(dir.path() / "b.atlas").exit_code == 1);
    dir.write("c.atlas", bytes.substr(0, at));
    CHECK(read_foreign(dir.path() / "c.atlas").exit_code == 1);
  }
}
