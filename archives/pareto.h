// Pareto cells: each cell holds a small non-dominated front over the objective and further costs
// (on-chip memory, code size, …) instead of one winner. Champion of a cell is the entry with the
// best objective, so the map reads like a grid's; the rest of the front are what a user trades it
// for.
//
// One entry dominates another when its objective is no lower, no cost of it is higher, and they are
// not all equal, or all equal and it is better() by size and id.
//
// Invariants (beyond those of Archive and CellArchive):
//  1. Entries have `costs` costs, finite; else they are refused.
//  2. Member 0 is the champion, chosen by the acceptance rule; the rest fall in objective, dominate
//     none of each other and are dominated by no member.
//  3. At most `capacity` members: beyond it the one in the most crowded place goes, never the
//     champion (crowding distance of Deb et al., "A fast and elitist multiobjective genetic
//     algorithm: NSGA-II", 2002).
//
// Champions do not depend on the order of the entries; fronts do not either as long as none was
// full. One add costs O(axes + capacity · costs), on overflow O(capacity · log capacity · costs).
#pragma once

#include "archives/registry.h"

namespace kernatlas::archives {

// Kind "pareto": options costs, capacity. Cells are a grid's, or those of centroids when given.
[[nodiscard]] Kind pareto_kind();

}  // namespace kernatlas::archives
