#include "operators/operator.h"
#include "operators/tunables/line_crossover.h"
#include "operators/tunables/move_option.h"
#include "operators/tunables/mutate_tunable.h"
#include "operators/tunables/random_assignment.h"
#include "operators/tunables/restart_rare.h"
#include "operators/tunables/seed.h"

namespace kernatlas {

OperatorRegistry default_operators() {
  OperatorRegistry registry;
  registry.add(make_seed());
  registry.add(make_random_assignment());
  registry.add(make_mutate_tunable());
  registry.add(make_line_crossover());
  registry.add(make_move_option());
  registry.add(make_restart_rare());
  return registry;
}

}  // namespace kernatlas
