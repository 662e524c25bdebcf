#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "archives/drawing/drawing.h"
#include "archives/drawing/nesting.h"
#include "archives/drawing/page.h"

namespace kernatlas::archives {
namespace {

constexpr double kTextSize = 11;

// Axes 0, 2, 4, … or 1, 3, 5, …: the first of them innermost.
std::vector<const Axis*> every_second(const std::vector<Axis>& axes, std::size_t from) {
  std::vector<const Axis*> chosen;
  for (std::size_t i = from; i < axes.size(); i += 2) chosen.push_back(&axes[i]);
  return chosen;
}

std::string objection(const Archive& archive) {
  std::size_t cells = 1;
  for (const Axis& axis : archive.axes()) {
    if (cells <= kMostDrawnCells) cells *= axis.bins();
  }
  if (!archive.spec().points.empty()) {
    return "cells around centroids are no grid: draw them as cells (one or two axes) or as "
           "parallel axes";
  }
  if (cells > kMostDrawnCells) {
    return fmt::format("more than {} cells are too many for a map: draw parallel axes",
                       kMostDrawnCells);
  }
  if (!archive.traits().cells_by_measures || archive.stats().cells != cells) {
    return fmt::format("archives of kind \"{}\" have no grid of cells: draw parallel axes",
                       archive.kind());
  }
  return {};
}

class HeatMap {
 public:
  HeatMap(const Archive& archive, const DrawingOptions& options)
      : archive_(archive),
        options_(options),
        scale_(ColourScale::of(archive, options.low, options.high)),
        bar_(scale_, options_),
        columns_(every_second(archive.axes(), 0)),
        rows_(every_second(archive.axes(), 1)) {
    arrange();
  }

  std::string draw() {
    Svg svg(width_, height_, options_.title);
    draw_head(svg, width_, options_.title, summary_of(archive_, options_));
    draw_cells(svg);
    draw_values(svg);
    draw_columns(svg);
    draw_rows(svg);
    bar_.draw(svg, left_ + columns_.length(), top_,
              top_ + std::max(rows_.length(), bar_.least_height()));
    return svg.str();
  }

 private:
  static constexpr double kLevelGap = 10;  // between the labels of one level and the next

  // Sizes of cells follow from the room that is left by everything else.
  void arrange() {
    constexpr double kLeastCell = 4;
    constexpr double kWidestCell = 96;
    constexpr double kHighestCell = 56;
    constexpr double kHeight = 600;
    rows_.set_cell(std::clamp(rows_.cell_for(kHeight), kLeastCell, kHighestCell));
    left_ = kMargin;
    for (std::size_t i = 0; i < rows_.levels(); ++i) {
      left_ += kTitleHeight + row_labels(i).width() + kLevelGap;
    }
    // The first label of the lowest side may reach out to the left.
    left_ = std::max(left_, kMargin + 30);
    const double room = page_width(options_) - left_ - bar_.width() - kMargin;
    columns_.set_cell(std::clamp(columns_.cell_for(room), kLeastCell, kWidestCell));
    top_ = kHeadHeight;
    bottom_ = top_ + rows_.length();
    width_ = std::max(left_ + columns_.length() + bar_.width() + kMargin, 420.0);
    height_ = bottom_;
    for (std::size_t i = 0; i < columns_.levels(); ++i) {
      height_ += column_labels(i).height() + kTitleHeight + kLevelGap;
    }
    height_ = std::max(height_, top_ + bar_.least_height() + 6) + kMargin;
  }

  LabelsBelow column_labels(std::size_t level) const {
    return {columns_.ticks(level, left_, 1), columns_.repetitions(level) > 1};
  }
  LabelsLeft row_labels(std::size_t level) const {
    return LabelsLeft(rows_.ticks(level, bottom_, -1));
  }

  // Cell of the archive at a column and a row of the picture.
  std::size_t cell_at(std::size_t column, std::size_t row) const {
    std::size_t cell = 0;
    std::vector<std::size_t> bins;
    for (std::size_t i = 0; i < archive_.axes().size(); ++i) {
      const std::size_t count = archive_.axes()[i].bins();
      std::size_t& index = i % 2 == 0 ? column : row;
      bins.push_back(index % count);
      index /= count;
    }
    for (std::size_t i = 0; i < bins.size(); ++i) {
      cell = cell * archive_.axes()[i].bins() + bins[i];
    }
    return cell;
  }

  Box box_at(std::size_t column, std::size_t row) const {
    const double w = columns_.bin(0, 0, 0).to;
    const double h = cell_height();
    return {left_ + columns_.offset(column), bottom_ - rows_.offset(row) - h, w, h};
  }
  double cell_height() const { return rows_.levels() > 0 ? rows_.bin(0, 0, 0).to : rows_.length(); }

