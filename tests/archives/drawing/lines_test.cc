// Parallel axes and curves.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

#include "archives/drawing/colour.h"
#include "archives/drawing/curves.h"
#include "archives/drawing/drawing.h"
#include "tests/archives/drawing/parsed.h"

using namespace kernatlas::archives;
using namespace kernatlas::testing;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
const Axis kX = Axis::linear("x", "m", 0, 4, 4);
const Axis kLabels = Axis::categorical("label", {"a", "b"});

std::vector<std::pair<double, double>> points(pugi::xml_node polyline) {
  std::vector<std::pair<double, double>> out;
  std::istringstream in(polyline.attribute("points").value());
  double x = 0, y = 0;
  char comma = 0;
  while (in >> x >> comma >> y) out.emplace_back(x, y);
  return out;
}

Curve curve(std::string name, std::vector<std::pair<double, double>> values) {
  Curve out{.name = std::move(name), .points = {}};
  for (const auto& [at, value] : values) out.points.push_back({.at = at, .value = value});
  return out;
}

}  // namespace

TEST_CASE("one line per champion through every axis to its objective, best on top") {
  for (const char* kind : {"grid", "dominated-novelty"}) {
    const auto archive = made({.kind = kind, .axes = {kX, kLabels}});
    add(*archive, 1, 3, {1, 0});
    add(*archive, 2, 1, {4, 1});
    add(*archive, 3, 2, {9, 0});  // beyond the axis: at its edge
    const auto drawn = draw_parallel_axes(*archive);
    REQUIRE(drawn);
    check_coordinates(*drawn);
    const Parsed parsed(*drawn);
    const auto lines = children(parsed.group("lines"), "polyline");
    REQUIRE(lines.size() == 3);
    for (std::size_t i = 0; i < 3; ++i) {
      CHECK(points(lines[i]).size() == 3);
      CHECK(std::string(lines[i].attribute("stroke").value()) ==
            hex(ColourScale(1, 3).colour(1.0 + static_cast<double>(i))));
    }
    CHECK(tooltip(lines[2]).find("id: 1") != std::string::npos);
    // From top to bottom: 4 of 4 and 9 alike, 1 of 4 at a quarter; the best ends highest.
    const double top = points(lines[0])[0].second;
    CHECK(points(lines[1])[0].second == top);
    const double bottom = points(lines[0])[2].second;  // the worst objective
    CHECK(points(lines[2])[0].second == doctest::Approx(bottom + (top - bottom) / 4));
    CHECK(points(lines[2])[2].second == doctest::Approx(top));
    // Label "a" is below label "b", and its two lines do not coincide.
    CHECK(points(lines[0])[1].second < points(lines[1])[1].second);
    CHECK(points(lines[1])[1].second != points(lines[2])[1].second);
    CHECK(texts(parsed.group("axis", "label")) == std::vector<std::string>{"a", "b", "label"});
    CHECK(texts(parsed.group("axis", "x")) ==
          std::vector<std::string>{"0", "1", "2", "3", "4", "x (m)"});
    CHECK(*draw_parallel_axes(*archive) == *drawn);
  }
}

TEST_CASE("parallel axes of nothing, of one axis, of many") {
  const auto empty = made({.kind = "dominated-novelty", .axes = {kX}});
  const auto drawn = draw_parallel_axes(*empty);
  REQUIRE(drawn);
  check_coordinates(*drawn);
  CHECK(drawn->find("nothing stored yet") != std::string::npos);
  std::vector<Axis> axes;
  for (int i = 0; i < 12; ++i) axes.push_back(Axis::linear(std::to_string(i), "", 0, 1, 8));
  const auto many = made({.axes = axes});
  fill_randomly(*many, 50, 5);
  const auto lines = draw_parallel_axes(*many);
  REQUIRE(lines);
  check_coordinates(*lines);
  CHECK(children(Parsed(*lines).group("lines"), "polyline").size() == many->stats().occupied);
  CHECK(Parsed(*lines).all("//g[@class='axis']").size() == 12);
  std::vector<Axis> too_many;
  for (int i = 0; i < 257; ++i) too_many.push_back(Axis::linear(std::to_string(i), "", 0, 1, 1));
  CHECK(!draw_parallel_axes(*made({.axes = too_many})));
}

TEST_CASE("the median of seeds and its band, where seeds have points at different places") {
  const std::vector<Curve> seeds{curve("", {{0, 0}, {10, 4}}), curve("", {{0, 2}, {5, 6}}),
                                 curve("", {{5, kNaN}, {20, 10}})};
  const Curve all = median_curve("m", seeds, Band::min_max);
  REQUIRE(all.points.size() == 4);
  CHECK(all.name == "m");
  const auto check = [&](std::size_t i, double at, double low, double value, double high) {
    CHECK(all.points[i].at == at);
    CHECK(all.points[i].low == low);
    CHECK(all.points[i].value == value);
    CHECK(all.points[i].high == high);
  };
  check(0, 0, 0, 1, 2);
  check(1, 5, 0, 3, 6);
  check(2, 10, 4, 5, 6);
  check(3, 20, 4, 6, 10);
  const Curve quartiles = median_curve("q", seeds, Band::quartiles);
  CHECK(quartiles.points[3].low == 5);
  CHECK(quartiles.points[3].high == 8);
  CHECK(median_curve("n", {}, Band::min_max).points.empty());
}

