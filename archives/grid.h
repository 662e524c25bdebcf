// Grid archive: the product of the axes' bins is the set of cells; each holds up to `depth`
// entries.
//
// Invariants (beyond those of Archive):
//  1. Cell index is row-major over the axes' bins, first axis slowest.
//  2. Members of a cell are distinct ids; member 0 is the champion; the rest fall in objective.
//  3. Memory grows with occupied cells, not with the number of cells.
//  4. A neighbour is one bin away on one numeric axis, or any other label of one categorical axis.
//
// A runner-up may have a larger objective than its champion: evidence put it there.
#pragma once

#include <memory>
#include <vector>

#include "archives/archive.h"

namespace kernatlas::archives {

struct GridOptions {
  std::size_t depth = 3;  // entries per cell, the champion included; at least 1
  double floor = -6.0;    // objective floor of the QD score
};

// Throws std::invalid_argument for no axes, duplicate axis names, more than 2^48 cells, no
// acceptance rule, a depth of 0, or a floor that is not finite.
[[nodiscard]] std::unique_ptr<Archive> make_grid(std::vector<Axis> axes,
                                                 std::unique_ptr<Acceptance> acceptance,
                                                 const GridOptions& options = {});

}  // namespace kernatlas::archives
