// The pattern recognisers behind describe_mismatch: each looks at one wrong result and says whether
// it explains it. Internal to verification.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backends/verification/mismatch.h"

namespace kernatlas {

// A wrong result, widened to double, with which elements are wrong.
struct WrongResult {
  std::vector<double> got;
  std::vector<bool> wrong;
  std::size_t count = 0;  // of wrong elements
  std::size_t first = 0;  // first and last wrong element
  std::size_t last = 0;
  std::size_t columns = 1;  // last dim
  std::size_t rows = 1;     // everything before it
  Untouched untouched;
};

[[nodiscard]] WrongResult widen(const MismatchInput& input);

struct Finding {
  MismatchPattern pattern = MismatchPattern::scattered;
  std::string number;  // what the pattern's name leaves open: "factor 2", "every 32nd row"; it may
                       // tell the shape, so it is hidden where places are
};

// The first pattern that explains the result, most telling first.
[[nodiscard]] Finding recognise(const MismatchInput& input, const WrongResult& result);

}  // namespace kernatlas
