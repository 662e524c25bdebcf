// Policy: how parents and operators are chosen. A preset of data, looked up by name.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernel/result.h"

namespace kernatlas {

struct Policy {
  std::string name;
  std::string summary;
  // Operator names with their starting weights; adaptation scales them by what they earn.
  std::vector<std::pair<std::string, double>> operators;
  std::string selector = "uniform";  // for operators that ask for no selector of their own
  bool adapt = true;                 // reweight operators by verdict and gain per second
};

// map-elites (default), greedy, random.
[[nodiscard]] const std::vector<Policy>& policies();
[[nodiscard]] Result<Policy> find_policy(std::string_view name);

}  // namespace kernatlas
