#include "engine/search/search_loop.h"

#include <algorithm>
#include <limits>

#include "engine/search/ordered_drain.h"

namespace kernatlas {

namespace {

std::unique_ptr<StopCondition> conditions_of(const SearchOptions& options) {
  std::vector<std::unique_ptr<StopCondition>> conditions;
  conditions.push_back(stop_on_budget(options.budget));
  if (options.target_speedup) conditions.push_back(stop_at_speedup(*options.target_speedup));
  if (options.stagnation) conditions.push_back(stop_on_stagnation(*options.stagnation));
  return any_of(std::move(conditions));
}

}  // namespace

SearchLoop::SearchLoop(std::shared_ptr<const Task> task, Bench& bench, OperatorRegistry& operators,
                       RunDatabase& database, const SearchOptions& options, std::uint32_t window,
                       std::vector<archives::Axis> axes)
    : task_(std::move(task)),
      bench_(bench),
      database_(database),
      options_(options),
      window_(window),
      elites_(std::move(axes), options.archive_depth),
      mix_(options.policy.operators, options.policy.adapt),
      proposer_(task_, bench.options(), operators, options.policy, elites_, mix_, options.seed),
      settler_(elites_, mix_, proposer_.operators()),
      devices_(bench.evaluators()),
      compilers_(std::max(1, bench.compiler().concurrency())),
      conditions_(conditions_of(options)),
      jobs_(window),
      pending_(window, nullptr) {
  for (Job& job : jobs_) free_.push_back(&job);
}

int SearchLoop::interrupts() const {
  return options_.interrupt == nullptr ? 0 : options_.interrupt->load(std::memory_order_relaxed);
}

bool SearchLoop::discarding() const {
  return error_.has_value() || interrupts() >= 2;
}

bool SearchLoop::stopped() {
  if (reason_.empty() && interrupts() > 0) reason_ = "interrupted";
  return error_.has_value() || !reason_.empty();
}

Progress SearchLoop::progress() const {
  const Settler::Counts& counts = settler_.counts();
  Progress progress;
  progress.spent.evaluations = counts.settled;
  progress.spent.proposed = counts.settled + in_flight_;
  progress.spent.seconds = meter_.seconds();
  progress.best_fitness = elites_.best() == nullptr ? std::numeric_limits<double>::quiet_NaN()
                                                    : elites_.best()->objective;
  progress.evaluations_since_gain = counts.since_gain;
  return progress;
}

void SearchLoop::check_conditions() {
  if (auto reason = conditions_->check(progress())) reason_ = *reason;
}

std::uint64_t SearchLoop::next_ticket() const {
  return gaps_.empty() ? first_unused_ : gaps_.front();
}

void SearchLoop::advance_ticket() {
  if (gaps_.empty()) {
    ++first_unused_;
  } else {
    gaps_.pop_front();
  }
}

Job* SearchLoop::take_job() {
  KERNATLAS_CHECK(!free_.empty());
  Job* job = free_.back();
  free_.pop_back();
  return job;
}

void SearchLoop::free_job(Job& job) {
  job.compiled.reset();
  job.done = false;
  free_.push_back(&job);
}

bool SearchLoop::issue(Job& job) {
  const std::uint64_t ticket = next_ticket();
  if (!proposer_.propose(ticket, job)) return false;
  advance_ticket();
  ++in_flight_;
  if (ordered()) pending_[ticket % window_] = &job;
  return true;
}

Job* SearchLoop::next() {
  Lock lock(mutex_);
  if (!made_again_.empty() && !discarding() && interrupts() == 0) {
    Job* job = made_again_.front();
    made_again_.pop_front();
    return job;
  }
  while (!stopped()) {
    if (drain_first_) drain(lock);
    if (ordered() && first_unused_ >= window_) settle_before(first_unused_ - window_ + 1, lock);
    if (stopped()) break;
    check_conditions();
    if (stopped()) break;
    Job* job = take_job();
    if (issue(*job)) return job;
    free_job(*job);
    if (in_flight_ == 0) {
      reason_ = "exhausted";
    } else {
      drain(lock);
    }
  }
  return nullptr;
}

void SearchLoop::settle_before(std::uint64_t ticket, Lock& lock) {
  while (next_to_settle_ < ticket) {
    Job*& slot = pending_[next_to_settle_ % window_];
    changed_.wait(lock, [&] { return slot->done || discarding(); });
    if (discarding()) return;
    settle_job(*slot, lock);
    if (discarding()) return;
    free_job(*slot);
    slot = nullptr;
    ++next_to_settle_;
  }
}

// Nothing to propose until more is known: waits for one settlement, in ordered mode for all of
// them, which is then part of what a replay has to know.
void SearchLoop::drain(Lock& lock) {
  if (ordered()) {
    settle_before(first_unused_, lock);
    if (discarding()) return;
    drain_first_ = false;
    if (auto done = store_drain(database_, first_unused_); !done) error_ = done.error();
    return;
  }
  const std::uint64_t before = settler_.counts().settled;
  changed_.wait(
      lock, [&] { return settler_.counts().settled != before || in_flight_ == 0 || discarding(); });
}

void SearchLoop::settle(Job& job) {
  Lock lock(mutex_);
  if (ordered()) {
    job.done = true;
  } else {
    // What was dropped stays in flight for ever: it never counts, and a resume uses its ticket
    // again.
    if (!discarding()) settle_job(job, lock);
    free_job(job);
  }
  changed_.notify_all();
}

void SearchLoop::settle_job(Job& job, Lock& lock) {
  decide(job, lock);
  if (discarding()) return;
  --in_flight_;
  if (job.verdict.kept) proposer_.add_source(job.candidate.source);
  store_row(job);
}

void SearchLoop::decide(Job& job, Lock& lock) {
  auto judged = settler_.judge(job);
  if (!judged) {
    error_ = judged.error();
    return;
  }
  std::optional<Contest> contest = std::move(*judged);
  for (int round = 0; contest; ++round) {
    if (round == kContestRounds) {
      settler_.concede(job, contest->incumbent);
      return;
    }
    if (!ordered()) lock.unlock();
    const Comparison comparison = compare(job, *contest);
    if (!ordered()) lock.lock();
    if (discarding()) return;
    contest = settler_.judge(job, contest->incumbent, comparison);
  }
}

void SearchLoop::store_row(Job& job) {
  SettledRow row = settler_.finish(job, bench_.options());
  meter_.settled(settler_.counts().settled);
  if (observer_ != nullptr) {
    update_status();
    observer_->settled(row, status_);
  }
  if (auto stored = database_.settle(std::move(row)); !stored) error_ = stored.error();
}

void SearchLoop::update_status() {
  const Settler::Counts& counts = settler_.counts();
  status_.spent = progress().spent;
  status_.duplicates = counts.duplicates;
  status_.outcomes = counts.outcomes;
  status_.archive = elites_.archive().stats();
  // The archive counts this session's calls; the run's verdicts are what people ask for.
  status_.archive.opened = counts.opened;
  status_.archive.improved = counts.improved;
  status_.archive.rejected = counts.rejected;
  status_.archive.refused = counts.refused;
  if (const archives::Entry* best = elites_.best()) {
    status_.best_ticket = best->id;
    status_.best_fitness = best->objective;
    status_.best_interval = {best->low, best->high};
  }
  status_.evaluations_per_s = meter_.evaluations_per_s();
  status_.eta_s = meter_.eta_s(options_.budget, status_.spent);
  status_.in_flight = in_flight_;
}

void SearchLoop::fail_with(Error error) {
  const Lock lock(mutex_);
  if (!error_) error_ = std::move(error);
  changed_.notify_all();
}

Result<SearchEnd> SearchLoop::end() {
  Lock lock(mutex_);
  if (ordered() && !discarding()) {
    // What was to be proposed again but never was issued stays open.
    const std::uint64_t open = made_again_.size();
    settle_before(first_unused_ - open, lock);
  }
  const auto flushed = database_.flush();
  if (error_) return fail(*error_);
  if (!flushed) return fail(flushed.error());
  // Whatever the run was about to stop for: it is not over while proposals are open.
  if (in_flight_ > 0 || reason_.empty()) reason_ = "interrupted";
  in_flight_ = 0;
  update_status();
  return SearchEnd{reason_, status_};
}

}  // namespace kernatlas
