#include "backends/cpu/timed_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace kernatlas {

namespace {

constexpr std::size_t kMostSlots = 256;
constexpr double kGroupNs = 1e6;
// A group may be this short when all slots together do not fill kGroupNs often enough.
constexpr double kShortGroupNs = 50e3;
// CPU time of an honest, undisturbed worker that no group accounts for: waking up, its protocol.
constexpr double kOverheadNs = 50e3;

std::size_t data_bytes(const WorkloadProgram& program) {
  return std::accumulate(program.buffer_bytes.begin(), program.buffer_bytes.end(), std::size_t{0});
}

}  // namespace

std::size_t slot_count(const WorkloadProgram& program, const TimedRunOptions& options) {
  const std::size_t fitting = options.arena_bytes / SlotSet::slot_bytes(program);
  const std::size_t bytes = std::max<std::size_t>(1, data_bytes(program));
  std::size_t wanted = 0;
  if (options.warm) {
    wanted = std::clamp<std::size_t>(options.machine->l2_bytes / 2 / bytes, 2, 64);
  } else {
    const std::size_t target = 2 * options.machine->llc_bytes;
    wanted = std::clamp<std::size_t>((target + bytes - 1) / bytes, 2, kMostSlots);
  }
  return std::min(wanted, fitting);
}

TimedRun::TimedRun(const Task& task, std::size_t workload, const CpuProgram& program,
                   const Arena& arena, Worker& worker, std::span<const InputCasePtr> cases,
                   TimedRunOptions options, Verify verify, SecretRng& rng)
    : options_(options),
      worker_(worker),
      rng_(rng),
      verify_(std::move(verify)),
      slots_(task, workload, program, arena, slot_count(program.workloads[workload], options),
             cases, rng, options.pool) {
  const std::size_t rotated = slots_.slots() * data_bytes(program.workloads[workload]);
  flush_ = !options_.warm && rotated < 2 * options_.machine->llc_bytes;
}

std::chrono::milliseconds TimedRun::deadline() const {
  const double expected = 10 * options_.expected_ns * static_cast<double>(slots_.slots());
  return std::chrono::milliseconds(static_cast<std::int64_t>(std::max(2000.0, expected * 1e-6)));
}

void TimedRun::make_groups() {
  std::vector<std::uint32_t> order(slots_.slots());
  std::iota(order.begin(), order.end(), 0u);
  std::shuffle(order.begin(), order.end(), rng_);
  std::size_t size = 1;
  if (estimate_ns_ > 0) {
    const auto needed = [&](double ns) {
      return static_cast<std::size_t>(std::ceil(ns / std::max(1.0, estimate_ns_)));
    };
    size = needed(kGroupNs);
    if (size * 4 > order.size()) {
      size = std::max(std::min(needed(kShortGroupNs), order.size()), order.size() / 4);
    }
    size = std::clamp<std::size_t>(size, 1, order.size());
  }
  groups_.clear();
  // Groups of nearly equal size: a short last one would be a noisy sample.
  const std::size_t count = std::max<std::size_t>(1, order.size() / size);
  for (std::size_t g = 0; g < count; ++g) {
    groups_.emplace_back(
        order.begin() + static_cast<std::ptrdiff_t>(g * order.size() / count),
        order.begin() + static_cast<std::ptrdiff_t>((g + 1) * order.size() / count));
  }
}

void TimedRun::flush_caches() {
  for (std::size_t i = 0; i < options_.flush.size(); i += 64) options_.flush[i] ^= std::byte{1};
}

// In launch order, so that what is launched first was touched longest ago.
void TimedRun::prepare_all() {
  for (const auto& group : groups_) {
    for (const std::uint32_t slot : group) {
      slots_.perturb_inputs(slot, rng_);
      slots_.prepare(slot, rng_() % 2 == 0 ? PoisonPattern::nans : PoisonPattern::large, rng_);
    }
  }
  if (flush_) flush_caches();
}

Checked<void> TimedRun::check_all() {
  for (std::size_t slot = 0; slot < slots_.slots(); ++slot) {
    if (auto wrong = slots_.check(slot)) return tl::unexpected(std::move(*wrong));
    if (auto wrong = slots_.check_written(slot)) return tl::unexpected(std::move(*wrong));
  }
  return {};
}

Checked<RunTimes> TimedRun::launch_all() {
  make_groups();
  prepare_all();
  const auto times = worker_.run(groups_, deadline());
  if (!times) return misdeed(times.error());
  if (times->sample_ns.size() != groups_.size()) {
    return tl::unexpected(Misdeed{.kind = OutcomeKind::rejected,
                                  .message = "the worker reported times that nobody asked for",
                                  .detail = {}});
  }
  if (auto fine = check_all(); !fine) return tl::unexpected(fine.error());
  return *times;
}

