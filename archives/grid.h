// Grid archive: the product of the axes' bins is the set of cells; each holds up to `depth`
// entries.
//
// Invariants: those of archives/ranked_cells.h, and
//  1. Cell index is row-major over the axes' bins, first axis slowest.
//  2. Memory grows with occupied cells, not with the number of cells.
//  3. A neighbour is one bin away on one numeric axis, or any other label of one categorical axis.
//
// One add costs O(axes + depth).
#pragma once

#include <memory>
#include <vector>

#include "archives/archive.h"
#include "archives/registry.h"

namespace kernatlas::archives {

struct GridOptions {
  std::size_t depth = 3;  // entries per cell, the champion included; at least 1
  double floor = -6.0;    // objective floor of the QD score
};

// Throws std::invalid_argument for no axes, duplicate axis names, more than 2^48 cells, no
// acceptance rule, a depth of 0, or a floor that is not finite. A rule of one's own works, but a
// state that names it cannot be restored by the registry.
[[nodiscard]] std::unique_ptr<Archive> make_grid(std::vector<Axis> axes,
                                                 std::unique_ptr<Acceptance> acceptance,
                                                 const GridOptions& options = {});

// Kind "grid": option depth.
[[nodiscard]] Kind grid_kind();

}  // namespace kernatlas::archives
