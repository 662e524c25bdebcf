// Operator: makes proposals from the archive's elites. docs/adding-an-operator.md walks through
// one.
//
// The engine picks parents, hands them over as plain values, and tells the operator what became of
// every proposal. Operators never see the archive, the backend or the database.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/candidate.h"
#include "kernel/outcome.h"
#include "kernel/rng.h"
#include "kernel/task.h"

namespace kernatlas {

class SearchSpace;

// An elite offered as a parent.
struct Parent {
  std::uint64_t ticket = 0;
  Candidate candidate;
  double fitness = 0;
  std::size_t cell = 0;
};

// What an operator may look at for one proposal. Everything is const and outlives the call only.
struct Surroundings {
  const Task& task;
  // One space per seed source, in Task::seeds order, and for every other source met so far.
  std::span<const SearchSpace* const> spaces;
  // As many as Operator::parents() asked for when the archive has them; possibly fewer, possibly
  // none.
  std::span<const Parent> parents;
  // The ticket this proposal will carry; counts from 0.
  std::uint64_t ticket = 0;
};

struct Proposal {
  Candidate candidate;
  std::vector<std::uint64_t> parents;  // tickets; empty for seeds and random ones
};

// How parents are to be chosen.
struct ParentRequest {
  std::size_t count = 0;     // how many
  bool same_source = false;  // all of the same kernel source
  std::string selector;      // "uniform", "rarity", "rank"; empty: the policy's default
};

// What an operator hears of every proposal it made, in settlement order.
struct Settled {
  std::uint64_t ticket = 0;
  OutcomeKind kind = OutcomeKind::measured;
  bool opened = false;    // took an empty cell
  bool improved = false;  // became champion of an occupied one
  double gain = 0;        // in fitness over the displaced champion; 0 otherwise
  double cost_s = 0;
  bool duplicate = false;  // answered from the database
};

// The space of a kernel source among those around, by content; null when it is not there.
[[nodiscard]] const SearchSpace* space_of(const Surroundings& around, const KernelSource& source);

// Thread rule: propose() and learn() of one operator are never called at the same time.
class Operator {
 public:
  virtual ~Operator() = default;
  // Stable identifier stored with every proposal; changes when the operator's meaning changes.
  [[nodiscard]] virtual std::string_view name() const = 0;
  [[nodiscard]] virtual std::string_view summary() const = 0;
  [[nodiscard]] virtual ParentRequest parents() const { return {}; }

  // Empty when this operator has nothing to offer here (no tunables, too few parents, exhausted).
  // Post-condition, checked: the candidate has a source, its assignment is valid for every
  // workload, its options are among those of its space, and its parents are among those offered.
  // Deterministic given surroundings, rng and what was learnt before: an operator remembers only
  // what learn() told it, so that replaying the settlements restores it.
  [[nodiscard]] std::optional<Proposal> propose(const Surroundings& around, Rng& rng);
  void learn(const Settled& settled) { do_learn(settled); }

 protected:
  [[nodiscard]] virtual std::optional<Proposal> do_propose(const Surroundings& around,
                                                           Rng& rng) = 0;
  virtual void do_learn(const Settled&) {}
};

class OperatorRegistry {
 public:
  void add(std::unique_ptr<Operator> op);  // the name must be new
  [[nodiscard]] Operator* find(std::string_view name) const;
  [[nodiscard]] std::span<const std::unique_ptr<Operator>> all() const { return operators_; }

 private:
  std::vector<std::unique_ptr<Operator>> operators_;
};

// The operators that need no model, in this order (operators/registry.cc has a line for each):
// seed, random_assignment, mutate_tunable, line_crossover, move_option, restart_rare.
[[nodiscard]] OperatorRegistry default_operators();

}  // namespace kernatlas
