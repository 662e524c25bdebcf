#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "archives/drawing/colour.h"
#include "archives/drawing/curves.h"
#include "archives/drawing/page.h"
#include "archives/drawing/ticks.h"

namespace kernatlas::archives {
namespace {

constexpr std::size_t kMostNames = 64;

// The smallest range around all numbers seen.
struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void add(double value) {
    if (!std::isfinite(value)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  bool empty() const { return low > high; }
  // In [0, 1]; halves, because the width may be more than a double can hold.
  double place(double value) const {
    const double place = (value / 2 - low / 2) / (high / 2 - low / 2);
    return place > 0 ? std::min(place, 1.0) : 0;
  }
  void widen() {
    if (empty()) *this = {0, 1};
    if (low < high) return;
    const double step = std::max(0.5, std::abs(low) * 1e-6);
    low -= low > 0 ? std::min(step, low) : low < 0 ? step : 0;
    high += step;
  }
  // Air above, and below where the range does not end at zero, so that no curve lies on the frame.
  void pad() {
    constexpr double kAir = 0.04;
    const double air = kAir * (high / 2 - low / 2) * 2;
    if (!std::isfinite(high + air) || !std::isfinite(low - air)) return;
    if (low != 0) low -= air;
    if (high != 0) high += air;
  }
};

bool drawable(const CurvePoint& point) {
  return std::isfinite(point.at) && std::isfinite(point.value);
}

bool banded(const CurvePoint& point) {
  return drawable(point) && std::isfinite(point.low) && std::isfinite(point.high);
}

class CurvePicture {
 public:
  CurvePicture(std::span<const CurvePanel> panels, const CurveOptions& options,
               std::vector<std::string> names)
      : panels_(panels), options_(options), names_(std::move(names)) {
    for (const CurvePanel& panel : panels_) {
      Range values;
      if (panel.from_zero) values.add(0);
      for (const Curve& curve : panel.curves) {
        for (const CurvePoint& point : curve.points) {
          if (!drawable(point)) continue;
          along_.add(point.at);
          values.add(point.value);
          if (banded(point)) values.add(point.low), values.add(point.high);
        }
      }
      values.widen();
      values.pad();
      values_.push_back(values);
    }
    if (!along_.empty() && along_.low > 0) along_.low = 0;
    along_.widen();
    arrange();
  }

  std::string draw() const {
    const LabelsBelow below = labels_below();
    const double last = bottom(panels_.size() - 1);
    const double height = last + below.height() + kTitleHeight + kMargin;
    Svg svg(width_, height, options_.title);
    draw_head(svg, width_, options_.title, "");
    draw_legend(svg);
    for (std::size_t i = 0; i < panels_.size(); ++i) draw_panel(svg, i);
    svg.begin("axis", {}, options_.along);
    below.draw(svg, last);
    svg.text({left_ + plot_width_ / 2, last + below.height() + kTitleHeight - 4}, options_.along,
             {.size = kTitleSize, .anchor = Anchor::middle});
    svg.end();
    return svg.str();
  }

 private:
  static constexpr double kPanelHeight = 170;
  static constexpr double kPanelGap = 42;
  static constexpr double kLegendRow = 18;

  double top(std::size_t panel) const {
    return top_ + static_cast<double>(panel) * (kPanelHeight + kPanelGap);
  }
  double bottom(std::size_t panel) const { return top(panel) + kPanelHeight; }
  double x(double at) const { return left_ + along_.place(at) * plot_width_; }
  double y(std::size_t panel, double value) const {
    return bottom(panel) - values_[panel].place(value) * kPanelHeight;
  }

  std::string value_text(std::size_t panel, double value) const {
    const auto& text = panels_[panel].value_text;
    return text ? text(value) : fmt::format("{:.6g}", value);
  }

  LabelsLeft labels_left(std::size_t panel) const {
    Ticks ticks;
    for (const double value : round_numbers(values_[panel].low, values_[panel].high, 5)) {
      ticks.push_back({.at = y(panel, value), .text = value_text(panel, value)});
    }
    return LabelsLeft(std::move(ticks));
  }

  LabelsBelow labels_below() const {
    Ticks ticks;
    for (const double at : round_numbers(along_.low, along_.high, 8)) {
      ticks.push_back({.at = x(at), .text = fmt::format("{:.10g}", at)});
    }
    return LabelsBelow(std::move(ticks));
  }

  // The legend takes as many rows as its names need.
  void arrange() {
    width_ = std::max(page_width({.width = options_.width}), 400.0);
    left_ = kMargin;
    for (std::size_t i = 0; i < panels_.size(); ++i) {
      left_ = std::max(left_, kMargin + labels_left(i).width());
    }
    plot_width_ = width_ - left_ - kMargin - 10;
    double at = 0;
    double row = 0;
    for (const std::string& name : names_) {
      const double wide = legend_width(name);
      if (at > 0 && at + wide > plot_width_) at = 0, ++row;
      legend_.push_back({left_ + at, 50 + row * kLegendRow});
      at += wide;
    }
    top_ = 50 + (row + 1) * kLegendRow + 26;
  }

  double legend_width(const std::string& name) const {
    return std::min(text_width(name, kTitleSize), plot_width_ - 60) + 50;
  }

  Style line_style(std::size_t name) const {
    static const char* const kDashes[] = {"", "7 3", "2 3", "9 3 2 3"};
    // Shape and colour both tell curves apart.
    return {.fill = "none",
            .stroke = hex(line_colour(name, names_.size())),
            .stroke_width = 1.8,
            .dashes = kDashes[name % std::size(kDashes)]};
  }

  void draw_legend(Svg& svg) const {
    svg.begin("legend");
    for (std::size_t i = 0; i < names_.size(); ++i) {
      const Point at = legend_[i];
      svg.line({at.x, at.y - 4}, {at.x + 26, at.y - 4}, line_style(i));
      svg.text({at.x + 32, at.y}, shortened(names_[i], kTitleSize, plot_width_ - 60),
               {.size = kTitleSize}, names_[i]);
    }
    svg.end();
  }

  void draw_panel(Svg& svg, std::size_t panel) const {
    svg.begin("panel", {}, panels_[panel].title);
    const Style grid{.stroke = "#e4e4e4", .stroke_width = 1};
    for (const double value : round_numbers(values_[panel].low, values_[panel].high, 5)) {
      svg.line({left_, y(panel, value)}, {left_ + plot_width_, y(panel, value)}, grid);
    }
    svg.text({left_, top(panel) - 8}, panels_[panel].title, {.size = kTitleSize, .bold = true});
    bool any = false;
    for (const bool bands : {true, false}) {
      for (const Curve& curve : panels_[panel].curves) {
        const auto name = static_cast<std::size_t>(
            std::find(names_.begin(), names_.end(), curve.name) - names_.begin());
        any = (bands ? draw_band(svg, panel, curve, name) : draw_line(svg, panel, curve, name)) ||
              any;
      }
    }
    if (!any) {
      svg.text({left_ + plot_width_ / 2, (top(panel) + bottom(panel)) / 2}, "no values",
               {.size = kTitleSize, .anchor = Anchor::middle, .fill = "#777777"});
    }
    const Style frame{.stroke = "#555555", .stroke_width = 1};
    svg.line({left_, top(panel)}, {left_, bottom(panel)}, frame);
    svg.line({left_, bottom(panel)}, {left_ + plot_width_, bottom(panel)}, frame);
    labels_left(panel).draw(svg, left_);
    svg.end();
  }

  // Stairs through some number of the points; of points closer together than the eye can see only
  // the last.
  template <typename Known, typename Value>
  std::vector<Point> stairs(std::size_t panel, const Curve& curve, Known known, Value value) const {
    constexpr double kNear = 0.25;
    std::vector<Point> steps;
    for (const CurvePoint& point : curve.points) {
      if (!known(point)) continue;
      const Point to{x(point.at), y(panel, value(point))};
      if (steps.size() > 2 && to.x - steps.back().x < kNear) {
        steps.back().y = to.y;
        continue;
      }
      if (!steps.empty()) steps.push_back({to.x, steps.back().y});
      steps.push_back(to);
    }
    return steps;
  }

  bool draw_line(Svg& svg, std::size_t panel, const Curve& curve, std::size_t name) const {
    const auto line =
        stairs(panel, curve, drawable, [](const CurvePoint& point) { return point.value; });
    if (line.size() == 1) svg.dot(line[0], 2.5, {.fill = line_style(name).stroke});
    if (line.size() > 1) svg.polyline(line, line_style(name), curve.name);
    return !line.empty();
  }

  bool draw_band(Svg& svg, std::size_t panel, const Curve& curve, std::size_t name) const {
    Polygon around =
        stairs(panel, curve, banded, [](const CurvePoint& point) { return point.low; });
    auto above = stairs(panel, curve, banded, [](const CurvePoint& point) { return point.high; });
    if (around.size() < 2) return false;
    around.insert(around.end(), above.rbegin(), above.rend());
    svg.polygons(
        {&around, 1},
        {.fill = hex(line_colour(name, names_.size())), .stroke = "none", .opacity = 0.18});
    return true;
  }

  std::span<const CurvePanel> panels_;
  const CurveOptions& options_;
  std::vector<std::string> names_;
  Range along_;
  std::vector<Range> values_;
  std::vector<Point> legend_;
  double width_ = 0, left_ = 0, plot_width_ = 0, top_ = 0;
};

}  // namespace

tl::expected<std::string, std::string> draw_curves(std::span<const CurvePanel> panels,
                                                   const CurveOptions& options) {
  if (panels.empty()) return tl::unexpected(std::string("there is nothing to draw"));
  std::vector<std::string> names;
  for (const CurvePanel& panel : panels) {
    for (const Curve& curve : panel.curves) {
      if (std::find(names.begin(), names.end(), curve.name) == names.end()) {
        names.push_back(curve.name);
      }
      if (names.size() > kMostNames) {
        return tl::unexpected(fmt::format("more than {} curves cannot be told apart", kMostNames));
      }
    }
  }
  return CurvePicture(panels, options, std::move(names)).draw();
}

}  // namespace kernatlas::archives
