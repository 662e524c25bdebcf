#include "backends/cpu/slot_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "backends/verification/mismatch.h"

namespace kernatlas {

Bytes BytePool::take(std::span<const std::byte> content) {
  Bytes bytes;
  // Few sizes are in use at a time: those of one workload's inputs.
  for (auto spare = spare_.rbegin(); spare != spare_.rend(); ++spare) {
    if (spare->size() != content.size()) continue;
    bytes = std::move(*spare);
    spare_.erase(std::next(spare).base());
    held_ -= content.size();
    break;
  }
  bytes.assign(content.begin(), content.end());
  return bytes;
}

void BytePool::give_back(Bytes bytes) {
  if (held_ + bytes.size() > std::size_t{1} << 30) return;
  held_ += bytes.size();
  spare_.push_back(std::move(bytes));
}

std::size_t SlotSet::slot_bytes(const WorkloadProgram& program) {
  return ArenaLayout::slot_bytes(program.buffer_bytes);
}

SlotSet::SlotSet(const Task& task, std::size_t workload, const CpuProgram& program,
                 const Arena& arena, std::size_t slots, std::span<const InputCasePtr> cases,
                 SecretRng& rng, BytePool* pool)
    : task_(task),
      workload_(workload),
      program_(program),
      layout_(arena, program.workloads[workload].buffer_bytes, slots, rng),
      state_(slots),
      pool_(pool) {
  for (std::size_t slot = 0; slot < slots; ++slot) {
    state_[slot].input = cases[slot % cases.size()];
    state_[slot].poison.resize(program.workloads[workload].buffer_bytes.size() -
                               task.inputs.size());
    for (std::size_t i = 0; i < task.inputs.size(); ++i) {
      const Bytes& data = state_[slot].input->inputs[i];
      std::memcpy(layout_.bytes(slot, i).data(), data.data(), data.size());
    }
  }
}

SlotSet::~SlotSet() {
  if (pool_ == nullptr) return;
  for (State& state : state_) {
    for (Bytes& bytes : state.changed) pool_->give_back(std::move(bytes));
  }
}

Binding SlotSet::binding() const {
  Binding binding{.module = static_cast<std::uint32_t>(workload_),
                  .launches = program_.workloads[workload_].launches,
                  .slots = {}};
  for (std::size_t slot = 0; slot < slots(); ++slot) binding.slots.push_back(layout_.offsets(slot));
  return binding;
}

void SlotSet::perturb_inputs(std::size_t slot, SecretRng& rng) {
  State& state = state_[slot];
  const bool first = state.changed.empty();
  for (std::size_t i = 0; i < task_.inputs.size(); ++i) {
    if (first) {
      const Bytes& content = state.input->inputs[i];
      state.changed.push_back(pool_ != nullptr ? pool_->take(content) : content);
    }
    Bytes& data = state.changed[i];
    const auto touched = perturb(state.input->fills[i], task_.inputs[i].type, data, rng);
    std::byte* shared = layout_.bytes(slot, i).data();
    for (const ByteRange& range : touched) {
      std::memcpy(shared + range.begin, data.data() + range.begin, range.bytes);
    }
  }
}

void SlotSet::prepare(std::size_t slot, PoisonPattern pattern, SecretRng& rng) {
  State& state = state_[slot];
  for (std::size_t i = 0; i < task_.inputs.size(); ++i) {
    if (!task_.inputs[i].in_place) continue;
    const auto data = private_input(slot, i);
    std::memcpy(layout_.bytes(slot, i).data(), data.data(), data.size());
  }
  const std::size_t first = task_.inputs.size();
  for (std::size_t k = 0; k < state.poison.size(); ++k) {
    const std::span<std::byte> bytes = layout_.bytes(slot, first + k);
    const bool workspace = k >= task_.outputs.size();
    if (workspace && program_.zeroed[k - task_.outputs.size()]) {
      std::memset(bytes.data(), 0, bytes.size());
      continue;
    }
    state.poison[k] = {.secret = rng(), .pattern = pattern};
    // A workspace has no type of its own; most hold floats.
    const DType type = workspace ? DType::f32 : task_.outputs[k].type;
    fill_poison(type, state.poison[k], bytes);
  }
}

std::span<const std::byte> SlotSet::private_input(std::size_t slot, std::size_t index) const {
  const State& state = state_[slot];
  return state.changed.empty() ? std::span<const std::byte>(state.input->inputs[index])
                               : std::span<const std::byte>(state.changed[index]);
}

std::vector<std::span<const std::byte>> SlotSet::private_inputs(std::size_t slot) const {
  std::vector<std::span<const std::byte>> inputs;
  for (std::size_t i = 0; i < task_.inputs.size(); ++i) inputs.push_back(private_input(slot, i));
  return inputs;
}

std::span<const std::byte> SlotSet::output(std::size_t slot, std::size_t index) const {
  return layout_.bytes(slot, task_.inputs.size() + index);
}

bool SlotSet::hidden() const {
  return task_.workloads[workload_].role == WorkloadRole::holdout;
}

std::string SlotSet::where() const {
  return hidden() ? "a hidden workload" : "workload '" + task_.workloads[workload_].name + "'";
}

std::string SlotSet::buffer_name(std::size_t buffer) const {
  if (buffer < task_.inputs.size()) return "input '" + task_.inputs[buffer].name + "'";
  buffer -= task_.inputs.size();
  if (buffer < task_.outputs.size()) return "output '" + task_.outputs[buffer].name + "'";
  return fmt::format("workspace {}", buffer - task_.outputs.size());
}

std::optional<Misdeed> SlotSet::check_inputs(std::size_t slot) const {
  for (std::size_t i = 0; i < task_.inputs.size(); ++i) {
    if (task_.inputs[i].in_place) continue;
    const auto data = private_input(slot, i);
    if (std::memcmp(layout_.bytes(slot, i).data(), data.data(), data.size()) == 0) continue;
    return Misdeed{.kind = OutcomeKind::rejected,
                   .message = fmt::format("it changed its {} on {}", buffer_name(i), where()),
                   .detail = "Inputs are read-only unless the task declares them in_place."};
  }
  return std::nullopt;
}

std::optional<Misdeed> SlotSet::check_written(std::size_t slot) const {
  for (std::size_t k = 0; k < task_.outputs.size(); ++k) {
    const auto bytes = output(slot, k);
    if (bytes.size() < 8) continue;  // equal by chance too easily: its values decide
    const Untouched untouched =
        find_untouched(task_.outputs[k].type, state_[slot].poison[k], bytes);
    if (!untouched.any()) continue;
    const std::string share =
        hidden() ? "Part of it was not written."
                 : fmt::format("{} of {} bytes were not written, the first at element {}.",
                               untouched.bytes, bytes.size(),
                               untouched.first_byte / size_of(task_.outputs[k].type));
    return Misdeed{
        .kind = OutcomeKind::wrong_result,
        .message = fmt::format(
            "output '{}' is wrong on {}: {}", task_.outputs[k].name, where(),
            untouched.bytes == bytes.size() - bytes.size() % 8 || untouched.bytes == bytes.size()
                ? name(MismatchPattern::untouched)
                : name(MismatchPattern::partly_written)),
        .detail = share};
  }
  return std::nullopt;
}

std::size_t SlotSet::untouched_bytes(std::size_t slot) const {
  std::size_t bytes = 0;
  for (std::size_t k = 0; k < task_.outputs.size(); ++k) {
    if (output(slot, k).size() < 8) continue;
    bytes += find_untouched(task_.outputs[k].type, state_[slot].poison[k], output(slot, k)).bytes;
  }
  return bytes;
}

std::optional<Misdeed> SlotSet::check(std::size_t slot) const {
  if (const auto damage = layout_.check_zones(slot)) {
    std::string detail = "Check the bounds of its loops and vector stores.";
    if (!hidden()) {
      detail =
          fmt::format("{} bytes changed, the nearest {} {} {} of the buffer. {}", damage->bytes,
                      damage->distance, damage->distance == 1 ? "byte" : "bytes",
                      damage->after ? "after the end" : "before the beginning", detail);
    }
    return Misdeed{
        .kind = OutcomeKind::wrong_result,
        .message = fmt::format("it wrote outside its {} ({}) on {}", buffer_name(damage->buffer),
                               damage->after ? "after the end" : "before the beginning", where()),
        .detail = detail};
  }
  return check_inputs(slot);
}

std::optional<Misdeed> SlotSet::compare(std::size_t slot, std::span<const Expected> expected,
                                        std::span<const Limits> limits,
                                        std::span<const Errors> baseline,
                                        Accuracy& accuracy) const {
  ++accuracy.input_sets;
  for (std::size_t k = 0; k < task_.outputs.size(); ++k) {
    const Errors errors = measure_errors(expected[k], output(slot, k).data());
    const bool worse = accuracy.input_sets == 1 || !(limits[k].norm > 0) ||
                       errors.norm * accuracy.norm_limit > accuracy.norm_error * limits[k].norm;
    if (worse) {
      accuracy.norm_error = errors.norm;
      accuracy.norm_limit = limits[k].norm;
      accuracy.baseline_error = k < baseline.size() ? baseline[k].norm : 0;
    }
    if (errors.worst * accuracy.worst_limit >= accuracy.worst_error * limits[k].worst) {
      accuracy.worst_error = errors.worst;
      accuracy.worst_limit = limits[k].worst;
    }
    if (passes(errors, limits[k])) continue;
    const std::vector<std::int64_t> shape =
        shape_of(task_.outputs[k], task_.workloads[workload_].dims);
    const Mismatch mismatch = describe_mismatch({.expected = expected[k],
                                                 .got = output(slot, k).data(),
                                                 .shape = shape,
                                                 .errors = errors,
                                                 .limits = limits[k],
                                                 .poison = state_[slot].poison[k],
                                                 .output = task_.outputs[k].name,
                                                 .hide_places = hidden()});
    std::string detail = mismatch.detail;
    if (!hidden() && state_[slot].changed.empty()) {
      for (std::size_t i = 0; i < task_.inputs.size(); ++i) {
        detail += fmt::format("\n  input '{}' was filled with {}", task_.inputs[i].name,
                              state_[slot].input->fills[i].fill->text);
      }
    }
    return Misdeed{.kind = OutcomeKind::wrong_result,
                   .message = mismatch.summary + " on " + where(),
                   .detail = detail};
  }
  return std::nullopt;
}

std::optional<Misdeed> SlotSet::compare_with_case(std::size_t slot, Accuracy& accuracy) const {
  const InputCase& input = *state_[slot].input;
  return compare(slot, input.expected, input.limits, input.baseline, accuracy);
}

}  // namespace kernatlas
