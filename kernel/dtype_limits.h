// What the float types of kernel/dtype.h can hold.
#pragma once

#include "kernel/dtype.h"

namespace kernatlas {

struct FloatLimits {
  double largest = 0;            // finite
  double smallest_denormal = 0;  // also the step between denormals
  int mantissa_bits = 0;         // stored ones, without the leading 1
  // Integers from -this to this are exact.
  [[nodiscard]] double exact_integers() const;
};

// `type` must be a float type.
[[nodiscard]] FloatLimits float_limits(DType type);

// The smallest and largest number an integer type (or bool) holds; as double, so rounded for i64.
struct IntegerLimits {
  double low = 0;
  double high = 0;
};
// `type` must not be a float type.
[[nodiscard]] IntegerLimits integer_limits(DType type);

}  // namespace kernatlas
