// Cheats that do no work, or too little of it (docs/cheats.md).
#include <doctest/doctest.h>

#include "tests/cheats/cheat_bench.h"

using namespace kernatlas;
using namespace kernatlas::testing;
using enum OutcomeKind;

TEST_CASE("cheat 1: writes nothing, an old output may be right") {
  prove({.task = "scale",
         .file = "01_empty",
         .running = {wrong_result},
         .says = "nothing was written"});
}

TEST_CASE("cheat 2: leaves out the last block") {
  prove({.task = "scale", .file = "02_last_block", .running = {wrong_result}});
}

TEST_CASE("cheat 3: zeros where every right answer is tiny") {
  prove({.task = "softmax", .file = "03_zeros", .running = {wrong_result}, .says = "zero"});
}

TEST_CASE("cheat 5: copies normal data instead of normalising") {
  prove({.task = "layernorm", .file = "05_copy", .running = {wrong_result}});
}

TEST_CASE("cheat 6: 99 % of a sum, rescaled") {
  prove({.task = "rowsum", .file = "06_most_of_the_sum", .running = {wrong_result}});
}

TEST_CASE("cheat 7: knows the data of seed 42") {
  prove({.task = "scale", .file = "07_seed_42", .running = {wrong_result}});
}

TEST_CASE("cheat 8: takes a matrix for diagonal") {
  prove({.task = "matmul", .file = "08_diagonal", .running = {wrong_result}});
}

TEST_CASE("cheat 8: takes data for sorted") {
  prove({.task = "histogram", .file = "08_sorted", .running = {wrong_result}});
}

TEST_CASE("cheat 9: softmax without its maximum") {
  prove({.task = "softmax", .file = "09_no_maximum", .running = {wrong_result}});
}

TEST_CASE("cheat 9: no tail, right for the sizes that are shown") {
  prove({.task = "rowsum",
         .file = "09_no_tail",
         .running = {wrong_result},
         .says = "a hidden workload"});
}
