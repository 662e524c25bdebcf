#include "archives/grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <unordered_map>
#include <utility>

namespace kernatlas::archives {
namespace {

constexpr std::size_t kMaxCells = std::size_t{1} << 48;

std::size_t checked_cells(const std::vector<Axis>& axes) {
  if (axes.empty()) throw std::invalid_argument("grid: at least one axis is needed");
  std::size_t cells = 1;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (axes[i].name() == axes[j].name()) {
        throw std::invalid_argument(fmt::format("grid: two axes named \"{}\"", axes[i].name()));
      }
    }
    if (axes[i].bins() > kMaxCells / cells) {
      throw std::invalid_argument("grid: more than 2^48 cells");
    }
    cells *= axes[i].bins();
  }
  return cells;
}

struct Cell {
  std::vector<Elite> members;
  std::size_t neighbours = 0;  // how many neighbouring cells are occupied
};

class Grid final : public Archive {
 public:
  Grid(std::vector<Axis> axes, std::unique_ptr<Acceptance> acceptance, const GridOptions& options)
      : Archive(options.floor, checked_cells(axes), axes.size()),
        axes_(std::move(axes)),
        acceptance_(std::move(acceptance)),
        depth_(options.depth) {
    if (!acceptance_) throw std::invalid_argument("grid: an acceptance rule is needed");
    if (depth_ == 0) throw std::invalid_argument("grid: the depth must be at least 1");
    std::size_t stride = 1;
    strides_.resize(axes_.size());
    for (std::size_t i = axes_.size(); i-- > 0; stride *= axes_[i].bins()) strides_[i] = stride;
  }

  std::string_view kind() const override { return "grid"; }

  std::optional<std::size_t> cell_of(std::span<const double> measures) const override {
    if (!refusal(axes_, measures).empty()) return std::nullopt;
    return index(measures);
  }

  const Elite* champion(std::size_t cell) const override {
    const auto found = cells_.find(cell);
    return found == cells_.end() ? nullptr : found->second.members.data();
  }

  std::span<const Elite> members(std::size_t cell) const override {
    const auto found = cells_.find(cell);
    if (found == cells_.end()) return {};
    return found->second.members;
  }

  std::span<const std::size_t> occupied() const override { return occupied_; }
  const std::vector<Axis>& axes() const override { return axes_; }

  std::size_t occupied_neighbours(std::size_t cell) const override {
    const auto found = cells_.find(cell);
    return found == cells_.end() ? 0 : found->second.neighbours;
  }

  std::vector<std::string> cell_text(std::size_t cell) const override {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < axes_.size(); ++i) {
      texts.push_back(axes_[i].bin_text(bin_of(cell, i)));
    }
    return texts;
  }

 private:
  AddOutcome do_add(const Entry& entry, const std::optional<Evidence>& evidence) override;
  void open(std::size_t cell, const Entry& entry);
  void meet_neighbours(std::size_t cell);
  void replace(std::vector<Elite>& members, std::size_t cell, Entry entry);
  void store_runner_up(std::vector<Elite>& members, std::size_t cell, Entry entry);
  bool holds(std::uint64_t id) const { return home_.contains(id); }

  // The measures' bins exist: refusal() found nothing.
  std::size_t index(std::span<const double> measures) const {
    std::size_t cell = 0;
    for (std::size_t i = 0; i < axes_.size(); ++i) {
      cell += axes_[i].locate(measures[i])->index * strides_[i];
    }
    return cell;
  }
  std::size_t bin_of(std::size_t cell, std::size_t axis) const {
    return cell / strides_[axis] % axes_[axis].bins();
  }

  std::vector<Axis> axes_;
  std::vector<std::size_t> strides_;
  std::unique_ptr<Acceptance> acceptance_;
  std::size_t depth_;
  std::unordered_map<std::size_t, Cell> cells_;
  std::vector<std::size_t> occupied_;
  std::unordered_map<std::uint64_t, std::size_t> home_;  // cell of every stored id
};

