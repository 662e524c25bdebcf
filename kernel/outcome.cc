#include "kernel/outcome.h"

#include <algorithm>
#include <array>

namespace kernatlas {
namespace {

// Both tables are in the order of their enumeration.
constexpr std::array<std::string_view, kOutcomeKinds> kKindNames = {
    "measured",  "compile_error",  "launch_error", "crashed",
    "timed_out", "out_of_memory",  "wrong_result", "nondeterministic",
    "rejected",  "resource_limit", "device_lost"};
constexpr std::array<std::string_view, 8> kStageNames = {"plan", "compile", "inspect", "load",
                                                         "run",  "verify",  "time",    "done"};
static_assert(static_cast<std::size_t>(OutcomeKind::device_lost) + 1 == kKindNames.size());
static_assert(static_cast<std::size_t>(Stage::done) + 1 == kStageNames.size());

template <typename Enum, std::size_t Size>
std::optional<Enum> find_name(const std::array<std::string_view, Size>& names,
                              std::string_view text) {
  const auto found = std::find(names.begin(), names.end(), text);
  if (found == names.end()) return std::nullopt;
  return static_cast<Enum>(found - names.begin());
}

}  // namespace

std::string_view name(OutcomeKind kind) {
  return kKindNames.at(static_cast<std::size_t>(kind));
}

std::optional<OutcomeKind> parse_outcome_kind(std::string_view text) {
  return find_name<OutcomeKind>(kKindNames, text);
}

std::string_view name(Stage stage) {
  return kStageNames.at(static_cast<std::size_t>(stage));
}

std::optional<Stage> parse_stage(std::string_view text) {
  return find_name<Stage>(kStageNames, text);
}

bool Outcome::was_cut() const {
  return std::any_of(times.begin(), times.end(), [](const WorkloadTime& time) { return time.cut; });
}

std::uint64_t Outcome::samples() const {
  std::uint64_t sum = 0;
  for (const WorkloadTime& time : times) sum += time.samples;
  return sum;
}

}  // namespace kernatlas
