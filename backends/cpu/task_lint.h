// Weaknesses of a task: ways in which a kernel that does less than the task asks would still pass,
// found by running the reference.
//
// Every verification changes inputs secretly and expects the outputs to follow. An input that moves
// no output, or an output that nothing moves, makes that blind; so does an output that is constant,
// or merely a copy of an input. The changes tried here are those that timing makes between two
// launches (perturb() of input_cases.h), and "moves" means by more than kMoved times what is
// accepted as a rounding error: below that, a stored answer might pass.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backends/backend.h"
#include "kernel/task.h"

namespace kernatlas {

inline constexpr double kMoved = 100;

// One sentence each, search workloads only (hidden ones stay hidden); empty: none found.
// `reference`: CpuCompiler::compile_reference(). Runs it (1 + inputs) times per workload and set of
// fills. Errors: those of the reference.
[[nodiscard]] Result<std::vector<std::string>> find_weaknesses(std::shared_ptr<const Task> task,
                                                               CompiledPtr reference);

}  // namespace kernatlas
