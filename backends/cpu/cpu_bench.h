// CpuBench: everything of the cpu backend for one task. One evaluator: one machine.
#pragma once

#include <memory>
#include <vector>

#include "backends/backend.h"
#include "backends/cpu/cpu_compiler.h"
#include "backends/cpu/cpu_evaluator.h"

namespace kernatlas {

class CpuBench : public Bench {
 public:
  // Compiles the reference and the baselines, prepares input sets, measures the baselines: seconds.
  [[nodiscard]] static Result<std::unique_ptr<Bench>> open(std::shared_ptr<const Task> task,
                                                           const BenchOptions& options);

  [[nodiscard]] Compiler& compiler() override { return *compiler_; }
  [[nodiscard]] std::vector<Evaluator*> evaluators() override { return {evaluator_.get()}; }
  [[nodiscard]] const std::vector<Tunable>& options() const override {
    return compiler_->options();
  }
  [[nodiscard]] std::vector<AxisRequest> default_axes() const override;
  [[nodiscard]] const std::vector<BaselineTime>& baselines() const override { return baselines_; }
  [[nodiscard]] Result<std::vector<std::string>> lint() override;  // task_lint.h

 private:
  CpuBench() = default;
  [[nodiscard]] Result<void> measure_baselines(const Task& task, bool verify_only);

  std::shared_ptr<const Task> task_;
  std::unique_ptr<CpuCompiler> compiler_;
  std::unique_ptr<CpuEvaluator> evaluator_;
  std::vector<BaselineTime> baselines_;
};

}  // namespace kernatlas
