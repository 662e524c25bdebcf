// Mismatch: a wrong result in words that help to mend it: where, how many, how much, which pattern,
// and a few expected values beside what came.
//
// The pattern's name is part of the failure signature that the failure memory learns from, so the
// names are stable and carry no numbers. Only called for results that failed: clarity before speed,
// yet linear in the output's size.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "backends/verification/comparison.h"
#include "backends/verification/poison.h"

namespace kernatlas {

enum class MismatchPattern {
  untouched,       // nothing was written at all
  partly_written,  // some of it still holds its poison, not only at the end
  tail_missing,    // everything from some place to the end is wrong or was not written
  all_zero,
  all_nan,
  some_nan,         // all wrong elements are NaN or infinite
  constant_factor,  // y = c · expected
  constant_offset,  // y = expected + c
  shifted,          // y[i] = expected[i ± 1], or a row up or down
  transposed,       // rows and columns of the last two dims exchanged
  one_row_in_n,     // only every n-th row is wrong
  row_tail,         // only the end of each row is wrong: a tile's edge
  some_rows,        // whole rows are wrong, others right
  precision,        // close everywhere, but not close enough
  scattered,        // none of these
};
[[nodiscard]] std::string_view name(MismatchPattern pattern);

struct MismatchInput {
  const Expected& expected;
  const void* got = nullptr;
  std::span<const std::int64_t> shape;  // row-major; the product is expected.size()
  Errors errors;
  Limits limits;
  std::optional<Poison> poison;  // what the output held before
  std::string_view output;       // its name
  bool hide_places = false;      // holdout workloads: no indices, counts or shapes, only the kind
};

struct Mismatch {
  MismatchPattern pattern = MismatchPattern::scattered;
  std::size_t wrong = 0;  // elements that are wrong on their own
  std::string summary;    // one line
  std::string detail;     // several lines: places, expected and got
};

[[nodiscard]] Mismatch describe_mismatch(const MismatchInput& input);

// "[3, 17]" for a flat index.
[[nodiscard]] std::string place(std::size_t index, std::span<const std::int64_t> shape);

}  // namespace kernatlas
