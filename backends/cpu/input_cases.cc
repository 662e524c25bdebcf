#include "backends/cpu/input_cases.h"

#include <algorithm>
#include <cstring>

#include "backends/cpu/cpu_program.h"
#include "backends/verification/tolerance.h"

namespace kernatlas {

std::size_t InputCase::bytes() const {
  std::size_t total = 0;
  for (const Bytes& input : inputs) total += input.size();
  for (const Expected& output : expected) total += output.bytes();
  return total;
}

std::size_t covering_cases(const Task& task) {
  std::size_t most = 1;
  for (const Tensor& input : task.inputs) most = std::max(most, input.fills.size());
  return most;
}

Result<InputCase> make_inputs(const Task& task, std::size_t workload, std::size_t number,
                              SecretRng& rng) {
  const Dims& dims = task.workloads[workload].dims;
  InputCase result;
  result.workload = workload;
  for (const Tensor& input : task.inputs) {
    InputFill fill{.fill = &input.fills[number % input.fills.size()]};
    if (!fill.fill->bound.empty()) {
      const auto bound = Expression::parse(fill.fill->bound, task.dims);
      if (!bound) return fail(bound.error());
      const auto value = bound->evaluate(dims);
      if (!value) return fail(value.error());
      fill.bound = *value;
    }
    const std::size_t count = element_count(input, dims);
    Bytes data(count * size_of(input.type));
    Rng numbers(rng());
    generate(*fill.fill, input.type, data.data(), count, fill.bound, numbers);
    result.fills.push_back(fill);
    result.inputs.push_back(std::move(data));
  }
  return result;
}

Result<void> set_limits(const Task& task, InputCase& input_case) {
  input_case.limits.clear();
  for (std::size_t i = 0; i < task.outputs.size(); ++i) {
    const auto tolerance = tolerance_of(task.outputs[i], task.workloads[input_case.workload].dims);
    if (!tolerance) return fail(tolerance.error());
    const Errors none;
    const Errors& baseline = i < input_case.baseline.size() ? input_case.baseline[i] : none;
    input_case.limits.push_back(limits_of(*tolerance, baseline.norm, baseline.worst));
  }
  return {};
}

namespace {

// The data of one input, changed element by element, with a list of what was changed.
struct Perturber {
  std::span<std::byte> data;
  std::size_t width;
  SecretRng& rng;
  std::vector<ByteRange> touched{};

  [[nodiscard]] std::size_t count() const { return data.size() / width; }
  [[nodiscard]] std::size_t any() { return uniform_below(rng, count()); }
  std::byte* at(std::size_t element) { return data.data() + element * width; }
  void touch(std::size_t element, std::size_t elements = 1) {
    touched.push_back({.begin = element * width, .bytes = elements * width});
  }

  void copy_neighbour() {
    const std::size_t to = uniform_below(rng, count() - 1);
    std::memcpy(at(to), at(to + 1), width);
    touch(to);
  }
  void exchange() {
    const std::size_t a = any();
    const std::size_t b = any();
    if (a == b) return;
    std::swap_ranges(at(a), at(a) + width, at(b));
    touch(a);
    touch(b);
  }
  // A block of one eighth over another: moves sums, which single elements hardly do.
  void copy_block() {
    const std::size_t length = count() / 8;
    if (length == 0) return;
    const std::size_t from = uniform_below(rng, count() - length + 1);
    const std::size_t to = uniform_below(rng, count() - length + 1);
    std::memmove(at(to), at(from), length * width);
    touch(to, length);
  }
  void redraw(const InputFill& fill, DType type) {
    const std::size_t element = any();
    Rng numbers(rng());
    generate(*fill.fill, type, at(element), 1, fill.bound, numbers);
    touch(element);
  }
};

}  // namespace

std::vector<ByteRange> perturb(const InputFill& fill, DType type, std::span<std::byte> data,
                               SecretRng& rng) {
  constexpr int kElements = 4;
  Perturber perturber{.data = data, .width = size_of(type), .rng = rng};
  const FillKind kind = fill.fill->kind;
  const bool constant = kind == FillKind::ones || kind == FillKind::zeros;
  if (perturber.count() == 0 || constant) return {};
  const bool ordered = kind == FillKind::sorted || kind == FillKind::permutation;
  if (!ordered) perturber.copy_block();
  for (int i = 0; i < kElements; ++i) {
    if (!ordered) {
      perturber.redraw(fill, type);
    } else if (kind == FillKind::permutation) {
      perturber.exchange();
    } else if (perturber.count() > 1) {
      perturber.copy_neighbour();
    }
  }
  return std::move(perturber.touched);
}

void CasePool::replace(InputCasePtr input_case, SecretRng& rng) {
  auto& cases = cases_[input_case->workload];
  const std::size_t index = uniform_below(rng, cases.size());
  cases[index] = std::move(input_case);
}

const InputCasePtr& CasePool::pick(std::size_t workload, SecretRng& rng) const {
  return cases_[workload][uniform_below(rng, cases_[workload].size())];
}

std::vector<InputCasePtr> CasePool::pick_several(std::size_t workload, std::size_t count,
                                                 SecretRng& rng) const {
  std::vector<InputCasePtr> shuffled = cases_[workload];
  std::shuffle(shuffled.begin(), shuffled.end(), rng);
  std::vector<InputCasePtr> picks;
  for (std::size_t i = 0; i < count; ++i) picks.push_back(shuffled[i % shuffled.size()]);
  return picks;
}

}  // namespace kernatlas
