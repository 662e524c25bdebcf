// Ranked cells: each cell holds its best `depth` entries. What the kinds "grid" and "cvt" are, over
// different cells.
//
// Invariants (beyond those of Archive and CellArchive):
//  1. Members of a cell are distinct ids; member 0 is the champion; the rest fall in objective.
//  2. A runner-up may have a larger objective than its champion: evidence put it there.
#pragma once

#include <memory>

#include "archives/archive.h"
#include "archives/cell_index.h"

namespace kernatlas::archives {

// Needs the option "depth" ≥ 1, else std::invalid_argument.
[[nodiscard]] std::unique_ptr<Archive> make_ranked_cells(
    ArchiveSpec spec, std::unique_ptr<CellIndex> index, std::unique_ptr<Acceptance> rule = nullptr);

}  // namespace kernatlas::archives
