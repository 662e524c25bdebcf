#include "archives/ranked_cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

#include "archives/cell_archive.h"

namespace kernatlas::archives {
namespace {

std::size_t depth_of(const ArchiveSpec& spec) {
  const auto found = spec.options.find("depth");
  if (found == spec.options.end() || !(found->second >= 1 && found->second <= 1e9)) {
    throw std::invalid_argument(fmt::format("{}: the depth must be at least 1", spec.kind));
  }
  return static_cast<std::size_t>(found->second);
}

class RankedCells final : public CellArchive {
 public:
  RankedCells(ArchiveSpec spec, std::unique_ptr<CellIndex> index, std::unique_ptr<Acceptance> rule)
      : CellArchive(std::move(spec), std::move(index), std::move(rule)),
        depth_(depth_of(this->spec())) {}

 private:
  void compete(Members& members, Entry&& entry, const std::optional<Evidence>& evidence,
               AddOutcome& outcome) override;
  void enter(Entry&& entry, AddOutcome& outcome) override;
  bool hopeless(std::size_t position, double objective) const override {
    const Bar& bar = bars_[position];
    return objective < bar.least && rule().surely_keeps(objective, bar.champion);
  }
  std::string restore_extra(const std::vector<double>& extra) override;
  std::string check_members(std::span<const Elite> members) const override;
  // The id that has no room: the entry's own, the lowest member's, or nobody's.
  std::optional<std::uint64_t> store_runner_up(Members& members, Entry&& entry);

  // What an entry has to reach, close together: most entries fail here, without a look at members.
  struct Bar {
    double champion = 0;
    double least = 0;  // of a full cell's members; −∞ while there is room
  };
  [[nodiscard]] Bar bar_of(std::span<const Elite> members) const;

  std::size_t depth_;
  std::vector<Bar> bars_;  // in order of occupied()
};

RankedCells::Bar RankedCells::bar_of(std::span<const Elite> members) const {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double champion = members.front().entry.objective;
  // The last runner-up is the lowest of them; a depth of 1 has none.
  const double least = depth_ == 1 ? kInfinity : members.back().entry.objective;
  return {champion, members.size() < depth_ ? -kInfinity : least};
}

void RankedCells::enter(Entry&& entry, AddOutcome& outcome) {
  CellArchive::enter(std::move(entry), outcome);
  bars_.push_back(bar_of(members(outcome.cell)));
}

void RankedCells::compete(Members& members, Entry&& entry, const std::optional<Evidence>& evidence,
                          AddOutcome& outcome) {
  const std::uint64_t id = entry.id;
  const Decision decision = judge(entry, members.front().entry, evidence);
  if (decision == Decision::need_evidence) return contest(members, id, outcome);
  const bool was_stored = take_out(members, id);
  if (decision == Decision::keep_champion) {
    const auto fallen = store_runner_up(members, std::move(entry));
    outcome.kept = fallen != id;
    if (fallen && (was_stored || fallen != id)) outcome.dropped.push_back(*fallen);
    bars_[position(outcome.cell)] = bar_of(members);
    return;
  }
  if (const auto fallen = store_runner_up(members, crown(members, std::move(entry), outcome))) {
    outcome.dropped.push_back(*fallen);
  }
  bars_[position(outcome.cell)] = bar_of(members);
}

// Runners-up are in falling order whatever the champion is; the lowest beyond the depth goes.
std::optional<std::uint64_t> RankedCells::store_runner_up(Members& members, Entry&& entry) {
  const auto place = std::find_if(members.begin() + 1, members.end(),
                                  [&](const Elite& elite) { return better(entry, elite.entry); });
  if (place == members.end() && members.size() == depth_) return entry.id;
  insert(members, static_cast<std::size_t>(place - members.begin()), std::move(entry));
  if (members.size() <= depth_) return std::nullopt;
  const std::uint64_t fallen = members.back().entry.id;
  erase(members, members.size() - 1);
  return fallen;
}

std::string RankedCells::restore_extra(const std::vector<double>& extra) {
  for (const std::size_t cell : occupied()) bars_.push_back(bar_of(members(cell)));
  return CellArchive::restore_extra(extra);
}

std::string RankedCells::check_members(std::span<const Elite> members) const {
  if (members.size() > depth_) {
    return fmt::format("{} members at a depth of {}", members.size(), depth_);
  }
  // Only evidence, which the strict rule does not ask for, puts a runner-up above its champion.
  const std::size_t first = spec().acceptance == "strict" ? 1 : 2;
  for (std::size_t rank = first; rank < members.size(); ++rank) {
    if (!better(members[rank - 1].entry, members[rank].entry)) return "members are out of order";
  }
  return {};
}

}  // namespace

std::unique_ptr<Archive> make_ranked_cells(ArchiveSpec spec, std::unique_ptr<CellIndex> index,
                                           std::unique_ptr<Acceptance> rule) {
  return std::make_unique<RankedCells>(std::move(spec), std::move(index), std::move(rule));
}

}  // namespace kernatlas::archives
