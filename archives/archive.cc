#include "archives/archive.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace kernatlas::archives {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
// A change that leaves less than this share of what was taken away has cancelled most digits.
constexpr double kCancelled = 1e-9;
// How far a stored sum may be from a fresh one: rounding of many changes, never a lie.
constexpr double kDrift = 1e-6;

bool has_interval(const Entry& entry) {
  return std::isfinite(entry.low) && std::isfinite(entry.high) && entry.low <= entry.objective &&
         entry.objective <= entry.high;
}

double above_floor(double objective, double floor) {
  return std::max(0.0, objective - floor);
}

std::string unplaced(const Axis& axis, double measure, const std::optional<Bin>& bin) {
  if (!bin) return fmt::format("axis \"{}\" has no bin for {}", axis.name(), measure);
  if (bin->where == Bin::Where::inside || axis.policy() == OutOfRange::clip) return {};
  return fmt::format("{} is out of the range of axis \"{}\"", measure, axis.name());
}

// What add() would never have stored.
std::string impossible(const Elite& elite, const std::vector<Axis>& axes) {
  const Entry& entry = elite.entry;
  if (entry.measures.size() != axes.size()) {
    return fmt::format("{} measures for {} axes", entry.measures.size(), axes.size());
  }
  for (std::size_t i = 0; i < axes.size(); ++i) {
    std::string why = unplaced(axes[i], entry.measures[i], axes[i].locate(entry.measures[i]));
    if (!why.empty()) return why;
  }
  if (!std::isfinite(entry.objective)) return fmt::format("the objective is {}", entry.objective);
  if (!has_interval(entry)) return "the interval does not contain the objective";
  if (std::isnan(entry.size)) return "the size is nan";
  return {};
}

bool agrees(double stored, double fresh, double magnitude) {
  return stored == fresh || std::abs(stored - fresh) <= kDrift * magnitude;
}

}  // namespace

std::string_view name(AddStatus status) {
  switch (status) {
    case AddStatus::rejected:
      return "rejected";
    case AddStatus::improved:
      return "improved";
    case AddStatus::opened:
      return "opened";
    case AddStatus::contested:
      return "contested";
    case AddStatus::refused:
      return "refused";
  }
  return "?";
}

Archive::Archive(ArchiveSpec spec, std::size_t cells, std::unique_ptr<Acceptance> rule)
    : spec_(std::move(spec)), rule_(std::move(rule)) {
  if (!std::isfinite(spec_.floor)) throw std::invalid_argument("archive: the floor must be finite");
  if (!rule_) rule_ = make_acceptance(spec_.acceptance, spec_.min_gain);
  if (!rule_) {
    throw std::invalid_argument(
        fmt::format("archive: there is no acceptance rule \"{}\"", spec_.acceptance));
  }
  stats_.cells = cells;
  if (cells == 0) stats_.coverage = kNan;
  for (auto* counts : {&stats_.below, &stats_.above, &stats_.first, &stats_.last}) {
    counts->assign(spec_.axes.size(), 0);
  }
  bins_.resize(spec_.axes.size());
}

AddOutcome Archive::add(Entry entry, const std::optional<Evidence>& evidence) {
  AddOutcome outcome = settle(std::move(entry), evidence);
  count(outcome.status);
  return outcome;
}

std::vector<AddOutcome> Archive::add_batch(std::vector<Entry> entries) {
  // Of every cell whose champion changed: who held it before, and the entry that took it last.
  struct Change {
    std::optional<Incumbent> before;
    std::size_t last = 0;
  };
  std::unordered_map<std::size_t, Change> changes;
  std::vector<AddOutcome> outcomes;
  std::vector<std::pair<std::uint64_t, double>> added;
  outcomes.reserve(entries.size());
  added.reserve(entries.size());
  for (Entry& entry : entries) {
    added.emplace_back(entry.id, entry.objective);
    outcomes.push_back(settle(std::move(entry), std::nullopt));
    const AddOutcome& outcome = outcomes.back();
    if (outcome.status != AddStatus::opened && outcome.status != AddStatus::improved) continue;
    Change fresh;
    if (outcome.displaced) fresh.before = {*outcome.displaced, former_objective_};
    changes.try_emplace(outcome.cell, fresh).first->second.last = outcomes.size() - 1;
  }
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const auto change = changes.find(outcomes[i].cell);
    const bool credited = change != changes.end() && change->second.last == i;
    conclude(outcomes[i], added[i].first, added[i].second,
             credited ? &change->second.before : nullptr);
    count(outcomes[i].status);
  }
  return outcomes;
}

