// Cheats on the check itself: inputs, memory around the buffers, values that compare oddly.
#include <doctest/doctest.h>

#include "backends/cpu/cpu_machine.h"
#include "tests/cheats/cheat_bench.h"
#include "tests/support/skip.h"

using namespace kernatlas;
using namespace kernatlas::testing;
using enum OutcomeKind;

TEST_CASE("cheat 10: zeros its inputs, so that a later reference agrees") {
  prove({.task = "scale",
         .file = "10_zero_inputs",
         .running = {rejected},
         .says = "changed its input 'x'",
         .honest_task = "prefix"});
}

TEST_CASE("cheat 11: overwrites memory for 64 MiB above its buffers") {
  prove({.task = "scale",
         .file = "11_walk_up",
         .running = {crashed, wrong_result},
         .honest = "11_walk_honest"});
}

TEST_CASE("cheat 11: overwrites memory for 64 MiB below its buffers") {
  prove({.task = "scale",
         .file = "11_walk_down",
         .running = {crashed, wrong_result},
         .honest = "11_walk_honest"});
}

TEST_CASE("cheat 12: NaN everywhere") {
  prove({.task = "scale", .file = "12_all_nan", .running = {wrong_result}, .says = "NaN"});
}

TEST_CASE("cheat 12: infinity everywhere") {
  prove({.task = "scale",
         .file = "12_all_infinite",
         .running = {wrong_result},
         .honest = "12_all_nan_honest"});
}

TEST_CASE("cheat 13: writes one element past the end") {
  prove({.task = "scale",
         .file = "13_past_the_end",
         .running = {wrong_result},
         .says = "wrote outside its output 'y' (after the end)"});
}

TEST_CASE("cheat 13: writes one element before the beginning") {
  prove({.task = "scale",
         .file = "13_before_the_beginning",
         .running = {wrong_result},
         .says = "(before the beginning)",
         .honest = "13_past_the_end_honest"});
}

TEST_CASE("cheat 14: reads one element past the end") {
  prove({.task = "rowsum",
         .file = "14_read_past_the_end",
         .running = {wrong_result, nondeterministic}});
}

TEST_CASE("cheat 14: reads fresh memory and expects zeros") {
  prove({.task = "rowsum", .file = "14_fresh_memory", .running = {wrong_result, nondeterministic}});
}

TEST_CASE("cheat 15: a race between two threads") {
  if (CpuMachine::probe().allowed_cpus.size() < 2) return skip("needs two CPUs");
  CheatBench& bench = CheatBench::of("histogram", 2);
  const Outcome outcome = bench.run("15_race");
  CAPTURE(text_of(outcome));
  CHECK((outcome.kind == wrong_result || outcome.kind == nondeterministic));
  bench.expect_honest("15_race_honest");
}

TEST_CASE("cheat 16: one element in twenty is garbage") {
  prove({.task = "scale", .file = "16_some_garbage", .running = {wrong_result}});
}

TEST_CASE("cheat 17: tf32 inside a single-precision product") {
  prove({.task = "matmul",
         .file = "17_tf32",
         .running = {wrong_result},
         .says = "precision",
         .honest = "17_bf16_honest"});
}

TEST_CASE("cheat 17: bf16 inside a single-precision product") {
  prove({.task = "matmul", .file = "17_bf16", .running = {wrong_result}});
}
