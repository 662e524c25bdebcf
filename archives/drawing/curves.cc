#include "archives/drawing/curves.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace kernatlas::archives {
namespace {

// Of sorted values, interpolated between order statistics.
double quantile(const std::vector<double>& sorted, double fraction) {
  const double position = fraction * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], position - static_cast<double>(below));
}

std::vector<double> places(std::span<const Curve> seeds) {
  std::vector<double> all;
  for (const Curve& seed : seeds) {
    for (const CurvePoint& point : seed.points) {
      if (std::isfinite(point.at)) all.push_back(point.at);
    }
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

}  // namespace

Curve median_curve(std::string name, std::span<const Curve> seeds, Band band) {
  Curve out{.name = std::move(name), .points = {}};
  std::vector<std::size_t> next(seeds.size());
  for (const double at : places(seeds)) {
    std::vector<double> values;
    for (std::size_t i = 0; i < seeds.size(); ++i) {
      const auto& points = seeds[i].points;
      while (next[i] < points.size() && points[next[i]].at <= at) ++next[i];
      if (next[i] == 0) continue;
      const double value = points[next[i] - 1].value;
      if (std::isfinite(value)) values.push_back(value);
    }
    if (values.empty()) continue;
    std::sort(values.begin(), values.end());
    const double outside = band == Band::min_max ? 0 : 0.25;
    out.points.push_back({.at = at,
                          .value = quantile(values, 0.5),
                          .low = quantile(values, outside),
                          .high = quantile(values, 1 - outside)});
  }
  return out;
}

QdCurves::QdCurves(std::string name) : curves_(3, Curve{.name = std::move(name), .points = {}}) {}

void QdCurves::add(double at, const Stats& stats) {
  const double values[] = {stats.qd_score, stats.coverage, stats.best};
  for (std::size_t i = 0; i < curves_.size(); ++i) {
    auto& points = curves_[i].points;
    if (!std::isfinite(values[i])) continue;
    if (points.empty() || points.back().value != values[i]) {
      points.push_back({.at = at, .value = values[i]});
    }
  }
}

void QdCurves::finish(double at) {
  for (Curve& curve : curves_) {
    if (curve.points.empty() || curve.points.back().at >= at) continue;
    curve.points.push_back({.at = at, .value = curve.points.back().value});
  }
}

}  // namespace kernatlas::archives
