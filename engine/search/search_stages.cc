// The parallel steps of the search loop: what compiles, runs and compares candidates.
#include <fmt/core.h>

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
