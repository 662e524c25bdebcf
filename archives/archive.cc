#include "archives/archive.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace kernatlas::archives {
namespace {

bool has_interval(const Entry& entry) {
  return std::isfinite(entry.low) && std::isfinite(entry.high) && entry.low <= entry.objective &&
         entry.objective <= entry.high;
}

double above_floor(double objective, double floor) {
  return std::max(0.0, objective - floor);
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

double Stats::edge_share(std::size_t axis) const {
  const std::uint64_t placed = adds() - refused;
  if (placed == 0) return 0;
  return static_cast<double>(std::max(first.at(axis), last.at(axis))) / static_cast<double>(placed);
}

Archive::Archive(double floor, std::size_t cells, std::size_t axes) : floor_(floor) {
  if (!std::isfinite(floor)) throw std::invalid_argument("archive: the floor must be finite");
  stats_.cells = cells;
  if (cells == 0) stats_.coverage = std::numeric_limits<double>::quiet_NaN();
  for (auto* counts : {&stats_.below, &stats_.above, &stats_.first, &stats_.last}) {
    counts->assign(axes, 0);
  }
}

AddOutcome Archive::add(Entry entry, const std::optional<Evidence>& evidence) {
  AddOutcome outcome;
  outcome.reason = refusal(axes(), entry.measures);
  if (outcome.reason.empty() && !std::isfinite(entry.objective)) {
    outcome.reason = fmt::format("the objective is {}", entry.objective);
  }
  if (outcome.reason.empty()) {
    if (!has_interval(entry)) entry.low = entry.high = entry.objective;
    // NaN has no place in the order of entries; as a tie-break it loses.
    if (std::isnan(entry.size)) entry.size = std::numeric_limits<double>::infinity();
    outcome = do_add(entry, evidence);
  } else {
    outcome.status = AddStatus::refused;
  }
  count_bins(entry.measures, outcome.status != AddStatus::refused);
  count_status(outcome.status);
  return outcome;
}

void Archive::champion_changed(std::optional<double> before, std::optional<double> after) {
  if (before) {
    sum_ -= *before;
    stats_.qd_score -= above_floor(*before, floor_);
    --stats_.occupied;
  }
  if (after) {
    sum_ += *after;
    stats_.qd_score += above_floor(*after, floor_);
    ++stats_.occupied;
  }
  const auto count = static_cast<double>(stats_.occupied);
  if (stats_.cells > 0) stats_.coverage = count / static_cast<double>(stats_.cells);
  stats_.mean = sum_ / count;  // 0 / 0 when the archive became empty
  if (after && !(stats_.best > *after)) {
    stats_.best = *after;
  } else if (before && *before == stats_.best) {
    stats_.best = std::numeric_limits<double>::quiet_NaN();
    for (const std::size_t cell : occupied()) {
      const double objective = champion(cell)->entry.objective;
      if (!(stats_.best > objective)) stats_.best = objective;
    }
  }
}

Decision Archive::judge(const Acceptance& rule, const Entry& challenger, const Entry& champion,
                        const std::optional<Evidence>& evidence) {
  const bool current = evidence && evidence->incumbent == champion.id;
  return rule.decide(challenger, champion, current ? evidence : std::nullopt);
}

std::string Archive::refusal(const std::vector<Axis>& axes, std::span<const double> measures) {
  if (measures.size() != axes.size()) {
    return fmt::format("{} measures for {} axes", measures.size(), axes.size());
  }
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const auto bin = axes[i].locate(measures[i]);
    if (!bin) return fmt::format("axis \"{}\" has no bin for {}", axes[i].name(), measures[i]);
    if (bin->where != Bin::Where::inside && axes[i].policy() == OutOfRange::reject) {
      return fmt::format("{} is out of the range of axis \"{}\"", measures[i], axes[i].name());
    }
  }
  return {};
}

void Archive::count_bins(std::span<const double> measures, bool placed) {
  const std::size_t count = std::min(axes().size(), measures.size());
  for (std::size_t i = 0; i < count; ++i) {
    const auto bin = axes()[i].locate(measures[i]);
    if (!bin) continue;
    if (bin->where == Bin::Where::below) ++stats_.below[i];
    if (bin->where == Bin::Where::above) ++stats_.above[i];
    if (placed && bin->index == 0) ++stats_.first[i];
    if (placed && bin->index + 1 == axes()[i].bins()) ++stats_.last[i];
  }
}

void Archive::count_status(AddStatus status) {
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
