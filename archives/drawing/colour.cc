#include "archives/drawing/colour.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace kernatlas::archives {

Colour cubehelix(double lightness, double start, double rotations, double hue) {
  const double angle = 2 * std::numbers::pi * (start / 3 + rotations * lightness);
  const double amplitude = hue * lightness * (1 - lightness) / 2;
  const double c = amplitude * std::cos(angle);
  const double s = amplitude * std::sin(angle);
  return {.red = std::clamp(lightness - 0.14861 * c + 1.78277 * s, 0.0, 1.0),
          .green = std::clamp(lightness - 0.29227 * c - 0.90649 * s, 0.0, 1.0),
          .blue = std::clamp(lightness + 1.97294 * c, 0.0, 1.0)};
}

double brightness(const Colour& colour) {
  return 0.30 * colour.red + 0.59 * colour.green + 0.11 * colour.blue;
}

std::string hex(const Colour& colour) {
  const auto byte = [](double part) { return static_cast<int>(std::lround(part * 255)); };
  return fmt::format("#{:02x}{:02x}{:02x}", byte(colour.red), byte(colour.green),
                     byte(colour.blue));
}

Colour shade(double place) {
  constexpr double kPale = 0.88;
  constexpr double kDark = 0.17;
  constexpr double kStart = 2.6;
  constexpr double kRotations = 0.75;
  constexpr double kHue = 1.35;
  return cubehelix(kPale + (kDark - kPale) * std::clamp(place, 0.0, 1.0), kStart, kRotations, kHue);
}

Colour line_colour(std::size_t index, std::size_t count) {
  constexpr double kDark = 0.22;
  constexpr double kPale = 0.6;
  const double step = count > 1 ? static_cast<double>(index) / static_cast<double>(count - 1) : 0.3;
  return cubehelix(kDark + (kPale - kDark) * step, 2.7, 2.0, 1.6);
}

ColourScale::ColourScale(double low, double high) : low_(low), high_(high) {
  if (!std::isfinite(low_)) low_ = std::isfinite(high_) ? high_ - 1 : 0;
  if (!std::isfinite(high_)) high_ = low_ + 1;
  if (high_ > low_) return;
  const double middle = low_ / 2 + high_ / 2;
  // Far from zero a step of one may be no step at all.
  const double step = std::max(0.5, std::abs(middle) * 1e-6);
  low_ = middle - step;
  high_ = middle + step;
}

ColourScale ColourScale::of(const Archive& archive, std::optional<double> low,
                            std::optional<double> high) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  double worst = kNone;
  double best = kNone;
  for (const std::size_t cell : archive.occupied()) {
    const double objective = archive.champion(cell)->entry.objective;
    worst = std::fmin(worst, objective);
    best = std::fmax(best, objective);
  }
  return {low.value_or(worst), high.value_or(best)};
}

double ColourScale::place(double objective) const {
  // Halves, because the whole range may be more than a double can hold.
  const double range = high_ / 2 - low_ / 2;
  const double place = (objective / 2 - low_ / 2) / range;
  return place > 0 ? std::min(place, 1.0) : 0;
}

}  // namespace kernatlas::archives
