// ReferenceRunner: the task's float64 reference in a trusted worker of its own.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "backends/backend.h"
#include "backends/verification/comparison.h"
#include "backends/worker/worker.h"

namespace kernatlas {

// Not thread-safe.
class ReferenceRunner {
 public:
  // `compiled`: CpuCompiler::compile_reference(). `cpus`: where it may run; empty: anywhere.
  [[nodiscard]] static Result<std::unique_ptr<ReferenceRunner>> create(
      std::shared_ptr<const Task> task, CompiledPtr compiled, std::vector<int> cpus);

  // Expected values of every output for these inputs (raw bytes of the inputs' types). A dead
  // worker is replaced once. Errors: internal, when the reference crashes or exceeds two minutes.
  [[nodiscard]] Result<std::vector<Expected>> run(
      std::size_t workload, std::span<const std::span<const std::byte>> inputs);
  // Wall time of the last run, seconds: decides how often it can be afforded.
  [[nodiscard]] double last_seconds() const { return last_seconds_; }

 private:
  ReferenceRunner() = default;
  [[nodiscard]] WorkerResult<void> launch(std::size_t workload);
  [[nodiscard]] WorkerResult<void> start();
  void write_inputs(std::size_t workload, std::span<const std::span<const std::byte>> inputs);
  [[nodiscard]] std::vector<Expected> read_outputs(std::size_t workload) const;

  std::shared_ptr<const Task> task_;
  CompiledPtr compiled_;
  std::unique_ptr<WorkerPool> pool_;
  std::unique_ptr<Arena> arena_;
  std::unique_ptr<Worker> worker_;
  std::vector<std::vector<std::uint64_t>> offsets_;  // [workload][inputs, outputs]
  std::size_t bound_ = static_cast<std::size_t>(-1);
  double last_seconds_ = 0;
};

}  // namespace kernatlas