AddOutcome Grid::do_add(const Entry& entry, const std::optional<Evidence>& evidence) {
  AddOutcome outcome;
  outcome.cell = index(entry.measures);
  if (const auto home = home_.find(entry.id); home != home_.end() && home->second != outcome.cell) {
    outcome.status = AddStatus::refused;
    outcome.reason = fmt::format("entry {} is stored in another cell", entry.id);
    return outcome;
  }
  const auto found = cells_.find(outcome.cell);
  if (found == cells_.end()) {
    open(outcome.cell, entry);
    outcome.status = AddStatus::opened;
    outcome.kept = true;
    return outcome;
  }
  std::vector<Elite>& members = found->second.members;
  const Entry& champion = members.front().entry;
  if (champion.id == entry.id) {
    outcome.kept = true;
    return outcome;
  }
  switch (judge(*acceptance_, entry, champion, evidence)) {
    case Decision::replace:
      outcome.status = AddStatus::improved;
      outcome.gain = entry.objective - champion.objective;
      outcome.displaced = champion.id;
      replace(members, outcome.cell, entry);
      break;
    case Decision::keep_champion:
      store_runner_up(members, outcome.cell, entry);
      break;
    case Decision::need_evidence:
      outcome.status = AddStatus::contested;
      outcome.incumbent = champion.id;
      break;
  }
  outcome.kept = holds(entry.id);
  return outcome;
}

void Grid::open(std::size_t cell, const Entry& entry) {
  cells_[cell].members.push_back({entry, cell, 0});
  home_[entry.id] = cell;
  occupied_.push_back(cell);
  meet_neighbours(cell);
  champion_changed(std::nullopt, entry.objective);
}

// Counting when a cell opens makes the rarity of a cell a look-up for selectors.
void Grid::meet_neighbours(std::size_t cell) {
  Cell& opened = cells_.at(cell);
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    const std::size_t here = bin_of(cell, i);
    const bool any_label = axes_[i].scale() == Scale::categorical;
    const std::size_t first = any_label || here == 0 ? 0 : here - 1;
    const std::size_t end = any_label ? axes_[i].bins() : std::min(here + 2, axes_[i].bins());
    for (std::size_t bin = first; bin < end; ++bin) {
      if (bin == here) continue;
      const auto other = cells_.find(cell - here * strides_[i] + bin * strides_[i]);
      if (other == cells_.end()) continue;
      ++other->second.neighbours;
      ++opened.neighbours;
    }
  }
}

// Entries come by value here: the caller may have handed in a member of this very cell.
void Grid::replace(std::vector<Elite>& members, std::size_t cell, Entry entry) {
  const std::uint64_t id = entry.id;
  const double objective = entry.objective;
  std::erase_if(members, [id](const Elite& elite) { return elite.entry.id == id; });
  Entry former = std::exchange(members.front().entry, std::move(entry));
  const double former_objective = former.objective;
  home_[id] = cell;
  store_runner_up(members, cell, std::move(former));
  champion_changed(former_objective, objective);
}

// Runners-up are in falling order whatever the champion is; the lowest beyond the depth goes.
void Grid::store_runner_up(std::vector<Elite>& members, std::size_t cell, Entry entry) {
  const std::uint64_t id = entry.id;
  std::erase_if(members, [id](const Elite& elite) { return elite.entry.id == id; });
  home_.erase(id);
  const auto place = std::find_if(members.begin() + 1, members.end(),
                                  [&](const Elite& elite) { return better(entry, elite.entry); });
  if (place == members.end() && members.size() == depth_) return;
  members.insert(place, {std::move(entry), cell, 0});
  home_[id] = cell;
  if (members.size() > depth_) {
    home_.erase(members.back().entry.id);
    members.pop_back();
  }
  for (std::size_t rank = 0; rank < members.size(); ++rank) members[rank].rank = rank;
}

}  // namespace

std::unique_ptr<Archive> make_grid(std::vector<Axis> axes, std::unique_ptr<Acceptance> acceptance,
                                   const GridOptions& options) {
  return std::make_unique<Grid>(std::move(axes), std::move(acceptance), options);
}

}  // namespace kernatlas::archives
