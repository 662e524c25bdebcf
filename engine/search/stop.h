// Stop conditions: composable reasons to end a run. Asked before each proposal.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/search/budget.h"

namespace kernatlas {

struct Progress {
  Spent spent;
  double best_fitness = 0;                   // NaN before the first
  std::uint64_t evaluations_since_gain = 0;  // since an elite was opened or improved
  std::uint64_t consecutive_duplicates = 0;  // drawn in a row without anything new
};

class StopCondition {
 public:
  virtual ~StopCondition() = default;
  // The reason in one word ("budget", "target", "stagnation", "exhausted", …), or nothing to go on.
  [[nodiscard]] virtual std::optional<std::string> check(const Progress& progress) const = 0;
};

[[nodiscard]] std::unique_ptr<StopCondition> stop_on_budget(const Budget& budget);
[[nodiscard]] std::unique_ptr<StopCondition> stop_at_speedup(double speedup);
[[nodiscard]] std::unique_ptr<StopCondition> stop_on_stagnation(std::uint64_t evaluations);
[[nodiscard]] std::unique_ptr<StopCondition> stop_when_exhausted(std::uint64_t duplicates);
// The first reason any of them gives.
[[nodiscard]] std::unique_ptr<StopCondition> any_of(
    std::vector<std::unique_ptr<StopCondition>> conditions);

}  // namespace kernatlas
