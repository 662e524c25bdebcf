#include "backends/cpu/verifier.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace kernatlas {

namespace {

// Whether two runs over the same inputs gave different results: beyond the tolerance, with the
// first one taken for the truth.
bool differ(const Task& task, const SlotSet& slots, std::size_t a, std::size_t b) {
  for (std::size_t k = 0; k < task.outputs.size(); ++k) {
    const DType type = task.outputs[k].type;
    const auto first = slots.output(a, k);
    const auto second = slots.output(b, k);
    if (std::equal(first.begin(), first.end(), second.begin())) continue;
    if (!is_float(type)) return true;
    std::vector<double> values(first.size() / size_of(type));
    load_all(type, first.data(), values);
    const Errors errors = measure_errors(Expected(type, std::move(values)), second.data());
    const Limits& limits = slots.input_case(a).limits[k];
    if (!passes(errors, {.norm = 2 * limits.norm, .worst = 2 * limits.worst})) return true;
  }
  return false;
}

Checked<void> run_slots(SlotSet& slots, Worker& worker, double expected_ns, SecretRng& rng) {
  std::vector<std::vector<std::uint32_t>> groups;
  for (std::uint32_t slot = 0; slot < slots.slots(); ++slot) {
    // The last slot repeats the first one's inputs, over the other kind of poison.
    const bool nans = slot == 0 || (slot % 2 == 0 && slot + 1 < slots.slots());
    slots.prepare(slot, nans ? PoisonPattern::nans : PoisonPattern::large, rng);
    groups.push_back({slot});
  }
  std::shuffle(groups.begin(), groups.end(), rng);
  const double expected_ms = 10 * expected_ns * static_cast<double>(slots.slots()) * 1e-6;
  const std::chrono::milliseconds deadline(
      static_cast<std::int64_t>(std::max(2000.0, expected_ms)));
  if (auto bound = worker.bind(slots.binding(), deadline); !bound) return misdeed(bound.error());
  const auto times = worker.run(groups, deadline);
  if (!times) return misdeed(times.error());
  return {};
}

}  // namespace

Checked<void> verify_workload(CpuLab& lab, const CpuProgram& program, Worker& worker,
                              std::size_t workload, std::size_t cases, double expected_ns,
                              Accuracy& accuracy) {
  const std::size_t fitting =
      lab.arena(0).size() / SlotSet::slot_bytes(program.workloads[workload]);
  cases = std::min(cases, fitting > 1 ? fitting - 1 : 1);
  std::vector<InputCasePtr> picks = lab.cases().pick_several(workload, cases, lab.rng());
  const bool twice = fitting > cases;
  if (twice) picks.push_back(picks.front());
  SlotSet slots(lab.task(), workload, program, lab.arena(0), picks.size(), picks, lab.rng());
  if (auto ran = run_slots(slots, worker, expected_ns, lab.rng()); !ran) {
    if (slots.hidden() && ran.error().kind != OutcomeKind::device_lost) {
      ran.error().message += " (on a hidden workload)";
    }
    return ran;
  }
  std::optional<Misdeed> wrong;
  for (std::size_t slot = 0; slot < slots.slots(); ++slot) {
    if (auto damage = slots.check(slot)) return tl::unexpected(std::move(*damage));
    if (!wrong) wrong = slots.compare_with_case(slot, accuracy);
  }
  const std::size_t last = slots.slots() - 1;
  // What was not written keeps its poison in both runs. A sum over poison keeps it in one only: NaN
  // plus anything is the same NaN.
  const std::size_t first_untouched = slots.untouched_bytes(0);
  const std::size_t last_untouched = slots.untouched_bytes(last);
  const bool written =
      2 * std::min(first_untouched, last_untouched) <= std::max(first_untouched, last_untouched);
  if (twice && written && differ(lab.task(), slots, 0, last)) {
    return tl::unexpected(
        Misdeed{.kind = OutcomeKind::nondeterministic,
                .message = "two runs over the same input differ on " + slots.where(),
                .detail = "A race, or it reads an output or workspace before it wrote it." +
                          (wrong ? "\n" + wrong->message + "\n" + wrong->detail : std::string())});
  }
  if (wrong) return tl::unexpected(std::move(*wrong));
  return {};
}

}  // namespace kernatlas
