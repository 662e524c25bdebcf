// Nearest: which of a fixed set of points lies nearest to a place, exactly, by brute force or by a
// k-d tree. Both give the same answer to the last bit, so the choice is only one of speed.
//
// Of points equally near, the one with the lowest index wins. Immutable after construction; const
// methods from many threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "archives/measure_space.h"

namespace kernatlas::archives {

class Nearest {
 public:
  virtual ~Nearest() = default;
  // `place`: scaled, one number per dimension. Needs at least one point.
  [[nodiscard]] virtual std::size_t nearest(const double* place) const = 0;
  // The `count` nearest (all, when there are fewer), nearest first.
  [[nodiscard]] virtual std::vector<std::size_t> nearest(const double* place,
                                                         std::size_t count) const = 0;
};

// O(points · dimensions) a search, in blocks that vectorise.
[[nodiscard]] std::unique_ptr<Nearest> brute_force_nearest(const MeasureSpace& space,
                                                           const std::vector<double>& points);
// O(log points) a search in few dimensions, worse than brute force in many. Building it is
// O(points · log² points); axes that are categorical never split.
[[nodiscard]] std::unique_ptr<Nearest> tree_nearest(const MeasureSpace& space,
                                                    const std::vector<double>& points);
// Whichever measured as the faster one at this size (tools/bench/archive_bench.cc has the figures).
[[nodiscard]] std::unique_ptr<Nearest> quickest_nearest(const MeasureSpace& space,
                                                        const std::vector<double>& points);

}  // namespace kernatlas::archives
