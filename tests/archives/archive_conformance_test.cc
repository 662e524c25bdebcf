// Every archive kind, one line each.
#include "tests/archives/conformance.h"

#include "archives/grid.h"

using namespace kernatlas::archives;
using conformance::check_conformance;

namespace {

conformance::Maker grid(std::size_t depth) {
  return [depth](std::vector<Axis> axes, std::unique_ptr<Acceptance> acceptance) {
    return make_grid(std::move(axes), std::move(acceptance),
                     {.depth = depth, .floor = conformance::kFloor});
  };
}

}  // namespace

TEST_CASE("grid of depth 1 conforms") {
  check_conformance(grid(1));
}
TEST_CASE("grid of depth 3 conforms") {
  check_conformance(grid(3));
}
