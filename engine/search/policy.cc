#include "engine/search/policy.h"

#include <fmt/core.h>

namespace kernatlas {

// A preset lists its operators with starting weights. "seed" has none to speak of: the engine asks
// it first for as long as it has something to offer.
const std::vector<Policy>& policies() {
  static const std::vector<Policy> kPolicies{
      {.name = "map-elites",
       .summary = "fills the map: parents from every cell alike, all operators, weights adapt",
       .operators = {{"seed", 1},
                     {"random_assignment", 1},
                     {"mutate_tunable", 4},
                     {"line_crossover", 2},
                     {"move_option", 1},
                     {"restart_rare", 1}},
       .selector = "uniform",
       .adapt = true},
      {.name = "greedy",
       .summary = "climbs from the best: one-step moves of highly ranked elites",
       .operators =
           {{"seed", 1}, {"random_assignment", 1}, {"mutate_tunable", 8}, {"move_option", 1}},
       .selector = "rank",
       .adapt = false},
      {.name = "random",
       .summary = "seeds, then random assignments: what every other policy has to beat",
       .operators = {{"seed", 1}, {"random_assignment", 1}},
       .selector = "uniform",
       .adapt = false},
  };
  return kPolicies;
}

Result<Policy> find_policy(std::string_view name) {
  std::string known;
  for (const Policy& policy : policies()) {
    if (policy.name == name) return policy;
    known += (known.empty() ? "" : ", ") + policy.name;
  }
  return fail(
      {.message = fmt::format("there is no policy \"{}\"", name), .expected = "one of " + known});
}

}  // namespace kernatlas
