#include "backends/cpu/comparer.h"

#include <cmath>

#include "backends/cpu/timing_session.h"
#include "backends/timing/interleaving.h"
#include "backends/timing/statistics.h"

namespace kernatlas {

namespace {

// One side of a comparison.
struct Side {
  const char* name;
  const CpuProgram& program;
  std::unique_ptr<Worker> worker;
};

// log2(incumbent / challenger) of each pair on one workload.
Checked<std::vector<double>> pair_up(CpuLab& lab, Side& challenger, Side& incumbent,
                                     const TimingRequest& request) {
  const auto cases = lab.cases().pick_several(request.workload, 8, lab.rng());
  Accuracy unused;
  const auto verify = [&](SlotSet& slots, std::size_t slot) {
    return lab.verify_slot(slots, slot, unused);
  };
  TimedRunOptions options = timed_run_options(lab, request);
  options.verify_share = 0;  // once at the end: both sides the same
  const auto make = [&](Side& side, int arena) {
    return TimedRun(lab.task(), request.workload, side.program, lab.arena(arena), *side.worker,
                    cases, options, verify, lab.rng());
  };
  TimedRun a = make(challenger, 0);
  TimedRun b = make(incumbent, 1);
  const auto blame = [&](const Side& side, Misdeed wrong) {
    wrong.message = std::string(side.name) + ": " + wrong.message;
    return tl::unexpected(std::move(wrong));
  };
  if (auto started = a.start(); !started) return blame(challenger, started.error());
  if (auto started = b.start(); !started) return blame(incumbent, started.error());
  std::vector<double> gains;
  const auto pairs = static_cast<std::size_t>(lab.parameters().pairs);
  for (const bool challenger_first : abba_order(pairs, lab.rng()() % 2 == 0)) {
    double ns[2] = {0, 0};  // challenger, incumbent
    for (int turn = 0; turn < 2; ++turn) {
      const bool is_challenger = (turn == 0) == challenger_first;
      auto samples = is_challenger ? a.pass() : b.pass();
      if (!samples) return blame(is_challenger ? challenger : incumbent, samples.error());
      ns[is_challenger ? 0 : 1] = median(*samples);
    }
    gains.push_back(std::log2(ns[1] / ns[0]));
  }
  if (auto fine = a.verify_one(); !fine) return blame(challenger, fine.error());
  if (auto fine = b.verify_one(); !fine) return blame(incumbent, fine.error());
  return gains;
}

}  // namespace

Comparison compare_programs(CpuLab& lab, const CpuProgram& challenger, const CpuProgram& incumbent,
                            std::span<const double> baseline_ns, const ClockAllowance& allowance) {
  Comparison comparison;
  Side sides[2] = {{.name = "challenger", .program = challenger, .worker = nullptr},
                   {.name = "incumbent", .program = incumbent, .worker = nullptr}};
  for (int i = 0; i < 2; ++i) {
    auto worker = lab.start(sides[i].program, false, i);
    if (!worker) {
      comparison.message = std::string(sides[i].name) + ": " + worker.error().message;
      return comparison;
    }
    sides[i].worker = std::move(*worker);
  }
  const auto workloads = lab.task().workloads_with(WorkloadRole::search);
  std::vector<double> mean(static_cast<std::size_t>(lab.parameters().pairs), 0.0);
  for (const std::size_t w : workloads) {
    const TimingRequest request{
        .workload = w, .expected_ns = baseline_ns[w], .allowance = allowance};
    const auto gains = pair_up(lab, sides[0], sides[1], request);
    if (!gains) {
      comparison.message = gains.error().message;
      return comparison;
    }
    for (std::size_t i = 0; i < gains->size(); ++i) {
      mean[i] += (*gains)[i] / static_cast<double>(workloads.size());
      comparison.wins += (*gains)[i] > 0 ? 1 : 0;
    }
  }
  comparison.pairs = static_cast<std::uint32_t>(lab.parameters().pairs);
  comparison.log2_gain = median(mean);
  comparison.finding = decide(mean);
  return comparison;
}

}  // namespace kernatlas
