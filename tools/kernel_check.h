// Verifies and times one kernel, and says everything about it: shared by `check` and `tasks check`.
#pragma once

#include <memory>
#include <string>

#include "backends/backend.h"
#include "kernel/candidate.h"
#include "kernel/outcome.h"
#include "kernel/result.h"
#include "kernel/task.h"

namespace kernatlas {

struct KernelCheck {
  Candidate candidate;
  Outcome outcome;
};

// `tunables` and `options` as "NAME=VALUE …"; empty: the first valid assignment, default options.
[[nodiscard]] Result<KernelCheck> check_kernel(std::shared_ptr<const Task> task, Bench& bench,
                                               KernelSourcePtr source, const std::string& tunables,
                                               const std::string& options);

[[nodiscard]] std::string check_text(const KernelCheck& check, const Task& task,
                                     const std::vector<Tunable>& options);

}  // namespace kernatlas