// What came of one entry of a batch. `before`: who held the cell before the batch, when this entry
// is the one that holds it now.
void Archive::conclude(AddOutcome& outcome, std::uint64_t id, double objective,
                       const std::optional<Incumbent>* before) const {
  std::erase_if(outcome.dropped, [&](std::uint64_t each) { return find(each) != nullptr; });
  if (outcome.status == AddStatus::refused) return;
  outcome.kept = find(id) != nullptr;
  if (outcome.status == AddStatus::contested) {
    outcome.incumbent = champion(outcome.cell)->entry.id;
  } else if (before == nullptr) {
    outcome.status = AddStatus::rejected;
    outcome.displaced.reset();
    outcome.gain = 0;
  } else if (before->has_value()) {
    outcome.status = AddStatus::improved;
    outcome.displaced = (*before)->id;
    if (traits().elitist) outcome.gain = objective - (*before)->objective;
  } else {
    outcome.status = AddStatus::opened;
    outcome.displaced.reset();
    if (traits().elitist) outcome.gain = 0;
  }
}

AddOutcome Archive::settle(Entry&& entry, const std::optional<Evidence>& evidence) {
  AddOutcome outcome;
  outcome.reason = locate(entry.measures);
  if (outcome.reason.empty() && !std::isfinite(entry.objective)) {
    outcome.reason = fmt::format("the objective is {}", entry.objective);
  }
  std::optional<Entry> watched;
  if (watcher_ != nullptr) watched = entry;
  if (outcome.reason.empty()) {
    if (!has_interval(entry)) entry.low = entry.high = entry.objective;
    // NaN has no place in the order of entries; as a tie-break it loses.
    if (std::isnan(entry.size)) entry.size = std::numeric_limits<double>::infinity();
    outcome = do_add(std::move(entry), bins_, evidence);
  } else {
    outcome.status = AddStatus::refused;
  }
  if (outcome.status != AddStatus::refused) {
    for (std::size_t i = 0; i < bins_.size(); ++i) {
      stats_.first[i] += bins_[i].index == 0;
      stats_.last[i] += bins_[i].index + 1 == spec_.axes[i].bins();
    }
  }
  if (watched) watcher_->seen(*watched, evidence, outcome);
  return outcome;
}

// Fills bins_ and counts what is out of range; why the measures cannot be placed, or nothing.
std::string Archive::locate(std::span<const double> measures) {
  std::string why;
  if (measures.size() != bins_.size()) {
    why = fmt::format("{} measures for {} axes", measures.size(), bins_.size());
  }
  const std::size_t count = std::min(measures.size(), bins_.size());
  for (std::size_t i = 0; i < count; ++i) {
    const Axis& axis = spec_.axes[i];
    const std::optional<Bin> bin = axis.locate(measures[i]);
    if (bin && bin->where == Bin::Where::inside) {
      bins_[i] = *bin;
      continue;
    }
    if (bin) ++(bin->where == Bin::Where::below ? stats_.below : stats_.above)[i];
    if (bin) bins_[i] = *bin;
    if (why.empty()) why = unplaced(axis, measures[i], bin);
  }
  return why;
}

std::optional<std::vector<Bin>> Archive::bins_of(std::span<const double> measures) const {
  if (measures.size() != axes().size()) return std::nullopt;
  std::vector<Bin> bins;
  bins.reserve(measures.size());
  for (std::size_t i = 0; i < measures.size(); ++i) {
    const std::optional<Bin> bin = axes()[i].locate(measures[i]);
    if (!bin) return std::nullopt;
    if (bin->where != Bin::Where::inside && axes()[i].policy() == OutOfRange::reject) {
      return std::nullopt;
    }
    bins.push_back(*bin);
  }
  return bins;
}

