#include "backends/cpu/timing_session.h"

#include <algorithm>

namespace kernatlas {

namespace {

const std::string kUnevenText = "its launches take unequal times: whole passes were counted";

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

StoppingOptions stopping_options(const CpuLab& lab, const TimingRequest& request) {
  StoppingOptions options{
      .budget_s = lab.parameters().time_s, .incumbent = request.cut_above_ns, .cut_ratio = 1};
  if (request.brief) {
    options.min_samples = 6;
    options.budget_s = 0;
  }
  return options;
}

// Passes until the rule is content; the reason it gave.
Checked<StopReason> sample(CpuLab& lab, TimedRun& run, StoppingRule& rule) {
  const auto begin = std::chrono::steady_clock::now();
  while (true) {
    const auto samples = run.pass();
    if (!samples) return tl::unexpected(samples.error());
    for (const double ns : *samples) rule.add(ns);
    const StopReason reason = rule.decide(seconds_since(begin));
    if (reason != StopReason::not_yet) return reason;
    if (lab.cancelled()) {
      return tl::unexpected(Misdeed{
          .kind = OutcomeKind::device_lost, .message = "interrupted while timing", .detail = {}});
    }
  }
}

// Secret launches of the last pass, more of them where the reference is quick: who computes only
// every second result correctly passes one check in two, but not eight.
Checked<void> verify_some(const CpuLab& lab, TimedRun& run) {
  constexpr double kSeconds = 0.02;
  const double affordable = kSeconds / std::max(lab.reference_seconds(), 1e-6);
  const int checks = static_cast<int>(std::clamp(affordable, 1.0, 8.0));
  for (int i = 0; i < checks; ++i) {
    if (auto fine = run.verify_one(); !fine) return fine;
  }
  return {};
}

// By how much the median has to be raised, at least 1. A kernel that knows its buffers could do the
// work of all launches in one of them, so that most times are next to nothing. Together they cannot
// be quicker than they are: when even the quickest whole pass took clearly longer than the median
// tells, that pass is what counts.
Checked<double> raise_for_whole_passes(TimedRun& run, double median_ns, bool rough) {
  constexpr double kUneven = 1.1;   // disturbed launches are in the sum, but not in the median
  constexpr int kEnoughPasses = 6;  // one or two may have been disturbed
  while (!rough && run.whole_pass_ns() > kUneven * median_ns && run.passes() < kEnoughPasses) {
    const auto samples = run.pass();
    if (!samples) return tl::unexpected(samples.error());
  }
  return std::max(1.0, run.whole_pass_ns() / (kUneven * median_ns));
}

}  // namespace

TimedRunOptions timed_run_options(CpuLab& lab, const TimingRequest& request) {
  // Full verification of timed launches as often as the reference can be afforded.
  const double reference_s = lab.reference_seconds();
  const double share = reference_s < 0.02 ? 0.25 : reference_s < 0.05 ? 0.1 : 0;
  return {.machine = &lab.machine(),
          .warm = lab.options().warm,
          .threads = lab.options().threads,
          .arena_bytes = lab.arena(0).size(),
          .expected_ns = request.expected_ns,
          .floor_ns = request.trusted ? 0 : lab.floor_ns(request.workload),
          .allowance =
              request.trusted ? ClockAllowance{.cpu_ns = 1e12, .wall_ns = 1e12} : request.allowance,
          .pool = &lab.byte_pool(),
          .flush = lab.flush_memory(),
          .verify_share = request.trusted ? 0 : share,
          .trusted = request.trusted};
}

Checked<WorkloadTiming> time_workload(CpuLab& lab, const CpuProgram& program, Worker& worker,
                                      const TimingRequest& request, Accuracy& accuracy) {
  const auto cases = lab.cases().pick_several(request.workload, 8, lab.rng());
  const auto verify = [&](SlotSet& slots, std::size_t slot) {
    return lab.verify_slot(slots, slot, accuracy);
  };
  TimedRun run(lab.task(), request.workload, program, lab.arena(0), worker, cases,
               timed_run_options(lab, request), verify, lab.rng());
  if (auto started = run.start(); !started) return tl::unexpected(started.error());
  StoppingRule rule(stopping_options(lab, request));
  auto reason = sample(lab, run, rule);
  if (!reason) return tl::unexpected(reason.error());
  std::string noise = rule.noise();
  const bool rough = request.brief || *reason == StopReason::cut;
  if (!rough && !noise.empty()) {
    rule.restart();
    reason = sample(lab, run, rule);
    if (!reason) return tl::unexpected(reason.error());
    noise = rule.noise();
    if (!noise.empty() && run.disturbed()) noise += "; other work kept taking the CPU away";
  }
  if (!request.trusted) {
    if (auto fine = verify_some(lab, run); !fine) return tl::unexpected(fine.error());
  }
  const Summary summary = rule.summary();
  if (auto possible = run.check_floor(summary.median); !possible) {
    return tl::unexpected(possible.error());
  }
  const auto factor = raise_for_whole_passes(run, summary.median, rough);
  if (!factor) return tl::unexpected(factor.error());
  if (*factor > 1 && !rough) noise += noise.empty() ? kUnevenText : "; " + kUnevenText;
  WorkloadTiming timing;
  timing.time = {.workload = static_cast<std::uint32_t>(request.workload),
                 .median_ns = summary.median * *factor,
                 .median_interval_ns = {.low = summary.interval.low * *factor,
                                        .high = summary.interval.high * *factor},
                 .iqr_ns = summary.iqr() * *factor,
                 .baseline_ns = 0,
                 .samples = static_cast<std::uint32_t>(summary.samples),
                 .cut = *reason == StopReason::cut};
  timing.noise = rough ? std::string() : noise;
  timing.excess = run.excess();
  return timing;
}

}  // namespace kernatlas
