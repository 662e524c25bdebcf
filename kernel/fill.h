// Input distributions. A task lists, per input, the fills its kernels must handle; verification
// draws fresh data from them with secret seeds.
//
// Spelling in task.toml: a name, with arguments after it where it takes some:
//
//   normal(MEAN, SD)    default (0, 1); on integers rounded
//   uniform(LO, HI)     default (-1, 1); floats only
//   wide                normal times 2^U(-8, 8); floats only
//   spikes              normal, one element in each 1024 (and in the rest) 100 to 1000 times
//   larger,
//                       at a secret place; floats only
//   sparse(SHARE)       that share is zero, default 0.9; the others normal (floats), 1 … 100
//                       (integers) or true
//   sorted(LO, HI)      ascending, uniform; default (0, 1) for floats and bool, (0, 100) for
//   integers special             normal, one in 16 replaced by ±0, ± a denormal or ± largest/4;
//   floats only integers(LO, HI)    both inclusive; must be exact in the type ones, zeros
//   permutation         of 0 … n-1; i32 and i64
//   indices(EXPR)       uniform in [0, EXPR), EXPR over dims; integers only
//
// Values are rounded to the element's type and never beyond its largest finite number.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/dtype.h"
#include "kernel/result.h"
#include "kernel/rng.h"

namespace kernatlas {

enum class FillKind {
  normal,
  uniform,
  wide,
  spikes,
  sparse,
  sorted,
  special,
  integers,
  ones,
  zeros,
  permutation,
  indices
};

struct Fill {
  FillKind kind = FillKind::normal;
  std::vector<double> arguments;  // as written, with defaults filled in
  std::string bound;              // for indices: the expression's text
  std::string text;               // as written in the task
};

[[nodiscard]] Result<Fill> parse_fill(std::string_view text, DType type);

// What only shows when the workload is known: an `indices` bound that is not positive or does not
// fit the type, a permutation of more elements than the type can count.
[[nodiscard]] Result<void> check_fill(const Fill& fill, DType type, std::size_t count,
                                      std::int64_t bound);

// Fills `count` elements of `type` at `data`. `bound` is the value of Fill::bound (0 if unused);
// check_fill must have agreed. Takes one number from `rng` whatever it fills. The same rng state
// gives the same bytes on every machine with IEEE doubles: no function of the C library takes part.
// O(count) time, O(1) memory.
void generate(const Fill& fill, DType type, void* data, std::size_t count, std::int64_t bound,
              Rng& rng);

}  // namespace kernatlas
