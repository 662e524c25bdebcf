// SlotSet: the supervisor's side of the buffers of one workload that a worker runs on.
//
// Verification and timing use the same SlotSet and so the same launch path. For every slot it keeps
// private copies of the inputs, knows the poison, and after a launch finds out what the worker did:
// red zones, changed inputs, outputs that were not written. Not thread-safe.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backends/cpu/arena_layout.h"
#include "backends/cpu/cpu_program.h"
#include "backends/cpu/input_cases.h"
#include "backends/verification/poison.h"
#include "kernel/outcome.h"

namespace kernatlas {

// What a launch did wrong.
struct Misdeed {
  OutcomeKind kind = OutcomeKind::wrong_result;
  std::string message;
  std::string detail;
};

// Memory for private copies, kept from one evaluation to the next: fresh pages cost more than the
// copy itself.
class BytePool {
 public:
  [[nodiscard]] Bytes take(std::span<const std::byte> content);
  // Beyond 1 GiB in all, memory goes back to the system instead.
  void give_back(Bytes bytes);

 private:
  std::size_t held_ = 0;
  std::vector<Bytes> spare_;
};

class SlotSet {
 public:
  // Arena bytes for one slot.
  [[nodiscard]] static std::size_t slot_bytes(const WorkloadProgram& program);

  // Fills the slots with `cases` in turn. The arguments must outlive the set. `pool` may be null.
  SlotSet(const Task& task, std::size_t workload, const CpuProgram& program, const Arena& arena,
          std::size_t slots, std::span<const InputCasePtr> cases, SecretRng& rng,
          BytePool* pool = nullptr);
  ~SlotSet();
  SlotSet(const SlotSet&) = delete;
  SlotSet& operator=(const SlotSet&) = delete;

  [[nodiscard]] Binding binding() const;
  [[nodiscard]] std::size_t slots() const { return layout_.slots(); }
  [[nodiscard]] std::size_t workload() const { return workload_; }

  // Changes a few secret input elements of the slot, in the arena and in the private copy.
  void perturb_inputs(std::size_t slot, SecretRng& rng);
  // Before every launch: poison with a new secret, zero what is zeroed, restore in-place inputs.
  void prepare(std::size_t slot, PoisonPattern pattern, SecretRng& rng);

  // After a launch, without expected values: zones and inputs.
  [[nodiscard]] std::optional<Misdeed> check(std::size_t slot) const;
  // Whether every output was written everywhere; compare() says it better where values are known.
  [[nodiscard]] std::optional<Misdeed> check_written(std::size_t slot) const;
  // Bytes of all outputs that still hold their poison.
  [[nodiscard]] std::size_t untouched_bytes(std::size_t slot) const;
  // The outputs against `expected` under `limits`; `accuracy` takes the worst that was seen.
  [[nodiscard]] std::optional<Misdeed> compare(std::size_t slot, std::span<const Expected> expected,
                                               std::span<const Limits> limits,
                                               std::span<const Errors> baseline,
                                               Accuracy& accuracy) const;
  // compare() against the slot's own case; only before it was perturbed.
  [[nodiscard]] std::optional<Misdeed> compare_with_case(std::size_t slot,
                                                         Accuracy& accuracy) const;

  [[nodiscard]] std::span<const std::byte> output(std::size_t slot, std::size_t index) const;
  [[nodiscard]] const InputCase& input_case(std::size_t slot) const { return *state_[slot].input; }
  // The inputs as the last launch got them.
  [[nodiscard]] std::vector<std::span<const std::byte>> private_inputs(std::size_t slot) const;

  // For another evaluator's candidates nothing about a holdout workload may be told.
  [[nodiscard]] bool hidden() const;
  // "workload 'prefill'", or "a hidden workload".
  [[nodiscard]] std::string where() const;

 private:
  struct State {
    InputCasePtr input;
    std::vector<Bytes> changed;  // private inputs once they differ from the case's; else empty
    std::vector<Poison> poison;  // per output and workspace
  };
  [[nodiscard]] std::span<const std::byte> private_input(std::size_t slot, std::size_t index) const;
  [[nodiscard]] std::string buffer_name(std::size_t buffer) const;
  [[nodiscard]] std::optional<Misdeed> check_inputs(std::size_t slot) const;

  const Task& task_;
  std::size_t workload_;
  const CpuProgram& program_;
  ArenaLayout layout_;
  std::vector<State> state_;
  BytePool* pool_;
};

}  // namespace kernatlas
