#include "backends/cpu/cpu_evaluator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "backends/cpu/comparer.h"
#include "backends/cpu/verifier.h"

namespace kernatlas {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kRefreshEvery = 4;
constexpr std::uint64_t kBaselineEvery = 20;
constexpr double kDriftLimit = 0.02;
constexpr double kCutRatio = 1.3;

// Adds the time until its end to one entry of Costs.
class Stopwatch {
 public:
  explicit Stopwatch(double& total) : total_(total), begin_(Clock::now()) {}
  ~Stopwatch() { total_ += std::chrono::duration<double>(Clock::now() - begin_).count(); }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  double& total_;
  Clock::time_point begin_;
};

void set_failure(Outcome& outcome, const Misdeed& misdeed, Stage stage) {
  outcome.kind = misdeed.kind;
  outcome.message = misdeed.message;
  outcome.detail = misdeed.detail.substr(0, kDetailLimit);
  // A fault says where the candidate was; a wrong result or a forged time is found by a check.
  const bool fault = misdeed.kind == OutcomeKind::crashed ||
                     misdeed.kind == OutcomeKind::timed_out ||
                     misdeed.kind == OutcomeKind::out_of_memory;
  outcome.stage = fault ? Stage::run : stage;
  outcome.fitness = std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

struct CpuEvaluator::Run {
  CpuProgram program;
  std::unique_ptr<Worker> worker;
  std::vector<std::size_t> timed;  // workloads
  std::optional<Incumbent> incumbent;
  Outcome outcome;
};

CpuEvaluator::CpuEvaluator(std::unique_ptr<CpuLab> lab, DeviceInfo info)
    : lab_(std::move(lab)), info_(std::move(info)) {}

CpuEvaluator::~CpuEvaluator() = default;

Checked<std::vector<double>> CpuEvaluator::measure(const CpuProgram& program,
                                                   ClockAllowance* learnt) {
  auto worker = lab_->start(program, true);
  if (!worker) return misdeed(worker.error());
  std::vector<double> medians;
  Accuracy unused;
  for (std::size_t w = 0; w < lab_->task().workloads.size(); ++w) {
    // A library may be slow to start up, and nothing is known yet about its speed.
    const TimingRequest request{.workload = w, .trusted = true, .expected_ns = 10e9};
    const auto timing = time_workload(*lab_, program, **worker, request, unused);
    if (!timing) return tl::unexpected(timing.error());
    medians.push_back(timing->time.median_ns);
    if (learnt == nullptr) continue;
    learnt->cpu_ns = std::max(learnt->cpu_ns, timing->excess.cpu_ns);
    learnt->wall_ns = std::max(learnt->wall_ns, timing->excess.wall_ns);
  }
  return medians;
}

Result<std::vector<double>> CpuEvaluator::measure_baseline() {
  // The baseline also teaches how large an honest worker's overhead is.
  ClockAllowance learnt{.cpu_ns = 0, .wall_ns = 0};
  auto medians = measure(lab_->baseline(), &learnt);
  if (!medians) {
    return fail({.code = ErrorCode::unavailable,
                 .message = "the plain baseline could not be timed: " + medians.error().message});
  }
  // Twice what was seen, and never less than a busy machine costs an honest worker: 0.3 ms was
  // seen.
  allowance_ = {.cpu_ns = std::clamp(2 * learnt.cpu_ns, 500e3, 1e6),
                .wall_ns = std::max(2 * learnt.wall_ns, 5e6)};
  baseline_ns_ = first_baseline_ = *medians;
  return *medians;
}

// Between two candidates: new input sets, a fresh look at the baseline.
void CpuEvaluator::maintain() {
  ++evaluations_;
  if (evaluations_ % kRefreshEvery == 0) lab_->refresh_case();
  if (evaluations_ % kBaselineEvery != 0 || lab_->parameters().verify_only) return;
  auto worker = lab_->start(lab_->baseline(), true);
  if (!worker) return;
  drifted_ = false;
  Accuracy unused;
  for (const std::size_t w : lab_->task().workloads_with(WorkloadRole::search)) {
    const TimingRequest request{
        .workload = w, .trusted = true, .expected_ns = 10 * baseline_ns_[w]};
    const auto timing = time_workload(*lab_, lab_->baseline(), **worker, request, unused);
    if (!timing || !timing->noise.empty()) continue;  // the last good one stays
    baseline_ns_[w] = timing->time.median_ns;
    const double drift = baseline_ns_[w] / first_baseline_[w] - 1;
    if (std::abs(drift) <= kDriftLimit) continue;
    drifted_ = true;
    lab_->note(fmt::format("the baseline drifted by {:+.1f} % on workload '{}'", 100 * drift,
                           lab_->task().workloads[w].name));
  }
}

Checked<void> CpuEvaluator::verify_all(Run& run, std::size_t cases_each) {
  const Stopwatch stopwatch(run.outcome.costs.verify_s);
  std::vector<std::size_t> order(lab_->task().workloads.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::shuffle(order.begin(), order.end(), lab_->rng());
  for (const std::size_t w : order) {
    if (lab_->cancelled()) {
      return tl::unexpected(
          Misdeed{.kind = OutcomeKind::device_lost, .message = "interrupted", .detail = {}});
    }
    const double expected = w < baseline_ns_.size() ? baseline_ns_[w] : 100e6;
    auto verified = verify_workload(*lab_, run.program, *run.worker, w, cases_each, expected,
                                    run.outcome.accuracy);
    if (!verified) return verified;
  }
  return {};
}

// The longest median with which the candidate could still come within a factor of 1.3 of the
// incumbent's fitness, if it did as much better on the workloads that are still to come.
double CpuEvaluator::cut_above(const Run& run, std::size_t workload, std::size_t done) const {
  if (!run.incumbent || !std::isfinite(run.incumbent->fitness)) {
    return std::numeric_limits<double>::infinity();
  }
  const double slack = std::log2(kCutRatio);
  const double target = run.incumbent->fitness;
  double reached = 0;
  for (const WorkloadTime& time : run.outcome.times) {
    reached += std::log2(time.baseline_ns / time.median_ns);
  }
  const auto total = static_cast<double>(run.timed.size());
  const double remaining = total - static_cast<double>(done) - 1;
  const double least = total * (target - slack) - reached - remaining * (target + slack);
  return baseline_ns_[workload] / std::exp2(least);
}

Checked<void> CpuEvaluator::time_all(Run& run) {
  const Stopwatch stopwatch(run.outcome.costs.time_s);
  bool cut = false;
  std::string noise;
  for (std::size_t done = 0; done < run.timed.size(); ++done) {
    const std::size_t w = run.timed[done];
    TimingRequest request{
        .workload = w, .brief = cut, .expected_ns = baseline_ns_[w], .allowance = allowance_};
    if (!cut) request.cut_above_ns = cut_above(run, w, done);
    auto timing = time_workload(*lab_, run.program, *run.worker, request, run.outcome.accuracy);
    if (!timing) return tl::unexpected(timing.error());
    timing->time.baseline_ns = baseline_ns_[w];
    cut |= timing->time.cut;
    if (noise.empty()) noise = timing->noise;
    run.outcome.times.push_back(timing->time);
  }
  if (cut) run.outcome.flags.emplace_back("cut");
  if (drifted_) run.outcome.flags.emplace_back("baseline drift");
  if (!noise.empty()) {
    run.outcome.flags.emplace_back("noisy");
    run.outcome.message = "noisy: " + noise;
  }
  return {};
}

void CpuEvaluator::settle_fitness(Run& run) const {
  Outcome& outcome = run.outcome;
  outcome.kind = OutcomeKind::measured;
  outcome.stage = Stage::done;
  double sum = 0;
  Interval interval{.low = 0, .high = 0};
  double count = 0;
  for (const WorkloadTime& time : outcome.times) {
    if (lab_->task().workloads[time.workload].role != WorkloadRole::search) continue;
    sum += std::log2(time.baseline_ns / time.median_ns);
    interval.low += std::log2(time.baseline_ns / time.median_interval_ns.high);
    interval.high += std::log2(time.baseline_ns / time.median_interval_ns.low);
    ++count;
  }
  if (count == 0) {  // verify_only
    outcome.fitness = 0;
    outcome.fitness_interval = {.low = 0, .high = 0};
    return;
  }
  outcome.fitness = sum / count;
  outcome.fitness_interval = {.low = interval.low / count, .high = interval.high / count};
}

Outcome CpuEvaluator::run(const Candidate& candidate, const Compiled& compiled,
                          const std::optional<Incumbent>& incumbent, bool all_workloads) {
  maintain();
  Run run;
  run.incumbent = incumbent;
  run.outcome.features = compiled.features;
  run.outcome.binary = compiled.binary;
  run.outcome.device = info_.contract_text();
  run.outcome.costs.compile_s = compiled.compile_s;
  auto program = CpuProgram::of(lab_->task(), *candidate.source, candidate.assignment, compiled);
  if (!program) {
    set_failure(run.outcome, {OutcomeKind::launch_error, program.error().text(), {}}, Stage::plan);
    return run.outcome;
  }
  run.program = std::move(*program);
  for (const WorkloadProgram& workload : run.program.workloads) {
    if (SlotSet::slot_bytes(workload) <= lab_->arena(0).size()) continue;
    set_failure(run.outcome,
                {OutcomeKind::resource_limit,
                 fmt::format("its buffers need more than {} MiB", lab_->arena(0).size() >> 20),
                 {}},
                Stage::plan);
    return run.outcome;
  }
  {
    const Stopwatch stopwatch(run.outcome.costs.spawn_s);
    auto worker = lab_->start(run.program, false);
    if (!worker) {
      set_failure(run.outcome, {worker.error().kind, worker.error().message, {}}, Stage::load);
      return run.outcome;
    }
    run.worker = std::move(*worker);
  }
  for (std::size_t w = 0; w < lab_->task().workloads.size(); ++w) {
    const bool search = lab_->task().workloads[w].role == WorkloadRole::search;
    if (!lab_->parameters().verify_only && (search || all_workloads)) run.timed.push_back(w);
  }
  auto fine = verify_all(run, 3);
  Stage stage = Stage::verify;
  if (fine && !run.timed.empty()) {
    stage = Stage::time;
    fine = time_all(run);
    if (fine) {
      stage = Stage::verify;
      fine = verify_all(run, 1);
    }
  }
  if (fine) {
    settle_fitness(run);
  } else {
    set_failure(run.outcome, fine.error(), stage);
  }
  return run.outcome;
}

Outcome CpuEvaluator::evaluate(const Candidate& candidate, const Compiled& compiled,
                               std::uint64_t /*ticket*/,
                               const std::optional<Incumbent>& incumbent) {
  return run(candidate, compiled, incumbent, false);
}

Outcome CpuEvaluator::examine(const Candidate& candidate, const Compiled& compiled,
                              std::uint64_t /*ticket*/) {
  return run(candidate, compiled, std::nullopt, true);
}

Comparison CpuEvaluator::compare(const Candidate& challenger, const Compiled& a,
                                 const Candidate& incumbent, const Compiled& b,
                                 std::uint64_t /*ticket*/) {
  Comparison comparison;
  auto first = CpuProgram::of(lab_->task(), *challenger.source, challenger.assignment, a);
  auto second = CpuProgram::of(lab_->task(), *incumbent.source, incumbent.assignment, b);
  if (!first || !second) {
    comparison.message = (first ? second.error() : first.error()).text();
    return comparison;
  }
  return compare_programs(*lab_, *first, *second, baseline_ns_, allowance_);
}

}  // namespace kernatlas
