#include "operators/tunables/search_space.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "operators/tunables/constraint_check.h"
#include "operators/tunables/nearest.h"
#include "operators/tunables/tunable_values.h"

namespace kernatlas {
namespace {

constexpr int kRejectionTries = 200;
constexpr int kSearchTries = 1 << 15;
constexpr int kJumpTries = 32;

// A change of one tunable.
struct Move {
  std::size_t tunable = 0;
  std::uint32_t position = 0;
};

}  // namespace

struct SearchSpace::State {
  State(std::shared_ptr<const Task> task_in, KernelSourcePtr source_in,
        std::vector<Tunable> options_in);

  void enumerate(std::size_t tunable, std::uint64_t rank, Positions& positions);
  bool search(std::size_t tunable, Positions& positions, Rng* rng, std::uint64_t& steps) const;
  [[nodiscard]] std::optional<Positions> draw(Rng& rng) const;
  [[nodiscard]] std::optional<Positions> draw_from_large(Rng& rng, int tries,
                                                         std::uint64_t steps) const;

  [[nodiscard]] bool valid(std::span<const std::uint32_t> positions) const {
    if (!enumerated) return check.holds(positions);
    std::uint64_t rank = 0;
    for (std::size_t i = 0; i < positions.size(); ++i) rank += positions[i] * strides[i];
    return is_valid[rank];
  }
  [[nodiscard]] std::optional<Positions> positions_of(const Assignment& assignment) const;
  [[nodiscard]] Assignment assignment_of(std::span<const std::uint32_t> positions) const;
  [[nodiscard]] Positions positions_of_rank(std::uint64_t rank) const;

  // Calls visit(Move) for each valid neighbour; `from` is left as it was.
  template <typename Visit>
  void visit_neighbours(Positions& from, bool adjacent, Visit visit) const;
  // Whether `positions` is valid, knowing that it was (if it was) before `tunable` changed.
  [[nodiscard]] bool still_valid(std::span<const std::uint32_t> positions, std::size_t tunable,
                                 bool was_valid) const {
    if (enumerated || !was_valid) return valid(positions);
    return check.holds_using(tunable, positions);
  }

  std::shared_ptr<const Task> task;
  KernelSourcePtr source;
  std::vector<Tunable> options;
  ConstraintCheck check;
  std::vector<TunableValues> values;
  std::vector<std::uint32_t> counts;
  bool enumerated = false;
  std::vector<std::uint64_t> strides;  // of the rank, first tunable slowest; when enumerated
  std::vector<std::uint32_t> ranks;    // of the valid assignments, ascending; when enumerated
  std::vector<bool> is_valid;          // by rank; when enumerated
  std::optional<Positions> first;
};

SearchSpace::State::State(std::shared_ptr<const Task> task_in, KernelSourcePtr source_in,
                          std::vector<Tunable> options_in)
    : task(std::move(task_in)),
      source(std::move(source_in)),
      options(std::move(options_in)),
      check(*task, *source) {
  std::uint64_t raw = 1;
  for (const Tunable& tunable : source->tunables()) {
    KERNATLAS_CHECK(!tunable.values.empty());
    values.emplace_back(tunable);
    counts.push_back(static_cast<std::uint32_t>(tunable.values.size()));
    raw = std::min(raw * counts.back(), kEnumerationLimit + 1);
  }
  enumerated = raw <= kEnumerationLimit;
  Positions positions(values.size(), 0);
  if (enumerated) {
    strides.resize(counts.size());
    std::uint64_t stride = 1;
    for (std::size_t i = counts.size(); i-- > 0; stride *= counts[i]) strides[i] = stride;
    is_valid.resize(raw);
    if (check.possible()) enumerate(0, 0, positions);
    ranks.shrink_to_fit();
    if (!ranks.empty()) first = positions_of_rank(ranks.front());
  } else if (check.possible()) {
    std::uint64_t steps = kSearchSteps;
    if (search(0, positions, nullptr, steps)) {
      first = positions;
    } else if (steps == 0) {
      // Stuck in one corner; look elsewhere, the same way every time.
      Rng rng(0);
      first = draw_from_large(rng, kSearchTries, kSearchSteps);
    }
  }
}

void SearchSpace::State::enumerate(std::size_t tunable, std::uint64_t rank, Positions& positions) {
  if (tunable == counts.size()) {
    ranks.push_back(static_cast<std::uint32_t>(rank));
    is_valid[rank] = true;
    return;
  }
  for (std::uint32_t position = 0; position < counts[tunable]; ++position) {
    positions[tunable] = position;
    if (!check.holds_at(tunable, positions)) continue;
    enumerate(tunable + 1, rank + position * strides[tunable], positions);
  }
}

// Backtracking in declared order of the values, or in random order when there is an rng. Takes at
// most `steps` steps.
bool SearchSpace::State::search(std::size_t tunable, Positions& positions, Rng* rng,
                                std::uint64_t& steps) const {
  if (tunable == counts.size()) return true;
  std::vector<std::uint32_t> order(counts[tunable]);
  std::iota(order.begin(), order.end(), 0u);
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (steps == 0) return false;
    --steps;
    if (rng != nullptr) std::swap(order[i], order[i + uniform_below(*rng, order.size() - i)]);
    positions[tunable] = order[i];
    if (!check.holds_at(tunable, positions)) continue;
    if (search(tunable + 1, positions, rng, steps)) return true;
  }
  return false;
}

