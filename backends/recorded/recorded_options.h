// What may be injected into a replay, from BenchOptions::parameters.
#pragma once

#include <map>
#include <string>

#include "kernel/result.h"

namespace kernatlas {

struct RecordedOptions {
  std::string table;      // path; empty: the file the task was made from
  double noise = 0;       // relative standard deviation of a time
  double fail_rate = 0;   // share of evaluations that crash, whatever the table says
  double latency_ms = 0;  // real time an evaluation takes
  double slow_rate = 0;   // share of evaluations that take slow_ms instead
  double slow_ms = 0;

  // Errors name the parameter and what it may be. Unknown names are errors.
  [[nodiscard]] static Result<RecordedOptions> parse(
      const std::map<std::string, std::string>& parameters);
  [[nodiscard]] static std::map<std::string, std::string> descriptions();
};

}  // namespace kernatlas