  void draw_cells(Svg& svg) const {
    const bool small = std::min(box_at(0, 0).width, box_at(0, 0).height) < 10;
    svg.begin("cells", {.stroke = kGridStroke, .stroke_width = small ? 0.3 : 0.75});
    for (std::size_t row = 0; row < rows_.cells(); ++row) {
      for (std::size_t column = 0; column < columns_.cells(); ++column) {
        const std::size_t cell = cell_at(column, row);
        const Elite* elite = archive_.champion(cell);
        const std::string fill =
            elite == nullptr ? kEmptyFill : hex(scale_.colour(elite->entry.objective));
        svg.rect(box_at(column, row), {.fill = fill},
                 cell_tooltip(archive_, cell, elite, options_));
      }
    }
    svg.end();
  }

  // In the cells, where all of them have room.
  void draw_values(Svg& svg) const {
    const Box one = box_at(0, 0);
    double widest = 0;
    for (const std::size_t cell : archive_.occupied()) {
      const double objective = archive_.champion(cell)->entry.objective;
      widest = std::max(widest, text_width(objective_text(options_, objective), kTextSize));
    }
    if (widest + 4 > one.width || kTextSize + 4 > one.height) return;
    svg.begin("values", {.fill = "#222222"});
    for (std::size_t row = 0; row < rows_.cells(); ++row) {
      for (std::size_t column = 0; column < columns_.cells(); ++column) {
        const Elite* elite = archive_.champion(cell_at(column, row));
        if (elite == nullptr) continue;
        const double objective = elite->entry.objective;
        const Box box = box_at(column, row);
        svg.text({box.x + box.width / 2, box.y + box.height / 2 + 4},
                 objective_text(options_, objective),
                 {.size = kTextSize,
                  .anchor = Anchor::middle,
                  .fill = brightness(scale_.colour(objective)) < 0.52 ? "#ffffff" : ""});
      }
    }
    svg.end();
  }

  void draw_columns(Svg& svg) const {
    double y = bottom_;
    for (std::size_t level = 0; level < columns_.levels(); ++level) {
      const Axis& axis = columns_.axis(level);
      const LabelsBelow labels = column_labels(level);
      svg.begin("axis", {}, axis.name());
      for (std::size_t r = 0; level > 0 && r < columns_.repetitions(level); ++r) {
        for (std::size_t i = 0; i < axis.bins(); ++i) {
          const auto [from, to] = columns_.bin(level, r, i);
          svg.line({left_ + from, y}, {left_ + to, y}, {.stroke = "#555555", .stroke_width = 1});
        }
      }
      labels.draw(svg, y);
      y += labels.height() + kTitleHeight - 4;
      svg.text({left_ + columns_.length() / 2, y},
               shortened(axis_title(axis), kTitleSize, std::max(columns_.length(), 160.0)),
               {.size = kTitleSize, .anchor = Anchor::middle});
      svg.end();
      y += 4 + kLevelGap;
    }
  }

  void draw_rows(Svg& svg) const {
    double x = left_;
    for (std::size_t level = 0; level < rows_.levels(); ++level) {
      const Axis& axis = rows_.axis(level);
      const LabelsLeft labels = row_labels(level);
      svg.begin("axis", {}, axis.name());
      for (std::size_t r = 0; level > 0 && r < rows_.repetitions(level); ++r) {
        for (std::size_t i = 0; i < axis.bins(); ++i) {
          const auto [from, to] = rows_.bin(level, r, i);
          svg.line({x, bottom_ - from}, {x, bottom_ - to},
                   {.stroke = "#555555", .stroke_width = 1});
        }
      }
      labels.draw(svg, x);
      x -= labels.width() + kTitleHeight - 12;
      svg.text({x, bottom_ - rows_.length() / 2},
               shortened(axis_title(axis), kTitleSize, std::max(rows_.length(), 120.0)),
               {.size = kTitleSize, .anchor = Anchor::middle, .degrees = -90});
      svg.end();
      x -= 12 + kLevelGap;
    }
  }

  const Archive& archive_;
  const DrawingOptions& options_;
  ColourScale scale_;
  ColourBar bar_;
  Nesting columns_;
  Nesting rows_;
  double left_ = 0, top_ = 0, bottom_ = 0, width_ = 0, height_ = 0;
};

}  // namespace

Drawn draw_heat_map(const Archive& archive, const DrawingOptions& options) {
  if (auto why = objection(archive); !why.empty()) return tl::unexpected(std::move(why));
  return HeatMap(archive, options).draw();
}

}  // namespace kernatlas::archives
