#include "backends/cpu/cpu_lab.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "backends/verification/tolerance.h"

namespace kernatlas {

namespace {

constexpr std::chrono::milliseconds kLoadDeadline{10'000};
constexpr std::chrono::milliseconds kBaselineDeadline{120'000};
// Bandwidth is measured once and a machine may be a little faster later.
constexpr double kFloorShare = 0.8;

}  // namespace

Result<std::unique_ptr<CpuLab>> CpuLab::create(std::shared_ptr<const Task> task,
                                               const BenchOptions& options,
                                               const CpuParameters& parameters,
                                               CompiledPtr reference, CpuProgram baseline) {
  std::unique_ptr<CpuLab> lab(new CpuLab());
  lab->task_ = std::move(task);
  lab->options_ = options;
  lab->parameters_ = parameters;
  lab->machine_ = CpuMachine::probe();
  lab->baseline_ = std::move(baseline);
  lab->rng_ = make_secret_rng();
  auto runner = ReferenceRunner::create(lab->task_, std::move(reference),
                                        lab->machine_.other_cpus(options.threads));
  if (!runner) return fail(runner.error());
  lab->reference_ = std::move(*runner);
  if (auto started = lab->start_pools(); !started) return fail(started.error());
  if (auto made = lab->make_arenas(); !made) return fail(made.error());
  // Cold data may still come from the last-level cache in part, warm data from the second level:
  // what not even those could deliver is impossible.
  const std::size_t nearest =
      options.warm ? lab->machine_.l2_bytes / 2 : lab->machine_.llc_bytes / 2;
  lab->bandwidth_ =
      std::max(measure_bandwidth(nearest), measure_bandwidth(2 * lab->machine_.llc_bytes)) *
      std::max(1, options.threads);
  if (auto made = lab->make_cases(); !made) return fail(made.error());
  return lab;
}

Result<void> CpuLab::start_pools() {
  WorkerOptions worker{.threads = options_.threads,
                       .cpus = machine_.timed_cpus(options_.threads),
                       .require = options_.require};
  auto pool = WorkerPool::create(worker, 1);
  if (!pool) return fail(pool.error());
  pool_ = std::move(*pool);
  worker.trusted = true;
  worker.require.clear();
  worker.memory_bytes = std::size_t{4} << 30;
  worker.cpu_s = 1e6;
  auto trusted = WorkerPool::create(worker, 0);
  if (!trusted) return fail(trusted.error());
  trusted_pool_ = std::move(*trusted);
  return {};
}

// Sparse memory files: what is never touched costs nothing.
Result<void> CpuLab::make_arenas() {
  const std::size_t quarter =
      machine_.memory_bytes > 0 ? machine_.memory_bytes / 4 : std::size_t{2} << 30;
  std::size_t baseline_bytes = 4096;
  for (const WorkloadProgram& workload : baseline_.workloads) {
    baseline_bytes = std::max(baseline_bytes, SlotSet::slot_bytes(workload));
  }
  if (2 * baseline_bytes > quarter) {
    return fail({.code = ErrorCode::unavailable,
                 .message = fmt::format("task '{}' needs {} MiB for one set of buffers",
                                        task_->name, baseline_bytes >> 20),
                 .expected = fmt::format("at most {} MiB on this machine", quarter >> 21)});
  }
  for (auto* arena : {&arena_, &second_arena_}) {
    auto made = Arena::create(std::min(quarter, std::size_t{8} << 30));
    if (!made) return fail(made.error());
    *arena = std::move(*made);
  }
  auto made = Arena::create(baseline_bytes);
  if (!made) return fail(made.error());
  baseline_arena_ = std::move(*made);
  return {};
}

std::size_t CpuLab::cases_wanted() const {
  if (parameters_.cases > 0) return static_cast<std::size_t>(parameters_.cases);
  return std::clamp<std::size_t>(covering_cases(*task_), 3, 8);
}

Result<void> CpuLab::make_cases() {
  constexpr double kSecondsForCases = 20;  // beyond the first case of every workload
  const std::size_t memory = std::max<std::size_t>(machine_.memory_bytes / 10, 64u << 20);
  cases_ = CasePool(task_->workloads.size());
  const auto begin = std::chrono::steady_clock::now();
  std::size_t bytes = 0;
  for (std::size_t number = 0; number < cases_wanted(); ++number) {
    for (std::size_t w = 0; w < task_->workloads.size(); ++w) {
      if (cancelled()) {
        return fail({.code = ErrorCode::unavailable, .message = "interrupted while preparing"});
      }
      const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
      if (number > 0 && (spent.count() > kSecondsForCases || bytes > memory)) return {};
      auto made = make_case(w, number);
      if (!made) return fail(made.error());
      bytes += (*made)->bytes();
      cases_.add(std::move(*made));
    }
  }
  next_number_ = cases_wanted();
  return {};
}

Result<InputCasePtr> CpuLab::make_case(std::size_t workload, std::size_t number) {
  auto inputs = make_inputs(*task_, workload, number, rng_);
  if (!inputs) return fail(inputs.error());
  auto made = std::make_shared<InputCase>(std::move(*inputs));
  const std::vector<std::span<const std::byte>> spans(made->inputs.begin(), made->inputs.end());
  auto expected = reference_->run(workload, spans);
  if (!expected) return fail(expected.error());
  made->expected = std::move(*expected);
  auto errors = baseline_errors(made, made->expected);
  if (!errors) return fail(errors.error());
  made->baseline = std::move(*errors);
  if (auto set = set_limits(*task_, *made); !set) return fail(set.error());
  return made;
}

WorkerResult<void> CpuLab::run_baseline(const SlotSet& slots) {
  if (!baseline_worker_) {
    auto worker = trusted_pool_->take();
    if (!worker) return tl::unexpected(worker.error());
    if (auto loaded = (*worker)->load(*baseline_arena_, baseline_.images, kLoadDeadline); !loaded) {
      return loaded;
    }
    baseline_worker_ = std::move(*worker);
  }
  if (auto bound = baseline_worker_->bind(slots.binding(), kBaselineDeadline); !bound) return bound;
  const std::vector<std::vector<std::uint32_t>> once = {{0}};
  const auto times = baseline_worker_->run(once, kBaselineDeadline);
  if (!times) return tl::unexpected(times.error());
  return {};
}

Result<std::vector<Errors>> CpuLab::baseline_errors(InputCasePtr inputs,
                                                    std::span<const Expected> expected) {
  const std::vector<InputCasePtr> cases = {inputs};
  SlotSet slots(*task_, inputs->workload, baseline_, *baseline_arena_, 1, cases, rng_);
  slots.prepare(0, PoisonPattern::nans, rng_);
  if (auto ran = run_baseline(slots); !ran) {
    baseline_worker_.reset();
    return fail({.code = ErrorCode::bad_input,
                 .message = fmt::format(
                     "the plain baseline of task '{}' failed on workload '{}': {}", task_->name,
                     task_->workloads[inputs->workload].name, ran.error().message)});
  }
  std::vector<Errors> errors;
  for (std::size_t k = 0; k < task_->outputs.size(); ++k) {
    errors.push_back(measure_errors(expected[k], slots.output(0, k).data()));
  }
  return errors;
}

WorkerResult<std::unique_ptr<Worker>> CpuLab::start(const CpuProgram& program, bool trusted,
                                                    int arena_index) {
  auto worker = pool(trusted).take();
  if (!worker) return worker;
  if (auto loaded = (*worker)->load(arena(arena_index), program.images, kLoadDeadline); !loaded) {
    return tl::unexpected(loaded.error());
  }
  return worker;
}

Checked<void> CpuLab::verify_slot(SlotSet& slots, std::size_t slot, Accuracy& accuracy) {
  const InputCase& original = slots.input_case(slot);
  const auto inputs = slots.private_inputs(slot);
  auto expected = reference_->run(slots.workload(), inputs);
  if (!expected) {
    return tl::unexpected(Misdeed{
        .kind = OutcomeKind::device_lost, .message = expected.error().message, .detail = {}});
  }
  Accuracy attempt = accuracy;
  auto wrong = slots.compare(slot, *expected, original.limits, original.baseline, attempt);
  if (wrong) {
    // The limits belong to the inputs before they were perturbed: ask the baseline about these.
    auto changed = std::make_shared<InputCase>();
    changed->workload = slots.workload();
    changed->fills = original.fills;
    for (const auto& input : inputs) changed->inputs.emplace_back(input.begin(), input.end());
    auto errors = baseline_errors(changed, *expected);
    if (!errors) {
      return tl::unexpected(Misdeed{
          .kind = OutcomeKind::device_lost, .message = errors.error().message, .detail = {}});
    }
    changed->baseline = std::move(*errors);
    if (auto set = set_limits(*task_, *changed); set) {
      attempt = accuracy;
      wrong = slots.compare(slot, *expected, changed->limits, changed->baseline, attempt);
    }
  }
  accuracy = attempt;
  if (wrong) return tl::unexpected(std::move(*wrong));
  return {};
}

void CpuLab::refresh_case() {
  const std::size_t workload = uniform_below(rng_, task_->workloads.size());
  if (auto made = make_case(workload, next_number_++)) {
    cases_.replace(std::move(*made), rng_);
  } else {
    note("a new input set could not be made: " + made.error().message);
  }
}

double CpuLab::floor_ns(std::size_t workload) const {
  // An input that is read by indices need not be read whole.
  const bool gathers = std::any_of(task_->inputs.begin(), task_->inputs.end(), [](const auto& t) {
    return std::any_of(t.fills.begin(), t.fills.end(), [](const Fill& fill) {
      return fill.kind == FillKind::indices || fill.kind == FillKind::permutation;
    });
  });
  const Dims& dims = task_->workloads[workload].dims;
  std::size_t bytes = 0;
  for (const Tensor& output : task_->outputs) {
    bytes += element_count(output, dims) * size_of(output.type);
  }
  for (const Tensor& input : task_->inputs) {
    if (!gathers) bytes += element_count(input, dims) * size_of(input.type);
  }
  return kFloorShare * static_cast<double>(bytes) / bandwidth_;
}

}  // namespace kernatlas
