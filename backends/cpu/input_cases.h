// InputCase: one set of inputs of a workload with what is expected for it. Lives in the
// supervisor's private memory only.
//
// CasePool keeps a few cases per workload. Their fills cycle through the inputs' lists, so that
// together they cover every distribution that the task names. A candidate gets secret random picks,
// and an old case is replaced by a new one every few evaluations: nothing can be learned by heart.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "backends/cpu/reference_runner.h"
#include "backends/cpu/secret_rng.h"
#include "backends/verification/comparison.h"
#include "kernel/task.h"

namespace kernatlas {

using Bytes = std::vector<std::byte>;

// What one input is filled with: its fill and the evaluated bound of "indices".
struct InputFill {
  const Fill* fill = nullptr;
  std::int64_t bound = 0;
};

struct InputCase {
  std::size_t workload = 0;
  std::vector<InputFill> fills;    // per input
  std::vector<Bytes> inputs;       // per input
  std::vector<Expected> expected;  // per output
  std::vector<Errors> baseline;    // per output: what the plain baseline gets wrong
  std::vector<Limits> limits;      // per output: what is accepted
  [[nodiscard]] std::size_t bytes() const;
};
using InputCasePtr = std::shared_ptr<const InputCase>;

// New inputs for a workload; `number` selects the fills. The other members stay empty.
[[nodiscard]] Result<InputCase> make_inputs(const Task& task, std::size_t workload,
                                            std::size_t number, SecretRng& rng);

// Sets limits from tolerances and the baseline's errors.
[[nodiscard]] Result<void> set_limits(const Task& task, InputCase& input_case);

// How many cases cover every fill of every input once.
[[nodiscard]] std::size_t covering_cases(const Task& task);

// Which bytes of a buffer were changed.
struct ByteRange {
  std::size_t begin = 0;
  std::size_t bytes = 0;
};

// Changes a few secret elements and one block of `data`, staying within the distribution: redraws
// for most, moves of neighbours for sorted data, exchanges for permutations, nothing for constants.
// Returns where.
std::vector<ByteRange> perturb(const InputFill& fill, DType type, std::span<std::byte> data,
                               SecretRng& rng);

// Thread safety: none; owned by one bench.
class CasePool {
 public:
  explicit CasePool(std::size_t workloads) : cases_(workloads) {}
  void add(InputCasePtr input_case) {
    cases_[input_case->workload].push_back(std::move(input_case));
  }
  // Puts the case in place of a random one of its workload.
  void replace(InputCasePtr input_case, SecretRng& rng);
  [[nodiscard]] std::size_t size(std::size_t workload) const { return cases_[workload].size(); }
  [[nodiscard]] const InputCasePtr& pick(std::size_t workload, SecretRng& rng) const;
  // `count` picks, different ones as far as there are.
  [[nodiscard]] std::vector<InputCasePtr> pick_several(std::size_t workload, std::size_t count,
                                                       SecretRng& rng) const;

 private:
  std::vector<std::vector<InputCasePtr>> cases_;
};

}  // namespace kernatlas
