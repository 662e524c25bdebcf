// Comparison: how wrong a result is, measured against float64.
//
// With y64 the expected and y the produced values of one output:
//   norm error   e(y) = |y - y64|2 / |y64|2, the maximum over the whole output and over each of 16
//                slabs (consecutive sixteenths; a slab's norm is floored at |y64|2 / 16), so that a
//                small part that is all wrong cannot hide in a large norm;
//   worst error  w(y) = max |y - y64| / (|y64| + rms(y64)).
// Values that are not finite must be so on both sides, of one class and sign; an expected value
// beyond the type's range counts as the infinity it rounds to (either is fine close to the edge).
// When every expected value is 0, exact zeros are required. Integers and bool must be equal.
//
// One pass over the data, no allocation: a few hundred million elements a second on one core.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "backends/verification/tolerance.h"
#include "kernel/dtype.h"

namespace kernatlas {

// The reference's values of one output with what every comparison against them needs. Immutable
// after construction; safe to share between threads.
class Expected {
 public:
  static constexpr std::size_t kSlabs = 16;
  static constexpr std::size_t kBlock = 1024;  // elements between two checks for odd values

  Expected() = default;
  // Float outputs.
  Expected(DType type, std::vector<double> values);
  // Integer and bool outputs (bool: 0 or 1).
  Expected(DType type, std::vector<std::int64_t> values);

  [[nodiscard]] DType type() const { return type_; }
  [[nodiscard]] std::size_t size() const {
    return is_float(type_) ? values_.size() : integers_.size();
  }
  [[nodiscard]] std::span<const double> values() const { return values_; }
  [[nodiscard]] std::span<const std::int64_t> integers() const { return integers_; }
  // Element as double, for descriptions.
  [[nodiscard]] double at(std::size_t index) const {
    return is_float(type_) ? values_[index] : static_cast<double>(integers_[index]);
  }
  [[nodiscard]] double rms() const { return rms_; }
  // Memory held, bytes.
  [[nodiscard]] std::size_t bytes() const { return 8 * (values_.size() + integers_.size()); }

 private:
  friend struct ErrorMeter;
  DType type_ = DType::f32;
  std::vector<double> values_;
  std::vector<std::int64_t> integers_;
  std::size_t slab_size_ = 1;
  double inverse_scale_ = 1;         // power of two: keeps squares inside the range of double
  double rms_ = 0;                   // of the finite values
  double scaled_norm2_ = 0;          // sum of (value * inverse_scale)², finite values
  std::vector<double> slab_norm2_;   // the same per slab
  std::vector<bool> block_unusual_;  // per slab and block: has a value that is not finite in `type`
};

struct Errors {
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
  double norm = 0;
  double worst = 0;
  std::size_t worst_index = kNone;     // element with the worst error
  std::size_t class_mismatches = 0;    // not finite where finite is due, or the reverse, or a wrong
                                       // sign; for integers: unequal elements
  std::size_t first_mismatch = kNone;  // the first of those
};

// `got` holds expected.size() elements of expected.type().
[[nodiscard]] Errors measure_errors(const Expected& expected, const void* got);

// True only if every comparison is true: a NaN never passes.
[[nodiscard]] inline bool passes(const Errors& errors, const Limits& limits) {
  return errors.class_mismatches == 0 && errors.norm <= limits.norm && errors.worst <= limits.worst;
}

// Whether element `index` alone is acceptable as `got`: the rule that places are listed by.
[[nodiscard]] bool element_matches(const Expected& expected, std::size_t index, double got,
                                   double worst_limit);

}  // namespace kernatlas
