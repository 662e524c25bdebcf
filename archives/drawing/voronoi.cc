#include "archives/drawing/voronoi.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <span>
#include <stdexcept>

#include "archives/measure_space.h"
#include "archives/nearest.h"

namespace kernatlas::archives {
namespace {

using Place = std::array<double, 2>;

// Where x * normal.x + y * normal.y <= limit.
struct HalfPlane {
  Point normal;
  double limit = 0;
};

double excess(const HalfPlane& half, const Point& point) {
  return half.normal.x * point.x + half.normal.y * point.y - half.limit;
}

// What is left of a convex polygon (Sutherland and Hodgman, "Reentrant polygon clipping", 1974).
Polygon clipped(const Polygon& polygon, const HalfPlane& half) {
  Polygon kept;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Point& from = polygon[i];
    const Point& to = polygon[(i + 1) % polygon.size()];
    const double before = excess(half, from);
    const double after = excess(half, to);
    if (before <= 0) kept.push_back(from);
    if ((before < 0 && after > 0) || (before > 0 && after < 0)) {
      const double t = before / (before - after);
      kept.push_back({from.x + t * (to.x - from.x), from.y + t * (to.y - from.y)});
    }
  }
  return area(kept) > 0 ? kept : Polygon();
}

// The plane of one or two axes; a missing second one is like a label that all points share.
class Plane {
 public:
  Plane(const std::vector<Axis>& axes, const std::vector<double>& points) : space_(axes) {
    if (axes.empty() || axes.size() > 2) {
      throw std::invalid_argument("voronoi cells are drawn for one or two axes");
    }
    const std::size_t width = axes.size();
    places_.resize(points.size() / width);
    scaled_.resize(places_.size() * width);
    for (std::size_t i = 0; i < places_.size(); ++i) {
      space_.scale(std::span(points).subspan(i * width, width), scaled_.data() + i * width);
      for (std::size_t d = 0; d < width; ++d) places_[i][d] = scaled_[i * width + d];
    }
    for (std::size_t d = 0; d < 2; ++d) {
      numeric_[d] = d < width && !space_.categorical(d);
      if (d < width && !numeric_[d]) labels_[d] = axes[d].bins();
    }
    if (!places_.empty()) nearest_ = quickest_nearest(space_, scaled_);
  }

  std::vector<Polygon> cell(std::size_t point) const {
    std::vector<Polygon> polygons;
    for (std::size_t x = 0; x < labels_[0]; ++x) {
      for (std::size_t y = 0; y < labels_[1]; ++y) {
        Polygon polygon = cell_in(point, {static_cast<double>(x), static_cast<double>(y)});
        if (!polygon.empty()) polygons.push_back(drawn(polygon, x, y));
      }
    }
    return polygons;
  }

 private:
  // Squared distance that a point has everywhere in a strip, because its labels are others.
  double offset(const Place& place, const Place& strip) const {
    double sum = 0;
    for (std::size_t d = 0; d < 2; ++d) sum += !numeric_[d] && place[d] != strip[d] ? 1 : 0;
    return sum;
  }

  // Where `own` is at least as near as `other`: |p − a|² + u ≤ |p − b|² + v.
  HalfPlane nearer(const Place& own, const Place& other, const Place& strip) const {
    HalfPlane half{.normal = {}, .limit = offset(other, strip) - offset(own, strip)};
    for (std::size_t d = 0; d < 2; ++d) {
      if (!numeric_[d]) continue;
      (d == 0 ? half.normal.x : half.normal.y) = 2 * (other[d] - own[d]);
      half.limit += (other[d] - own[d]) * (other[d] + own[d]);
    }
    return half;
  }

  Polygon cut(Polygon polygon, std::size_t point, std::size_t other, const Place& strip) const {
    const HalfPlane half = nearer(places_[point], places_[other], strip);
    if (half.normal.x == 0 && half.normal.y == 0) {
      const bool mine = half.limit > 0 || (half.limit == 0 && point < other);
      return mine ? polygon : Polygon();
    }
    return clipped(polygon, half);
  }

  // Squared distance of the furthest corner.
  double reach(const Polygon& polygon, const Place& own, const Place& strip) const {
    double furthest = 0;
    for (const Point& corner : polygon) {
      const double x = numeric_[0] ? corner.x - own[0] : 0;
      const double y = numeric_[1] ? corner.y - own[1] : 0;
      furthest = std::max(furthest, x * x + y * y);
    }
    return furthest + offset(own, strip);
  }

  Polygon cell_in(std::size_t point, const Place& strip) const {
    const std::size_t width = space_.dimensions();
    const double* own = scaled_.data() + point * width;
    Polygon polygon{{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    std::size_t done = 0;
    for (std::size_t wanted = 16; done < places_.size(); wanted *= 4) {
      const auto near = nearest_->nearest(own, wanted);
      for (; done < near.size(); ++done) {
        if (near[done] == point) continue;
        polygon = cut(std::move(polygon), point, near[done], strip);
        if (polygon.empty()) return polygon;
      }
      const double distance = space_.squared(own, scaled_.data() + near.back() * width);
      if (distance > 4 * reach(polygon, places_[point], strip)) break;
    }
    return polygon;
  }

  Polygon drawn(Polygon polygon, std::size_t x, std::size_t y) const {
    for (Point& corner : polygon) {
      corner.x = (static_cast<double>(x) + corner.x) / static_cast<double>(labels_[0]);
      corner.y = (static_cast<double>(y) + corner.y) / static_cast<double>(labels_[1]);
    }
    return polygon;
  }

  MeasureSpace space_;
  std::vector<double> scaled_;  // row-major, as the search wants them
  std::vector<Place> places_;
  std::array<bool, 2> numeric_ = {};
  std::array<std::size_t, 2> labels_ = {1, 1};
  std::unique_ptr<Nearest> nearest_;
};

}  // namespace

double area(const Polygon& polygon) {
  double twice = 0;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Point& from = polygon[i];
    const Point& to = polygon[(i + 1) % polygon.size()];
    twice += from.x * to.y - to.x * from.y;
  }
  return twice / 2;
}

std::vector<std::vector<Polygon>> voronoi_cells(const std::vector<Axis>& axes,
                                                const std::vector<double>& points) {
  const Plane plane(axes, points);
  std::vector<std::vector<Polygon>> cells(points.size() / axes.size());
  for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = plane.cell(i);
  return cells;
}

}  // namespace kernatlas::archives
