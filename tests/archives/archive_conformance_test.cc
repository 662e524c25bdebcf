// Every archive kind, one line each.
#include "tests/archives/conformance.h"

using namespace kernatlas::archives;
using conformance::check_conformance;

TEST_CASE("grid of depth 1 conforms") {
  check_conformance({.spec = {.kind = "grid", .options = {{"depth", 1}}}});
}
TEST_CASE("grid of depth 3 conforms") {
  check_conformance({.spec = {.kind = "grid", .options = {{"depth", 3}}}});
}
