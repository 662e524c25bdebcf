#include "backends/cpu/cpu_bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "backends/cpu/object_features.h"
#include "backends/cpu/task_lint.h"

namespace kernatlas {

namespace {

std::vector<const Baseline*> cpu_baselines(const Task& task) {
  std::vector<const Baseline*> found;
  for (const Baseline& baseline : task.baselines) {
    if (baseline.backend == "cpu") found.push_back(&baseline);
  }
  return found;
}

DeviceInfo device_info(const CpuMachine& machine, const std::string& compiler,
                       const BenchOptions& options) {
  DeviceInfo info;
  info.model = machine.model;
  info.driver = machine.kernel;
  info.compiler = compiler;
  info.conditions = fmt::format("threads={} cache={}", std::max(1, options.threads),
                                options.warm ? "warm" : "cold");
  return info;
}

Result<void> check_request(const Task& task, const BenchOptions& options) {
  if (task.reference == nullptr) {
    return fail({.message = "task '" + task.name + "' has no reference",
                 .expected = "[reference] in task.toml: the cpu backend verifies against it"});
  }
  if (cpu_baselines(task).empty()) {
    return fail({.message = "task '" + task.name + "' has no baseline for the cpu backend",
                 .expected = "at least one [[baseline]] with backend = \"cpu\""});
  }
  const auto cpus = CpuMachine::probe().allowed_cpus.size();
  if (options.threads < 1 || static_cast<std::size_t>(options.threads) > cpus) {
    return fail({.message = fmt::format("threads = {} on a machine where {} CPUs may be used",
                                        options.threads, cpus),
                 .expected = fmt::format("1 to {}", cpus)});
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<Bench>> CpuBench::open(std::shared_ptr<const Task> task,
                                              const BenchOptions& options) {
  const auto parameters = CpuParameters::parse(options.parameters);
  if (!parameters) return fail(parameters.error());
  if (auto fine = check_request(*task, options); !fine) return fail(fine.error());
  const CpuMachine machine = CpuMachine::probe();

  std::unique_ptr<CpuBench> bench(new CpuBench());
  auto compiler = CpuCompiler::create(task, {.cache_dir = options.cache_dir,
                                             .cpus = machine.other_cpus(options.threads),
                                             .inspect = parameters->inspect});
  if (!compiler) return fail(compiler.error());
  bench->task_ = task;
  bench->compiler_ = std::move(*compiler);
  auto reference = bench->compiler_->compile_reference();
  if (!reference) return fail(reference.error());
  const Baseline& plain = *cpu_baselines(*task).front();
  auto compiled = bench->compiler_->compile_baseline(plain);
  if (!compiled) return fail(compiled.error());
  auto program =
      CpuProgram::of(*task, *plain.source, default_assignment(*plain.source), **compiled);
  if (!program) return fail(program.error());
  auto lab = CpuLab::create(task, options, *parameters, *reference, std::move(*program));
  if (!lab) return fail(lab.error());
  bench->evaluator_ = std::make_unique<CpuEvaluator>(
      std::move(*lab), device_info(machine, bench->compiler_->version(), options));
  if (auto measured = bench->measure_baselines(*task, parameters->verify_only); !measured) {
    return fail(measured.error());
  }
  return bench;
}

Result<void> CpuBench::measure_baselines(const Task& task, bool verify_only) {
  const std::vector<double> unknown(task.workloads.size(),
                                    std::numeric_limits<double>::quiet_NaN());
  const auto plain = evaluator_->measure_baseline();
  if (!plain) return fail(plain.error());
  const auto baselines = cpu_baselines(task);
  baselines_.push_back({.name = baselines.front()->name, .median_ns = *plain, .unavailable = {}});
  for (std::size_t i = 1; i < baselines.size(); ++i) {
    const Baseline& baseline = *baselines[i];
    BaselineTime entry{.name = baseline.name, .median_ns = unknown, .unavailable = {}};
    if (verify_only) {
      entry.unavailable = "not measured: verify_only";
    } else if (auto compiled = compiler_->compile_baseline(baseline); !compiled) {
      entry.unavailable = compiled.error().text();
    } else if (auto program = CpuProgram::of(task, *baseline.source,
                                             default_assignment(*baseline.source), **compiled);
               !program) {
      entry.unavailable = program.error().text();
    } else if (auto medians = evaluator_->measure(*program); medians) {
      entry.median_ns = *medians;
    } else {
      entry.unavailable = medians.error().message;
    }
    baselines_.push_back(std::move(entry));
  }
  return {};
}

Result<std::vector<std::string>> CpuBench::lint() {
  auto reference = compiler_->compile_reference();
  if (!reference) return fail(reference.error());
  return find_weaknesses(task_, std::move(*reference));
}

std::vector<AxisRequest> CpuBench::default_axes() const {
  return cpu_default_axes();
}

}  // namespace kernatlas
