// FakeBench: a backend of functions. Tests say what compiling, running and comparing give; without
// a word, a candidate's fitness is a smooth function of its assignment and everything succeeds.
#pragma once

#include <atomic>
#include <cmath>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "backends/backend.h"
#include "kernel/task.h"

namespace kernatlas::testing {

// A task without tensors whose only content is its seed kernels' tunables, each given as the TOML
// of a recorded source: "[tune]\nA = [1, 2, 4]\n".
[[nodiscard]] inline std::shared_ptr<const Task> make_tunable_task(
    const std::vector<std::string>& seeds, std::vector<AxisRequest> axes = {}) {
  auto task = std::make_shared<Task>();
  task->name = "fake";
  task->workloads.push_back({.name = "only", .role = WorkloadRole::search, .dims = {}});
  for (const std::string& text : seeds) {
    auto source = KernelSource::parse(text, Language::recorded, "fake.toml");
    if (!source) throw std::runtime_error(source.error().text());
    task->seeds.push_back(*source);
  }
  task->axes = std::move(axes);
  return task;
}

[[nodiscard]] inline Outcome measured(double fitness, double half_width = 0) {
  Outcome outcome;
  outcome.fitness = fitness;
  outcome.fitness_interval = {fitness - half_width, fitness + half_width};
  WorkloadTime time;
  time.median_ns = 1e6 * std::exp2(-fitness);
  outcome.times.push_back(time);
  outcome.costs.time_s = 0.001;
  return outcome;
}
[[nodiscard]] inline Outcome failed(OutcomeKind kind) {
  Outcome outcome;
  outcome.kind = kind;
  outcome.stage = Stage::run;
  outcome.message = "told to fail";
  outcome.costs.time_s = 0.0005;
  return outcome;
}
[[nodiscard]] inline double smooth_fitness(const Candidate& candidate) {
  double fitness = 0;
  for (const std::int64_t value : candidate.assignment) {
    fitness += std::sin(0.7 * static_cast<double>(value)) + 0.01 * static_cast<double>(value);
  }
  for (const std::int64_t value : candidate.options) fitness += 0.1 * static_cast<double>(value);
  return fitness;
}

class FakeBench final : public Bench, private Compiler {
 public:
  explicit FakeBench(int devices = 1) {
    for (int i = 0; i < devices; ++i) {
      devices_.push_back(std::make_unique<Device>(*this, i));
    }
  }

  std::function<tl::expected<CompiledPtr, Outcome>(const Candidate&)> on_compile;
  std::function<Outcome(const Candidate&, std::uint64_t ticket, int device)> on_evaluate;
  std::function<Comparison(const Candidate&, const Candidate&, std::uint64_t ticket)> on_compare;
  std::function<void(std::uint64_t ticket, const std::optional<Incumbent>&)> on_incumbent;
  Features features;
  std::vector<Tunable> compile_options;
  bool repeats = true;  // what deterministic() says
  std::atomic<int> compilations{0}, evaluations{0}, comparisons{0};
  std::atomic<bool> overlapped{false};  // one device was used by two threads at once

  Compiler& compiler() override { return *this; }
  std::vector<Evaluator*> evaluators() override {
    std::vector<Evaluator*> all;
    for (const auto& device : devices_) all.push_back(device.get());
    return all;
  }
  const std::vector<Tunable>& options() const override { return compile_options; }
  std::vector<AxisRequest> default_axes() const override { return {}; }
  const std::vector<BaselineTime>& baselines() const override { return baselines_; }
  bool deterministic() const override { return repeats; }

 private:
  // Marks a device as busy; notices when it already is.
  struct Busy {
    Busy(std::atomic<bool>& busy, std::atomic<bool>& overlapped) : busy_(busy) {
      if (busy_.exchange(true)) overlapped = true;
    }
    ~Busy() { busy_ = false; }
    std::atomic<bool>& busy_;
  };

  struct Device final : Evaluator {
    Device(FakeBench& owner, int number) : bench(owner), index(number) {}
    Outcome evaluate(const Candidate& candidate, const Compiled&, std::uint64_t ticket,
                     const std::optional<Incumbent>& incumbent) override {
      const Busy mark(busy, bench.overlapped);
      ++bench.evaluations;
      if (bench.on_incumbent) bench.on_incumbent(ticket, incumbent);
      if (bench.on_evaluate) return bench.on_evaluate(candidate, ticket, index);
      return measured(smooth_fitness(candidate));
    }
    Comparison compare(const Candidate& challenger, const Compiled&, const Candidate& incumbent,
                       const Compiled&, std::uint64_t ticket) override {
      const Busy mark(busy, bench.overlapped);
      ++bench.comparisons;
      if (bench.on_compare) return bench.on_compare(challenger, incumbent, ticket);
      Comparison comparison;
      comparison.log2_gain = smooth_fitness(challenger) - smooth_fitness(incumbent);
      comparison.finding =
          comparison.log2_gain > 0 ? Comparison::Finding::faster : Comparison::Finding::ambiguous;
      comparison.pairs = 10;
      return comparison;
    }
    Outcome examine(const Candidate& candidate, const Compiled&, std::uint64_t) override {
      return measured(smooth_fitness(candidate));
    }
    DeviceInfo info() const override {
      DeviceInfo device;
      device.model = "fake";
      device.index = index;
      return device;
    }
    FakeBench& bench;
    int index;
    std::atomic<bool> busy{false};
  };

  tl::expected<CompiledPtr, Outcome> compile(const Candidate& candidate) override {
    ++compilations;
    if (on_compile) return on_compile(candidate);
    auto compiled = std::make_shared<Compiled>();
    compiled->features = features;
    return compiled;
  }
  int concurrency() const override { return 2; }

  std::vector<std::unique_ptr<Device>> devices_;
  std::vector<BaselineTime> baselines_;
};

}  // namespace kernatlas::testing
