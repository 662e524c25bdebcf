// Curves over evaluations: how QD score, coverage and best objective grew, of one search or of
// several side by side, each with a band where it stands for several seeds.
#pragma once

#include <functional>
#include <limits>
#include <span>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "archives/entry.h"

namespace kernatlas::archives {

// A value holds from its point to the next one. NaN: nothing known yet, the curve begins later.
struct CurvePoint {
  double at = 0;
  double value = 0;
  double low = std::numeric_limits<double>::quiet_NaN();  // of the band; NaN for none
  double high = std::numeric_limits<double>::quiet_NaN();
};

struct Curve {
  std::string name;
  std::vector<CurvePoint> points;  // by rising `at`
};

enum class Band {
  min_max,
  quartiles,  // interpolated between order statistics
};

// The median of several curves of the same thing (seeds of one search) and the band around it, at
// every place where one of them has a point. Where one ends, its last value stays; before its first
// known value it does not count. O(points · (log points + curves log curves)).
[[nodiscard]] Curve median_curve(std::string name, std::span<const Curve> seeds, Band band);

// One diagram of a picture; the curves of one name have one colour in all of them.
struct CurvePanel {
  std::string title;  // what the values are, with their unit
  std::vector<Curve> curves;
  std::function<std::string(double)> value_text = {};  // six digits by default
  bool from_zero = true;                               // whether the axis begins at zero
};

struct CurveOptions {
  std::string title = {};
  std::string along = "evaluations";
  double width = 900;
};

// The panels one below the other over one horizontal axis, and a legend. Points that are not finite
// are left out. A panel without any says so. More than 64 names, or no panel, is an error text.
[[nodiscard]] tl::expected<std::string, std::string> draw_curves(std::span<const CurvePanel> panels,
                                                                 const CurveOptions& options = {});

// What an archive's counters have to say at one moment; in this order: QD score, coverage, best.
class QdCurves {
 public:
  explicit QdCurves(std::string name);
  // `at` must not fall. Unchanged values add no point.
  void add(double at, const Stats& stats);
  // Draws the last values on to `at`.
  void finish(double at);
  [[nodiscard]] const Curve& qd_score() const { return curves_[0]; }
  [[nodiscard]] const Curve& coverage() const { return curves_[1]; }
  [[nodiscard]] const Curve& best() const { return curves_[2]; }

 private:
  std::vector<Curve> curves_;
};

}  // namespace kernatlas::archives
