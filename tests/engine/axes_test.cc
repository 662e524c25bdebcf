#include "engine/search/axes.h"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/support/fake_bench.h"

using namespace kernatlas;
using archives::Axis;
using archives::OutOfRange;
using archives::Scale;

namespace {

AxisRequest numeric(const char* feature, const char* scale, std::vector<double> edges) {
  return {.feature = feature, .unit = "B", .scale = scale, .edges = std::move(edges), .labels = {}};
}
AxisRequest labelled(const char* feature, std::vector<std::string> labels) {
  return {.feature = feature,
          .unit = "",
          .scale = "categorical",
          .edges = {},
          .labels = std::move(labels)};
}

}  // namespace

TEST_CASE("axes are made from requests") {
  const auto axes = make_axes(
      {numeric("code_bytes", "log2", {64, 256, 4096}), labelled("memory", {"scalar", "vector"})});
  REQUIRE(axes);
  REQUIRE(axes->size() == 2);
  CHECK(axes->at(0).name() == "code_bytes");
  CHECK(axes->at(0).unit() == "B");
  CHECK(axes->at(0).bins() == 2);
  CHECK(axes->at(1).labels() == std::vector<std::string>{"scalar", "vector"});
}

TEST_CASE("impossible requests are errors that name the axis") {
  const std::vector<std::vector<AxisRequest>> bad{
      {},
      {numeric("a", "cubic", {1, 2})},
      {numeric("a", "linear", {1})},
      {numeric("a", "linear", {2, 1})},
      {labelled("a", {})},
      {numeric("a", "linear", {1, 2}), numeric("a", "linear", {1, 3})}};
  for (const auto& requests : bad) {
    const auto axes = make_axes(requests);
    REQUIRE_FALSE(axes);
    if (!requests.empty()) CHECK(axes.error().message.find("\"a\"") != std::string::npos);
  }
}

TEST_CASE("axes survive JSON bit for bit") {
  std::vector<Axis> axes{
      Axis::edges("a", "µs", Scale::linear, {0.1, 1.0 / 3, 1e300}, OutOfRange::reject),
      Axis::log2("b", "B", 1e-6, 1e12, 7), Axis::categorical("c \"quoted\"", {"x", "y,z"}),
      Axis::quantile("d", "", {1, 2, 3, 4, 5, 6, 7, 8}, 4)};
  axes[1].set_version(3);
  const auto again = axes_from_json(axes_to_json(axes));
  REQUIRE(again);
  CHECK(*again == axes);
}

TEST_CASE("damaged JSON is an error, never an archive") {
  for (
      const char* text :
      {"", "null", "[]", "{}", "[1]", "[{}]", "[{\"name\":\"a\"}]",
       R"([{"name":"a","unit":"","version":1,"scale":"cubic","edges":[1,2],"out_of_range":"clip"}])",
       R"([{"name":"a","unit":"","version":1,"scale":"linear","edges":[2,1],"out_of_range":"clip"}])",
       R"([{"name":"a","unit":"","version":1,"scale":"linear","edges":[1,2],"out_of_range":"?"}])",
       R"([{"name":"a","unit":"","version":"1","scale":"categorical","labels":["x"]}])"}) {
    CAPTURE(text);
    CHECK_FALSE(axes_from_json(text));
  }
}

TEST_CASE("measures come from features and from the assignment") {
  const auto task = testing::make_tunable_task(
      {"[tune]\nBLOCK = [32, 64, 128]\nORDER = [\"rows\", \"columns\"]\n"});
  const Candidate candidate{task->seeds[0], {64, 1}, {}};
  Features features;
  features.set("code_bytes", 512.0);
  features.set("memory", std::string("vector"));
  const auto axes = make_axes(
      {numeric("tune.BLOCK", "log2", {32, 64, 256}), labelled("tune.ORDER", {"columns", "rows"}),
       numeric("code_bytes", "linear", {0, 1000}), labelled("memory", {"scalar", "vector"})});
  const auto measures = measures_of(*axes, features, candidate);
  REQUIRE(measures);
  CHECK(*measures == std::vector<double>{64, 0, 512, 1});
}

TEST_CASE("an axis that the backend does not report is an error that names it") {
  const auto task = testing::make_tunable_task({"[tune]\nBLOCK = [32, 64]\n"});
  const Candidate candidate{task->seeds[0], {64}, {}};
  Features features;
  features.set("occupancy", 0.5);
  const auto missing =
      measures_of(*make_axes({numeric("occ", "linear", {0, 1})}), features, candidate);
  REQUIRE_FALSE(missing);
  CHECK(missing.error().text().find("\"occ\"") != std::string::npos);
  CHECK(missing.error().text().find("occupancy") != std::string::npos);
  const auto tunable =
      measures_of(*make_axes({numeric("tune.BLOK", "linear", {0, 1})}), features, candidate);
  REQUIRE_FALSE(tunable);
  CHECK(tunable.error().text().find("tune.BLOK") != std::string::npos);
  CHECK_FALSE(measures_of(*make_axes({numeric("x", "linear", {0, 1})}), {}, candidate));
}

TEST_CASE("a label the axis does not have, or a value of the wrong type, is no measure") {
  const auto task = testing::make_tunable_task({"[tune]\nORDER = [\"rows\", \"columns\"]\n"});
  const Candidate candidate{task->seeds[0], {1}, {}};
  Features features;
  features.set("memory", std::string("unheard of"));
  features.set("number", 3.0);
  for (const AxisRequest& request :
       {labelled("memory", {"scalar"}), labelled("number", {"scalar"}),
        numeric("memory", "linear", {0, 1}), labelled("tune.ORDER", {"rows"})}) {
    const auto measures = measures_of(*make_axes({request}), features, candidate);
    REQUIRE(measures);
    CHECK(std::isnan(measures->at(0)));
  }
}
