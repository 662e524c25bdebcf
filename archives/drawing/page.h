// Page: what all pictures of archives share — title, summary, colour bar, tooltips.
//
// Private to archives/drawing.
#pragma once

#include <string>
#include <string_view>

#include "archives/archive.h"
#include "archives/drawing/colour.h"
#include "archives/drawing/drawing.h"
#include "archives/drawing/svg.h"

namespace kernatlas::archives {

inline constexpr double kMargin = 18;       // around everything
inline constexpr double kHeadHeight = 62;   // title and summary, and the air below them
inline constexpr double kTitleHeight = 18;  // an axis' title
inline constexpr double kTitleSize = 12;
inline constexpr const char* kEmptyFill = "#ffffff";
inline constexpr const char* kGridStroke = "#c8c8c8";

// The page's width that was asked for, within reason.
[[nodiscard]] double page_width(const DrawingOptions& options);

void draw_head(Svg& svg, double width, std::string_view title, std::string_view summary);
// "12 of 80 cells, best 16.1×"; in what cells are counted, the caller says.
[[nodiscard]] std::string summary_of(const Archive& archive, const DrawingOptions& options);

[[nodiscard]] std::string objective_text(const DrawingOptions& options, double objective);
// What a cell (null: empty) says under the pointer.
[[nodiscard]] std::string cell_tooltip(const Archive& archive, std::size_t cell, const Elite* elite,
                                       const DrawingOptions& options);

// The colours beside a plot, with round objectives at their places.
class ColourBar {
 public:
  ColourBar(const ColourScale& scale, const DrawingOptions& options);
  // With the air before it.
  [[nodiscard]] double width() const;
  // Below which its title does not fit.
  [[nodiscard]] double least_height() const;
  // `x`: right side of the plot; `from`, `to`: top and bottom of the bar.
  void draw(Svg& svg, double x, double from, double to) const;

 private:
  const ColourScale& scale_;
  const DrawingOptions& options_;
  std::vector<double> marks_;
};

}  // namespace kernatlas::archives
