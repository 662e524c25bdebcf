#include "archives/pareto.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "archives/cell_archive.h"

namespace kernatlas::archives {
namespace {

bool dominates(const Entry& a, const Entry& b) {
  if (a.objective < b.objective) return false;
  bool equal = a.objective == b.objective;
  for (std::size_t i = 0; i < a.costs.size(); ++i) {
    if (a.costs[i] > b.costs[i]) return false;
    equal = equal && a.costs[i] == b.costs[i];
  }
  return !equal || better(a, b);
}

class ParetoCells final : public CellArchive {
 public:
  explicit ParetoCells(const ArchiveSpec& spec)
      : CellArchive(spec, make_cell_index(spec)),
        costs_(static_cast<std::size_t>(spec.options.at("costs"))),
        capacity_(static_cast<std::size_t>(spec.options.at("capacity"))) {}

  Traits traits() const override { return {.order_free = OrderFree::champions}; }

 private:
  void compete(Members& members, Entry&& entry, const std::optional<Evidence>& evidence,
               AddOutcome& outcome) override;
  std::string objection(const Entry& entry) const override;
  std::string check_members(std::span<const Elite> members) const override;
  void join(Members& members, Entry&& entry, AddOutcome& outcome);
  void drop_dominated(Members& members, const Entry& by, AddOutcome& outcome);

  std::size_t costs_;
  std::size_t capacity_;
};

std::string ParetoCells::objection(const Entry& entry) const {
  if (entry.costs.size() != costs_) {
    return fmt::format("{} costs, {} are needed", entry.costs.size(), costs_);
  }
  for (const double cost : entry.costs) {
    if (!std::isfinite(cost)) return fmt::format("a cost is {}", cost);
  }
  return {};
}

void ParetoCells::compete(Members& members, Entry&& entry, const std::optional<Evidence>& evidence,
                          AddOutcome& outcome) {
  const std::uint64_t id = entry.id;
  const Decision decision = judge(entry, members.front().entry, evidence);
  if (decision == Decision::need_evidence) return contest(members, id, outcome);
  const bool was_stored = take_out(members, id);
  if (decision == Decision::replace) {
    Entry former = crown(members, std::move(entry), outcome);
    drop_dominated(members, members.front().entry, outcome);
    join(members, std::move(former), outcome);
  } else {
    join(members, std::move(entry), outcome);
    outcome.kept = find(id) != nullptr;
    // What was never stored has not been dropped.
    if (!was_stored) std::erase(outcome.dropped, id);
  }
}

void ParetoCells::drop_dominated(Members& members, const Entry& by, AddOutcome& outcome) {
  for (std::size_t rank = members.size(); rank-- > 1;) {
    if (!dominates(by, members[rank].entry)) continue;
    outcome.dropped.push_back(members[rank].entry.id);
    erase(members, rank);
  }
}

// How far a member's neighbours on the front are apart, summed over objective and costs, each in
// units of the front's own width; infinite at the ends.
std::vector<double> crowding_distances(std::span<const Elite> members, std::size_t costs) {
  std::vector<double> distances(members.size(), 0);
  std::vector<std::size_t> order(members.size());
  for (std::size_t axis = 0; axis <= costs; ++axis) {
    const auto value = [&](std::size_t rank) {
      const Entry& entry = members[rank].entry;
      return axis == costs ? entry.objective : entry.costs[axis];
    };
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return std::pair(value(a), members[a].entry.id) < std::pair(value(b), members[b].entry.id);
    });
    const double width = value(order.back()) / 2 - value(order.front()) / 2;
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    distances[order.front()] = distances[order.back()] = kInfinity;
    if (!(width > 0)) continue;
    for (std::size_t i = 1; i + 1 < order.size(); ++i) {
      distances[order[i]] += (value(order[i + 1]) / 2 - value(order[i - 1]) / 2) / width;
    }
  }
  return distances;
}

// Takes an entry that is not the champion into the front, if it belongs there and finds room.
void ParetoCells::join(Members& members, Entry&& entry, AddOutcome& outcome) {
  const bool dominated = std::any_of(members.begin(), members.end(), [&](const Elite& elite) {
    return dominates(elite.entry, entry);
  });
  if (dominated) {
    outcome.dropped.push_back(entry.id);
    return;
  }
  drop_dominated(members, entry, outcome);
  const auto place = std::find_if(members.begin() + 1, members.end(),
                                  [&](const Elite& elite) { return better(entry, elite.entry); });
  insert(members, static_cast<std::size_t>(place - members.begin()), std::move(entry));
  if (members.size() <= capacity_) return;
  const auto distances = crowding_distances(members, costs_);
  std::size_t victim = members.size() - 1;
  for (std::size_t rank = victim; rank-- > 1;) {
    if (distances[rank] < distances[victim]) victim = rank;
  }
  outcome.dropped.push_back(members[victim].entry.id);
  erase(members, victim);
}

std::string ParetoCells::check_members(std::span<const Elite> members) const {
  if (members.size() > capacity_) {
    return fmt::format("{} members, room for {}", members.size(), capacity_);
  }
  for (std::size_t rank = 1; rank < members.size(); ++rank) {
    const Entry& entry = members[rank].entry;
    if (rank > 1 && !better(members[rank - 1].entry, entry)) return "members are out of order";
    for (std::size_t other = 0; other < members.size(); ++other) {
      if (other != rank && dominates(members[other].entry, entry)) {
        return fmt::format("entry {} is dominated", entry.id);
      }
    }
    if (spec().acceptance == "strict" && better(entry, members[0].entry)) {
      return "the champion is not the best";
    }
  }
  return {};
}

}  // namespace

Kind pareto_kind() {
  return {.name = "pareto",
          .description = "in each cell the non-dominated front over objective and costs",
          .options = {{.name = "costs",
                       .standard = 2,
                       .least = 0,
                       .most = 16,
                       .meaning = "costs per entry beside the objective, smaller is better"},
                      {.name = "capacity",
                       .standard = 8,
                       .least = 1,
                       .most = 256,
                       .meaning = "entries per cell, the champion included"}},
          .factory = [](const ArchiveSpec& spec) { return std::make_unique<ParetoCells>(spec); },
          .points = true};
}

}  // namespace kernatlas::archives
