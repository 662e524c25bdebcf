#include "operators/tunables/nearest.h"

#include <algorithm>
#include <vector>

namespace kernatlas {
namespace {

class Nearest {
 public:
  Nearest(const ConstraintCheck& check, std::span<const std::uint32_t> counts,
          const Positions& wanted, const std::function<bool(std::span<const std::uint32_t>)>& valid)
      : check_(check), counts_(counts), wanted_(wanted), valid_(valid), at_(wanted) {
    farthest_.assign(counts.size() + 1, 0);
    for (std::size_t i = counts.size(); i-- > 0;) {
      farthest_[i] = farthest_[i + 1] + std::max(wanted[i], counts[i] - 1 - wanted[i]);
    }
  }

  std::optional<Positions> closest(std::uint64_t limit) {
    steps_left_ = limit;
    for (std::uint64_t distance = 0; distance <= farthest_[0]; ++distance) {
      if (at_distance(0, distance)) return at_;
      if (steps_left_ == 0) return std::nullopt;
    }
    return std::nullopt;
  }

  std::optional<Positions> close(std::uint64_t limit) {
    steps_left_ = limit;
    if (!closest_first(0)) return std::nullopt;
    return at_;
  }

  bool ran_out() const { return steps_left_ == 0; }

 private:
  // Tunables from `tunable` on move by `distance` in all; at_ holds the answer when true.
  bool at_distance(std::size_t tunable, std::uint64_t distance) {
    if (distance == 0) return step() && valid_(at_);
    const std::uint32_t want = wanted_[tunable];
    const auto reach = static_cast<std::uint32_t>(std::min<std::uint64_t>(distance, 1u << 30));
    const std::uint32_t low = want - std::min(want, reach);
    const std::uint32_t high = std::min(counts_[tunable] - 1, want + reach);
    for (std::uint32_t position = low; position <= high; ++position) {
      const std::uint64_t left = distance - (position < want ? want - position : position - want);
      if (left > farthest_[tunable + 1]) continue;
      if (!step()) break;
      at_[tunable] = position;
      if (check_.holds_at(tunable, at_) && at_distance(tunable + 1, left)) return true;
    }
    at_[tunable] = want;
    return false;
  }

  // Depth first, each tunable's values by their distance to the wanted one.
  bool closest_first(std::size_t tunable) {
    if (tunable == counts_.size()) return true;
    const std::uint32_t want = wanted_[tunable];
    for (std::uint32_t offset = 0; offset < counts_[tunable]; ++offset) {
      for (const bool up : {false, true}) {
        if (offset == 0 && up) continue;
        if (up ? want + offset >= counts_[tunable] : offset > want) continue;
        if (!step()) return false;
        at_[tunable] = up ? want + offset : want - offset;
        if (check_.holds_at(tunable, at_) && closest_first(tunable + 1)) return true;
      }
    }
    return false;
  }

  bool step() {
    if (steps_left_ == 0) return false;
    --steps_left_;
    return true;
  }

  const ConstraintCheck& check_;
  std::span<const std::uint32_t> counts_;
  const Positions& wanted_;
  const std::function<bool(std::span<const std::uint32_t>)>& valid_;
  Positions at_;
  std::vector<std::uint64_t> farthest_;  // how far the tunables from here on can move in all
  std::uint64_t steps_left_ = 0;
};

}  // namespace

std::optional<Positions> nearest_valid(
    const ConstraintCheck& check, std::span<const std::uint32_t> counts, const Positions& wanted,
    const std::function<bool(std::span<const std::uint32_t>)>& valid, std::uint64_t limit) {
  if (!check.possible()) return std::nullopt;
  Nearest search(check, counts, wanted, valid);
  if (auto found = search.closest(limit)) return found;
  if (!search.ran_out()) return std::nullopt;
  return search.close(limit);
}

}  // namespace kernatlas
