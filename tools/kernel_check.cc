#include "tools/kernel_check.h"

#include <fmt/core.h>

#include "operators/tunables/search_space.h"
#include "tools/candidate_report.h"

namespace kernatlas {

Result<KernelCheck> check_kernel(std::shared_ptr<const Task> task, Bench& bench,
                                 KernelSourcePtr source, const std::string& tunables,
                                 const std::string& options) {
  if (auto fits = source->check_against(*task); !fits) return fail(fits.error());
  KernelCheck check{{source, {}, {}}, {}};
  if (tunables.empty()) {
    const auto first = SearchSpace(task, source, bench.options()).first();
    if (!first) {
      return fail({.message = "no assignment of its tunables satisfies the constraints",
                   .file = source->file(),
                   .hint = "every constraint must hold for every workload, holdouts included"});
    }
    check.candidate.assignment = *first;
  } else {
    auto values = from_text(source->tunables(), tunables);
    if (!values) return fail(values.error());
    check.candidate.assignment = *std::move(values);
  }
  if (!options.empty()) {
    auto values = from_text(bench.options(), options);
    if (!values) return fail(values.error());
    check.candidate.options = *std::move(values);
  }
  const auto compiled = bench.compiler().compile(check.candidate);
  check.outcome =
      compiled ? bench.evaluators().front()->evaluate(check.candidate, **compiled, 0, std::nullopt)
               : compiled.error();
  return check;
}

std::string check_text(const KernelCheck& check, const Task& task,
                       const std::vector<Tunable>& options) {
  std::string out = fmt::format("{} for {}\n", check.candidate.source->file(), task.name);
  if (!check.candidate.assignment.empty()) {
    out += fmt::format("tunables {}\n",
                       to_text(check.candidate.source->tunables(), check.candidate.assignment));
  }
  if (!check.candidate.options.empty()) {
    out += fmt::format("options  {}\n", to_text(options, check.candidate.options));
  }
  out += outcome_text(check.outcome);
  const Costs& costs = check.outcome.costs;
  return out +
         fmt::format("took {:.2f} s: compile {:.2f}, start {:.2f}, verify {:.2f}, time {:.2f}\n",
                     costs.total_s(), costs.compile_s, costs.spawn_s, costs.verify_s, costs.time_s);
}

}  // namespace kernatlas
