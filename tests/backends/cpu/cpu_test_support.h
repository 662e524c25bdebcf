// Tasks, sources and a compiler for the tests of the CPU compiler.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backends/cpu/cpu_compiler.h"
#include "kernel/candidate.h"
#include "kernel/task.h"

namespace kernatlas::testing {

// y[ROWS, COLS] from x[ROWS, COLS] and w[COLS], all f32; a search workload of 64 × 1000 and a
// holdout of 7 × 333.
[[nodiscard]] std::shared_ptr<Task> small_task();

// Parses; the test fails when it does not parse.
[[nodiscard]] KernelSourcePtr cpp_source(const std::string& text,
                                         const std::string& file = "kernel.cpp");

// Front matter with one launch of `k` over ROWS points with x, w, y, and then `body`.
[[nodiscard]] std::string with_launch(const std::string& body);
[[nodiscard]] KernelSourcePtr one_launch(const std::string& body);

// One compiler for the whole program: its prelude is precompiled once. Inspects.
[[nodiscard]] CpuCompiler& shared_compiler();
// The same for the search workload alone: half the work.
[[nodiscard]] CpuCompiler& search_compiler();

// A candidate with the first value of each tunable.
[[nodiscard]] Candidate candidate_of(const KernelSourcePtr& source, CompileOptions options = {});

// "compiler=clangxx fast_math=full", any subset of the options in any order; others stay at their
// first value. Empty when this machine lacks the option or the value.
[[nodiscard]] CompileOptions options_of(const CpuCompiler& compiler, const std::string& text);
[[nodiscard]] bool has_compiler(const CpuCompiler& compiler, const std::string& label);

}  // namespace kernatlas::testing
