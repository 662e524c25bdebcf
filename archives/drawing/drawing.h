// Drawing: an archive as a picture, from the living archive or one restored from an old snapshot.
//
// Pictures are texts of SVG (archives/drawing/svg.h), dark on light, readable from 900 pixels of
// width on. The same archive and options give the same bytes. Every cell of a map is drawn, empty
// ones blank; whatever stands for something says under the pointer what it is. Colours follow
// archives/drawing/colour.h; with `low` and `high` given they mean the same in every picture, so
// that pictures of a growing archive make a film.
//
// What cannot be drawn as asked is an error text that says what can. Nothing here changes an
// archive; from many threads as far as the archive's const methods allow.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <tl/expected.hpp>

#include "archives/archive.h"

namespace kernatlas::archives {

struct DrawingOptions {
  std::string title = {};
  std::string objective = "objective";  // its name and unit, beside the colours
  // How an objective is written ("16.1×"); six digits by default.
  std::function<std::string(double)> objective_text = {};
  // What else to say about an elite under the pointer, after its bins, objective and id.
  std::function<std::string(const Elite&)> elite_text = {};
  // Ends of the colour scale; by default the worst and the best champion.
  std::optional<double> low = {};
  std::optional<double> high = {};
  double width = 900;  // at most, unless the cells need more; what is unreasonable is adjusted
};

using Drawn = tl::expected<std::string, std::string>;

// No picture has more cells than this.
constexpr std::size_t kMostDrawnCells = std::size_t{1} << 16;

// The cells of a grid, of any number of axes: the first axis runs along x, the second along y; a
// third and a fourth repeat that map along x and y, and so on. Marks are the axes' exact
// boundaries. For kinds whose cells are the product of their axes' bins. O(cells).
[[nodiscard]] Drawn draw_heat_map(const Archive& archive, const DrawingOptions& options = {});

// The exact Voronoi cells of an archive with centroids and one or two axes, in the scaled space in
// which nearest is meant (archives/drawing/voronoi.h). O(cells · log cells) as a rule.
[[nodiscard]] Drawn draw_cells(const Archive& archive, const DrawingOptions& options = {});

// One line for every champion through all axes, to its objective: for any kind, with or without
// cells. A numeric axis is drawn along its scaled space, with what lies outside at its edge; lines
// through one label of a categorical axis are spread by objective, best at the top.
// O(occupied · (axes + log occupied)).
[[nodiscard]] Drawn draw_parallel_axes(const Archive& archive, const DrawingOptions& options = {});

}  // namespace kernatlas::archives
