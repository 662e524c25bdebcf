// A tiny task for tests of the evaluator: y = 2x and the sum of every row, in a folder of its own.
#pragma once

#include <memory>
#include <string>

#include "backends/backend.h"
#include "backends/cpu/cpu_backend.h"
#include "kernel/task.h"
#include "tests/support/temp_dir.h"

namespace kernatlas::testing {

// Writes and loads it; two search and two holdout workloads. `rows` of the first one.
[[nodiscard]] std::shared_ptr<const Task> scale_task(const TempDir& dir, int rows = 64);

// Front matter for one kernel over ROWS points, and its body.
[[nodiscard]] std::string scale_kernel(const std::string& body,
                                       const std::string& extra_front_matter = "");
extern const char* const kHonestBody;

// A bench with its candidates' compiled code.
class ScaleBench {
 public:
  explicit ScaleBench(int rows = 64, std::map<std::string, std::string> parameters = {},
                      int threads = 1, bool warm = false);
  struct Compiled {
    Candidate candidate;
    CompiledPtr code;
  };
  // The test fails when it does not compile.
  [[nodiscard]] Compiled compile(const std::string& text);
  [[nodiscard]] Outcome evaluate(const std::string& text);
  [[nodiscard]] Evaluator& evaluator() { return *bench_->evaluators().front(); }
  [[nodiscard]] Bench& bench() { return *bench_; }
  [[nodiscard]] const Task& task() const { return *task_; }

 private:
  TempDir dir_;
  std::shared_ptr<const Task> task_;
  std::unique_ptr<Bench> bench_;
};

}  // namespace kernatlas::testing
