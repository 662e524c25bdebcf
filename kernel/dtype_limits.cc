#include "kernel/dtype_limits.h"

#include <limits>

#include "kernel/result.h"

namespace kernatlas {
namespace {

template <typename T>
IntegerLimits of_native() {
  return {.low = static_cast<double>(std::numeric_limits<T>::min()),
          .high = static_cast<double>(std::numeric_limits<T>::max())};
}

}  // namespace

double FloatLimits::exact_integers() const {
  return static_cast<double>(std::uint64_t{2} << mantissa_bits);
}

FloatLimits float_limits(DType type) {
  switch (type) {
    case DType::f64:
      return {std::numeric_limits<double>::max(), 0x1.0p-1074, 52};
    case DType::f32:
      return {0x1.fffffep127, 0x1.0p-149, 23};
    case DType::f16:
      return {65504, 0x1.0p-24, 10};
    case DType::bf16:
      return {0x1.fep127, 0x1.0p-133, 7};
    case DType::f8_e4m3:
      return {448, 0x1.0p-9, 3};
    case DType::f8_e5m2:
      return {57344, 0x1.0p-16, 2};
    default:
      panic(__FILE__, __LINE__, "is_float(type)");
  }
}

IntegerLimits integer_limits(DType type) {
  switch (type) {
    case DType::i8:
      return of_native<std::int8_t>();
    case DType::u8:
      return of_native<std::uint8_t>();
    case DType::i32:
      return of_native<std::int32_t>();
    case DType::i64:
      return of_native<std::int64_t>();
    case DType::boolean:
      return {.low = 0, .high = 1};
    default:
      panic(__FILE__, __LINE__, "!is_float(type)");
  }
}

}  // namespace kernatlas
