// Voronoi cells of a plane: which part of it is nearest to each point, exactly.
//
// Each cell is cut out of the plane by one half-plane for every other point that is near enough to
// matter (one further away than twice the furthest corner cannot), so there is no sampling and no
// order in which errors add up. Distances are those of archives/measure_space.h. A categorical axis
// makes a strip of the plane for each label; within a strip the points of other labels are further
// away by the same amount everywhere, and cells are again cut by straight lines (a power diagram).
#pragma once

#include <vector>

#include "archives/axis.h"
#include "archives/drawing/svg.h"

namespace kernatlas::archives {

// `points`: row-major points × axes, in the axes' units, each acceptable to its axis; one or two
// axes (else std::invalid_argument). Answers for each point its polygons in the unit square, none
// for a point that is nowhere nearest: the first axis runs along x, the second along y, numeric
// ones in their scaled space, a label i of n over [i/n, (i + 1)/n]. With one axis the cells are as
// high as the square. Convex polygons, counter-clockwise; they do not overlap, and all together
// fill the square. O(points · log points) as a rule, O(points²) where all are equally near.
[[nodiscard]] std::vector<std::vector<Polygon>> voronoi_cells(const std::vector<Axis>& axes,
                                                              const std::vector<double>& points);

// Positive when counter-clockwise.
[[nodiscard]] double area(const Polygon& polygon);

}  // namespace kernatlas::archives
