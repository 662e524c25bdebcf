// Rebin: the same elites in an archive of another kind, other axes or another resolution.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "archives/atlas.h"
#include "archives/registry.h"

namespace kernatlas::archives {

// An elite's measures on the new axes; nothing when they are not known of it.
using Remeasure = std::function<std::optional<std::vector<double>>(const Elite& elite,
                                                                   const AtlasRecord& record)>;

struct Rebinned {
  Atlas atlas;              // the elites keep their ids; those that found no place are gone
  std::size_t unknown = 0;  // without the measures
  std::size_t refused = 0;  // which the new axes refuse
};

// Every elite of `atlas`, champions and runners-up alike, is judged afresh. What a search measured
// and did not keep is not in an atlas: a finer archive is better made from the run itself.
[[nodiscard]] Expected<Rebinned> rebin(const Atlas& atlas, const ArchiveSpec& spec,
                                       const Remeasure& remeasure, const ArchiveKinds& kinds);

// For axes that have a namesake in the atlas: its measure. Nothing when one has none; labels are
// found by their text.
[[nodiscard]] std::optional<Remeasure> by_name(const std::vector<Axis>& from,
                                               const std::vector<Axis>& to);

}  // namespace kernatlas::archives
