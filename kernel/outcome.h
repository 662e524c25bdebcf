// Outcome: what evaluation found out about a candidate. Every field that a person would ask for
// when doubting a number is here: samples, interval, error against float64, device, binary hash.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/features.h"
#include "kernel/hash.h"

namespace kernatlas {

enum class OutcomeKind : std::uint8_t {
  measured,          // correct and timed
  compile_error,     // the compiler refused it
  launch_error,      // the binary would not load or start
  crashed,           // a signal: segmentation fault, illegal instruction, …
  timed_out,         // compile or run exceeded its deadline
  out_of_memory,     // asked for more than the worker may have
  wrong_result,      // computed something else
  nondeterministic,  // two runs over the same input disagree beyond the tolerance
  rejected,          // cheating: forbidden symbol, instruction or system call, forged time, …
  resource_limit,    // does not fit this device (shared memory, threads, workspace)
  device_lost,       // the environment failed; never held against the candidate; retried
};
inline constexpr std::size_t kOutcomeKinds = 11;
[[nodiscard]] std::string_view name(OutcomeKind kind);
[[nodiscard]] std::optional<OutcomeKind> parse_outcome_kind(std::string_view text);

// Where in the evaluation the outcome was decided.
enum class Stage : std::uint8_t { plan, compile, inspect, load, run, verify, time, done };
[[nodiscard]] std::string_view name(Stage stage);
[[nodiscard]] std::optional<Stage> parse_stage(std::string_view text);

struct Interval {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  friend bool operator==(const Interval&, const Interval&) = default;
};

// Timing of one search workload, nanoseconds per launch sequence.
struct WorkloadTime {
  std::uint32_t workload = 0;  // index into Task::workloads
  double median_ns = 0;
  Interval median_interval_ns;  // 95 % interval of the median, by order statistics
  double iqr_ns = 0;            // interquartile range
  double baseline_ns = 0;       // the unit of fitness, as measured near this time
  std::uint32_t samples = 0;
  bool cut = false;  // stopped early by racing: clearly slower than what it had to beat
};

// Accuracy of the worst output over every checked input set (docs/verification.md).
struct Accuracy {
  double norm_error = 0;   // |y - y64|2 / |y64|2
  double norm_limit = 0;   // what would have been accepted
  double worst_error = 0;  // max |y - y64| / (|y64| + rms(y64))
  double worst_limit = 0;
  double baseline_error = 0;     // norm_error of the plain baseline on the same inputs
  std::uint32_t input_sets = 0;  // how many were compared
};

// Where the evaluation's wall time went, seconds.
struct Costs {
  double compile_s = 0;
  double spawn_s = 0;
  double verify_s = 0;
  double time_s = 0;
  [[nodiscard]] double total_s() const { return compile_s + spawn_s + verify_s + time_s; }
};

struct Outcome {
  OutcomeKind kind = OutcomeKind::measured;
  Stage stage = Stage::done;
  // Measured only: log2(baseline time / candidate time), mean over the search workloads (that is,
  // the geometric mean of speed-ups), and its interval from the medians' intervals.
  double fitness = std::numeric_limits<double>::quiet_NaN();
  Interval fitness_interval;
  std::vector<WorkloadTime> times;
  Features features;  // empty when it never compiled
  Accuracy accuracy;
  Costs costs;
  std::string message;             // one line for people; empty when measured and unremarkable
  std::string detail;              // compiler log, mismatch description; at most kDetailLimit bytes
  std::vector<std::string> flags;  // "noisy", "suspect", "throttled", "cut", …
  Hash128 binary;                  // of what really ran
  std::string device;              // device, driver and compiler, as DeviceInfo::contract_text()

  [[nodiscard]] bool measured() const { return kind == OutcomeKind::measured; }
  [[nodiscard]] bool was_cut() const;
  [[nodiscard]] double speedup() const { return std::exp2(fitness); }
  // How many timings the fitness rests on, all workloads together.
  [[nodiscard]] std::uint64_t samples() const;
};
inline constexpr std::size_t kDetailLimit = 8192;

// Result of an interleaved (ABBA) re-measurement of a challenger against an incumbent.
struct Comparison {
  enum class Finding : std::uint8_t { faster, slower, ambiguous, failed } finding = Finding::failed;
  double log2_gain = 0;     // log2(incumbent time / challenger time), mean over search workloads
  std::uint32_t pairs = 0;  // interleaved pairs per workload
  std::uint32_t wins = 0;   // pairs the challenger won, summed over workloads
  std::string message;
};

}  // namespace kernatlas