std::optional<Positions> SearchSpace::State::draw(Rng& rng) const {
  if (!first) return std::nullopt;
  if (enumerated) return positions_of_rank(ranks[uniform_below(rng, ranks.size())]);
  auto positions = draw_from_large(rng, kRejectionTries, kRepairSteps);
  if (!positions) return first;  // it took a long search to find this one; better than nothing
  return positions;
}

std::optional<Positions> SearchSpace::State::draw_from_large(Rng& rng, int tries,
                                                             std::uint64_t steps) const {
  Positions positions(counts.size());
  for (int i = 0; i < tries; ++i) {
    for (std::size_t t = 0; t < counts.size(); ++t) {
      positions[t] = static_cast<std::uint32_t>(uniform_below(rng, counts[t]));
    }
    if (check.holds(positions)) return positions;
  }
  if (!search(0, positions, &rng, steps)) return std::nullopt;
  return positions;
}

std::optional<Positions> SearchSpace::State::positions_of(const Assignment& assignment) const {
  if (assignment.size() != values.size()) return std::nullopt;
  Positions positions(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto position = values[i].position(assignment[i]);
    if (!position) return std::nullopt;
    positions[i] = *position;
  }
  return positions;
}

Assignment SearchSpace::State::assignment_of(std::span<const std::uint32_t> positions) const {
  Assignment assignment(positions.size());
  for (std::size_t i = 0; i < positions.size(); ++i) assignment[i] = values[i].list[positions[i]];
  return assignment;
}

Positions SearchSpace::State::positions_of_rank(std::uint64_t rank) const {
  Positions positions(counts.size());
  for (std::size_t i = 0; i < counts.size(); ++i) {
    positions[i] = static_cast<std::uint32_t>(rank / strides[i] % counts[i]);
  }
  return positions;
}

template <typename Visit>
void SearchSpace::State::visit_neighbours(Positions& from, bool adjacent, Visit visit) const {
  const bool was_valid = !enumerated && valid(from);
  for (std::size_t t = 0; t < counts.size(); ++t) {
    const std::uint32_t here = from[t];
    const auto try_position = [&](std::uint32_t position) {
      from[t] = position;
      const bool good = still_valid(from, t, was_valid);
      if (good) visit(Move{t, position});
      return good;
    };
    if (adjacent && !values[t].choice) {
      const auto& ascending = values[t].ascending;
      const std::uint32_t place = values[t].place[here];
      for (std::uint32_t i = place; i-- > 0;) {
        if (try_position(ascending[i])) break;
      }
      for (std::uint32_t i = place + 1; i < counts[t]; ++i) {
        if (try_position(ascending[i])) break;
      }
    } else {
      for (std::uint32_t position = 0; position < counts[t]; ++position) {
        if (position != here) try_position(position);
      }
    }
    from[t] = here;
  }
}

