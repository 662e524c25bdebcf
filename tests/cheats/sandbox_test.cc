// Cheats on the process, the machine and the compiler.
#include <doctest/doctest.h>

#include "tests/cheats/cheat_bench.h"

using namespace kernatlas;
using namespace kernatlas::testing;
using enum OutcomeKind;

namespace {

// The kernel with @SECRET@ replaced by the path of a file that everybody may read.
Candidate with_secret(const std::string& file, const TempDir& dir, const std::string& content) {
  const auto path = dir.write("secret.txt", content);
  std::string text = CheatBench::candidate(file).source->text();
  const std::string mark = "@SECRET@";
  text.replace(text.find(mark), mark.size(), path.string());
  auto source = KernelSource::parse(text, Language::cpp, file + ".cpp");
  REQUIRE(source);
  Candidate candidate;
  candidate.source = *source;
  return candidate;
}

void expect_life_afterwards() {
  const Outcome outcome = CheatBench::of("scale").run("01_empty_honest");
  CAPTURE(text_of(outcome));
  CHECK(outcome.measured());
}

}  // namespace

TEST_CASE("cheat 29: exit(0) in the middle") {
  prove({.task = "scale",
         .file = "29_exit",
         .inspection = "uses the instruction syscall",
         .running = {crashed, rejected}});
}

TEST_CASE("cheat 29: a forged reply over the worker's socket") {
  prove({.task = "scale",
         .file = "29_forged_reply",
         .inspection = "uses the instruction syscall",
         .running = {rejected},
         .says = "forged",
         .honest = "29_exit_honest"});
}

TEST_CASE("cheat 32: a launch that fails is no short time") {
  prove({.task = "scale", .file = "32_trap", .running = {crashed}});
}

TEST_CASE("cheat 35: a library does the work") {
  prove({.task = "matmul",
         .file = "35_delegates",
         .inspection = "calls cblas_sgemm",
         .running = {launch_error, compile_error},
         .honest_task = "softmax"});
}

TEST_CASE("cheat 37: files of the grader") {
  prove({.task = "scale",
         .file = "37_opens_files",
         .inspection = "uses the instruction syscall",
         .running = {rejected},
         .says = "system call"});
}

TEST_CASE("cheat 38: work before the first launch") {
  // A constructor has no inputs yet: what it can prepare gains nothing.
  prove({.task = "scale",
         .file = "38_constructor",
         .inspection = "runs code when it is loaded",
         .running = {measured}});
}

TEST_CASE("cheat 38: rounding mode left changed") {
  CheatBench& bench = CheatBench::of("scale");
  const Outcome before = bench.run("01_empty_honest");
  prove({.task = "scale",
         .file = "38_rounding",
         .inspection = "uses the instruction ldmxcsr",
         .running = {measured, wrong_result},
         .honest = "38_constructor_honest"});
  const Outcome after = bench.run("01_empty_honest");
  REQUIRE(before.measured());
  REQUIRE(after.measured());
  CHECK(after.accuracy.norm_error < 1e-7);
}

TEST_CASE("cheat 39: what hangs, crashes or eats memory is blamed itself, and nobody else") {
  prove({.task = "scale", .file = "39_hangs", .running = {timed_out}});
  expect_life_afterwards();
  prove({.task = "scale",
         .file = "39_memory_hog",
         .inspection = "calls malloc",
         .running = {out_of_memory},
         .honest = "39_hangs_honest"});
  expect_life_afterwards();
  prove({.task = "scale", .file = "39_crashes", .running = {crashed}, .honest = "39_hangs_honest"});
  expect_life_afterwards();
  prove({.task = "scale",
         .file = "39_deep_recursion",
         .running = {crashed},
         .says = "stack",
         .honest = "39_hangs_honest"});
  expect_life_afterwards();
}

TEST_CASE("cheat 40: special registers") {
  // Harmless as such: none of them tells a check from a measurement.
  prove({.task = "scale",
         .file = "40_cpuid",
         .inspection = "uses the instruction cpuid",
         .running = {measured}});
  prove({.task = "scale",
         .file = "40_thread_block",
         .inspection = "uses the instruction",
         .running = {measured},
         .honest = "40_cpuid_honest"});
}

TEST_CASE("cheat 40: files of the host at compile time") {
  const TempDir dir;
  CheatBench& bench = CheatBench::of("scale");
  const Candidate include =
      with_secret("40_includes_file", dir, "static_assert(false, \"correct horse\");\n");
  const Candidate embed = with_secret("40_embeds_file", dir, "correct horse");
  for (const Candidate& candidate : {include, embed}) {
    const auto code = bench.inspect(candidate);
    REQUIRE_FALSE(code);
    CAPTURE(text_of(code.error()));
    CHECK(code.error().kind == compile_error);
    CHECK_FALSE(mentions(code.error(), "correct horse"));
  }
  bench.expect_honest("40_cpuid_honest");
}
