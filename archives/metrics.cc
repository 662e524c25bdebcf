#include "archives/metrics.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <unordered_set>

namespace kernatlas::archives {

double coverage(const Archive& archive, std::span<const std::size_t> reachable) {
  const std::unordered_set<std::size_t> cells(reachable.begin(), reachable.end());
  if (cells.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::size_t occupied = 0;
  for (const std::size_t cell : cells) occupied += archive.champion(cell) != nullptr;
  return static_cast<double>(occupied) / static_cast<double>(cells.size());
}

std::vector<double> axis_entropies(const Archive& archive) {
  std::vector<double> entropies;
  const auto total = static_cast<double>(archive.occupied().size());
  for (std::size_t i = 0; i < archive.axes().size(); ++i) {
    const Axis& axis = archive.axes()[i];
    std::vector<std::size_t> counts(axis.bins());
    for (const std::size_t cell : archive.occupied()) {
      ++counts[axis.locate(archive.champion(cell)->entry.measures[i])->index];
    }
    double bits = 0;
    for (const std::size_t count : counts) {
      const double share = static_cast<double>(count) / total;
      if (count > 0) bits -= share * std::log2(share);
    }
    entropies.push_back(std::abs(bits));
  }
  return entropies;
}

namespace {

// Whether the entry holds the cell it held before.
bool holds(const Archive& refilled, const Elite& before, bool fixed_cells) {
  const Elite* now = refilled.find(before.entry.id);
  return now != nullptr && now->rank == 0 && (!fixed_cells || now->cell == before.cell);
}

}  // namespace

tl::expected<CorrectedScore, std::string> corrected_score(const ArchiveKinds& kinds,
                                                          const Archive& archive,
                                                          std::span<const Remeasured> again) {
  ArchiveSpec spec = archive.spec();
  spec.acceptance = "strict";
  auto refilled = kinds.make(spec);
  if (!refilled) return tl::unexpected(refilled.error());
  CorrectedScore score;
  score.raw_qd_score = archive.stats().qd_score;
  std::vector<const Elite*> champions;
  std::unordered_set<std::uint64_t> ids;
  double luck = 0;
  std::size_t measured = 0;
  for (const Remeasured& each : again) {
    const Elite* elite = archive.find(each.id);
    if (elite == nullptr) return tl::unexpected(fmt::format("entry {} is not stored", each.id));
    if (!ids.insert(each.id).second) {
      return tl::unexpected(fmt::format("entry {} was measured again twice", each.id));
    }
    Entry entry = elite->entry;
    entry.objective = entry.low = entry.high = each.objective;
    if (!each.measures.empty()) entry.measures = each.measures;
    (*refilled)->add(std::move(entry));
    if (elite->rank != 0) continue;
    champions.push_back(elite);
    if (!std::isfinite(each.objective)) continue;
    luck += elite->entry.objective - each.objective;
    ++measured;
  }
  const bool fixed_cells = archive.traits().cells_by_measures;
  for (const Elite* elite : champions) score.illusory += !holds(**refilled, *elite, fixed_cells);
  score.champions = champions.size();
  const auto count = static_cast<double>(score.champions);
  score.illusory_share = count > 0 ? static_cast<double>(score.illusory) / count : 0;
  score.optimism = luck / static_cast<double>(measured);
  score.corrected_qd_score = (*refilled)->stats().qd_score;
  score.corrected_best = (*refilled)->stats().best;
  return score;
}

}  // namespace kernatlas::archives
