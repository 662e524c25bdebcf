// The text of a small, complete task and of a kernel for it, for tests to copy and to break.
#pragma once

#include <string>

namespace kernatlas::testing {

inline const std::string kTaskText = R"(summary = "row norms"
tags = ["reduction"]
dims = ["ROWS", "COLS"]

[[workload]]
name = "small"
dims = { ROWS = 8, COLS = 64 }
[[workload]]
name = "odd"
role = "holdout"
dims = { ROWS = 3, COLS = 13 }

[[input]]
name = "x"
type = "f32"
shape = ["ROWS", "COLS"]
fill = ["normal", "wide"]
[[input]]
name = "weight"
type = "f16"
shape = ["COLS"]
[[output]]
name = "y"
type = "f32"
shape = ["ROWS", "COLS"]
reduction = "COLS"

[reference]
source = "reference.cpp"
)";

inline const std::string kReferenceText =
    "extern \"C\" void reference(const double* x, const double* weight, double* y) {}\n";

inline const std::string kKernelText = R"src(/*kernatlas
[tune]
BLOCK = [4, 8, 16]
ORDER = ["rows", "columns"]
[constraint]
fits = "BLOCK <= COLS"
[workspace]
partial = "4 * ROWS"
[[launch]]
kernel = "norm"
grid = ["ceil_div(COLS, BLOCK)", "ROWS"]
args = ["x", "weight", "partial", "y", "COLS + ORDER"]
*/
extern "C" void norm(const float* x, const std::uint16_t* weight, float* partial, float* y,
                     std::int64_t n, Block at) {}
)src";

// `text` with the first `from` replaced by `to`; the empty string when there is none, so that a
// test whose text changed fails.
inline std::string with(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  return at == std::string::npos ? std::string{} : text.replace(at, from.size(), to);
}

}  // namespace kernatlas::testing
