// From how a process ended to what it means for the candidate.
#pragma once

#include <string>

#include "backends/worker/black_box.h"
#include "backends/worker/spawn.h"
#include "backends/worker/worker.h"

namespace kernatlas {

struct Death {
  Ending ending;
  const BlackBox* black_box = nullptr;
  std::size_t memory_bytes = 0;  // what it was allowed
  double cpu_s = 0;              // likewise
};

// A process that ended without answering while the candidate's code was loaded or running.
[[nodiscard]] Fault explain_death(const Death& death);

// "SIGSEGV"; "signal 42" for one without a name.
[[nodiscard]] std::string signal_name(int signal);

}  // namespace kernatlas
