// Metrics of an archive beyond the counters in Stats: how much of what is reachable is filled, how
// evenly, and how much of the score survives a second measurement.
//
// Pure functions of their arguments; nothing here changes an archive.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "archives/archive.h"
#include "archives/registry.h"

namespace kernatlas::archives {

// Share of the `reachable` cells that are occupied. Most cells of a map cannot exist; reachable are
// those that any valid candidate ever fell into, over all runs that are compared. Duplicates count
// once; NaN when there are none. O(reachable).
[[nodiscard]] double coverage(const Archive& archive, std::span<const std::size_t> reachable);

// Per axis, the Shannon entropy in bits of how the champions spread over its bins: 0 when they are
// all in one, log2 of the bins when evenly spread. O(occupied · axes).
[[nodiscard]] std::vector<double> axis_entropies(const Archive& archive);

// A stored entry measured again. Someone who could not be measured again has a NaN objective.
struct Remeasured {
  std::uint64_t id = 0;
  double objective = 0;
  std::vector<double> measures = {};  // empty: as they were
};

// An archive's score when every elite has to prove itself again (Flageul and Cully, "Uncertain
// quality-diversity", 2023): what was measured again is put into an empty archive of the same kind,
// under the strict rule.
struct CorrectedScore {
  double raw_qd_score = 0;
  double corrected_qd_score = 0;
  double corrected_best = 0;  // NaN when nothing is left
  std::size_t champions = 0;  // that were measured again
  // Champions that do not hold their cell on a second measurement: another member won it, they fell
  // into another cell, or they could not be measured.
  std::size_t illusory = 0;
  double illusory_share = 0;  // of champions; 0 when there are none
  // Mean over champions of the objective stored minus the one measured again: how lucky the stored
  // ones are. NaN when there are none.
  double optimism = 0;
};

// Stored entries that are not among `again` count as never stored: pass all members, or all
// champions. Ids that are not stored are an error, as is an id twice. O(stored).
[[nodiscard]] tl::expected<CorrectedScore, std::string> corrected_score(
    const ArchiveKinds& kinds, const Archive& archive, std::span<const Remeasured> again);

}  // namespace kernatlas::archives
