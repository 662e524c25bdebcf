// Proposer: makes the proposal of a ticket. Chooses an operator, picks its parents, and draws again
// while what comes out is known already.
//
// A function of (run seed, ticket), the elites, what the operators learnt, and the candidates
// known: nothing else, so a proposal that was in flight when the program died can be made again.
// Thread safety: none; the search serialises.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "archives/selector.h"
#include "engine/adaptation/operator_mix.h"
#include "engine/search/candidate_set.h"
#include "engine/search/elites.h"
#include "engine/search/job.h"
#include "engine/search/policy.h"
#include "kernel/result.h"
#include "operators/operator.h"
#include "operators/tunables/search_space.h"

namespace kernatlas {

class Proposer {
 public:
  // So many duplicates in a row, and a ticket has found nothing new. Where the candidates can be
  // counted it is kDrawsPerCandidate for each of them, within these bounds: even when only
  // every fourth draw is a random one, the last candidate of a space is hardly ever missed.
  static constexpr std::uint64_t kLeastDuplicateLimit = 2000;
  static constexpr std::uint64_t kMostDuplicateLimit = 1000000;
  static constexpr std::uint64_t kDrawsPerCandidate = 40;

  // So many duplicates from one operator, and the ticket asks the others first.
  static constexpr std::uint32_t kRepeatsBeforeRest = 2;

  // Everything outlives the proposer. check() must have found nothing.
  Proposer(std::shared_ptr<const Task> task, const std::vector<Tunable>& options,
           OperatorRegistry& operators, const Policy& policy, const Elites& elites,
           const OperatorMix& mix, std::uint64_t seed);

  // Operators and selectors that are unknown.
  [[nodiscard]] static Result<void> check(OperatorRegistry& operators, const Policy& policy);

  // Fills in `job`; false when there is nothing new now: no operator offers anything, too many
  // duplicates in a row, or every valid candidate of every source has been proposed. A settlement
  // may change that. Asking again for the same ticket starts its random stream again.
  [[nodiscard]] bool propose(std::uint64_t ticket, Job& job);

  // A candidate proposed in an earlier session.
  void remember(const Hash128& id) { known_.insert(id); }
  void expect(std::size_t candidates) { known_.reserve(candidates); }
  // So many candidates of sources that have no space here (yet) will be proposed: not every space
  // is used up just because that many candidates are known.
  void expect_foreign(std::uint64_t candidates) { capacity_ += candidates; }
  // A source that operators may move in from now on; seeds are there from the start.
  void add_source(const KernelSourcePtr& source);
  [[nodiscard]] std::span<Operator* const> operators() const { return operators_; }

 private:
  struct Selection {
    const archives::Selector* selector = nullptr;
    ParentRequest request;
  };

  void make_explicit(CompileOptions& options) const;
  [[nodiscard]] bool all_tried() const;
  [[nodiscard]] std::uint64_t duplicate_limit() const;
  void pick_parents(const Selection& selection, Rng& rng);
  bool add_parent(const archives::Elite* elite, bool same_source);
  [[nodiscard]] const archives::Selector* selector_named(const std::string& name);
  std::size_t choose_arm(Rng& rng);
  [[nodiscard]] bool goes_first(std::size_t arm) const;

  std::shared_ptr<const Task> task_;
  std::vector<Tunable> options_;
  const Elites& elites_;
  const OperatorMix& mix_;
  std::uint64_t seed_;
  std::vector<Operator*> operators_;  // by arm
  std::vector<Selection> selections_;
  std::vector<std::size_t> first_arms_;  // asked before all others while they have something
  std::map<std::string, std::unique_ptr<archives::Selector>, std::less<>> selectors_;
  std::vector<std::unique_ptr<SearchSpace>> spaces_;
  std::vector<const SearchSpace*> space_pointers_;
  std::unordered_set<Hash128> sources_;
  CandidateSet known_;
  std::uint64_t capacity_ = 0;  // valid candidates of all spaces; 0 when that is not known
  bool countable_ = true;
  // Of the present draw: the first parent_count_ of parents_, whose memory is used again.
  std::vector<Parent> parents_;
  std::size_t parent_count_ = 0;
  // Of the present ticket, by arm: has something to offer; and does not rest; duplicates it drew.
  std::vector<bool> allowed_;
  std::vector<bool> awake_;
  std::vector<std::uint32_t> repeats_;
};

}  // namespace kernatlas
