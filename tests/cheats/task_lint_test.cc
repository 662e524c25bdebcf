// Cheat 4: tasks on which a kernel that does nothing would pass.
#include <doctest/doctest.h>

#include <algorithm>

#include "backends/cpu/cpu_compiler.h"
#include "backends/cpu/task_lint.h"
#include "tests/cheats/cheat_bench.h"
#include "tests/support/temp_dir.h"

using namespace kernatlas;
using namespace kernatlas::testing;

namespace {

// y[ROWS, COLS] and s[ROWS] from x[ROWS, COLS] and w[COLS]; x is filled with `fill`.
const char* const kTask = R"(
summary = "a task to be linted"
tags    = ["test"]
dims    = ["ROWS", "COLS"]
[[workload]]
name = "shown"
dims = { ROWS = 16, COLS = 256 }
[[workload]]
name = "secret"
role = "holdout"
dims = { ROWS = 3, COLS = 77 }
[[input]]
name  = "x"
type  = "f32"
shape = ["ROWS", "COLS"]
fill  = [@FILL@]
[[input]]
name  = "w"
type  = "f32"
shape = ["COLS"]
fill  = ["normal"]
[[output]]
name  = "y"
type  = "f32"
shape = ["ROWS", "COLS"]
[[output]]
name  = "s"
type  = "f32"
shape = ["ROWS"]
reduction = "COLS"
[reference]
source = "reference.cpp"
[[baseline]]
name    = "the same"
backend = "cpu"
source  = "plain.cpp"
)";

struct Formula {
  std::string y;
  std::string s;
  std::string fill = "\"normal\"";
};

std::string body(const Formula& formula, const std::string& real) {
  return "  for (long r = 0; r < ROWS; ++r) {\n    " + real +
         " sum = 0;\n    for (long i = 0; i < COLS; ++i) {\n      const " + real +
         " v = x[r * COLS + i];\n      y[r * COLS + i] = " + formula.y +
         ";\n      sum += v;\n    }\n    s[r] = " + formula.s + ";\n  }\n}\n";
}

std::string sentences_of(const Formula& formula) {
  const TempDir dir;
  std::string task_text = kTask;
  task_text.replace(task_text.find("@FILL@"), 6, formula.fill);
  dir.write("task/task.toml", task_text);
  dir.write("task/reference.cpp",
            "extern \"C\" void reference(const double* x, const double* w, double* y, double* s) "
            "{\n  (void)w;\n" +
                body(formula, "double"));
  dir.write("task/plain.cpp",
            "/*kernatlas\n[[launch]]\nkernel = \"plain\"\nargs = [\"x\", \"w\", \"y\", \"s\"]\n*/\n"
            "extern \"C\" void plain(const float* x, const float* w, float* y, float* s, Block) "
            "{\n  (void)w;\n" +
                body(formula, "float"));
  const auto task = load_task(dir.path() / "task");
  const std::string bad_task = task ? std::string() : task.error().text();
  REQUIRE_MESSAGE(task, bad_task);
  auto compiler = CpuCompiler::create(
      *task, {.cache_dir = bin_dir().parent_path() / "tests" / "compiled-cheats", .cpus = {}});
  const std::string no_compiler = compiler ? std::string() : compiler.error().text();
  REQUIRE_MESSAGE(compiler, no_compiler);
  const auto reference = (*compiler)->compile_reference();
  const std::string bad_reference = reference ? std::string() : reference.error().text();
  REQUIRE_MESSAGE(reference, bad_reference);
  const auto weaknesses = find_weaknesses(*task, *reference);
  const std::string failure = weaknesses ? std::string() : weaknesses.error().text();
  REQUIRE_MESSAGE(weaknesses, failure);
  std::string text;
  for (const std::string& each : *weaknesses) text += each + "\n";
  CHECK(text.find("secret") == std::string::npos);
  return text;
}

}  // namespace

TEST_CASE("cheat 4: an honest task has no weakness") {
  CHECK(sentences_of({.y = "v * w[i]", .s = "sum"}) == "");
}

TEST_CASE("cheat 4: outputs that hardly move") {
  const std::string text = sentences_of({.y = "v * w[i]", .s = "1000 + 1e-9f * sum"});
  CHECK(text.find("output 's' hardly moves") != std::string::npos);
  CHECK(text.find("output 'y'") == std::string::npos);
}

TEST_CASE("cheat 4: an output of one value, from weights of zero") {
  const std::string text = sentences_of({.y = "v * w[i] * 0", .s = "sum"});
  CHECK(text.find("output 'y' is one value all over") != std::string::npos);
  CHECK(text.find("input 'w' hardly moves any output") != std::string::npos);
}

TEST_CASE("cheat 4: an input that nobody needs") {
  const std::string text = sentences_of({.y = "2 * v", .s = "sum"});
  CHECK(text == "input 'w' hardly moves any output on workload 'shown': a kernel may ignore it\n");
}

TEST_CASE("cheat 4: an output that is an input") {
  const std::string text = sentences_of({.y = "v", .s = "sum + w[0] + w[COLS - 1] * 100"});
  CHECK(text.find("output 'y' is a copy of input 'x'") != std::string::npos);
}

TEST_CASE("cheat 4: inputs that never change") {
  const std::string text = sentences_of({.y = "v * w[i]", .s = "sum", .fill = "\"ones\""});
  CHECK(text.find("output 's' hardly moves") != std::string::npos);
  CHECK(text.find("input 'x' hardly moves") != std::string::npos);
}

TEST_CASE("cheat 4: a bench lints its task") {
  const auto weaknesses = CheatBench::of("scale").bench().lint();
  REQUIRE(weaknesses);
  CHECK(weaknesses->empty());
}
