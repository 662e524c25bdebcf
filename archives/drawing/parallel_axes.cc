#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "archives/drawing/drawing.h"
#include "archives/drawing/page.h"
#include "archives/drawing/ticks.h"

namespace kernatlas::archives {
namespace {

class ParallelAxes {
 public:
  ParallelAxes(const Archive& archive, const DrawingOptions& options)
      : archive_(archive),
        options_(options),
        scale_(ColourScale::of(archive, options.low, options.high)),
        bar_(scale_, options_) {
    for (const std::size_t cell : archive.occupied()) {
      elites_.push_back(archive.champion(cell));
    }
    // Worst first, so that the best lie on top of the others.
    std::sort(elites_.begin(), elites_.end(), [](const Elite* a, const Elite* b) {
      if (a->entry.objective != b->entry.objective) return a->entry.objective < b->entry.objective;
      return a->entry.id > b->entry.id;
    });
    arrange();
  }

  std::string draw() const {
    const double width = left_ + plot_width_ + bar_.width() + kMargin;
    Svg svg(width, bottom_ + kFoot, options_.title);
    draw_head(svg, width, options_.title, summary_of(archive_, options_));
    svg.begin("lines",
              {.fill = "none", .stroke_width = elites_.size() > 300 ? 1.0 : 1.6, .opacity = 0.85});
    for (std::size_t i = 0; i < elites_.size(); ++i) draw_line(svg, i);
    svg.end();
    for (std::size_t i = 0; i < archive_.axes().size(); ++i) draw_axis(svg, i);
    bar_.draw(svg, left_ + plot_width_, kTop, bottom_);
    return svg.str();
  }

 private:
  static constexpr double kTop = kHeadHeight + 14;
  static constexpr double kHeight = 420;
  static constexpr double kFoot = 64;
  // The lines end where the colour bar begins.
  static constexpr double kToBar = 26;

  LabelsLeft labels(std::size_t axis) const {
    return LabelsLeft(scaled_ticks(archive_.axes()[axis], bottom_, kTop));
  }

  void arrange() {
    constexpr double kLeastStep = 40;
    const std::size_t count = archive_.axes().size();
    left_ = kMargin + std::max(labels(0).width(), 40.0);
    step_ = kLeastStep;
    for (std::size_t i = 1; i < count; ++i) step_ = std::max(step_, labels(i).width() + 16);
    const double room = page_width(options_) - left_ - bar_.width() - kMargin;
    step_ = std::max(step_, room / static_cast<double>(count));
    plot_width_ = step_ * static_cast<double>(count);
  }

  double x(std::size_t axis) const { return left_ + step_ * static_cast<double>(axis); }
  double y(double place) const { return bottom_ + place * (kTop - bottom_); }

  // Lines through one label would all be one: they keep apart by their rank.
  double place(std::size_t axis, std::size_t rank) const {
    const Axis& scale = archive_.axes()[axis];
    const double measure = elites_[rank]->entry.measures[axis];
    if (scale.scale() != Scale::categorical) return scale.scaled(measure);
    constexpr double kSpread = 0.7;
    const double within =
        (static_cast<double>(rank) + 0.5) / static_cast<double>(elites_.size()) - 0.5;
    return (measure + 0.5 + kSpread * within) / static_cast<double>(scale.bins());
  }

  void draw_line(Svg& svg, std::size_t rank) const {
    const Elite& elite = *elites_[rank];
    std::vector<Point> points;
    for (std::size_t i = 0; i < archive_.axes().size(); ++i) {
      points.push_back({x(i), y(place(i, rank))});
    }
    points.push_back({left_ + plot_width_ + kToBar, y(scale_.place(elite.entry.objective))});
    svg.polyline(points, {.stroke = hex(scale_.colour(elite.entry.objective))},
                 cell_tooltip(archive_, elite.cell, &elite, options_));
  }

  void draw_axis(Svg& svg, std::size_t i) const {
    const Axis& axis = archive_.axes()[i];
    svg.begin("axis", {}, axis.name());
    svg.line({x(i), kTop}, {x(i), bottom_}, {.stroke = "#555555", .stroke_width = 1.2});
    labels(i).draw(svg, x(i));
    // Titles of neighbours take turns in height.
    const double low = bottom_ + 22 + (i % 2 == 0 ? 0 : 18);
    const std::string title = axis_title(axis);
    const double room = archive_.axes().size() > 1 ? 2 * step_ - 12 : step_;
    svg.text({i == 0 ? kMargin : x(i), low}, shortened(title, kTitleSize, room),
             {.size = kTitleSize, .anchor = i == 0 ? Anchor::start : Anchor::middle}, title);
    svg.end();
  }

  const Archive& archive_;
  const DrawingOptions& options_;
  ColourScale scale_;
  ColourBar bar_;
  std::vector<const Elite*> elites_;
  double left_ = 0, step_ = 0, plot_width_ = 0, bottom_ = kTop + kHeight;
};

}  // namespace

Drawn draw_parallel_axes(const Archive& archive, const DrawingOptions& options) {
  constexpr std::size_t kMostAxes = 256;
  if (archive.axes().size() > kMostAxes) {
    return tl::unexpected(fmt::format("{} axes are too many for parallel axes: at most {}",
                                      archive.axes().size(), kMostAxes));
  }
  return ParallelAxes(archive, options).draw();
}

}  // namespace kernatlas::archives
