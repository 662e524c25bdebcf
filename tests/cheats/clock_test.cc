// Cheats on the clock, and on what is made of its times.
#include <doctest/doctest.h>

#include <cmath>

#include "tests/cheats/cheat_bench.h"

using namespace kernatlas;
using namespace kernatlas::testing;
using enum OutcomeKind;

TEST_CASE("cheat 26: a detached thread does the work after the clock has stopped") {
  prove({.task = "scale",
         .file = "26_detached_thread",
         .inspection = "calls pthread_create",
         .running = {rejected},
         .says = "system call"});
}

TEST_CASE("cheat 28: moves the start of the measurement") {
  prove({.task = "matmul",
         .file = "28_moved_start",
         .inspection = "uses the instruction syscall",
         .running = {rejected},
         .says = "times"});
}

TEST_CASE("cheat 28: reads the time stamp counter") {
  // Forbidden, though at run time it has no use for what it learns.
  prove({.task = "scale",
         .file = "28_reads_clock",
         .inspection = "uses the instruction rdtsc",
         .running = {measured},
         .honest = "18_done_flag_honest"});
}

TEST_CASE("cheat 28: asks for dlsym and mprotect") {
  // Memory that can be executed is out of reach even uninspected: the filter ends the process.
  prove({.task = "scale",
         .file = "28_patches",
         .inspection = "calls dlsym",
         .running = {rejected, crashed, launch_error},
         .honest = "18_done_flag_honest"});
}

TEST_CASE("cheat 31: slow at first, so that few samples are planned") {
  CheatBench& bench = CheatBench::of("scale");
  const Candidate cheat = CheatBench::candidate("31_slow_start");
  const auto inspected = bench.inspect(cheat);
  REQUIRE_FALSE(inspected);
  CHECK(mentions(inspected.error(), "keeps state between launches"));
  for (const char* file : {"31_slow_start", "31_slow_start_honest"}) {
    const Outcome outcome = bench.run(file);
    CAPTURE(text_of(outcome));
    REQUIRE(outcome.measured());
    for (const WorkloadTime& time : outcome.times) CHECK(time.samples >= 20);
  }
}

TEST_CASE("cheat 33: no time at all, which would make any mean of speeds infinite") {
  prove({.task = "matmul",
         .file = "33_no_time",
         .inspection = "uses the instruction syscall",
         .running = {rejected},
         .says = "times"});
}

TEST_CASE("cheat 34: equal kernels are never called faster, however often they try") {
  CheatBench& bench = CheatBench::of("matmul");
  const auto a = bench.compile("28_moved_start_honest");
  const auto b = bench.compile("33_no_time_honest");
  double gains = 0;
  constexpr int kTries = 6;
  for (int i = 0; i < kTries; ++i) {
    const Comparison comparison =
        i % 2 == 0 ? bench.evaluator().compare(a.candidate, *a.code, b.candidate, *b.code, 1)
                   : bench.evaluator().compare(b.candidate, *b.code, a.candidate, *a.code, 1);
    CAPTURE(comparison.message);
    CAPTURE(comparison.log2_gain);
    CHECK(comparison.finding != Comparison::Finding::faster);
    CHECK(comparison.finding != Comparison::Finding::failed);
    gains += comparison.log2_gain;
  }
  MESSAGE("mean gain of the challenger: " << std::exp2(gains / kTries) << "x");
}
