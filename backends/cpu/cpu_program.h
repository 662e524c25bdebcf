// CpuProgram: compiled code with everything needed to launch it, for every workload of a task.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "backends/backend.h"
#include "backends/worker/worker.h"
#include "kernel/launch_plan.h"

namespace kernatlas {

// One workload of a program: sizes of a slot's buffers (inputs, outputs, workspaces) and launches.
struct WorkloadProgram {
  std::vector<std::size_t> buffer_bytes;
  std::vector<LaunchCall> launches;
};

struct CpuProgram {
  std::vector<std::shared_ptr<const std::string>> images;  // per workload
  std::vector<WorkloadProgram> workloads;
  std::vector<bool> zeroed;  // per workspace: zero instead of poison before a launch
  Hash128 binary;

  // Errors: bad_input, when the source does not fit the task (plan_launches says why).
  [[nodiscard]] static Result<CpuProgram> of(const Task& task, const KernelSource& source,
                                             const Assignment& assignment,
                                             const Compiled& compiled);
};

// The first value of every tunable: what a baseline runs with.
[[nodiscard]] Assignment default_assignment(const KernelSource& source);

// Number of elements of a tensor that a loaded task has already checked.
[[nodiscard]] std::size_t element_count(const Tensor& tensor, const Dims& dims);
// Its shape for these dims.
[[nodiscard]] std::vector<std::int64_t> shape_of(const Tensor& tensor, const Dims& dims);

}  // namespace kernatlas
