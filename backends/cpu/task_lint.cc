#include "backends/cpu/task_lint.h"

#include <fmt/format.h>

#include <algorithm>

#include "backends/cpu/input_cases.h"
#include "backends/cpu/reference_runner.h"
#include "backends/verification/comparison.h"
#include "backends/verification/tolerance.h"

namespace kernatlas {

namespace {

// Whether `changed` differs from `base` by more than `times` the tolerance.
bool differs(const Expected& base, const Expected& changed, const Tolerance& tolerance,
             double times) {
  if (!is_float(base.type())) {
    return !std::equal(base.integers().begin(), base.integers().end(), changed.integers().begin(),
                       changed.integers().end());
  }
  Bytes bytes(base.size() * size_of(base.type()));
  store_all(base.type(), changed.values(), bytes.data());
  const Errors errors = measure_errors(base, bytes.data());
  return errors.class_mismatches > 0 || errors.norm > times * tolerance.e0 ||
         errors.worst > times * tolerance.w0;
}

bool is_constant(const Expected& values) {
  for (std::size_t i = 1; i < values.size(); ++i) {
    if (values.at(i) != values.at(0)) return false;
  }
  return values.size() > 1;
}

// An input taken for an output, if it has the form of one.
std::optional<Expected> as_output(const Tensor& input, const Bytes& bytes, const Expected& like) {
  const std::size_t count = bytes.size() / size_of(input.type);
  if (count != like.size() || is_float(input.type) != is_float(like.type())) return std::nullopt;
  std::vector<double> values(count);
  load_all(input.type, bytes.data(), values);
  if (is_float(like.type())) return Expected(like.type(), std::move(values));
  return Expected(like.type(), std::vector<std::int64_t>(values.begin(), values.end()));
}

class TaskLint {
 public:
  TaskLint(const Task& task, ReferenceRunner& reference, SecretRng& rng)
      : task_(task), reference_(reference), rng_(rng) {}

  // All cases of one workload.
  Result<void> look_at(std::size_t workload) {
    workload_ = workload;
    moved_by_.assign(task_.inputs.size(), false);
    moved_.assign(task_.outputs.size(), false);
    constant_.assign(task_.outputs.size(), true);
    copies_.assign(task_.outputs.size(), std::vector<bool>(task_.inputs.size(), true));
    const std::size_t cases = std::min<std::size_t>(covering_cases(task_), 8);
    for (std::size_t number = 0; number < cases; ++number) {
      if (auto looked = look_at_case(number); !looked) return looked;
    }
    report();
    return {};
  }

  [[nodiscard]] std::vector<std::string> weaknesses() && { return std::move(weaknesses_); }

 private:
  Result<std::vector<Expected>> run(const std::vector<Bytes>& inputs) {
    const std::vector<std::span<const std::byte>> spans(inputs.begin(), inputs.end());
    return reference_.run(workload_, spans);
  }

  Result<void> look_at_case(std::size_t number) {
    auto made = make_inputs(task_, workload_, number, rng_);
    if (!made) return fail(made.error());
    const auto base = run(made->inputs);
    if (!base) return fail(base.error());
    std::vector<Tolerance> tolerances;
    for (std::size_t k = 0; k < task_.outputs.size(); ++k) {
      const auto tolerance = tolerance_of(task_.outputs[k], task_.workloads[workload_].dims);
      if (!tolerance) return fail(tolerance.error());
      tolerances.push_back(*tolerance);
      constant_[k] = constant_[k] && is_constant((*base)[k]);
      for (std::size_t i = 0; i < task_.inputs.size(); ++i) {
        const auto copy = as_output(task_.inputs[i], made->inputs[i], (*base)[k]);
        copies_[k][i] = copies_[k][i] && copy && !differs((*base)[k], *copy, *tolerance, 1);
      }
    }
    for (std::size_t i = 0; i < task_.inputs.size(); ++i) {
      std::vector<Bytes> inputs = made->inputs;
      perturb(made->fills[i], task_.inputs[i].type, inputs[i], rng_);
      if (inputs[i] == made->inputs[i]) continue;
      const auto changed = run(inputs);
      if (!changed) return fail(changed.error());
      for (std::size_t k = 0; k < task_.outputs.size(); ++k) {
        if (!differs((*base)[k], (*changed)[k], tolerances[k], kMoved)) continue;
        moved_by_[i] = moved_[k] = true;
      }
    }
    return {};
  }

  void report() {
    const std::string where = " on workload '" + task_.workloads[workload_].name + "'";
    for (std::size_t k = 0; k < task_.outputs.size(); ++k) {
      const std::string& output = task_.outputs[k].name;
      if (!moved_[k]) {
        weaknesses_.push_back(
            fmt::format("output '{}' hardly moves when inputs change{}: a stored answer would pass",
                        output, where));
      }
      if (constant_[k]) {
        weaknesses_.push_back(fmt::format("output '{}' is one value all over{}", output, where));
      }
      for (std::size_t i = 0; i < task_.inputs.size(); ++i) {
        if (!copies_[k][i]) continue;
        weaknesses_.push_back(fmt::format("output '{}' is a copy of input '{}'{}", output,
                                          task_.inputs[i].name, where));
      }
    }
    for (std::size_t i = 0; i < task_.inputs.size(); ++i) {
      if (moved_by_[i]) continue;
      weaknesses_.push_back(
          fmt::format("input '{}' hardly moves any output{}: a kernel may ignore it",
                      task_.inputs[i].name, where));
    }
  }

  const Task& task_;
  ReferenceRunner& reference_;
  SecretRng& rng_;
  std::size_t workload_ = 0;
  std::vector<bool> moved_by_;             // per input
  std::vector<bool> moved_;                // per output
  std::vector<bool> constant_;             // per output, so far
  std::vector<std::vector<bool>> copies_;  // [output][input], so far
  std::vector<std::string> weaknesses_;
};

}  // namespace

Result<std::vector<std::string>> find_weaknesses(std::shared_ptr<const Task> task,
                                                 CompiledPtr reference) {
  SecretRng rng(1);  // the same task, the same answer
  auto runner = ReferenceRunner::create(task, std::move(reference), {});
  if (!runner) return fail(runner.error());
  TaskLint lint(*task, **runner, rng);
  for (const std::size_t workload : task->workloads_with(WorkloadRole::search)) {
    if (auto looked = lint.look_at(workload); !looked) return fail(looked.error());
  }
  return std::move(lint).weaknesses();
}

}  // namespace kernatlas
