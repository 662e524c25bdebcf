#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "archives/drawing/drawing.h"
#include "archives/drawing/page.h"
#include "archives/drawing/ticks.h"
#include "archives/drawing/voronoi.h"

namespace kernatlas::archives {
namespace {

std::string objection(const Archive& archive) {
  const std::size_t axes = archive.axes().size();
  const std::size_t cells = archive.spec().points.size() / std::max<std::size_t>(axes, 1);
  if (cells == 0 || !archive.traits().cells_by_measures || archive.stats().cells != cells) {
    return fmt::format(
        "an archive of kind \"{}\" without centroids has no such cells: draw a map of a grid, "
        "parallel axes of anything else",
        archive.kind());
  }
  if (axes > 2) {
    return fmt::format("cells of {} axes have no picture in the plane: draw parallel axes", axes);
  }
  if (cells > kMostDrawnCells) {
    return fmt::format("more than {} cells are too many for a picture: draw parallel axes",
                       kMostDrawnCells);
  }
  return {};
}

class CellMap {
 public:
  CellMap(const Archive& archive, const DrawingOptions& options)
      : archive_(archive),
        options_(options),
        scale_(ColourScale::of(archive, options.low, options.high)),
        bar_(scale_, options_) {
    arrange();
  }

  std::string draw() const {
    const double width = plot_.x + plot_.width + bar_.width() + kMargin;
    const LabelsBelow columns = column_labels();
    const double bottom = plot_.y + plot_.height;
    const double height =
        std::max(bottom + columns.height() + kTitleHeight, plot_.y + bar_.least_height() + 6) +
        kMargin;
    Svg svg(width, height, options_.title);
    draw_head(svg, width, options_.title, summary_of(archive_, options_));
    draw_cells(svg);
    svg.begin("axis", {}, axis(0).name());
    columns.draw(svg, bottom);
    svg.text({plot_.x + plot_.width / 2, bottom + columns.height() + kTitleHeight - 4},
             shortened(axis_title(axis(0)), kTitleSize, plot_.width),
             {.size = kTitleSize, .anchor = Anchor::middle});
    svg.end();
    if (archive_.axes().size() > 1) {
      const LabelsLeft rows = row_labels();
      svg.begin("axis", {}, axis(1).name());
      rows.draw(svg, plot_.x);
      svg.text({plot_.x - rows.width() - 6, plot_.y + plot_.height / 2},
               shortened(axis_title(axis(1)), kTitleSize, plot_.height),
               {.size = kTitleSize, .anchor = Anchor::middle, .degrees = -90});
      svg.end();
    }
    bar_.draw(svg, plot_.x + plot_.width, plot_.y,
              plot_.y + std::max(plot_.height, bar_.least_height()));
    return svg.str();
  }

 private:
  const Axis& axis(std::size_t i) const { return archive_.axes()[i]; }
  LabelsBelow column_labels() const {
    return LabelsBelow(scaled_ticks(axis(0), plot_.x, plot_.x + plot_.width));
  }
  LabelsLeft row_labels() const {
    return LabelsLeft(scaled_ticks(axis(1), plot_.y + plot_.height, plot_.y));
  }

  void arrange() {
    constexpr double kHeight = 560;
    constexpr double kFlat = 80;
    plot_.y = kHeadHeight;
    plot_.height = archive_.axes().size() > 1 ? kHeight : kFlat;
    plot_.x = kMargin + 30;
    if (archive_.axes().size() > 1) {
      plot_.x = std::max(plot_.x, kMargin + kTitleHeight + row_labels().width() + 4);
    }
    const double room = page_width(options_) - plot_.x - bar_.width() - kMargin;
    plot_.width = std::max(room, 120.0);
  }

  void draw_cells(Svg& svg) const {
    const auto cells = voronoi_cells(archive_.axes(), archive_.spec().points);
    svg.begin("cells", {.stroke = kGridStroke, .stroke_width = cells.size() > 3000 ? 0.3 : 0.75});
    for (std::size_t i = 0; i < cells.size(); ++i) {
      std::vector<Polygon> polygons = cells[i];
      for (Polygon& polygon : polygons) {
        for (Point& corner : polygon) corner = seen(corner);
      }
      const Elite* elite = archive_.champion(i);
      const std::string fill =
          elite == nullptr ? kEmptyFill : hex(scale_.colour(elite->entry.objective));
      svg.polygons(polygons, {.fill = fill}, cell_tooltip(archive_, i, elite, options_));
    }
    svg.end();
  }

  Point seen(const Point& place) const {
    return {plot_.x + place.x * plot_.width, plot_.y + (1 - place.y) * plot_.height};
  }

  const Archive& archive_;
  const DrawingOptions& options_;
  ColourScale scale_;
  ColourBar bar_;
  Box plot_;
};

}  // namespace

Drawn draw_cells(const Archive& archive, const DrawingOptions& options) {
  if (auto why = objection(archive); !why.empty()) return tl::unexpected(std::move(why));
  return CellMap(archive, options).draw();
}

}  // namespace kernatlas::archives
