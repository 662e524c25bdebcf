// The element types a tensor may have, and exact conversions between them and double.
//
// Rounding to a narrower float is to nearest, ties to even. fp8 follows the OCP 8-bit floating
// point specification: e4m3 has no infinity and its overflow becomes NaN, e5m2 has infinity.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace kernatlas {

enum class DType : std::uint8_t {
  f64,
  f32,
  f16,
  bf16,
  f8_e4m3,
  f8_e5m2,
  i8,
  u8,
  i32,
  i64,
  boolean
};

// The name used in task files: f64 f32 f16 bf16 f8_e4m3 f8_e5m2 i8 u8 i32 i64 bool.
[[nodiscard]] std::string_view name(DType type);
[[nodiscard]] std::optional<DType> parse_dtype(std::string_view text);
// Size of one element, bytes.
[[nodiscard]] std::size_t size_of(DType type);
[[nodiscard]] bool is_float(DType type);
// The C++ spelling of one element in a cpp kernel: "float", "std::int32_t", … ("std::uint16_t" for
// f16 and bf16, "std::uint8_t" for fp8 and bool: the prelude has helpers that convert).
[[nodiscard]] std::string_view cpp_type(DType type);

// Element `index` of an array of `type` as double (i64 beyond 2^53 is rounded). A bool is its byte
// as it is, so that a poisoned one does not pass for true. `data` need not be aligned.
[[nodiscard]] double load(DType type, const void* data, std::size_t index);
// Rounds `value` to `type` and stores it. Integers saturate, and NaN becomes 0; a bool becomes 1
// for every number but 0.
void store(DType type, void* data, std::size_t index, double value);

// Whole-array forms, fast for f64/f32/integers. Both sides hold the same number of elements.
void load_all(DType type, const void* data, std::span<double> out);
void store_all(DType type, std::span<const double> values, void* data);

}  // namespace kernatlas
