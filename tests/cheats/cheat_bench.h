// CheatBench: cheats of tests/cheats/kernels tried on the small tasks of tests/cheats/tasks, each
// beside an honest twin.
//
// What inspection of the object normally stops is tried twice: inspected, where it must be rejected
// before it runs, and not inspected, so that the defences at run time have to stop it on their own.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "backends/backend.h"
#include "backends/cpu/cpu_compiler.h"
#include "kernel/task.h"
#include "tests/support/temp_dir.h"

namespace kernatlas::testing {

// One row: a cheat, and how it must end.
struct Cheat {
  std::string task{};
  std::string file{};                  // kernels/FILE.cpp
  std::string inspection{};            // words of its rejection there; empty: let through
  std::vector<OutcomeKind> running{};  // how it may end where nobody inspects it
  std::string says{};                  // words of that outcome; empty: any
  std::string honest{};                // the twin's file; empty: FILE_honest
  std::string honest_task{};           // empty: the same task
};

// The cheat is caught, inspected or not; its twin passes inspection and is measured.
void prove(const Cheat& cheat);

class CheatBench {
 public:
  // One for each task and number of threads; opened when it is first asked for.
  [[nodiscard]] static CheatBench& of(const std::string& task, int threads = 1);
  CheatBench(const std::string& task, int threads, std::map<std::string, std::string> parameters);

  struct Program {
    Candidate candidate;
    CompiledPtr code;
  };
  [[nodiscard]] static Candidate candidate(const std::string& file);
  // As in a search: the failure is an Outcome.
  [[nodiscard]] tl::expected<CompiledPtr, Outcome> inspect(const Candidate& candidate) {
    return inspector_->compile(candidate);
  }
  // Without inspection; the test fails when it does not compile.
  [[nodiscard]] Program compile(const std::string& file);
  [[nodiscard]] Outcome run(const Program& program);
  // Compiles without inspection and evaluates; a compile error is an outcome too.
  [[nodiscard]] Outcome run(const Candidate& candidate);
  [[nodiscard]] Outcome run(const std::string& file) { return run(candidate(file)); }

  [[nodiscard]] Evaluator& evaluator() { return *bench_->evaluators().front(); }
  [[nodiscard]] Bench& bench() { return *bench_; }
  [[nodiscard]] const Task& task() const { return *task_; }

  void expect_honest(const std::string& file);

 private:
  std::shared_ptr<const Task> task_;
  std::unique_ptr<Bench> bench_;
  std::unique_ptr<CpuCompiler> inspector_;
  std::vector<std::string> found_honest_;
};

[[nodiscard]] bool mentions(const Outcome& outcome, const std::string& text);
// For CAPTURE.
[[nodiscard]] std::string text_of(const Outcome& outcome);

}  // namespace kernatlas::testing
