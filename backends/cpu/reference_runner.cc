#include "backends/cpu/reference_runner.h"

#include <algorithm>
#include <cstring>

#include "backends/cpu/cpu_program.h"
#include "backends/cpu/launcher_source.h"

namespace kernatlas {

namespace {

constexpr std::chrono::milliseconds kDeadline{120'000};

std::int64_t load_integer(DType type, const std::byte* data, std::size_t index) {
  if (type == DType::i64) {
    std::int64_t value = 0;  // not by way of double: it has 53 bits only
    std::memcpy(&value, data + 8 * index, 8);
    return value;
  }
  return static_cast<std::int64_t>(load(type, data, index));
}

}  // namespace

Result<std::unique_ptr<ReferenceRunner>> ReferenceRunner::create(std::shared_ptr<const Task> task,
                                                                 CompiledPtr compiled,
                                                                 std::vector<int> cpus) {
  std::unique_ptr<ReferenceRunner> runner(new ReferenceRunner());
  std::size_t largest = 0;
  for (const Workload& workload : task->workloads) {
    std::vector<std::uint64_t> offsets;
    std::size_t end = 0;
    for (const auto* tensors : {&task->inputs, &task->outputs}) {
      for (const Tensor& tensor : *tensors) {
        offsets.push_back(end);
        end += (element_count(tensor, workload.dims) * 8 + 63) / 64 * 64;
      }
    }
    runner->offsets_.push_back(std::move(offsets));
    largest = std::max(largest, end);
  }
  auto arena = Arena::create(std::max<std::size_t>(largest, 4096));
  if (!arena) return fail(arena.error());
  auto pool = WorkerPool::create({.threads = 1,
                                  .cpus = std::move(cpus),
                                  .memory_bytes = std::size_t{4} << 30,
                                  .cpu_s = 1e6,
                                  .trusted = true,
                                  .require = {}},
                                 0);
  if (!pool) return fail(pool.error());
  runner->task_ = std::move(task);
  runner->compiled_ = std::move(compiled);
  runner->arena_ = std::move(*arena);
  runner->pool_ = std::move(*pool);
  return runner;
}

WorkerResult<void> ReferenceRunner::start() {
  auto worker = pool_->take();
  if (!worker) return tl::unexpected(worker.error());
  worker_ = std::move(*worker);
  bound_ = static_cast<std::size_t>(-1);
  return worker_->load(*arena_, compiled_->images, kDeadline);
}

WorkerResult<void> ReferenceRunner::launch(std::size_t workload) {
  if (!worker_) {
    if (auto started = start(); !started) return started;
  }
  if (bound_ != workload) {
    const Binding binding{.module = static_cast<std::uint32_t>(workload),
                          .launches = {{.symbol = launch_symbol(0), .points = 1}},
                          .slots = {offsets_[workload]}};
    if (auto bound = worker_->bind(binding, kDeadline); !bound) return bound;
    bound_ = workload;
  }
  const std::vector<std::vector<std::uint32_t>> groups = {{0}};
  const auto times = worker_->run(groups, kDeadline);
  if (!times) return tl::unexpected(times.error());
  last_seconds_ = static_cast<double>(times->wall_ns) * 1e-9;
  return {};
}

void ReferenceRunner::write_inputs(std::size_t workload,
                                   std::span<const std::span<const std::byte>> inputs) {
  for (std::size_t i = 0; i < task_->inputs.size(); ++i) {
    const DType type = task_->inputs[i].type;
    const std::size_t count = inputs[i].size() / size_of(type);
    std::byte* at = arena_->data() + offsets_[workload][i];
    if (is_float(type)) {
      load_all(type, inputs[i].data(), {reinterpret_cast<double*>(at), count});
      continue;
    }
    auto* integers = reinterpret_cast<std::int64_t*>(at);
    for (std::size_t k = 0; k < count; ++k) integers[k] = load_integer(type, inputs[i].data(), k);
  }
}

std::vector<Expected> ReferenceRunner::read_outputs(std::size_t workload) const {
  std::vector<Expected> result;
  const Dims& dims = task_->workloads[workload].dims;
  for (std::size_t i = 0; i < task_->outputs.size(); ++i) {
    const Tensor& output = task_->outputs[i];
    const std::size_t count = element_count(output, dims);
    const std::byte* at = arena_->data() + offsets_[workload][task_->inputs.size() + i];
    if (is_float(output.type)) {
      const auto* values = reinterpret_cast<const double*>(at);
      result.emplace_back(output.type, std::vector<double>(values, values + count));
    } else {
      const auto* values = reinterpret_cast<const std::int64_t*>(at);
      result.emplace_back(output.type, std::vector<std::int64_t>(values, values + count));
    }
  }
  return result;
}

Result<std::vector<Expected>> ReferenceRunner::run(
    std::size_t workload, std::span<const std::span<const std::byte>> inputs) {
  KERNATLAS_CHECK(inputs.size() == task_->inputs.size());
  Fault fault;
  for (int attempt = 0; attempt < 2; ++attempt) {
    write_inputs(workload, inputs);
    // An output that the reference leaves out must not keep what an earlier run put there.
    for (std::size_t i = 0; i < task_->outputs.size(); ++i) {
      const std::size_t count = element_count(task_->outputs[i], task_->workloads[workload].dims);
      std::memset(arena_->data() + offsets_[workload][task_->inputs.size() + i], 0, 8 * count);
    }
    auto launched = launch(workload);
    if (launched) return read_outputs(workload);
    fault = launched.error();
    worker_.reset();
  }
  return fail({.code = ErrorCode::internal,
               .message = "the reference of task '" + task_->name + "' failed on workload '" +
                          task_->workloads[workload].name + "': " + fault.message,
               .file = task_->reference->file(),
               .hint = "run it alone with small dims; it must not read outside its inputs"});
}

}  // namespace kernatlas
