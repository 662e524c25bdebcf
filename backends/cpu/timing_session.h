// time_workload: times one loaded program on one workload until the stopping rule is content.
#pragma once

#include <limits>
#include <string>

#include "backends/cpu/cpu_lab.h"
#include "backends/timing/stopping_rule.h"

namespace kernatlas {

struct TimingRequest {
  std::size_t workload = 0;
  bool trusted = false;      // our own baseline: no clock check, no floor, no full verification
  bool brief = false;        // a rough time will do: the fewest samples
  double expected_ns = 1e6;  // per launch sequence, for deadlines
  double cut_above_ns = std::numeric_limits<double>::infinity();
  ClockAllowance allowance{};
};

struct WorkloadTiming {
  WorkloadTime time;  // baseline_ns is left to the caller
  std::string noise;  // why not to trust it; empty when steady
  ClockAllowance excess;
};

// `accuracy` takes the errors of the slots that are verified on the way.
[[nodiscard]] Checked<WorkloadTiming> time_workload(CpuLab& lab, const CpuProgram& program,
                                                    Worker& worker, const TimingRequest& request,
                                                    Accuracy& accuracy);

// The options that a timed run of this lab uses.
[[nodiscard]] TimedRunOptions timed_run_options(CpuLab& lab, const TimingRequest& request);

}  // namespace kernatlas
