// SearchLoop: the state of a running search and the four steps of its pipeline. engine/search/
// pipeline.h runs them; Search owns it.
//
// Locking: one mutex guards everything that propose and settle share. It is never held while a
// candidate is compiled or evaluated, nor, in steady state, while two candidates are compared. In
// ordered mode a comparison is part of the settlement that the next proposal has to see, so the
// lock is kept; finished evaluations then wait at most as long as one comparison.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <semaphore>
#include <string>
#include <vector>

#include "engine/search/device_pool.h"
#include "engine/search/progress_meter.h"
#include "engine/search/proposer.h"
#include "engine/search/search.h"
#include "engine/search/settler.h"

namespace kernatlas {

class SearchLoop {
 public:
  static constexpr int kLostDeviceRetries = 3;
  static constexpr int kContestRounds = 3;
  static constexpr double kSuspectRatio = 10;

  // `axes` and `options` have been checked.
  SearchLoop(std::shared_ptr<const Task> task, Bench& bench, OperatorRegistry& operators,
             RunDatabase& database, const SearchOptions& options, std::uint32_t window,
             std::vector<archives::Axis> axes);

  // Brings back what the database holds. Once, before the pipeline starts.
  [[nodiscard]] Result<void> resume();
  void observe(SearchObserver* observer) { observer_ = observer; }
  void expect_foreign(std::uint64_t candidates) { proposer_.expect_foreign(candidates); }

  // The steps, in this order for every job. next() gives null when no more is to be proposed.
  [[nodiscard]] Job* next();
  void compile(Job& job);
  void evaluate(Job& job);
  void settle(Job& job);
  // Settles what is left and makes everything durable.
  [[nodiscard]] Result<SearchEnd> end();
  // A step threw: the run ends with this error.
  void fail_with(Error error);

  [[nodiscard]] const archives::Archive& archive() const { return elites_.archive(); }
  [[nodiscard]] std::uint32_t window() const { return window_; }
  [[nodiscard]] bool ordered() const { return options_.ordered; }

 private:
  using Lock = std::unique_lock<std::mutex>;

  // Everything above the search: 0, 1 finish what is in flight, 2 stop at once.
  [[nodiscard]] int interrupts() const;
  [[nodiscard]] bool discarding() const;  // results that arrive now are dropped
  [[nodiscard]] bool stopped();           // no more proposals
  void check_conditions();
  [[nodiscard]] Progress progress() const;

  [[nodiscard]] std::uint64_t next_ticket() const;
  void advance_ticket();
  [[nodiscard]] Job* take_job();
  void free_job(Job& job);
  [[nodiscard]] bool issue(Job& job);  // propose it, if there is anything to propose

  void settle_before(std::uint64_t ticket, Lock& lock);  // ordered: all earlier tickets
  void drain(Lock& lock);
  void settle_job(Job& job, Lock& lock);
  void decide(Job& job, Lock& lock);
  [[nodiscard]] Comparison compare(const Job& job, const Contest& contest);
  void store_row(Job& job);
  void update_status();
  void run_on_device(Job& job, const std::optional<Incumbent>& incumbent);
  [[nodiscard]] bool is_suspect(const Outcome& outcome);
  void measure_again(Job& job);
  [[nodiscard]] std::optional<Incumbent> incumbent_of(const Job& job);

  // Resume.
  struct Replay;
  [[nodiscard]] Result<void> replay_ordered(Replay& replay);
  [[nodiscard]] Result<void> replay_steady(Replay& replay);
  void apply(Replay& replay, const HotRow& row);
  void propose_again(Replay& replay);

  std::shared_ptr<const Task> task_;
  Bench& bench_;
  RunDatabase& database_;
  SearchOptions options_;
  std::uint32_t window_;
  SearchObserver* observer_ = nullptr;

  Elites elites_;
  OperatorMix mix_;
  Proposer proposer_;
  Settler settler_;
  DevicePool devices_;
  std::counting_semaphore<> compilers_;
  std::unique_ptr<StopCondition> conditions_;
  ProgressMeter meter_;
  SearchStatus status_;

  std::mutex mutex_;
  std::condition_variable changed_;  // a job is done, settled or dropped
  std::vector<Job> jobs_;
  std::vector<Job*> free_;
  std::vector<Job*> pending_;         // ordered: unsettled jobs by ticket % window
  std::deque<Job*> made_again_;       // were in flight when the last session ended
  std::deque<std::uint64_t> gaps_;    // steady: tickets that never settled, to be used first
  std::uint64_t first_unused_ = 0;    // ticket
  std::uint64_t next_to_settle_ = 0;  // ordered
  bool drain_first_ = false;          // ordered: before the next proposal
  std::uint32_t in_flight_ = 0;
  std::string reason_;  // why it stops; empty while it goes on
  std::optional<Error> error_;
};

}  // namespace kernatlas
