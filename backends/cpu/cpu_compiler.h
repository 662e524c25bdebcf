// CpuCompiler: C++ candidates to shared objects, one per workload, by g++ or clang++.
//
// Each compilation runs sandboxed (backends/worker/command.h) with a precompiled prelude; results
// are cached on disk by content hash. Before an object may run it is inspected
// (object_inspection.h), and its features are read from its machine code (object_features.h).
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "backends/backend.h"

namespace kernatlas {

struct CpuCompilerOptions {
  std::filesystem::path cache_dir;       // empty: no disk cache
  std::size_t cache_bytes = 512u << 20;  // least recently used objects go first
  std::vector<int> cpus;                 // where compilers may run; empty: everywhere
  bool inspect = true;                   // tests of the run-time defences switch it off
};

class CpuCompiler : public Compiler {
 public:
  // Errors: unavailable, when no C++ compiler is found.
  [[nodiscard]] static Result<std::unique_ptr<CpuCompiler>> create(std::shared_ptr<const Task> task,
                                                                   CpuCompilerOptions options);

  // The option space: "compiler" (the ones found here), "opt", "fast_math", "vector_width", …
  // The first value of each is the default: g++ -O3 -march=native.
  [[nodiscard]] virtual const std::vector<Tunable>& options() const = 0;
  // Trusted code: defaults, no inspection, the baseline's libraries linked. Error code unavailable
  // when a library is missing, bad_input with the compiler's log when it does not compile.
  [[nodiscard]] virtual Result<CompiledPtr> compile_baseline(const Baseline& baseline) = 0;
  // Task::reference: float64, see docs/architecture.md. One launch, symbol kernatlas_launch_0, one
  // point.
  [[nodiscard]] virtual Result<CompiledPtr> compile_reference() = 0;
  // "g++ 12.2.0 -O3 -march=native", for the contract.
  [[nodiscard]] virtual std::string version() const = 0;
};

}  // namespace kernatlas