TEST_CASE("curves are stairs between true points, each with its legend and its band") {
  const std::vector<Curve> seeds{curve("", {{0, 0}, {100, 4}}), curve("", {{0, 2}, {100, 8}})};
  const CurvePanel panel{.title = "QD <score>",
                         .curves = {curve("one & only", {{0, 1}, {50, 3}, {100, 8}}),
                                    median_curve("seeds", seeds, Band::min_max)}};
  const auto drawn = draw_curves({&panel, 1}, {.title = "t"});
  REQUIRE(drawn);
  check_coordinates(*drawn);
  const Parsed parsed(*drawn);
  CHECK(texts(parsed.group("legend")) == std::vector<std::string>{"one & only", "seeds"});
  const auto group = parsed.group("panel", "QD <score>");
  const auto lines = children(group, "polyline");
  REQUIRE(lines.size() == 2);
  const auto stairs = points(lines[0]);
  REQUIRE(stairs.size() == 5);
  CHECK(stairs[0].second == stairs[1].second);
  CHECK(stairs[1].first == stairs[2].first);
  CHECK(stairs[2].first == doctest::Approx((stairs[0].first + stairs[4].first) / 2).epsilon(0.001));
  // 0 to 8 over the height: 1 is an eighth up, 3 three eighths.
  const double unit = (stairs[0].second - stairs[4].second) / 7;
  CHECK(stairs[0].second - stairs[2].second == doctest::Approx(2 * unit).epsilon(0.001));
  CHECK(children(group, "path").size() == 1);
  CHECK(lines[0].attribute("stroke").value() != std::string(lines[1].attribute("stroke").value()));
  CHECK(texts(parsed.group("axis", "evaluations")) ==
        std::vector<std::string>{"0", "20", "40", "60", "80", "100", "evaluations"});
  const auto marks = texts(group);
  for (const char* value : {"0", "2", "4", "6", "8"}) {
    CHECK(std::find(marks.begin(), marks.end(), value) != marks.end());
  }
  CHECK(*draw_curves({&panel, 1}, {.title = "t"}) == *drawn);
}

TEST_CASE("curves of nothing, of one point, of numbers that are none, of too many names") {
  std::vector<CurvePanel> panels{
      {.title = "empty", .curves = {curve("none", {})}},
      {.title = "point", .curves = {curve("one", {{3, 5}})}, .from_zero = false},
      {.title = "strange",
       .curves = {curve("x", {{0, kNaN}, {1, -1e308}, {kNaN, 2}, {2, 1e308}})}}};
  const auto drawn = draw_curves(panels);
  REQUIRE(drawn);
  check_coordinates(*drawn);
  CHECK(drawn->find("no values") != std::string::npos);
  CHECK(children(Parsed(*drawn).group("panel", "point"), "circle").size() == 1);
  CHECK(!draw_curves({}));
  for (int i = 0; i < 70; ++i) panels[0].curves.push_back(curve(std::to_string(i), {{0, 1}}));
  CHECK(!draw_curves(panels));
}

TEST_CASE("a long curve takes no more points than a screen has places, and keeps its end") {
  Curve dense{.name = "long", .points = {}};
  for (int i = 0; i <= 200000; ++i) {
    dense.points.push_back({.at = static_cast<double>(i), .value = std::sqrt(i)});
  }
  const CurvePanel panel{.title = "p", .curves = {dense}};
  const auto drawn = draw_curves({&panel, 1});
  REQUIRE(drawn);
  const auto line = points(Parsed(*drawn).all("//polyline").front());
  CHECK(line.size() < 10000);
  CHECK(line.back().second == std::min_element(line.begin(), line.end(), [](auto& a, auto& b) {
                                return a.second < b.second;
                              })->second);
}

TEST_CASE("what an archive's counters say over time") {
  const auto archive = made({.axes = {kX}, .floor = 0});
  QdCurves curves("run");
  curves.add(0, archive->stats());
  add(*archive, 1, 2, {0.5});
  curves.add(3, archive->stats());
  curves.add(4, archive->stats());
  add(*archive, 2, 1, {1.5});
  curves.add(7, archive->stats());
  curves.finish(10);
  const auto values = [](const Curve& each) {
    std::vector<std::pair<double, double>> out;
    for (const CurvePoint& point : each.points) out.emplace_back(point.at, point.value);
    return out;
  };
  using Values = std::vector<std::pair<double, double>>;
  CHECK(values(curves.qd_score()) == Values{{0, 0}, {3, 2}, {7, 3}, {10, 3}});
  CHECK(values(curves.coverage()) == Values{{0, 0}, {3, 0.25}, {7, 0.5}, {10, 0.5}});
  CHECK(values(curves.best()) == Values{{3, 2}, {10, 2}});
  CHECK(curves.best().name == "run");
}