TimedRun::Clock TimedRun::judge(const RunTimes& times) {
  ++passes_;
  double claimed = 0;
  for (const std::int64_t sample : times.sample_ns) {
    if (sample <= 0) return Clock::forged;
    claimed += static_cast<double>(sample);
  }
  const auto cpu = static_cast<double>(times.cpu_ns);
  const auto wall = static_cast<double>(times.wall_ns);
  excess_.wall_ns = std::max(excess_.wall_ns, wall - claimed);
  if (claimed > wall * 1.001 + 1e5) return Clock::forged;
  // All threads together cannot use more CPU time than the reported time holds: what is beyond it
  // was spent where the worker's clock did not look. Waiting, in contrast, gains a kernel nothing,
  // so a gap in the wall clock alone is the scheduler's doing.
  const double most = claimed * options_.threads;
  excess_.cpu_ns = std::max(excess_.cpu_ns, cpu - most);
  if (cpu > most * 1.1 + options_.allowance.cpu_ns) return Clock::forged;
  const bool preempted = options_.threads == 1 && claimed > cpu * 1.03 + 1e5;
  const bool gap = wall > claimed * 1.25 + options_.allowance.wall_ns;
  if (preempted || gap) return Clock::disturbed;
  return Clock::fine;
}

Checked<void> TimedRun::start() {
  if (slots_.slots() == 0) {
    return tl::unexpected(Misdeed{.kind = OutcomeKind::resource_limit,
                                  .message = "its buffers do not fit into the memory set aside",
                                  .detail = {}});
  }
  if (auto bound = worker_.bind(slots_.binding(), deadline()); !bound)
    return misdeed(bound.error());
  const auto times = launch_all();
  if (!times) return tl::unexpected(times.error());
  double total = 0;
  for (const std::int64_t sample : times->sample_ns) total += static_cast<double>(sample);
  estimate_ns_ = std::max(1.0, total / static_cast<double>(slots_.slots()));
  return {};
}

// What a pass cost, whatever its groups say. Of one thread the CPU's time is known: it knows no
// other processes that took the CPU away, and it also counts work that the worker's clock missed.
// That is charged, not punished: a busy machine makes honest workers spend some, but hardly in
// every pass, and the quickest pass counts.
double TimedRun::spent_ns(const RunTimes& times, double claimed_ns) const {
  const auto cpu = static_cast<double>(times.cpu_ns);
  if (options_.threads != 1 || cpu <= 0) return claimed_ns;
  if (cpu <= claimed_ns) return cpu;
  return options_.trusted ? claimed_ns : std::max(claimed_ns, cpu - kOverheadNs);
}

Checked<std::vector<double>> TimedRun::pass() {
  constexpr int kAttempts = 3;
  for (int attempt = 1;; ++attempt) {
    const auto times = launch_all();
    if (!times) return tl::unexpected(times.error());
    const Clock clock = judge(*times);
    if (clock == Clock::forged && attempt < kAttempts) continue;
    if (clock == Clock::forged) {
      return tl::unexpected(Misdeed{
          .kind = OutcomeKind::rejected,
          .message = "it ran longer than the times reported for it",
          .detail = fmt::format("{:.3f} ms of CPU time and {:.3f} ms of wall time in the last pass",
                                static_cast<double>(times->cpu_ns) * 1e-6,
                                static_cast<double>(times->wall_ns) * 1e-6)});
    }
    // A disturbed group is an outlier among the samples and needs no more than that.
    disturbed_passes_ += clock == Clock::disturbed ? 1 : 0;
    std::vector<double> samples;
    double total = 0;
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      const auto ns = static_cast<double>(times->sample_ns[g]);
      total += ns;
      samples.push_back(ns / static_cast<double>(groups_[g].size()));
    }
    estimate_ns_ = std::max(1.0, total / static_cast<double>(slots_.slots()));
    whole_pass_ns_ =
        std::min(whole_pass_ns_, spent_ns(*times, total) / static_cast<double>(slots_.slots()));
    if (uniform01(rng_) < options_.verify_share) {
      if (auto fine = verify_one(); !fine) return tl::unexpected(fine.error());
    }
    return samples;
  }
}

Checked<void> TimedRun::verify_one() {
  return verify_(slots_, static_cast<std::size_t>(uniform_below(rng_, slots_.slots())));
}

Checked<void> TimedRun::check_floor(double median_ns) const {
  if (median_ns >= options_.floor_ns) return {};
  return tl::unexpected(
      Misdeed{.kind = OutcomeKind::rejected,
              .message = fmt::format("suspect: {:.4g} µs on {} is less than moving its data takes",
                                     median_ns * 1e-3, slots_.where()),
              .detail = fmt::format("The machine's measured bandwidth allows {:.4g} µs at best.",
                                    options_.floor_ns * 1e-3)});
}

}  // namespace kernatlas
