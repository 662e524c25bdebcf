// Soft archive: an entry is accepted when its objective lies above its cell's threshold, which then
// moves towards it: t ← (1 − rate) · t + rate · objective (Fontaine and Nikolaidis, "Covariance
// matrix adaptation MAP-annealing", 2023).
//
// NOT elitist: an accepted entry takes the cell even from a better one, so champions, QD score and
// best objective fall as well as rise. It is an archive to search with, because it keeps rewarding
// progress around a peak long after an elitist archive has frozen; what a search found belongs into
// a result archive beside it (archives/result_archive.h).
//
// Invariants (beyond those of CellArchive):
//  1. A cell holds one entry, the one accepted last.
//  2. The threshold of an empty cell is threshold_min; thresholds never fall.
//  3. state().extra holds the thresholds, one per occupied cell, in order of occupied().
//  4. An entry for an empty cell at or below threshold_min is rejected and does not open it.
//
// An outcome's gain is the objective minus the threshold before, also for `opened`: what CMA-ME's
// two-stage ranking wants. Only the rule "strict" is accepted: thresholds leave nothing for another
// rule to decide. Cost of an add: O(axes).
#pragma once

#include "archives/registry.h"

namespace kernatlas::archives {

// Kind "soft": options learning_rate, threshold_min. Cells are a grid's, or those of centroids when
// given.
[[nodiscard]] Kind soft_kind();

}  // namespace kernatlas::archives
