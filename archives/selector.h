// Selector: picks a parent from an archive; deterministic given the archive and the generator.
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
// Linear ranking by objective: the best cell `pressure` times as likely as the average, 1 <
// pressure ≤ 2.
[[nodiscard]] std::unique_ptr<Selector> rank_selector(double pressure);
// Cells with few occupied neighbours first (neighbours: one bin away on one axis).
[[nodiscard]] std::unique_ptr<Selector> rarity_selector();
// By name: "uniform", "rank", "rarity"; null when unknown.
[[nodiscard]] std::unique_ptr<Selector> make_selector(std::string_view name);

}  // namespace kernatlas::archives
