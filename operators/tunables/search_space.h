// SearchSpace: the valid assignments of one kernel source for one task, constraints included.
//
// Small spaces (raw product ≤ kEnumerationLimit) are enumerated once by backtracking, each
// constraint tested as soon as its names are bound. An assignment is then a number below the raw
// product (mixed radix over positions in the value lists); the valid ones are kept as a sorted list
// (4 bytes each) and as one bit per raw assignment, so drawing one and testing one are O(tunables).
// Larger spaces are sampled: by rejection while that finds something, else by backtracking with
// random value order. Either way every assignment handed out is valid by construction.
// Immutable after construction; const methods are thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "kernel/candidate.h"
#include "kernel/launch_plan.h"
#include "kernel/rng.h"
#include "kernel/task.h"

namespace kernatlas {

class SearchSpace {
 public:
  static constexpr std::uint64_t kEnumerationLimit = 1u << 21;

  // Steps after which a search in a space too large to enumerate gives up.
  static constexpr std::uint64_t kSearchSteps = 1u << 18;
  // The same for repair(), which is asked for a single proposal.
  static constexpr std::uint64_t kRepairSteps = 1u << 14;

  // `options`: the backend's compile options, unconstrained. Throws std::invalid_argument for a
  // constraint that does not parse: KernelSource::check_against() would have said so.
  SearchSpace(std::shared_ptr<const Task> task, KernelSourcePtr source,
              std::vector<Tunable> options);
  ~SearchSpace();
  SearchSpace(SearchSpace&&) noexcept;
  SearchSpace& operator=(SearchSpace&&) noexcept;

  [[nodiscard]] const KernelSourcePtr& source() const;
  [[nodiscard]] const std::vector<Tunable>& options() const;
  // Number of valid assignments; nullopt when the space was too large to enumerate.
  [[nodiscard]] std::optional<std::uint64_t> size() const;
  // True when no assignment is valid; in a space too large to enumerate, when a bounded search, in
  // declared order and then at random, found none.
  [[nodiscard]] bool empty() const;
  [[nodiscard]] bool valid(const Assignment& assignment) const;

  // Uniform over the valid assignments when enumerated; else valid, roughly uniform (exactly so
  // unless less than about 1 in 50 raw assignments is valid). Nothing only when empty().
  [[nodiscard]] std::optional<Assignment> sample(Rng& rng) const;
  // The first valid assignment in declared order: what a seed kernel starts with. In a space too
  // large to enumerate it may be another one, always the same, when that search grows too long.
  [[nodiscard]] std::optional<Assignment> first() const;
  // Valid assignments differing from `from` in exactly one tunable. `adjacent`: only the next
  // smaller or larger valid value of an integer tunable (any other value of a choice). `from` has
  // declared values only, else there are none; it need not be valid. Grouped by tunable.
  [[nodiscard]] std::vector<Assignment> neighbours(const Assignment& from, bool adjacent) const;
  // One of neighbours(), each with the same probability, without making the list; nothing when
  // there are none.
  [[nodiscard]] std::optional<Assignment> random_neighbour(const Assignment& from, bool adjacent,
                                                           Rng& rng) const;
  // The valid assignment nearest to `wanted` (in positions of the value lists), ties by order;
  // `wanted` need not be valid, nor of declared values, but has a value for each tunable. After a
  // bounded search, one that is close or, failing that, a sample.
  [[nodiscard]] std::optional<Assignment> repair(const Assignment& wanted, Rng& rng) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kernatlas
