// ConstraintCheck: the constraints of one source for one task, asked in the form the search needs:
// about positions in the tunables' value lists, and as soon as enough of them are chosen.
//
// A constraint depends on few tunables, so its truth for every workload at once is worked out
// beforehand into a table over just these (up to kTableLimit entries): asking is then a look-up. A
// constraint over more is evaluated when asked. Where evaluation fails (division by zero,
// overflow), the constraint does not hold, as in is_valid().
//
// Immutable after construction; const methods are thread-safe.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernel/expression.h"
#include "kernel/kernel_source.h"
#include "kernel/task.h"

namespace kernatlas {

// A position in its value list for each tunable, in the source's order.
using Positions = std::vector<std::uint32_t>;

class ConstraintCheck {
 public:
  static constexpr std::uint64_t kTableLimit = 1u << 16;

  // Throws std::invalid_argument for a constraint that does not parse; the message says where.
  ConstraintCheck(const Task& task, const KernelSource& source);

  // Whether the constraints on dims alone hold.
  [[nodiscard]] bool possible() const { return possible_; }
  // Whether those constraints hold whose last tunable (in the source's order) is `tunable`.
  // Positions beyond it are not looked at.
  [[nodiscard]] bool holds_at(std::size_t tunable, std::span<const std::uint32_t> positions) const {
    return all_hold(by_last_[tunable], positions);
  }
  // Whether those hold in which `tunable` takes part.
  [[nodiscard]] bool holds_using(std::size_t tunable,
                                 std::span<const std::uint32_t> positions) const {
    return all_hold(by_user_[tunable], positions);
  }
  // Whether all hold.
  [[nodiscard]] bool holds(std::span<const std::uint32_t> positions) const;

 private:
  struct Constraint {
    Expression expression;
    std::vector<std::size_t> tunables;  // ascending
    bool uses_dims = false;
    std::vector<std::uint64_t> strides{};  // parallel to tunables
    std::vector<bool> table{};             // empty: evaluate
  };

  void tabulate(Constraint& constraint) const;
  [[nodiscard]] bool evaluate(const Constraint& constraint,
                              std::span<const std::uint32_t> positions) const;
  [[nodiscard]] bool holds(const Constraint& constraint,
                           std::span<const std::uint32_t> positions) const {
    if (constraint.table.empty()) return evaluate(constraint, positions);
    std::uint64_t index = 0;
    for (std::size_t i = 0; i < constraint.tunables.size(); ++i) {
      index += positions[constraint.tunables[i]] * constraint.strides[i];
    }
    return constraint.table[index];
  }
  [[nodiscard]] bool all_hold(const std::vector<std::size_t>& which,
                              std::span<const std::uint32_t> positions) const {
    for (const std::size_t i : which) {
      if (!holds(constraints_[i], positions)) return false;
    }
    return true;
  }

  std::vector<std::vector<std::int64_t>> values_;  // of each tunable
  // Of the names in expressions, one vector per distinct workload; tunables are filled in later.
  std::vector<std::vector<std::int64_t>> settings_;
  std::size_t dims_ = 0;
  bool possible_ = true;
  std::vector<Constraint> constraints_;
  std::vector<std::vector<std::size_t>> by_last_;
  std::vector<std::vector<std::size_t>> by_user_;
};

}  // namespace kernatlas
