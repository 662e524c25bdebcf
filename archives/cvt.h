// CVT archive: each cell is the set of places nearer to its centroid than to any other
// (Vassiliades, Chatzilygeroudis and Mouret, "Using centroidal Voronoi tessellations to scale up
// MAP-Elites", 2018). For more than four or five axes, where a grid has too many cells.
//
// Centroids are given, never made here: they are part of what the archive means. archives/
// centroids.h makes them. Cell i is that of centroid i of the spec's points; where two are equally
// near, the lower index wins. Distances are those of archives/measure_space.h.
//
// Invariants: those of archives/ranked_cells.h, and
//  1. A cell's neighbours are the 2 · axes centroids nearest to its own.
//
// One add costs a nearest-centroid search (archives/nearest.h) and O(depth).
#pragma once

#include <memory>

#include "archives/cell_index.h"
#include "archives/registry.h"

namespace kernatlas::archives {

// Throws std::invalid_argument for no axes, two of one name, and points that are none, not a whole
// number of rows, or cannot be located on their axes (NaN, no label).
[[nodiscard]] std::unique_ptr<CellIndex> make_voronoi_index(const std::vector<Axis>& axes,
                                                            const std::vector<double>& points);

// Kind "cvt": option depth; needs points.
[[nodiscard]] Kind cvt_kind();

}  // namespace kernatlas::archives
