#include "archives/operations/fill.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

namespace kernatlas::archives {
namespace {

constexpr double kNone = std::numeric_limits<double>::infinity();

// Best first: whoever comes later in a cell cannot displace anybody.
bool before(const Filling& a, const Filling& b) {
  if (a.rank_objective() != b.rank_objective()) return a.rank_objective() > b.rank_objective();
  if (a.entry.size != b.entry.size) return a.entry.size < b.entry.size;
  return a.entry.id < b.entry.id;
}

// Positions are sorted, for they are small.
void sort_best_first(std::vector<Filling>& entries) {
  std::vector<const Filling*> order;
  order.reserve(entries.size());
  for (const Filling& each : entries) order.push_back(&each);
  std::sort(order.begin(), order.end(),
            [](const Filling* a, const Filling* b) { return before(*a, *b); });
  std::vector<Filling> sorted;
  sorted.reserve(entries.size());
  for (const Filling* each : order) {
    sorted.push_back(std::move(entries[static_cast<std::size_t>(each - entries.data())]));
  }
  entries = std::move(sorted);
}

Expected<std::unique_ptr<Archive>> add_all(const ArchiveSpec& spec,
                                           const std::vector<Filling>& entries,
                                           const ArchiveKinds& kinds, std::size_t& refused) {
  ArchiveSpec strict = spec;
  strict.acceptance = "strict";
  strict.min_gain = 0;
  auto archive = kinds.make(std::move(strict));
  if (!archive) return fail({.message = "the archive cannot be made: " + archive.error()});
  for (const Filling& each : entries) {
    Entry entry = each.entry;
    entry.objective = each.rank_objective();
    if ((*archive)->add(std::move(entry)).status == AddStatus::refused) ++refused;
  }
  return std::move(*archive);
}

// The sums over champions, from the objectives as measured.
void sum_up(ArchiveState& state) {
  Stats& stats = state.counters;
  stats.qd_score = stats.sum = 0;
  stats.best = std::numeric_limits<double>::quiet_NaN();
  for (const Elite& elite : state.elites) {
    if (elite.rank != 0) continue;
    stats.sum += elite.entry.objective;
    stats.qd_score += std::max(0.0, elite.entry.objective - state.spec.floor);
    if (!(stats.best > elite.entry.objective)) stats.best = elite.entry.objective;
  }
  stats.mean = stats.sum / static_cast<double>(stats.occupied);
}

// Those that ranked below what was measured of them.
void restore_objectives(ArchiveState& state, const std::vector<Filling>& entries) {
  std::unordered_map<std::uint64_t, const Entry*> measured;
  for (const Filling& each : entries) {
    if (each.cap < each.entry.objective) measured.emplace(each.entry.id, &each.entry);
  }
  if (measured.empty()) return;
  for (Elite& elite : state.elites) {
    const auto found = measured.find(elite.entry.id);
    if (found == measured.end()) continue;
    elite.entry.objective = found->second->objective;
    elite.entry.low = found->second->low;
    elite.entry.high = found->second->high;
  }
}

// Cells in order, each as it was. Positions are sorted, for they are small.
void sort_by_cell(std::vector<Elite>& elites) {
  std::vector<std::pair<std::size_t, std::size_t>> order;
  order.reserve(elites.size());
  for (std::size_t i = 0; i < elites.size(); ++i) order.emplace_back(elites[i].cell, i);
  std::sort(order.begin(), order.end());
  std::vector<Elite> sorted;
  sorted.reserve(elites.size());
  for (const auto& each : order) sorted.push_back(std::move(elites[each.second]));
  elites = std::move(sorted);
}

}  // namespace

double just_below(double objective) {
  return std::nextafter(objective, -kNone);
}

std::vector<double> caps_of(const ArchiveState& state) {
  std::vector<double> caps(state.elites.size(), kNone);
  double previous = kNone;  // what the elite before it in its cell ranks as
  for (std::size_t i = 0; i < state.elites.size(); ++i) {
    const double objective = state.elites[i].entry.objective;
    const bool first = i == 0 || state.elites[i].cell != state.elites[i - 1].cell;
    if (!first && objective > previous) caps[i] = just_below(previous);
    previous = std::min(objective, caps[i]);
  }
  return caps;
}

// Twice: what the first archive kept, added alone, gives slots, ranks and counters that depend on
// nothing else.
Expected<Filled> fill(const ArchiveSpec& spec, std::vector<Filling> entries,
                      const ArchiveKinds& kinds) {
  Filled filled;
  sort_best_first(entries);
  auto first = add_all(spec, entries, kinds, filled.refused);
  if (!first) return fail(first.error());
  std::erase_if(entries,
                [&](const Filling& each) { return (*first)->find(each.entry.id) == nullptr; });
  first->reset();
  std::size_t none = 0;
  auto second = add_all(spec, entries, kinds, none);
  if (!second) return fail(second.error());
  filled.state = (*second)->state();
  filled.state.spec.acceptance = spec.acceptance;
  filled.state.spec.min_gain = spec.min_gain;
  restore_objectives(filled.state, entries);
  sort_by_cell(filled.state.elites);
  sum_up(filled.state);
  return filled;
}

}  // namespace kernatlas::archives
