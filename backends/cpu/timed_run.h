// TimedRun: one program timed on one workload, pass by pass.
//
// A pass launches every slot once. Before it, all slots are perturbed and poisoned; after it, all
// are checked, and now and then a secret one is verified in full against the reference. The
// worker's times are held against its CPU time and the supervisor's clock. Evaluation and
// comparison are loops over passes. Not thread-safe.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "backends/cpu/cpu_machine.h"
#include "backends/cpu/slot_set.h"
#include "backends/worker/worker.h"

namespace kernatlas {

template <typename T>
using Checked = tl::expected<T, Misdeed>;

[[nodiscard]] inline tl::unexpected<Misdeed> misdeed(const Fault& fault) {
  return tl::unexpected<Misdeed>(
      Misdeed{.kind = fault.kind, .message = fault.message, .detail = {}});
}

// What an honest worker uses beyond the time that it reports, per request; learnt from the
// baseline, so that tiny kernels have a tight bound too.
struct ClockAllowance {
  double cpu_ns = 1e6;
  double wall_ns = 20e6;
};

struct TimedRunOptions {
  const CpuMachine* machine = nullptr;
  bool warm = false;
  int threads = 1;
  std::size_t arena_bytes = 0;  // at most this much of the arena
  double expected_ns = 1e6;     // of one launch sequence: deadlines are 10 times that
  double floor_ns = 0;          // physical floor; a median below is suspect
  ClockAllowance allowance{};
  BytePool* pool = nullptr;    // for the slots' private copies
  std::span<std::byte> flush;  // writing it empties the caches: twice the last level
  double verify_share = 0.25;  // of the passes are followed by a full verification
  bool trusted = false;        // our own or a library's code
};

// How many slots the options ask for. 0: not even one fits.
[[nodiscard]] std::size_t slot_count(const WorkloadProgram& program,
                                     const TimedRunOptions& options);

class TimedRun {
 public:
  // Verifies one slot in full against a fresh reference run, under limits of its own.
  using Verify = std::function<Checked<void>(SlotSet& slots, std::size_t slot)>;

  // `worker` has loaded the program's images and serves nobody else while this lives.
  TimedRun(const Task& task, std::size_t workload, const CpuProgram& program, const Arena& arena,
           Worker& worker, std::span<const InputCasePtr> cases, TimedRunOptions options,
           Verify verify, SecretRng& rng);

  // Binds and warms up: one pass whose times only size the groups.
  [[nodiscard]] Checked<void> start();
  // Time per launch sequence of each group, nanoseconds.
  [[nodiscard]] Checked<std::vector<double>> pass();
  // Full verification of a secret slot of the last pass.
  [[nodiscard]] Checked<void> verify_one();
  // Whether this median is physically possible.
  [[nodiscard]] Checked<void> check_floor(double median_ns) const;

  // Most passes were disturbed: the worker did not get its CPU for all of the time.
  [[nodiscard]] bool disturbed() const { return 2 * disturbed_passes_ > passes_; }
  // Time per launch sequence of the quickest pass, all its launches taken together and work beside
  // the worker's clock included. One launch may do the work of others, but not in sum.
  [[nodiscard]] double whole_pass_ns() const { return whole_pass_ns_; }
  [[nodiscard]] int passes() const { return passes_; }
  // The largest excess over reported time that was seen: an allowance, if the program is trusted.
  [[nodiscard]] ClockAllowance excess() const { return excess_; }

 private:
  [[nodiscard]] Checked<RunTimes> launch_all();
  [[nodiscard]] Checked<void> check_all();
  void prepare_all();
  void make_groups();
  void flush_caches();
  enum class Clock { fine, disturbed, forged };
  [[nodiscard]] Clock judge(const RunTimes& times);
  [[nodiscard]] double spent_ns(const RunTimes& times, double claimed_ns) const;
  [[nodiscard]] std::chrono::milliseconds deadline() const;

  TimedRunOptions options_;
  Worker& worker_;
  SecretRng& rng_;
  Verify verify_;
  SlotSet slots_;
  std::vector<std::vector<std::uint32_t>> groups_;
  bool flush_ = false;      // the slots alone do not fill the caches
  double estimate_ns_ = 0;  // of one launch sequence, from the last pass; 0: not known yet
  int disturbed_passes_ = 0;
  int passes_ = 0;
  double whole_pass_ns_ = std::numeric_limits<double>::infinity();
  ClockAllowance excess_{.cpu_ns = 0, .wall_ns = 0};
};

}  // namespace kernatlas
