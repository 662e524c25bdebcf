#include "backends/verification/tolerance.h"

#include <algorithm>
#include <cmath>

namespace kernatlas {

namespace {

struct Row {
  double k;
  double e0;            // for K = 1
  bool grows;           // with sqrt(K)
  double worst_factor;  // w0 / e0
};

Row row_of(DType type) {
  switch (type) {
    // The float64 reference has rounding errors of its own of the same size, hence the wider floor.
    case DType::f64:
      return {4, 0x1p-47, true, 16};
    case DType::f32:
      return {4, 0x1p-22, true, 16};
    // Accumulation in 32 bits is assumed: one final rounding dominates, whatever K is.
    case DType::f16:
      return {3, 0x1p-11, false, 8};
    case DType::bf16:
      return {3, 0x1p-8, false, 8};
    // Two units in the last place of a 3-bit and a 2-bit mantissa: 4 times e0.
    case DType::f8_e4m3:
      return {2, 0x1p-4, false, 4};
    case DType::f8_e5m2:
      return {2, 0x1p-3, false, 4};
    default:
      return {0, 0, false, 0};
  }
}

}  // namespace

Tolerance default_tolerance(DType type, std::int64_t reduction) {
  if (!is_float(type)) return {.exact = true};
  const Row row = row_of(type);
  const double growth =
      row.grows ? std::sqrt(static_cast<double>(std::max<std::int64_t>(1, reduction))) : 1;
  const double e0 = row.e0 * growth;
  return {.k = row.k, .e0 = e0, .w0 = row.worst_factor * e0, .exact = false};
}

Result<Tolerance> tolerance_of(const Tensor& output, const Dims& dims) {
  std::int64_t reduction = 1;
  if (output.reduction) {
    const auto value = output.reduction->evaluate(dims);
    if (!value) return fail(value.error());
    if (*value < 1) {
      return fail({.message = "reduction of output '" + output.name + "' is " +
                              std::to_string(*value) + " for one workload",
                   .expected = "at least 1"});
    }
    reduction = *value;
  }
  Tolerance tolerance = default_tolerance(output.type, reduction);
  if (output.tolerance && !tolerance.exact) {
    tolerance.e0 = *output.tolerance;
    tolerance.w0 = row_of(output.type).worst_factor * tolerance.e0;
  }
  return tolerance;
}

Limits limits_of(const Tolerance& tolerance, double baseline_norm, double baseline_worst) {
  const auto limit = [&](double error, double floor) {
    return std::isfinite(error) ? std::max(tolerance.k * error, floor) : floor;
  };
  return {.norm = limit(baseline_norm, tolerance.e0), .worst = limit(baseline_worst, tolerance.w0)};
}

}  // namespace kernatlas
