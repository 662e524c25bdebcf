#include "backends/cpu/cpu_program.h"

#include "backends/cpu/launcher_source.h"

namespace kernatlas {

Assignment default_assignment(const KernelSource& source) {
  Assignment assignment;
  for (const Tunable& tunable : source.tunables()) assignment.push_back(tunable.values.front());
  return assignment;
}

std::size_t element_count(const Tensor& tensor, const Dims& dims) {
  const Result<std::int64_t> elements = tensor.elements(dims);
  KERNATLAS_CHECK(elements.has_value());
  return static_cast<std::size_t>(*elements);
}

std::vector<std::int64_t> shape_of(const Tensor& tensor, const Dims& dims) {
  std::vector<std::int64_t> shape;
  for (const Expression& extent : tensor.shape) {
    const Result<std::int64_t> value = extent.evaluate(dims);
    KERNATLAS_CHECK(value.has_value());
    shape.push_back(*value);
  }
  return shape;
}

Result<CpuProgram> CpuProgram::of(const Task& task, const KernelSource& source,
                                  const Assignment& assignment, const Compiled& compiled) {
  KERNATLAS_CHECK(compiled.images.size() == task.workloads.size());
  CpuProgram program;
  program.images = compiled.images;
  program.binary = compiled.binary;
  for (const Workspace& workspace : source.workspaces()) program.zeroed.push_back(workspace.zeroed);
  for (const Workload& workload : task.workloads) {
    const Result<LaunchPlan> plan = plan_launches(task, workload, source, assignment);
    if (!plan) {
      // The text reaches proposers, who must not learn hidden sizes.
      if (workload.role == WorkloadRole::search) return fail(plan.error());
      return fail({.message = "its launch plan does not work on a hidden workload",
                   .file = source.file(),
                   .line = plan.error().line,
                   .hint = "let expressions and constraints hold for any dims"});
    }
    WorkloadProgram entry;
    for (const auto* tensors : {&task.inputs, &task.outputs}) {
      for (const Tensor& tensor : *tensors) {
        entry.buffer_bytes.push_back(element_count(tensor, workload.dims) * size_of(tensor.type));
      }
    }
    for (const std::int64_t bytes : plan->workspace_bytes) {
      entry.buffer_bytes.push_back(static_cast<std::size_t>(bytes));
    }
    for (std::size_t i = 0; i < plan->launches.size(); ++i) {
      const auto& grid = plan->launches[i].grid;
      entry.launches.push_back({.symbol = launch_symbol(i), .points = grid[0] * grid[1] * grid[2]});
    }
    program.workloads.push_back(std::move(entry));
  }
  return program;
}

}  // namespace kernatlas
