#include "archives/axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <stdexcept>
#include <utility>

namespace kernatlas::archives {
namespace {

[[noreturn]] void refuse(const std::string& axis, const char* why) {
  throw std::invalid_argument(fmt::format("axis \"{}\": {}", axis, why));
}

void check_boundaries(const std::string& axis, Scale scale, const std::vector<double>& edges) {
  if (scale == Scale::categorical) refuse(axis, "a categorical axis has labels, not boundaries");
  if (edges.size() < 2) refuse(axis, "at least two boundaries are needed");
  for (std::size_t i = 0; i < edges.size(); ++i) {
    if (!std::isfinite(edges[i])) refuse(axis, "a boundary is not finite");
    if (i > 0 && edges[i] <= edges[i - 1]) refuse(axis, "boundaries must be strictly ascending");
  }
  if (scale == Scale::log2 && edges.front() <= 0) {
    refuse(axis, "boundaries of a log2 axis must be positive");
  }
}

// Boundaries where `at` says for the fractions i / bins; the outer two exactly as given.
template <typename At>
std::vector<double> spaced(double low, double high, std::size_t bins, At at) {
  std::vector<double> edges{low};
  for (std::size_t i = 1; i < bins; ++i) edges.push_back(at(static_cast<double>(i)));
  edges.push_back(high);
  return edges;
}

// Quantile at `fraction` of sorted values, interpolated between order statistics.
double quantile_of(const std::vector<double>& sorted, double fraction) {
  const double position = fraction * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], position - static_cast<double>(below));
}

// Six digits are enough for people unless they hide the difference.
std::pair<std::string, std::string> texts(double low, double high) {
  auto pair = std::pair(fmt::format("{:.6g}", low), fmt::format("{:.6g}", high));
  if (pair.first == pair.second) pair = {fmt::format("{}", low), fmt::format("{}", high)};
  return pair;
}

}  // namespace

std::string_view name(Scale scale) {
  switch (scale) {
    case Scale::linear:
      return "linear";
    case Scale::log2:
      return "log2";
    case Scale::quantile:
      return "quantile";
    case Scale::categorical:
      return "categorical";
  }
  return "?";
}

std::optional<Scale> parse_scale(std::string_view text) {
  for (const Scale scale : {Scale::linear, Scale::log2, Scale::quantile, Scale::categorical}) {
    if (text == archives::name(scale)) return scale;
  }
  return std::nullopt;
}

Axis Axis::linear(std::string name, std::string unit, double low, double high, std::size_t bins,
                  OutOfRange policy) {
  if (bins == 0) refuse(name, "bins must be at least 1");
  const auto count = static_cast<double>(bins);
  // Multiplying before dividing keeps whole-number boundaries whole; lerp is for ranges so wide
  // that the product overflows.
  auto edges = spaced(low, high, bins, [&](double i) {
    const double offset = (high - low) * i;
    return std::isfinite(offset) ? low + offset / count : std::lerp(low, high, i / count);
  });
  return Axis::edges(std::move(name), std::move(unit), Scale::linear, std::move(edges), policy);
}

Axis Axis::log2(std::string name, std::string unit, double low, double high, std::size_t bins,
                OutOfRange policy) {
  if (bins == 0) refuse(name, "bins must be at least 1");
  if (!(low > 0)) refuse(name, "boundaries of a log2 axis must be positive");
  const double from = std::log2(low);
  const double width = std::log2(high) - from;
  auto edges = spaced(low, high, bins, [&](double i) {
    return std::exp2(from + width * i / static_cast<double>(bins));
  });
  return Axis::edges(std::move(name), std::move(unit), Scale::log2, std::move(edges), policy);
}

Axis Axis::edges(std::string name, std::string unit, Scale scale, std::vector<double> boundaries,
                 OutOfRange policy) {
  check_boundaries(name, scale, boundaries);
  Axis axis;
  axis.name_ = std::move(name);
  axis.unit_ = std::move(unit);
  axis.scale_ = scale;
  axis.policy_ = policy;
  axis.boundaries_ = std::move(boundaries);
  if (scale == Scale::linear) {
    const double width = axis.boundaries_.back() - axis.boundaries_.front();
    axis.bins_per_unit_ = static_cast<double>(axis.bins()) / width;
    if (!std::isfinite(axis.bins_per_unit_) || !std::isfinite(width)) axis.bins_per_unit_ = 0;
  }
  return axis;
}

Axis Axis::quantile(std::string name, std::string unit, std::vector<double> samples,
                    std::size_t bins, OutOfRange policy) {
  if (bins == 0) refuse(name, "bins must be at least 1");
  std::erase_if(samples, [](double value) { return !std::isfinite(value); });
  if (samples.empty()) refuse(name, "no finite sample to take quantiles of");
  std::sort(samples.begin(), samples.end());
  std::vector<double> edges;
  for (std::size_t i = 0; i <= bins; ++i) {
    const double edge = quantile_of(samples, static_cast<double>(i) / static_cast<double>(bins));
    if (edges.empty() || edge > edges.back()) edges.push_back(edge);
  }
  if (edges.size() == 1) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const double next = std::nextafter(edges[0], kInfinity);
    if (std::isfinite(next)) {
      edges.push_back(next);
    } else {
      edges.insert(edges.begin(), std::nextafter(edges[0], -kInfinity));
    }
  }
  return Axis::edges(std::move(name), std::move(unit), Scale::quantile, std::move(edges), policy);
}

