// Budget: what a run may spend. Text form: comma-separated limits, each a number and a unit:
// "200e" evaluations, "90s" "5m" "2h" wall time, "3.50usd" money. The first limit reached ends the
// run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "kernel/result.h"

namespace kernatlas {

struct Budget {
  std::optional<std::uint64_t> evaluations;
  std::optional<double> seconds;
  std::optional<double> usd;

  [[nodiscard]] static Result<Budget> parse(std::string_view text);
  [[nodiscard]] std::string text() const;  // parse(text()) gives the same budget
};

// What has been spent so far, over all sessions of the run.
struct Spent {
  std::uint64_t evaluations = 0;  // settled
  std::uint64_t proposed = 0;     // settled and in flight: never exceeds the evaluation budget
  double seconds = 0;
  double usd = 0;
};

}  // namespace kernatlas
