// Centroids for a CVT archive: Lloyd's algorithm on uniform samples of the axes' scaled space.
//
// The same request gives the same centroids, bit for bit, at any number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "archives/axis.h"

namespace kernatlas::archives {

struct CentroidRequest {
  std::size_t count = 1000;
  std::size_t samples = 100000;  // at least count
  std::size_t iterations = 30;   // stops earlier when no sample changes its centroid
  std::uint64_t seed = 1;
  std::size_t threads = 0;  // 0: as many as the machine has
};

// Row-major count × axes in the axes' units: the points of an ArchiveSpec. A sample has a uniform
// place on every numeric axis and a uniform label on every categorical one; a centroid is the mean
// place and the most frequent label of the samples nearest to it, and stays where it is when there
// are none. Throws std::invalid_argument for no axes, a count of 0, fewer samples than centroids.
[[nodiscard]] std::vector<double> make_centroids(const std::vector<Axis>& axes,
                                                 const CentroidRequest& request);

}  // namespace kernatlas::archives