Axis Axis::categorical(std::string name, std::vector<std::string> labels) {
  if (labels.empty()) refuse(name, "a categorical axis needs at least one label");
  if (std::set(labels.begin(), labels.end()).size() != labels.size()) {
    refuse(name, "two labels are the same");
  }
  Axis axis;
  axis.name_ = std::move(name);
  axis.scale_ = Scale::categorical;
  axis.policy_ = OutOfRange::reject;
  axis.labels_ = std::move(labels);
  return axis;
}

std::size_t Axis::bins() const {
  return scale_ == Scale::categorical ? labels_.size() : boundaries_.size() - 1;
}

std::optional<Bin> Axis::locate(double value) const {
  if (std::isnan(value)) return std::nullopt;
  if (scale_ == Scale::categorical) {
    if (value < 0 || value >= static_cast<double>(labels_.size())) return std::nullopt;
    if (value != std::floor(value)) return std::nullopt;
    return Bin{static_cast<std::size_t>(value), Bin::Where::inside};
  }
  if (value < boundaries_.front()) return Bin{0, Bin::Where::below};
  if (value > boundaries_.back()) return Bin{bins() - 1, Bin::Where::above};
  // Arithmetic may be off by a rounding; only the boundaries decide.
  if (bins_per_unit_ > 0) {
    const double guess = (value - boundaries_.front()) * bins_per_unit_;
    std::size_t bin = std::min(static_cast<std::size_t>(guess), bins() - 1);
    if (value < boundaries_[bin]) --bin;
    if (bin + 1 < bins() && value >= boundaries_[bin + 1]) ++bin;
    const bool last = bin + 1 == bins();
    if (value >= boundaries_[bin] && (last || value < boundaries_[bin + 1])) {
      return Bin{bin, Bin::Where::inside};
    }
  }
  // The first inner boundary above the value; the last bin includes its upper edge.
  const auto inner = boundaries_.begin() + 1;
  const auto found = std::upper_bound(inner, boundaries_.end() - 1, value);
  return Bin{static_cast<std::size_t>(found - inner), Bin::Where::inside};
}

double Axis::scaled(double value) const {
  if (scale_ == Scale::categorical) return value;
  const double low = boundaries_.front();
  const double high = boundaries_.back();
  if (!(value > low)) return 0;
  if (value >= high) return 1;
  if (scale_ == Scale::log2) {
    return (std::log2(value) - std::log2(low)) / (std::log2(high) - std::log2(low));
  }
  if (scale_ == Scale::linear) {
    // Halves where the width itself would overflow.
    const double half = std::isfinite(high - low) ? 1 : 0.5;
    return (half * value - half * low) / (half * high - half * low);
  }
  const std::size_t bin = locate(value)->index;
  const double within = (value - boundaries_[bin]) / (boundaries_[bin + 1] - boundaries_[bin]);
  return (static_cast<double>(bin) + within) / static_cast<double>(bins());
}

double Axis::unscaled(double place) const {
  if (scale_ == Scale::categorical) return place;
  const double low = boundaries_.front();
  const double high = boundaries_.back();
  if (!(place > 0)) return low;
  if (place >= 1) return high;
  if (scale_ == Scale::log2) {
    const double power = std::lerp(std::log2(low), std::log2(high), place);
    return std::clamp(std::exp2(power), low, high);
  }
  if (scale_ == Scale::linear) return std::lerp(low, high, place);
  const double position = place * static_cast<double>(bins());
  const auto bin = std::min(static_cast<std::size_t>(position), bins() - 1);
  return std::lerp(boundaries_[bin], boundaries_[bin + 1], position - static_cast<double>(bin));
}

std::optional<double> Axis::position(std::string_view label) const {
  const auto found = std::find(labels_.begin(), labels_.end(), label);
  if (found == labels_.end()) return std::nullopt;
  return static_cast<double>(found - labels_.begin());
}

std::string Axis::bin_text(std::size_t bin) const {
  if (scale_ == Scale::categorical) return labels_.at(bin);
  const auto [low, high] = texts(boundaries_.at(bin), boundaries_.at(bin + 1));
  const bool first = bin == 0;
  const bool last = bin + 1 == bins();
  if (policy_ == OutOfRange::clip) {
    if (first && last) return "any";
    if (first) return "< " + high;
    if (last) return "≥ " + low;
  }
  return fmt::format("[{}, {}{}", low, high, last ? ']' : ')');
}

}  // namespace kernatlas::archives
