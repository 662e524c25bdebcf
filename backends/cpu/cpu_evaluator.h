// CpuEvaluator: verify, time, verify, on one CPU (docs/verification.md, docs/timing.md).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/backend.h"
#include "backends/cpu/cpu_lab.h"
#include "backends/cpu/timing_session.h"

namespace kernatlas {

class CpuEvaluator : public Evaluator {
 public:
  // `info`: what a time of this evaluator means.
  CpuEvaluator(std::unique_ptr<CpuLab> lab, DeviceInfo info);
  ~CpuEvaluator() override;

  // Times the plain baseline on every workload; must succeed before the first evaluation. The
  // program's other baselines are measured by measure().
  [[nodiscard]] Result<std::vector<double>> measure_baseline();
  // Median times of a trusted program, per workload. `learnt`, if given, takes the largest time
  // that a request took beyond what the worker reported.
  [[nodiscard]] Checked<std::vector<double>> measure(const CpuProgram& program,
                                                     ClockAllowance* learnt = nullptr);

  [[nodiscard]] Outcome evaluate(const Candidate& candidate, const Compiled& compiled,
                                 std::uint64_t ticket,
                                 const std::optional<Incumbent>& incumbent) override;
  [[nodiscard]] Comparison compare(const Candidate& challenger, const Compiled& a,
                                   const Candidate& incumbent, const Compiled& b,
                                   std::uint64_t ticket) override;
  [[nodiscard]] Outcome examine(const Candidate& candidate, const Compiled& compiled,
                                std::uint64_t ticket) override;
  [[nodiscard]] DeviceInfo info() const override { return info_; }

 private:
  struct Run;  // one evaluation in progress
  [[nodiscard]] Outcome run(const Candidate& candidate, const Compiled& compiled,
                            const std::optional<Incumbent>& incumbent, bool all_workloads);
  [[nodiscard]] Checked<void> verify_all(Run& run, std::size_t cases_each);
  [[nodiscard]] Checked<void> time_all(Run& run);
  [[nodiscard]] double cut_above(const Run& run, std::size_t workload, std::size_t done) const;
  void settle_fitness(Run& run) const;
  void maintain();

  std::unique_ptr<CpuLab> lab_;
  DeviceInfo info_;
  std::vector<double> baseline_ns_;     // per workload, the latest
  std::vector<double> first_baseline_;  // as measured at the beginning: drift is against this
  ClockAllowance allowance_;
  std::uint64_t evaluations_ = 0;
  bool drifted_ = false;
};

}  // namespace kernatlas
