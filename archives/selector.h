// Selector: picks a parent from an archive; deterministic given the archive and the generator, and
// the same on every standard library.
#pragma once

#include <memory>
#include <optional>
#include <random>
#include <string_view>

#include "archives/archive.h"

namespace kernatlas::archives {

class Selector {
 public:
  virtual ~Selector() = default;
  [[nodiscard]] virtual std::string_view name() const = 0;
  // A champion, or nothing when the archive is empty. O(occupied) at most.
  [[nodiscard]] virtual const Elite* select(const Archive& archive, std::mt19937_64& rng) const = 0;
};

// Every occupied cell with equal probability.
[[nodiscard]] std::unique_ptr<Selector> uniform_selector();
// Linear ranking by objective: the best cell `pressure` times as likely as the average, the worst
// 2 − pressure times. 1 < pressure ≤ 2, else std::invalid_argument. O(1): it is drawn as a mixture
// of a uniform pick and a tournament of two distinct cells, which has exactly these probabilities.
[[nodiscard]] std::unique_ptr<Selector> rank_selector(double pressure);
// A cell with n occupied neighbours is chosen with probability proportional to 1 / (1 + n). O(1 +
// n) expected.
[[nodiscard]] std::unique_ptr<Selector> rarity_selector();
// By name: "uniform", "rank" (pressure 1.8), "rarity"; null when unknown.
[[nodiscard]] std::unique_ptr<Selector> make_selector(std::string_view name);

}  // namespace kernatlas::archives
