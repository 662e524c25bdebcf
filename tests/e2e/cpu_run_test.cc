// A short real search on the CPU: what the README promises, end to end.
#include <doctest/doctest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/support/program.h"
#include "tests/support/temp_dir.h"

namespace fs = std::filesystem;
using kernatlas::testing::ProgramResult;
using kernatlas::testing::run_kernatlas;
using kernatlas::testing::TempDir;

TEST_CASE("search, show, export and the exported program") {
  const TempDir dir;
  const std::string run = (dir.path() / "r").string();
  const std::string task = (kernatlas::testing::source_dir() / "tasks/softmax").string();
  const ProgramResult searched =
      run_kernatlas({"run", task, "--out", run, "--budget", "12e", "--seed", "1"}, 240);
  CAPTURE(searched.err);
  REQUIRE(searched.exit_code == 0);

  const auto json = nlohmann::json::parse(run_kernatlas({"show", run, "--json"}).out);
  CHECK(json["task"] == "softmax");
  CHECK(json["evaluations"] == 12);
  CHECK(json["archive"]["occupied"].get<int>() >= 1);
  // The seeds vectorise exp, the baseline calls a scalar one: not a matter of noise.
  CHECK(json["best"]["speedup"].get<double>() > 1.5);
  CHECK(json["best"]["samples"].get<int>() >= 20);
  CHECK(json["archive"]["examined"].get<int>() >= 1);
  CHECK(run_kernatlas({"show", run}).exit_code == 0);
  CHECK(run_kernatlas({"show", run, "best"}).out.find("holds the cell now") != std::string::npos);

  const std::string best = (dir.path() / "best").string();
  const ProgramResult exported =
      run_kernatlas({"export", run, "best", "--to", "cpp", "--out", best});
  CAPTURE(exported.err);
  REQUIRE(exported.exit_code == 0);
  const ProgramResult made = kernatlas::testing::run_program({"make", "-C", best, "run"}, 240);
  CAPTURE(made.out);
  CAPTURE(made.err);
  CHECK(made.exit_code == 0);
  CHECK(made.out.find("holdout") != std::string::npos);
  CHECK(made.out.find("WRONG") == std::string::npos);

  const std::string kernel = (dir.path() / "kernel").string();
  REQUIRE(run_kernatlas({"export", run, "best", "--out", kernel}).exit_code == 0);
  CHECK(run_kernatlas({"export", run, "best", "--out", kernel}).exit_code == 2);
}

TEST_CASE("check tells a right kernel from a wrong one") {
  const TempDir dir;
  const fs::path task = kernatlas::testing::source_dir() / "tasks/softmax";
  const ProgramResult right = run_kernatlas({"check", (task / "seeds/online.cpp").string()});
  CAPTURE(right.err);
  CHECK(right.exit_code == 0);
  CHECK(right.out.find("norm") != std::string::npos);
  const fs::path wrong = dir.write("wrong.cpp",
                                   "/*kernatlas\n[[launch]]\nkernel = \"f\"\ngrid = [\"ROWS\"]\n"
                                   "args = [\"x\", \"y\"]\n*/\nextern \"C\" void f(const float* x, "
                                   "float* y, Block at) {\n  for (long i = 0; i < COLS; ++i) "
                                   "y[at.x * COLS + i] = x[at.x * COLS + i];\n}\n");
  const ProgramResult found = run_kernatlas({"check", wrong.string(), "--task", task.string()});
  CHECK(found.exit_code == 1);
  CHECK(found.out.find("wrong_result") != std::string::npos);
  const fs::path broken =
      dir.write("broken.cpp",
                "/*kernatlas\n[[launch]]\nkernel = \"f\"\ngrid = [\"ROWS\"]\n"
                "args = [\"x\", \"y\"]\n*/\nextern \"C\" void f(const float* x, "
                "float* y, Block at) {\n  y[0] = undeclared;\n}\n");
  const ProgramResult diagnosed =
      run_kernatlas({"check", broken.string(), "--task", task.string()});
  CHECK(diagnosed.exit_code == 1);
  CHECK(diagnosed.out.find("compile_error") != std::string::npos);
  CHECK(diagnosed.out.find("broken.cpp:8") != std::string::npos);
}

TEST_CASE("doctor names every sandbox layer") {
  const ProgramResult doctor = run_kernatlas({"doctor", "--json"});
  REQUIRE(doctor.exit_code == 0);
  const auto json = nlohmann::json::parse(doctor.out);
  for (const char* layer : {"namespaces", "rlimits", "landlock", "seccomp"}) {
    CHECK(doctor.out.find(layer) != std::string::npos);
  }
  CHECK(json.size() >= 2);
}
