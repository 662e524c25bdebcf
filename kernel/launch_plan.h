// LaunchPlan: a source's launches with every expression evaluated for one workload and assignment.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "kernel/candidate.h"
#include "kernel/result.h"
#include "kernel/task.h"

namespace kernatlas {

// What one argument of a launch is.
struct Argument {
  enum class Kind { input, output, workspace, integer } kind = Kind::integer;
  std::size_t index = 0;   // into Task::inputs, Task::outputs or KernelSource::workspaces
  std::int64_t value = 0;  // for integer
};

struct Launch {
  std::string kernel;
  std::array<std::int64_t, 3> grid{1, 1, 1};
  std::array<std::int64_t, 3> block{1, 1, 1};
  std::int64_t shared_bytes = 0;
  std::vector<Argument> arguments;
};

struct LaunchPlan {
  std::vector<Launch> launches;
  std::vector<std::int64_t> workspace_bytes;  // parallel to KernelSource::workspaces
  // What the compiler gets as macros: dims, tunables, and NAME_label of choices.
  std::vector<std::pair<std::string, std::int64_t>> macros;
};

// The names that expressions of `source` may use: dims, then tunables, then NAME_label of choices.
[[nodiscard]] std::vector<std::string> expression_names(const Task& task,
                                                        const KernelSource& source);
// Their values, in the same order. `dims` are those of a workload, `assignment` has a value for
// each tunable.
[[nodiscard]] std::vector<std::int64_t> expression_values(const Dims& dims,
                                                          const KernelSource& source,
                                                          const Assignment& assignment);

// Errors (bad_input, with the front matter's line): an expression fails, a grid is not positive, a
// workspace is negative or larger than 16 GiB, a constraint does not hold, the assignment is not
// one of the source's. Parses every expression: some tens of microseconds.
[[nodiscard]] Result<LaunchPlan> plan_launches(const Task& task, const Workload& workload,
                                               const KernelSource& source,
                                               const Assignment& assignment);

// True when every constraint holds for every workload of the task, hidden ones included.
[[nodiscard]] bool is_valid(const Task& task, const KernelSource& source,
                            const Assignment& assignment);

}  // namespace kernatlas
