// Input distributions. A task lists, per input, the fills its kernels must handle; verification
// draws fresh data from them with secret seeds.
//
// Spelling in task.toml: a name, with arguments after it: "normal", "normal(0, 3)", "uniform(-1,
// 1)", "wide" (normal times 2^U(-8, 8)), "spikes" (normal with one in 1024 elements 100 to 1000
// times larger, at secret places), "sparse(0.9)" (that share is zero), "sorted" (uniform,
// ascending), "special" (normal with ±0, denormals, ±largest/4 mixed in), "integers(lo, hi)"
// (inclusive), "ones", "zeros", "permutation" (of 0 … n-1; integer types), "indices(EXPR)" (uniform
// in [0, EXPR), EXPR over dims).
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

// Fills `count` elements of `type` at `data`. `bound` is the value of Fill::bound (0 if unused).
// The same rng state gives the same bytes on every machine.
void generate(const Fill& fill, DType type, void* data, std::size_t count, std::int64_t bound,
              Rng& rng);

}  // namespace kernatlas
