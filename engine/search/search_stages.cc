// The parallel steps of the search loop: what compiles, runs and compares candidates.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "engine/search/axes.h"
#include "engine/search/search_loop.h"

namespace kernatlas {

namespace {

class Permit {
 public:
  explicit Permit(std::counting_semaphore<>& semaphore) : semaphore_(semaphore) {
    semaphore_.acquire();
  }
  ~Permit() { semaphore_.release(); }
  Permit(const Permit&) = delete;
  Permit& operator=(const Permit&) = delete;

 private:
  std::counting_semaphore<>& semaphore_;
};

Error lost(const Job& job) {
  return {
      .code = ErrorCode::unavailable,
      .message = fmt::format("the device was lost {} times in a row while evaluating ticket {}{}{}",
                             SearchLoop::kLostDeviceRetries + 1, job.ticket,
                             job.outcome.message.empty() ? "" : ": ", job.outcome.message),
      .hint = "everything settled is saved: repair the device, then kernatlas resume"};
}

}  // namespace

void SearchLoop::compile(Job& job) {
  for (int attempt = 0; attempt <= kLostDeviceRetries && interrupts() < 2; ++attempt) {
    const Permit permit(compilers_);
    auto compiled = bench_.compiler().compile(job.candidate);
    if (compiled) {
      job.compiled = std::move(*compiled);
      return;
    }
    job.outcome = std::move(compiled.error());
    if (job.outcome.kind != OutcomeKind::device_lost) return;
  }
  if (interrupts() < 2) fail_with(lost(job));
}

void SearchLoop::evaluate(Job& job) {
  if (job.compiled == nullptr || interrupts() >= 2) return;
  run_on_device(job, incumbent_of(job));
  if (is_suspect(job.outcome)) measure_again(job);
  if (job.outcome.features.empty()) job.outcome.features = job.compiled->features;
  if (job.outcome.costs.compile_s == 0) job.outcome.costs.compile_s = job.compiled->compile_s;
}

void SearchLoop::run_on_device(Job& job, const std::optional<Incumbent>& incumbent) {
  for (int attempt = 0; attempt <= kLostDeviceRetries && interrupts() < 2; ++attempt) {
    const DevicePool::Lease device(devices_);
    job.outcome = device->evaluate(job.candidate, *job.compiled, job.ticket, incumbent);
    if (job.outcome.kind != OutcomeKind::device_lost) return;
  }
  if (interrupts() < 2) fail_with(lost(job));
}

// More than kSuspectRatio times as fast as anything known: too good to be believed at once. What is
// known depends on the moment, so never in ordered mode; a replayed table has nothing to add.
bool SearchLoop::is_suspect(const Outcome& outcome) {
  if (ordered() || bench_.deterministic() || !outcome.measured() || outcome.was_cut()) return false;
  const Lock lock(mutex_);
  const archives::Entry* best = elites_.best();
  const double known = std::max(0.0, best != nullptr ? best->objective : 0.0);
  return outcome.fitness > known + std::log2(kSuspectRatio);
}

// In a fresh process with secrets of its own. An honest kernel does it again; the slower of the two
// counts. What does not is rejected, or whatever the second look found.
void SearchLoop::measure_again(Job& job) {
  const Outcome first = std::move(job.outcome);
  run_on_device(job, std::nullopt);
  Outcome& second = job.outcome;
  second.costs.verify_s += first.costs.verify_s;
  second.costs.time_s += first.costs.time_s;
  second.costs.spawn_s += first.costs.spawn_s;
  if (!second.measured()) return;
  if (std::abs(first.fitness - second.fitness) > 1) {
    second.kind = OutcomeKind::rejected;
    second.stage = Stage::time;
    second.message = fmt::format("suspect: {:.3g}x at first, {:.3g}x when measured again",
                                 first.speedup(), second.speedup());
    return;
  }
  if (first.fitness >= second.fitness) return;
  second.fitness = first.fitness;
  second.fitness_interval = first.fitness_interval;
  second.times = first.times;
}

// Racing makes an outcome depend on who was champion at that moment: never in ordered mode.
std::optional<Incumbent> SearchLoop::incumbent_of(const Job& job) {
  if (ordered()) return std::nullopt;
  const Lock lock(mutex_);
  const auto measures =
      measures_of(elites_.archive().axes(), job.compiled->features, job.candidate);
  if (!measures) return std::nullopt;
  const auto cell = elites_.archive().cell_of(*measures);
  if (!cell) return std::nullopt;
  const archives::Elite* champion = elites_.archive().champion(*cell);
  if (champion == nullptr) return std::nullopt;
  return Incumbent{champion->entry.objective};
}

Comparison SearchLoop::compare(const Job& job, const Contest& contest) {
  CompiledPtr incumbent = contest.compiled;
  if (incumbent == nullptr) {
    const Permit permit(compilers_);
    auto compiled = bench_.compiler().compile(contest.candidate);
    if (!compiled) {
      Comparison failed;
      failed.message = "the incumbent no longer compiles: " + compiled.error().message;
      return failed;
    }
    incumbent = std::move(*compiled);
  }
  const DevicePool::Lease device(devices_);
  return device->compare(job.candidate, *job.compiled, contest.candidate, *incumbent, job.ticket);
}

}  // namespace kernatlas
