// Loops of decoded machine code, and how often each instruction probably runs.
//
// A loop is a backward branch within a function: it spans from its target to the branch. Branches
// to one target are one loop. How deep an instruction lies, counted through direct calls, gives its
// weight: a factor of 8 for each level, up to 6 levels. That stands in for trip counts, which
// machine code does not tell: it makes an inner loop outweigh everything around it, and code that
// runs once (prologues, remainders) hardly count.
#pragma once

#include <cstddef>
#include <vector>

#include "backends/cpu/machine_code.h"

namespace kernatlas {

struct LoopFacts {
  double weight = 1;
  int depth = 0;  // within its function
};

struct LoopNest {
  // Parallel to MachineCode::regions and their instructions.
  std::vector<std::vector<LoopFacts>> facts;
  std::size_t loops = 0;
};

[[nodiscard]] LoopNest find_loops(const MachineCode& code);

}  // namespace kernatlas
