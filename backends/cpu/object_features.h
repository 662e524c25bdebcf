// Features of a CPU kernel, from its machine code and its launch plan (docs/features.md): never
// from its text, so names, comments and layout cannot move a kernel to another cell.
#pragma once

#include <cstdint>
#include <vector>

#include "backends/cpu/machine_code.h"
#include "kernel/features.h"
#include "kernel/launch_plan.h"
#include "kernel/task.h"

namespace kernatlas {

// In this order: vector_width, fma, memory, intensity, code_bytes, loops, spills, calls, launches,
// workspace_bytes, grid_points. Deterministic; linear in the code.
[[nodiscard]] Features cpu_features(const MachineCode& code, const LaunchPlan& plan);

// vector_width × memory × intensity, 80 cells: docs/features.md says why these.
[[nodiscard]] std::vector<AxisRequest> cpu_default_axes();

}  // namespace kernatlas
