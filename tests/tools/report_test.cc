#include "tools/report.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

using namespace kernatlas;

TEST_CASE("baselines survive their JSON form, unmeasured workloads included") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<BaselineTime> baselines{{"plain loops", {100, nan}, ""},
                                            {"library", {}, "no header"}};
  const auto again = baselines_from_json(baselines_to_json(baselines));
  REQUIRE(again.size() == 2);
  CHECK(again[0].median_ns[0] == 100);
  CHECK(std::isnan(again[0].median_ns[1]));
  CHECK(again[1].unavailable == "no header");
  CHECK(baselines_from_json("damaged").empty());
}

TEST_CASE("a baseline's speed-up is the geometric mean over what both could run") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const BaselineTime first{"a", {100, 100, 100}, ""};
  CHECK(baseline_speedup(first, {"b", {50, 200, nan}, ""}) == doctest::Approx(1));
  CHECK(baseline_speedup(first, {"b", {25, 25, 25}, ""}) == doctest::Approx(4));
  CHECK(std::isnan(baseline_speedup(first, {"b", {nan, nan, nan}, ""})));
}

TEST_CASE("a speed-up is shown with its interval") {
  CHECK(speedup_text(2, {std::log2(3.9), std::log2(4.1)}) == "4.00x [3.90, 4.10]");
}
