// Filling an archive from entries that were measured before: what merging, re-binning and importing
// have in common. The result depends on the entries only, not on their order, and filling again
// from what the result holds gives the same result.
#pragma once

#include <limits>
#include <vector>

#include "archives/atlas_error.h"
#include "archives/registry.h"
#include "archives/spec.h"

namespace kernatlas::archives {

struct Filling {
  Entry entry;  // ids all different
  // The entry ranks as if its objective were no larger than this: a direct comparison, which counts
  // for more than two timings, has shown that it is no better. Stored is its objective as measured.
  double cap = std::numeric_limits<double>::infinity();
  [[nodiscard]] double rank_objective() const { return std::min(entry.objective, cap); }
};

struct Filled {
  ArchiveState state;       // elites by cell, champion first
  std::size_t refused = 0;  // entries that the axes or the kind refuse
};

// Under the strict rule whatever `spec` says, since there is nobody to give evidence; the spec that
// is stored keeps its rule. O(n log n) adds. An error for a spec that cannot be.
[[nodiscard]] Expected<Filled> fill(const ArchiveSpec& spec, std::vector<Filling> entries,
                                    const ArchiveKinds& kinds);

// How much each elite of a state is held back by those that rank before it in its cell without
// having a larger objective: comparisons put them there. In the order of state.elites.
[[nodiscard]] std::vector<double> caps_of(const ArchiveState& state);

// Just below: what an entry that lost a comparison against `objective` may rank as.
[[nodiscard]] double just_below(double objective);

}  // namespace kernatlas::archives
