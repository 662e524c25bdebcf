// CpuLab: what an evaluator works with, prepared once per task: machine, workers, memory, input
// cases with their expected values, and the plain baseline. All of it is the supervisor's; nothing
// secret in it ever reaches a candidate's process. Not thread-safe: one evaluator, one thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backends/backend.h"
#include "backends/cpu/cpu_compiler.h"
#include "backends/cpu/cpu_machine.h"
#include "backends/cpu/cpu_program.h"
#include "backends/cpu/input_cases.h"
#include "backends/cpu/reference_runner.h"
#include "backends/cpu/timed_run.h"
#include "backends/worker/worker.h"

namespace kernatlas {

// BenchOptions::parameters, checked.
struct CpuParameters {
  double time_s = 0.12;  // timing budget per workload
  int cases = 0;         // input sets kept per workload; 0: as many as cover the fills, at least 3
  bool verify_only = false;  // no timing: every measured fitness is 0
  bool inspect = true;       // inspect objects before they run
  int pairs = 12;            // interleaved pairs of a comparison

  // Names and descriptions.
  [[nodiscard]] static std::map<std::string, std::string> describe();
  // Errors: bad_input for an unknown name or a value out of range.
  [[nodiscard]] static Result<CpuParameters> parse(
      const std::map<std::string, std::string>& parameters);
};

class CpuLab {
 public:
  // Starts pools and memory, runs the reference, checks the plain baseline (`baseline`: compiled).
  // Errors: unavailable (no worker, missing sandbox layer), internal (the reference crashed),
  // bad_input (the baseline does not fit or does not run).
  [[nodiscard]] static Result<std::unique_ptr<CpuLab>> create(std::shared_ptr<const Task> task,
                                                              const BenchOptions& options,
                                                              const CpuParameters& parameters,
                                                              CompiledPtr reference,
                                                              CpuProgram baseline);

  [[nodiscard]] const Task& task() const { return *task_; }
  [[nodiscard]] const BenchOptions& options() const { return options_; }
  [[nodiscard]] const CpuParameters& parameters() const { return parameters_; }
  [[nodiscard]] const CpuMachine& machine() const { return machine_; }
  [[nodiscard]] const CpuProgram& baseline() const { return baseline_; }
  [[nodiscard]] const CasePool& cases() const { return cases_; }
  [[nodiscard]] SecretRng& rng() { return rng_; }
  // One arena for the candidate that is being evaluated, a second for comparisons.
  [[nodiscard]] const Arena& arena(int index) const {
    return index == 0 ? *arena_ : *second_arena_;
  }
  [[nodiscard]] WorkerPool& pool(bool trusted) { return trusted ? *trusted_pool_ : *pool_; }
  [[nodiscard]] BytePool& byte_pool() { return byte_pool_; }
  // Twice the last-level cache, to be written over.
  [[nodiscard]] std::span<std::byte> flush_memory() {
    flush_.resize(2 * machine_.llc_bytes);
    return flush_;
  }
  [[nodiscard]] bool cancelled() const {
    return options_.cancel != nullptr && options_.cancel->load(std::memory_order_relaxed);
  }
  void note(const std::string& line) const {
    if (options_.note) options_.note(line);
  }

  // A fresh worker with the program loaded.
  [[nodiscard]] WorkerResult<std::unique_ptr<Worker>> start(const CpuProgram& program, bool trusted,
                                                            int arena_index = 0);

  // Verifies a slot with whatever inputs it has now: the reference is run on the private copies,
  // and if need be the baseline too, for fair limits.
  [[nodiscard]] Checked<void> verify_slot(SlotSet& slots, std::size_t slot, Accuracy& accuracy);
  // Whether the reference is quick enough for more than the least.
  [[nodiscard]] double reference_seconds() const { return reference_->last_seconds(); }

  // Replaces a random case by a new one. What fails is skipped: the old cases stay good.
  void refresh_case();

  // Time below which no honest run of the workload can be, nanoseconds.
  [[nodiscard]] double floor_ns(std::size_t workload) const;

 private:
  CpuLab() = default;
  [[nodiscard]] Result<void> start_pools();
  [[nodiscard]] Result<void> make_arenas();
  [[nodiscard]] Result<void> make_cases();
  [[nodiscard]] std::size_t cases_wanted() const;
  [[nodiscard]] Result<InputCasePtr> make_case(std::size_t workload, std::size_t number);
  // What the plain baseline gets wrong on these inputs.
  [[nodiscard]] Result<std::vector<Errors>> baseline_errors(InputCasePtr inputs,
                                                            std::span<const Expected> expected);
  [[nodiscard]] WorkerResult<void> run_baseline(const SlotSet& slots);

  std::shared_ptr<const Task> task_;
  BenchOptions options_;
  CpuParameters parameters_;
  CpuMachine machine_;
  double bandwidth_ = 0;  // bytes per nanosecond, all threads together
  std::unique_ptr<WorkerPool> pool_;
  std::unique_ptr<WorkerPool> trusted_pool_;
  std::unique_ptr<Arena> arena_;
  std::unique_ptr<Arena> second_arena_;
  std::unique_ptr<Arena> baseline_arena_;
  std::unique_ptr<ReferenceRunner> reference_;
  CpuProgram baseline_;
  std::unique_ptr<Worker> baseline_worker_;
  CasePool cases_{0};
  BytePool byte_pool_;
  Bytes flush_;
  std::size_t next_number_ = 0;
  SecretRng rng_;
};

}  // namespace kernatlas
