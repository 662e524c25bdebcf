// Interleaving: is the challenger really faster than the incumbent?
//
// Two separate measurements differ by whatever changed in between: clocks, neighbours, layout. So
// both are timed in pairs, in ABBA order (challenger first in one pair, second in the next), and
// the decision is taken over the pairs: the median ratio must be clearly better *and* nearly all
// pairs must agree. Anything else is a tie, and a tie keeps the incumbent. Pure functions.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "kernel/outcome.h"

namespace kernatlas {

struct InterleavingOptions {
  std::size_t min_pairs = 10;
  double min_gain = 0.01;  // median ratio below 1 - this
  double agreement = 0.9;  // this share of the pairs (rounded up) on the same side
};

// Who goes first in each pair: true: the challenger (A). ABBA ABBA …, or BAAB … when `flipped`.
[[nodiscard]] std::vector<bool> abba_order(std::size_t pairs, bool flipped);

// `log2_gains[i]`: log2(incumbent time / challenger time) of pair i, mean over the workloads.
// Fewer than min_pairs, or a value that is not finite: ambiguous.
[[nodiscard]] Comparison::Finding decide(std::span<const double> log2_gains,
                                         const InterleavingOptions& options = {});

}  // namespace kernatlas
