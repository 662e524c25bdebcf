// Cheats that answer from memory: results, flags and counters kept between launches.
#include <doctest/doctest.h>

#include "tests/cheats/cheat_bench.h"

using namespace kernatlas;
using namespace kernatlas::testing;
using enum OutcomeKind;

TEST_CASE("cheat 18: a flag for each output that is done") {
  prove({.task = "scale",
         .file = "18_done_flag",
         .inspection = "keeps state between launches",
         .running = {wrong_result},
         .says = "not written"});
}

TEST_CASE("cheat 18: results kept by the input's address") {
  prove({.task = "scale",
         .file = "18_output_cache",
         .inspection = "keeps state between launches",
         .running = {wrong_result},
         .honest = "18_done_flag_honest"});
}

TEST_CASE("cheat 19: results kept by a fingerprint of 16 words") {
  prove({.task = "scale",
         .file = "19_fingerprint",
         .inspection = "keeps state between launches",
         .running = {wrong_result}});
}

TEST_CASE("cheat 20: preprocessing kept between launches") {
  prove({.task = "matmul",
         .file = "20_kept_packing",
         .inspection = "keeps state between launches",
         .running = {wrong_result}});
}

TEST_CASE("cheat 21: a note in the workspace that the work is done") {
  // The note never survives, so that it computes every time: right, and slower for it.
  prove({.task = "rowsum", .file = "21_workspace_flag", .running = {measured}});
}

TEST_CASE("cheat 21: sums of an earlier launch in static memory") {
  prove({.task = "rowsum",
         .file = "21_static_sums",
         .inspection = "keeps state between launches",
         .running = {wrong_result, nondeterministic},
         .honest = "21_workspace_flag_honest"});
}

TEST_CASE("cheat 21: a counter in stack memory, which no inspection sees") {
  prove({.task = "scale",
         .file = "21_stack_state",
         .running = {wrong_result},
         .honest = "18_done_flag_honest"});
}

TEST_CASE("cheat 22: one launch does the work of all others") {
  CheatBench& bench = CheatBench::of("matmul");
  CHECK_FALSE(bench.inspect(CheatBench::candidate("22_one_for_all")));
  bench.expect_honest("22_one_for_all_honest");
  const Outcome honest = bench.run("22_one_for_all_honest");
  const Outcome cheat = bench.run("22_one_for_all");
  CAPTURE(text_of(cheat));
  REQUIRE(honest.measured());
  CAPTURE(honest.fitness);
  CAPTURE(cheat.fitness);
  // Its results are right, so it may be measured; but all its launches together take as long.
  if (cheat.measured()) CHECK(cheat.fitness < honest.fitness + 0.5);
  const auto a = bench.compile("22_one_for_all");
  const auto b = bench.compile("22_one_for_all_honest");
  const Comparison comparison =
      bench.evaluator().compare(a.candidate, *a.code, b.candidate, *b.code, 1);
  CAPTURE(comparison.message);
  CAPTURE(comparison.log2_gain);
  CHECK(comparison.finding != Comparison::Finding::faster);
}

TEST_CASE("cheat 23: right ten times, then leaves out the end") {
  prove({.task = "scale",
         .file = "23_skips_later",
         .inspection = "keeps state between launches",
         .running = {wrong_result},
         .says = "not written"});
}

TEST_CASE("cheat 23: right ten times, then something cheaper") {
  prove({.task = "scale",
         .file = "23_cheap_later",
         .inspection = "keeps state between launches",
         .running = {wrong_result},
         .honest = "23_skips_later_honest"});
}

TEST_CASE("cheat 24: works only when the output holds NaN") {
  prove({.task = "scale", .file = "24_knows_poison", .running = {wrong_result, nondeterministic}});
}
