// Every archive kind, one case each. What a kind is exempt from stands here, beside its reason.
#include "archives/centroids.h"
#include "tests/archives/conformance.h"

using namespace kernatlas::archives;
using conformance::check_conformance;

namespace {

std::vector<double> fifty_points(const std::vector<Axis>& axes) {
  return make_centroids(axes, {.count = 50, .samples = 500, .iterations = 3, .seed = 5});
}

conformance::Subject dominated_novelty(double capacity) {
  return {
      .spec = {.kind = "dominated-novelty", .options = {{"capacity", capacity}}},
      .traits = {.elitist = false, .cells_by_measures = false, .order_free = OrderFree::nothing},
      .rules = {"strict"}};
}

}  // namespace

TEST_CASE("grid of depth 1 conforms") {
  check_conformance({.spec = {.kind = "grid", .options = {{"depth", 1}}}});
}
TEST_CASE("grid of depth 3 conforms") {
  check_conformance({.spec = {.kind = "grid", .options = {{"depth", 3}}}});
}
TEST_CASE("cvt of depth 1 conforms") {
  check_conformance({.spec = {.kind = "cvt", .options = {{"depth", 1}}}, .points = fifty_points});
}
TEST_CASE("cvt of depth 3 conforms") {
  check_conformance({.spec = {.kind = "cvt", .options = {{"depth", 3}}}, .points = fifty_points});
}
// A front that was full forgot somebody, and whom depends on the order.
TEST_CASE("pareto conforms, its runners-up depend on the order") {
  check_conformance({.spec = {.kind = "pareto", .options = {{"costs", 2}, {"capacity", 4}}},
                     .traits = {.order_free = OrderFree::champions}});
}
TEST_CASE("pareto over centroids conforms") {
  check_conformance({.spec = {.kind = "pareto"},
                     .points = fifty_points,
                     .traits = {.order_free = OrderFree::champions}});
}
// A threshold below a champion lets a worse entry take its cell.
TEST_CASE("soft conforms, it is not elitist") {
  check_conformance({.spec = {.kind = "soft"},
                     .traits = {.elitist = false, .order_free = OrderFree::nothing},
                     .rules = {"strict"}});
}
// Novelty may displace the fitter of two entries, and who is stored decides who is novel.
TEST_CASE("dominated novelty with room for few conforms, it has no cells") {
  check_conformance(dominated_novelty(60));
}
TEST_CASE("dominated novelty with room for all conforms, it has no cells") {
  check_conformance(dominated_novelty(5000));
}
