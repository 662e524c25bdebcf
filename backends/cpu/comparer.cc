#include "backends/cpu/comparer.h"

#include <cmath>
#include <numeric>

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

// log2(incumbent / challenger) of each pair on one workload: by the median launch, and by all
// launches of the pass together.
struct Gains {
  std::vector<double> median;
  std::vector<double> whole;
};

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

Checked<Gains> pair_up(CpuLab& lab, Side& challenger, Side& incumbent,
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
  Gains gains;
  const auto pairs = static_cast<std::size_t>(lab.parameters().pairs);
  for (const bool challenger_first : abba_order(pairs, lab.rng()() % 2 == 0)) {
    double ns[2] = {0, 0};  // challenger, incumbent
    double whole_ns[2] = {0, 0};
    for (int turn = 0; turn < 2; ++turn) {
      const bool is_challenger = (turn == 0) == challenger_first;
      auto samples = is_challenger ? a.pass() : b.pass();
      if (!samples) return blame(is_challenger ? challenger : incumbent, samples.error());
      ns[is_challenger ? 0 : 1] = median(*samples);
      whole_ns[is_challenger ? 0 : 1] = mean(*samples);
    }
    gains.median.push_back(std::log2(ns[1] / ns[0]));
    gains.whole.push_back(std::log2(whole_ns[1] / whole_ns[0]));
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
  const auto pairs = static_cast<std::size_t>(lab.parameters().pairs);
  Gains all{.median = std::vector<double>(pairs), .whole = std::vector<double>(pairs)};
  for (const std::size_t w : workloads) {
    const TimingRequest request{
        .workload = w, .expected_ns = baseline_ns[w], .allowance = allowance};
    const auto gains = pair_up(lab, sides[0], sides[1], request);
    if (!gains) {
      comparison.message = gains.error().message;
      return comparison;
    }
    for (std::size_t i = 0; i < pairs; ++i) {
      all.median[i] += gains->median[i] / static_cast<double>(workloads.size());
      all.whole[i] += gains->whole[i] / static_cast<double>(workloads.size());
      comparison.wins += gains->median[i] > 0 ? 1 : 0;
    }
  }
  comparison.pairs = static_cast<std::uint32_t>(pairs);
  comparison.log2_gain = median(all.median);
  comparison.finding = decide(all.median);
  // Some launches may do the work of others: what the median gains, the sum has to gain too, or at
  // least half of it, for a sum is noisier.
  const double whole = median(all.whole);
  if (comparison.finding == Comparison::Finding::faster && whole < comparison.log2_gain / 2) {
    comparison.finding = Comparison::Finding::ambiguous;
    comparison.log2_gain = whole;
    comparison.message = "challenger: most launches are quicker, all of them together are not";
  }
  return comparison;
}

}  // namespace kernatlas
