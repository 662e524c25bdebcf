#include "backends/recorded/replay.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numbers>
#include <thread>

#include "kernel/rng.h"

namespace kernatlas {

namespace {

constexpr std::uint32_t kPairs = 20;
constexpr double kSigmas = 3;
constexpr std::uint64_t kComparePurpose = 0x636f6d70617265;

// A generator that costs nothing to start, with the normal distribution.
class Noise {
 public:
  Noise(std::uint64_t seed, std::uint64_t purpose, std::uint64_t ticket)
      : state_(mix64(mix64(mix64(seed) ^ purpose) ^ ticket)) {}
  std::uint64_t operator()() { return mix64(state_++); }
  double uniform() { return uniform01(*this); }
  // Box and Muller 1958, one of the two values.
  double normal() {
    const double radius = std::sqrt(-2 * std::log(1 - uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
  }

 private:
  std::uint64_t state_;
};

void sleep_ms(double ms, const std::atomic<bool>* cancel) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                      std::chrono::duration<double, std::milli>(ms));
  while (cancel == nullptr || !cancel->load(std::memory_order_relaxed)) {
    const auto left = end - Clock::now();
    if (left <= Clock::duration::zero()) return;
    std::this_thread::sleep_for(std::min<Clock::duration>(left, std::chrono::milliseconds(20)));
  }
}

Stage stage_of(OutcomeKind kind) {
  switch (kind) {
    case OutcomeKind::measured:
      return Stage::done;
    case OutcomeKind::compile_error:
      return Stage::compile;
    case OutcomeKind::rejected:
      return Stage::inspect;
    case OutcomeKind::launch_error:
    case OutcomeKind::resource_limit:
      return Stage::load;
    case OutcomeKind::wrong_result:
    case OutcomeKind::nondeterministic:
      return Stage::verify;
    default:
      return Stage::run;
  }
}

// Times scatter by exp(noise · N(0, 1)); the interval is the middle 95 % of that.
void measure(const Replay& replay, const RecordedRow& row, Noise& noise, Outcome& outcome) {
  const double sd = replay.options.noise;
  const double factor = sd > 0 ? std::exp(sd * noise.normal()) : 1.0;
  const double spread = std::exp(1.96 * sd);
  const double median_ns = row.median_ms * 1e6 * factor;
  const double baseline_ns = replay.table.baseline_ms() * 1e6;
  outcome.times.push_back({.workload = 0,
                           .median_ns = median_ns,
                           .median_interval_ns = {median_ns / spread, median_ns * spread},
                           .iqr_ns = median_ns * 1.349 * sd,
                           .baseline_ns = baseline_ns,
                           .samples = std::max<std::uint32_t>(row.runs, 1),
                           .cut = false});
  outcome.fitness = std::log2(baseline_ns / median_ns);
  const double half = 1.96 * sd * std::numbers::log2e;
  outcome.fitness_interval = {outcome.fitness - half, outcome.fitness + half};
}

}  // namespace

Outcome replay_row(const Replay& replay, std::uint32_t row_number, std::uint64_t ticket,
                   std::uint64_t purpose) {
  const RecordedOptions& options = replay.options;
  const RecordedRow& row = replay.table.rows()[row_number];
  Noise noise(replay.seed, purpose, ticket);
  const bool slow = noise.uniform() < options.slow_rate;
  const bool fails = noise.uniform() < options.fail_rate;
  const double wait_ms = slow ? options.slow_ms : options.latency_ms;
  if (wait_ms > 0) sleep_ms(wait_ms, replay.cancel);

  Outcome outcome;
  outcome.kind = fails ? OutcomeKind::crashed : row.kind;
  outcome.stage = stage_of(outcome.kind);
  outcome.costs.compile_s = row.compile_ms / 1e3;
  outcome.costs.spawn_s = row.overhead_ms / 1e3;
  outcome.costs.time_s = row.benchmark_ms / 1e3;
  outcome.device = replay.device;
  if (outcome.measured()) {
    measure(replay, row, noise, outcome);
  } else if (fails) {
    outcome.message = "injected failure";
  } else {
    outcome.message = "recorded as a failure";
  }
  return outcome;
}

Comparison replay_comparison(const Replay& replay, std::uint32_t challenger,
                             std::uint32_t incumbent, std::uint64_t ticket) {
  const auto& rows = replay.table.rows();
  Comparison result;
  if (rows[challenger].kind != OutcomeKind::measured ||
      rows[incumbent].kind != OutcomeKind::measured) {
    result.message = "one of the two does not run";
    return result;
  }
  const double gain = std::log2(rows[incumbent].median_ms / rows[challenger].median_ms);
  const double sd = replay.options.noise * std::numbers::log2e;
  Noise noise(replay.seed, kComparePurpose, ticket);
  double sum = 0;
  result.pairs = kPairs;
  for (std::uint32_t pair = 0; pair < kPairs; ++pair) {
    const double seen = sd > 0 ? gain + sd * (noise.normal() - noise.normal()) : gain;
    sum += seen;
    if (seen > 0) ++result.wins;
  }
  result.log2_gain = sd > 0 ? sum / kPairs : gain;
  const double limit = kSigmas * sd * std::sqrt(2.0 / kPairs);
  using Finding = Comparison::Finding;
  result.finding = result.log2_gain > limit    ? Finding::faster
                   : result.log2_gain < -limit ? Finding::slower
                                               : Finding::ambiguous;
  return result;
}

}  // namespace kernatlas
