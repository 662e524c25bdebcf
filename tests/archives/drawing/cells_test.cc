#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "archives/centroids.h"
#include "archives/drawing/colour.h"
#include "archives/drawing/drawing.h"
#include "archives/drawing/voronoi.h"
#include "archives/measure_space.h"
#include "tests/archives/drawing/parsed.h"

using namespace kernatlas::archives;
using namespace kernatlas::testing;

namespace {

const Axis kX = Axis::linear("x", "m", -1, 3, 4);
const Axis kY = Axis::log2("y", "B", 1, 1024, 5);
const Axis kLabels = Axis::categorical("label", {"a", "b", "c"});

bool inside(const Polygon& polygon, const Point& point, double slack) {
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Point& from = polygon[i];
    const Point& to = polygon[(i + 1) % polygon.size()];
    const double side = (to.x - from.x) * (point.y - from.y) - (to.y - from.y) * (point.x - from.x);
    if (side < -slack) return false;
  }
  return true;
}

double total_area(const std::vector<std::vector<Polygon>>& cells) {
  double sum = 0;
  for (const auto& cell : cells) {
    for (const Polygon& polygon : cell) {
      CHECK(area(polygon) > 0);
      sum += area(polygon);
    }
  }
  return sum;
}

// Where a point of the unit square lies in measure space.
std::vector<double> measures_at(const std::vector<Axis>& axes, double x, double y) {
  std::vector<double> measures;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const double at = i == 0 ? x : y;
    measures.push_back(axes[i].scale() == Scale::categorical
                           ? std::floor(at * static_cast<double>(axes[i].bins()))
                           : axes[i].unscaled(at));
  }
  return measures;
}

}  // namespace

TEST_CASE("cells tile the square, and each holds its own centroid") {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const std::vector<Axis> axes{kX, kY};
    const auto points =
        make_centroids(axes, {.count = 80, .samples = 2000, .iterations = 5, .seed = seed});
    const auto cells = voronoi_cells(axes, points);
    REQUIRE(cells.size() == 80);
    CHECK(total_area(cells) == doctest::Approx(1).epsilon(1e-12));
    for (std::size_t i = 0; i < cells.size(); ++i) {
      REQUIRE(cells[i].size() == 1);
      CHECK(inside(cells[i][0], {kX.scaled(points[2 * i]), kY.scaled(points[2 * i + 1])}, 0));
    }
  }
}

TEST_CASE("every place belongs to the cell that the archive puts it in") {
  const unsigned seed = std::random_device()();
  CAPTURE(seed);
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (const std::vector<Axis>& axes : {std::vector{kX, kY},
                                        {kX, kLabels},
                                        {kLabels, kY},
                                        {kLabels, Axis::categorical("l", {"p", "q"})},
                                        {kX},
                                        {kLabels}}) {
    std::vector<double> points;
    for (int i = 0; i < 40; ++i) {
      const auto measures = measures_at(axes, uniform(random), uniform(random));
      points.insert(points.end(), measures.begin(), measures.end());
    }
    const auto archive = made({.kind = "cvt", .axes = axes, .points = points});
    const auto cells = voronoi_cells(axes, points);
    CHECK(total_area(cells) == doctest::Approx(1).epsilon(1e-9));
    for (int i = 0; i < 500; ++i) {
      const Point place{uniform(random), uniform(random)};
      const auto cell = archive->cell_of(measures_at(axes, place.x, place.y));
      REQUIRE(cell);
      // Label strips are stretched: the place itself is what has to be inside.
      const auto& polygons = cells[*cell];
      CHECK(std::any_of(polygons.begin(), polygons.end(),
                        [&](const Polygon& each) { return inside(each, place, 1e-9); }));
    }
  }
}

TEST_CASE("of equal centroids the first has the cell; a lattice's corners are no trouble") {
  const std::vector<Axis> axes{Axis::linear("x", "", 0, 1, 1), Axis::linear("y", "", 0, 1, 1)};
  const auto twins = voronoi_cells(axes, {0.5, 0.5, 0.5, 0.5});
  CHECK(total_area(twins) == doctest::Approx(1));
  CHECK(twins[1].empty());
  std::vector<double> lattice;
  for (int i = 0; i < 10; ++i) {
    for (int j = 0; j < 10; ++j) lattice.insert(lattice.end(), {i / 9.0, j / 9.0});
  }
  const auto cells = voronoi_cells(axes, lattice);
  CHECK(total_area(cells) == doctest::Approx(1));
  for (const auto& cell : cells) CHECK(cell.size() == 1);
  CHECK(area(cells[55][0]) == doctest::Approx(1 / 81.0));
  CHECK_THROWS_AS((void)voronoi_cells({axes[0], axes[1], kY}, {1, 1, 1}), std::invalid_argument);
}

TEST_CASE("cells are drawn with their colours, tooltips and boundaries") {
  const auto archive =
      made({.kind = "cvt", .axes = {kX, kY}, .points = {0, 4, 2, 4, 0, 256, 2, 256}});
  add(*archive, 5, 1, {0.1, 5});
  add(*archive, 6, 2, {2.5, 300});
  const auto drawn = draw_cells(*archive, {.title = "cells"});
  REQUIRE(drawn);
  check_coordinates(*drawn);
  const Parsed parsed(*drawn);
  const auto shapes = children(parsed.group("cells"), "path");
  REQUIRE(shapes.size() == 4);
  CHECK(fill(shapes[0]) == hex(shade(0)));
  CHECK(fill(shapes[3]) == hex(shade(1)));
  CHECK(fill(shapes[1]) == "#ffffff");
  CHECK(tooltip(shapes[0]) == "x: near 0 m\ny: near 4 B\nobjective: 1\nid: 5");
  CHECK(tooltip(shapes[1]).find("empty") != std::string::npos);
  CHECK(texts(parsed.group("axis", "x")) ==
        std::vector<std::string>{"-1", "0", "1", "2", "3", "x (m)"});
  CHECK(texts(parsed.group("axis", "y")) ==
        std::vector<std::string>{"1", "4", "16", "64", "256", "1024", "y (B)"});
  CHECK(*draw_cells(*archive, {.title = "cells"}) == *drawn);
}

TEST_CASE("one axis, one centroid, no elite") {
  const auto archive = made({.kind = "cvt", .axes = {kX}, .points = {0.5}});
  const auto drawn = draw_cells(*archive);
  REQUIRE(drawn);
  check_coordinates(*drawn);
  CHECK(children(Parsed(*drawn).group("cells"), "path").size() == 1);
}

TEST_CASE("what has no such cells is refused with what to do instead") {
  const auto three = made({.kind = "cvt", .axes = {kX, kY, kLabels}, .points = {0, 1, 0, 1, 2, 1}});
  CHECK(draw_cells(*three).error().find("parallel axes") != std::string::npos);
  CHECK(draw_cells(*made({.axes = {kX}})).error().find("map of a grid") != std::string::npos);
  CHECK(!draw_cells(*made({.kind = "dominated-novelty", .axes = {kX}})));
}