void Archive::champion_changed(std::optional<double> before, std::optional<double> after) {
  bool cancelled = false;
  if (before) {
    stats_.sum -= *before;
    stats_.qd_score -= above_floor(*before, floor());
    --stats_.occupied;
    cancelled = std::abs(stats_.sum) < kCancelled * std::abs(*before) ||
                stats_.qd_score < kCancelled * above_floor(*before, floor());
    former_objective_ = *before;
  }
  if (after) {
    stats_.sum += *after;
    stats_.qd_score += above_floor(*after, floor());
    ++stats_.occupied;
  }
  if (cancelled) recount();
  const auto count = static_cast<double>(stats_.occupied);
  if (stats_.cells > 0) stats_.coverage = count / static_cast<double>(stats_.cells);
  stats_.mean = stats_.sum / count;  // 0 / 0 when the archive became empty
  if (after && !(stats_.best > *after)) {
    stats_.best = *after;
  } else if (before && *before == stats_.best) {
    stats_.best = kNan;
    for (const std::size_t cell : occupied()) {
      const double objective = champion(cell)->entry.objective;
      if (!(stats_.best > objective)) stats_.best = objective;
    }
  }
}

// The sums afresh: what rounding made of them no longer matters.
void Archive::recount() {
  stats_.sum = stats_.qd_score = 0;
  for (const std::size_t cell : occupied()) {
    const double objective = champion(cell)->entry.objective;
    stats_.sum += objective;
    stats_.qd_score += above_floor(objective, floor());
  }
}

Decision Archive::judge(const Entry& challenger, const Entry& champion,
                        const std::optional<Evidence>& evidence) const {
  const bool current = evidence && evidence->incumbent == champion.id;
  return rule_->decide(challenger, champion, current ? evidence : std::nullopt);
}

ArchiveState Archive::state() const {
  ArchiveState state{.spec = spec_, .counters = stats_, .elites = {}, .extra = extra()};
  for (const std::size_t cell : occupied()) {
    for (const Elite& elite : members(cell)) state.elites.push_back(elite);
  }
  return state;
}

std::string Archive::restore(const ArchiveState& state) {
  std::unordered_set<std::uint64_t> ids;
  for (const Elite& elite : state.elites) {
    std::string why = impossible(elite, axes());
    if (why.empty() && !ids.insert(elite.entry.id).second) why = "the id is stored twice";
    if (!why.empty()) return fmt::format("entry {}: {}", elite.entry.id, why);
  }
  if (std::string why = do_restore(state.elites, state.extra); !why.empty()) return why;
  return restore_counters(state.counters);
}

// Sums come as they are stored, since they carry the rounding of their history; what follows from
// the members must follow.
std::string Archive::restore_counters(const Stats& stored) {
  const std::size_t count = occupied().size();
  for (const auto* counts : {&stored.below, &stored.above, &stored.first, &stored.last}) {
    if (counts->size() != axes().size()) return "the counters are not one per axis";
  }
  if (stored.cells != stats_.cells || stored.occupied != count) {
    return fmt::format("the counters say {} of {} cells, the members {} of {}", stored.occupied,
                       stored.cells, count, stats_.cells);
  }
  recount();
  double magnitude = 0;
  double best = kNan;
  for (const std::size_t cell : occupied()) {
    const double objective = champion(cell)->entry.objective;
    magnitude += std::abs(objective) + above_floor(objective, floor());
    if (!(best > objective)) best = objective;
  }
  if (!agrees(stored.qd_score, stats_.qd_score, magnitude) ||
      !agrees(stored.sum, stats_.sum, magnitude)) {
    return fmt::format("the counters' score {} and sum {} do not fit the members' {} and {}",
                       stored.qd_score, stored.sum, stats_.qd_score, stats_.sum);
  }
  const std::size_t cells = stats_.cells;
  stats_ = stored;
  stats_.coverage = cells == 0 ? kNan : static_cast<double>(count) / static_cast<double>(cells);
  stats_.mean = stats_.sum / static_cast<double>(count);
  stats_.best = best;
  return {};
}

void Archive::count(AddStatus status) {
  switch (status) {
    case AddStatus::rejected:
      ++stats_.rejected;
      break;
    case AddStatus::improved:
      ++stats_.improved;
      break;
    case AddStatus::opened:
      ++stats_.opened;
      break;
    case AddStatus::contested:
      ++stats_.contested;
      break;
    case AddStatus::refused:
      ++stats_.refused;
      break;
  }
}

}  // namespace kernatlas::archives
