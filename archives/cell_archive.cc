#include "archives/cell_archive.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace kernatlas::archives {

CellArchive::CellArchive(ArchiveSpec spec, std::unique_ptr<CellIndex> index,
                         std::unique_ptr<Acceptance> rule)
    : Archive(std::move(spec), index->cells(), std::move(rule)),
      index_(std::move(index)),
      position_(index_->cells()) {}

std::optional<std::size_t> CellArchive::cell_of(std::span<const double> measures) const {
  const auto bins = bins_of(measures);
  if (!bins) return std::nullopt;
  return index_->cell(measures, *bins);
}

const CellArchive::Members* CellArchive::members_at(std::size_t cell) const {
  const std::size_t found = position_.find(cell);
  return found == IdMap::kNone ? nullptr : &members_[found];
}

const Elite* CellArchive::champion(std::size_t cell) const {
  const Members* members = members_at(cell);
  return members == nullptr ? nullptr : members->data();
}

std::span<const Elite> CellArchive::members(std::size_t cell) const {
  const Members* members = members_at(cell);
  return members == nullptr ? std::span<const Elite>() : std::span<const Elite>(*members);
}

const Elite* CellArchive::find(std::uint64_t id) const {
  const std::size_t home = home_.find(id);
  if (home == IdMap::kNone) return nullptr;
  const Members& members = members_[home];
  return &*std::find_if(members.begin(), members.end(),
                        [id](const Elite& elite) { return elite.entry.id == id; });
}

std::size_t CellArchive::occupied_neighbours(std::size_t cell) const {
  if (!position_.contains(cell)) return 0;
  const auto neighbours = index_->neighbours(cell);
  return static_cast<std::size_t>(
      std::count_if(neighbours.begin(), neighbours.end(),
                    [this](std::size_t other) { return position_.contains(other); }));
}

AddOutcome CellArchive::do_add(Entry&& entry, std::span<const Bin> bins,
                               const std::optional<Evidence>& evidence) {
  AddOutcome outcome;
  outcome.cell = index_->cell(entry.measures, bins);
  outcome.reason = objection(entry);
  const std::size_t found = position_.find(outcome.cell);
  const std::size_t home = home_of(entry.id);
  if (home != IdMap::kNone && home != found) {
    outcome.reason = fmt::format("entry {} is stored in another cell", entry.id);
  }
  if (!outcome.reason.empty()) {
    outcome.status = AddStatus::refused;
    return outcome;
  }
  if (found == IdMap::kNone) {
    enter(std::move(entry), outcome);
    return outcome;
  }
  if (home == IdMap::kNone && !evidence && hopeless(found, entry.objective)) return outcome;
  Members& members = members_[found];
  if (members.front().entry.id == entry.id) {
    outcome.kept = true;
    return outcome;
  }
  compete(members, std::move(entry), evidence, outcome);
  return outcome;
}

void CellArchive::enter(Entry&& entry, AddOutcome& outcome) {
  const double objective = entry.objective;
  open(outcome.cell, std::move(entry));
  champion_changed(std::nullopt, objective);
  outcome.status = AddStatus::opened;
  outcome.kept = true;
}

void CellArchive::open(std::size_t cell, Entry&& entry) {
  position_.set(cell, occupied_.size());
  settle_in(entry.id, occupied_.size());
  occupied_.push_back(cell);
  members_.emplace_back().push_back({std::move(entry), cell, 0});
}

void CellArchive::contest(const Members& members, std::uint64_t id, AddOutcome& outcome) const {
  outcome.status = AddStatus::contested;
  outcome.incumbent = members.front().entry.id;
  outcome.kept = home_.find(id) != IdMap::kNone;
}

Entry CellArchive::crown(Members& members, Entry&& entry, AddOutcome& outcome) {
  home_.erase(members.front().entry.id);
  settle_in(entry.id, position_.find(members.front().cell));
  const double objective = entry.objective;
  Entry former = std::exchange(members.front().entry, std::move(entry));
  outcome.status = AddStatus::improved;
  outcome.gain = objective - former.objective;
  outcome.displaced = former.id;
  outcome.kept = true;
  champion_changed(former.objective, objective);
  return former;
}

void CellArchive::insert(Members& members, std::size_t rank, Entry&& entry) {
  const std::size_t cell = members.front().cell;
  settle_in(entry.id, position_.find(cell));
  members.insert(members.begin() + static_cast<std::ptrdiff_t>(rank), {std::move(entry), cell, 0});
  for (; rank < members.size(); ++rank) members[rank].rank = rank;
}

void CellArchive::erase(Members& members, std::size_t rank) {
  home_.erase(members[rank].entry.id);
  members.erase(members.begin() + static_cast<std::ptrdiff_t>(rank));
  for (; rank < members.size(); ++rank) members[rank].rank = rank;
}

bool CellArchive::take_out(Members& members, std::uint64_t id) {
  for (std::size_t rank = 1; rank < members.size(); ++rank) {
    if (members[rank].entry.id != id) continue;
    erase(members, rank);
    return true;
  }
  return false;
}

std::string CellArchive::do_restore(std::vector<Elite> elites, const std::vector<double>& extra) {
  for (Elite& elite : elites) {
    const std::uint64_t id = elite.entry.id;
    const std::size_t cell = cell_of(elite.entry.measures).value();
    if (elite.cell != cell) {
      return fmt::format("entry {}: cell {}, but its measures belong to {}", id, elite.cell, cell);
    }
    if (std::string why = objection(elite.entry); !why.empty()) {
      return fmt::format("entry {}: {}", id, why);
    }
    const bool same_cell = !occupied_.empty() && occupied_.back() == cell;
    if (!same_cell && position_.contains(cell)) {
      return fmt::format("entry {}: cell {} comes twice", id, cell);
    }
    if (elite.rank != (same_cell ? members_.back().size() : 0)) {
      return fmt::format("entry {}: rank {} is out of order", id, elite.rank);
    }
    if (same_cell) {
      settle_in(id, members_.size() - 1);
      members_.back().push_back(std::move(elite));
    } else {
      open(cell, std::move(elite.entry));
    }
  }
  for (const Members& members : members_) {
    if (std::string why = check_members(members); !why.empty()) {
      return fmt::format("cell {}: {}", members.front().cell, why);
    }
  }
  return restore_extra(extra);
}

std::string CellArchive::restore_extra(const std::vector<double>& extra) {
  return extra.empty() ? "" : fmt::format("{} extra numbers, this kind has none", extra.size());
}

}  // namespace kernatlas::archives
