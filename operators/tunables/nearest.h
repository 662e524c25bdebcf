// nearest_valid: the search behind SearchSpace::repair.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "operators/tunables/constraint_check.h"

namespace kernatlas {

// The valid positions with the smallest sum of distances to `wanted`, the first in lexicographic
// order among equals; `counts` are the lengths of the value lists. Goes through the distances 0, 1,
// 2, … and cuts where a constraint already fails. After `limit` steps it settles for something
// valid that is close but perhaps not the closest; after as many more, for nothing.
// `valid` answers for complete positions what `check.holds` would, and may be faster.
[[nodiscard]] std::optional<Positions> nearest_valid(
    const ConstraintCheck& check, std::span<const std::uint32_t> counts, const Positions& wanted,
    const std::function<bool(std::span<const std::uint32_t>)>& valid, std::uint64_t limit);

}  // namespace kernatlas