SearchSpace::SearchSpace(std::shared_ptr<const Task> task, KernelSourcePtr source,
                         std::vector<Tunable> options)
    : state_(std::make_unique<State>(std::move(task), std::move(source), std::move(options))) {}
SearchSpace::~SearchSpace() = default;
SearchSpace::SearchSpace(SearchSpace&&) noexcept = default;
SearchSpace& SearchSpace::operator=(SearchSpace&&) noexcept = default;

const KernelSourcePtr& SearchSpace::source() const {
  return state_->source;
}
const std::vector<Tunable>& SearchSpace::options() const {
  return state_->options;
}

std::optional<std::uint64_t> SearchSpace::size() const {
  if (!state_->enumerated) return std::nullopt;
  return state_->ranks.size();
}

bool SearchSpace::empty() const {
  return !state_->first.has_value();
}

bool SearchSpace::valid(const Assignment& assignment) const {
  const auto positions = state_->positions_of(assignment);
  return positions && state_->valid(*positions);
}

std::optional<Assignment> SearchSpace::sample(Rng& rng) const {
  const auto positions = state_->draw(rng);
  if (!positions) return std::nullopt;
  return state_->assignment_of(*positions);
}

std::optional<Assignment> SearchSpace::first() const {
  if (!state_->first) return std::nullopt;
  return state_->assignment_of(*state_->first);
}

std::vector<Assignment> SearchSpace::neighbours(const Assignment& from, bool adjacent) const {
  std::vector<Assignment> found;
  auto positions = state_->positions_of(from);
  if (!positions) return found;
  state_->visit_neighbours(*positions, adjacent, [&](Move move) {
    found.push_back(from);
    found.back()[move.tunable] = state_->values[move.tunable].list[move.position];
  });
  return found;
}

std::optional<Assignment> SearchSpace::random_neighbour(const Assignment& from, bool adjacent,
                                                        Rng& rng) const {
  auto positions = state_->positions_of(from);
  if (!positions) return std::nullopt;
  const auto& counts = state_->counts;
  const auto moved = [&](Move move) {
    Assignment to = from;
    to[move.tunable] = state_->values[move.tunable].list[move.position];
    return to;
  };
  // Jumps are many; drawing one at random until it is valid is as fair as listing them, and fast.
  const std::uint64_t jumps =
      std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}) - counts.size();
  for (int i = 0; i < kJumpTries && !adjacent && jumps > 0; ++i) {
    std::uint64_t pick = uniform_below(rng, jumps);
    std::size_t t = 0;
    for (; pick >= counts[t] - 1; ++t) pick -= counts[t] - 1;
    const std::uint32_t here = (*positions)[t];
    const auto position = static_cast<std::uint32_t>(pick < here ? pick : pick + 1);
    (*positions)[t] = position;
    if (state_->valid(*positions)) return moved({t, position});
    (*positions)[t] = here;
  }
  std::vector<Move> moves;
  state_->visit_neighbours(*positions, adjacent, [&](Move move) { moves.push_back(move); });
  if (moves.empty()) return std::nullopt;
  return moved(moves[uniform_below(rng, moves.size())]);
}

std::optional<Assignment> SearchSpace::repair(const Assignment& wanted, Rng& rng) const {
  KERNATLAS_CHECK(wanted.size() == state_->values.size());
  if (empty()) return std::nullopt;
  Positions target(wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const TunableValues& values = state_->values[i];
    const auto position = values.position(wanted[i]);
    target[i] = position ? *position : values.closest(wanted[i]);
  }
  if (state_->valid(target)) return state_->assignment_of(target);
  const auto found = nearest_valid(
      state_->check, state_->counts, target,
      [this](std::span<const std::uint32_t> positions) { return state_->valid(positions); },
      kRepairSteps);
  if (!found) return sample(rng);
  return state_->assignment_of(*found);
}

}  // namespace kernatlas
