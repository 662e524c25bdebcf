// Dominated novelty archive: no cells, a fixed number of entries. Each entry's score is the mean
// distance to its `neighbours` nearest entries that are fitter; the one with the lowest score has
// to go when there is no room (Bahlous-Boldi et al., "Dominated novelty search", 2025). An entry is
// worth keeping when it is either good or unlike everything that is better.
//
// Invariants (beyond those of Archive):
//  1. Every entry is the champion of a "cell" of its own, the slot it is stored in; occupied() is
//     0 … n − 1, n ≤ capacity. An entry that displaces another takes over its slot.
//  2. The fittest entry (by better()) has no fitter one: its score is infinite, it never leaves.
//  3. With fewer fitter entries than `neighbours` the mean is over those there are.
//  4. Of equal scores the less fit entry goes.
//  5. Scores are a function of what is stored: they need no place in the state.
//
// Not elitist by slot: a novel entry may displace a fitter one, so the QD score (the sum over what
// is stored) may fall; the best objective never does. What is stored after overflow depends on the
// order. `coverage` is NaN; compare runs by a grid as result archive. cell_of() names the slot of
// the nearest entry. Only the rule "strict" is accepted: entries do not duel for a cell.
//
// Distances are those of archives/measure_space.h. One add costs O(n · axes), and the same again
// for each of the few entries that had the displaced one among their neighbours; memory is
// O(capacity · (axes + neighbours)); restoring is O(n² · axes).
#pragma once

#include "archives/registry.h"

namespace kernatlas::archives {

// Kind "dominated-novelty": options capacity, neighbours.
[[nodiscard]] Kind dominated_novelty_kind();

}  // namespace kernatlas::archives
