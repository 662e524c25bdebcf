// Tolerance: how far a result may lie from float64, per element type and task
// (docs/verification.md).
//
// Nobody guesses an absolute tolerance here. The measure is what a plain, honest kernel with the
// same types gets wrong on the same inputs: a candidate may be `k` times as wrong as that baseline,
// and never needs to be better than a floor that follows from the type's rounding unit and the
// length K of the reduction (the error of a sum of K rounded terms grows like sqrt(K); Higham,
// "Accuracy and Stability of Numerical Algorithms", chapter 4).
#pragma once

#include <cstdint>

#include "kernel/dtype.h"
#include "kernel/result.h"
#include "kernel/task.h"

namespace kernatlas {

struct Tolerance {
  double k = 0;        // multiple of the baseline's error that is accepted
  double e0 = 0;       // floor of the norm error's limit
  double w0 = 0;       // floor of the worst element's limit
  bool exact = false;  // integers and bool: every element must be equal; the rest is unused
};

// What the type allows for a reduction of `reduction` ≥ 1 terms.
[[nodiscard]] Tolerance default_tolerance(DType type, std::int64_t reduction);

// The same with the output's own `reduction` and `tolerance` (which replaces e0 and scales w0 with
// it) evaluated for these dims. Errors: bad_input when K is not positive.
[[nodiscard]] Result<Tolerance> tolerance_of(const Tensor& output, const Dims& dims);

struct Limits {
  double norm = 0;
  double worst = 0;
};

// max(k · baseline error, floor), for both errors. A baseline error that is not finite counts as 0:
// a broken baseline loosens nothing.
[[nodiscard]] Limits limits_of(const Tolerance& tolerance, double baseline_norm,
                               double baseline_worst);

}  // namespace kernatlas
