// SearchSpace: the valid assignments of one kernel source for one task, constraints included.
//
// Small spaces (raw product ≤ kEnumerationLimit) are enumerated once by backtracking, each
// constraint tested as soon as its names are bound; larger ones are sampled by backtracking with
// random value order. Either way every assignment handed out is valid by construction.
// Immutable after construction; const methods are thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "kernel/candidate.h"
#include "kernel/launch_plan.h"
#include "kernel/rng.h"
#include "kernel/task.h"

namespace kernatlas {

class SearchSpace {
 public:
  static constexpr std::uint64_t kEnumerationLimit = 1u << 21;

  // `options`: the backend's compile options, unconstrained.
  SearchSpace(std::shared_ptr<const Task> task, KernelSourcePtr source,
              std::vector<Tunable> options);
  ~SearchSpace();
  SearchSpace(SearchSpace&&) noexcept;
  SearchSpace& operator=(SearchSpace&&) noexcept;

  [[nodiscard]] const KernelSourcePtr& source() const;
  [[nodiscard]] const std::vector<Tunable>& options() const;
  // Number of valid assignments; nullopt when the space was too large to enumerate.
  [[nodiscard]] std::optional<std::uint64_t> size() const;
  // True when no assignment can be valid (or none was found by an exhaustive search).
  [[nodiscard]] bool empty() const;
  [[nodiscard]] bool valid(const Assignment& assignment) const;

  // Uniform over the valid assignments when enumerated; else valid, roughly uniform.
  [[nodiscard]] std::optional<Assignment> sample(Rng& rng) const;
  // The first valid assignment in declared order: what a seed kernel starts with.
  [[nodiscard]] std::optional<Assignment> first() const;
  // Valid assignments differing from `from` in exactly one tunable. `adjacent`: only the next
  // smaller or larger valid value of an integer tunable (any other value of a choice).
  [[nodiscard]] std::vector<Assignment> neighbours(const Assignment& from, bool adjacent) const;
  // The valid assignment nearest to `wanted` (in positions of the value lists), ties by order;
  // `wanted` need not be valid. Searches at most a bounded number of candidates.
  [[nodiscard]] std::optional<Assignment> repair(const Assignment& wanted, Rng& rng) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kernatlas
