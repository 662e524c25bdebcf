// What every cpp kernel may use without an include: the standard headers below, Block, and the
// conversions between narrow floats (kept as integers) and float.
//
// This text is part of the compiled candidate: it is embedded into the library when that is built,
// precompiled once per set of flags, and takes part in the cache's key. It depends on nothing of
// ours. Conversions to a narrower type round to nearest, ties to even, like kernel/dtype.h; they
// have no branches, so that loops over them vectorise, and no float comparison, so that they hold
// under fast math.
#pragma once

#include <immintrin.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

// The grid point a call works on; each coordinate is in [0, grid).
struct Block {
  std::int64_t x, y, z;
};

namespace kernatlas_prelude {

// A float of 1 sign bit, E exponent bits and M mantissa bits (E + M + 1 <= 16) with subnormals and
// infinity, as the bits of a float with the same value.
template <int E, int M>
constexpr std::uint32_t widen(std::uint32_t bits) {
  constexpr std::uint32_t magnitude_mask = (1u << (E + M)) - 1;
  constexpr std::uint32_t special = ((1u << E) - 1) << M;
  constexpr float rebias =
      std::bit_cast<float>(std::uint32_t{127 + 127 - ((1 << (E - 1)) - 1)} << 23);
  const std::uint32_t magnitude = bits & magnitude_mask;
  // Shifted into place, the number is too small by a power of two; the product also turns a
  // subnormal into a normal number.
  const std::uint32_t finite =
      std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude << (23 - M)) * rebias);
  const std::uint32_t infinite = 0x7f800000u | (magnitude << (23 - M));
  const std::uint32_t sign = (bits >> (E + M)) << 31;
  return sign | (magnitude >= special ? infinite : finite);
}

// The inverse, rounding. Magnitudes from `overflow` on (as float bits, after rounding) become
// `beyond`; NaN becomes `nan`.
template <int E, int M>
constexpr std::uint32_t narrow(std::uint32_t bits, std::uint32_t beyond, std::uint32_t nan,
                               std::uint32_t largest) {
  constexpr std::int32_t bias = (1 << (E - 1)) - 1;
  constexpr std::uint32_t smallest_normal = std::uint32_t(127 + 1 - bias) << 23;
  constexpr int shift = 23 - M;
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  const std::uint32_t sign = (bits >> 31) << (E + M);
  // Normal: add half of the last kept place (less one when it is even already), drop the rest.
  const std::uint32_t odd = (magnitude >> shift) & 1;
  const std::uint32_t normal =
      ((magnitude + ((1u << (shift - 1)) - 1) + odd) >> shift) - (std::uint32_t(127 - bias) << M);
  // Subnormal: adding a float whose last place is the smallest subnormal lets the addition round.
  constexpr std::uint32_t aligner = std::uint32_t(127 - bias + 1 + shift) << 23;
  const std::uint32_t capped = magnitude < smallest_normal ? magnitude : 0;
  const std::uint32_t subnormal =
      std::bit_cast<std::uint32_t>(std::bit_cast<float>(capped) + std::bit_cast<float>(aligner)) -
      aligner;
  std::uint32_t result = magnitude < smallest_normal ? subnormal : normal;
  result = magnitude >= smallest_normal && normal > largest ? beyond : result;
  result = magnitude > 0x7f800000u ? nan : result;
  return sign | result;
}

}  // namespace kernatlas_prelude

// f16: IEEE binary16.
constexpr float f16_to_float(std::uint16_t bits) {
  return std::bit_cast<float>(kernatlas_prelude::widen<5, 10>(bits));
}
constexpr std::uint16_t float_to_f16(float value) {
  return static_cast<std::uint16_t>(kernatlas_prelude::narrow<5, 10>(
      std::bit_cast<std::uint32_t>(value), 0x7c00, 0x7e00, 0x7bff));
}

// bf16: the upper half of a float.
constexpr float bf16_to_float(std::uint16_t bits) {
  return std::bit_cast<float>(std::uint32_t{bits} << 16);
}
constexpr std::uint16_t float_to_bf16(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t rounded = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
  const bool is_nan = (bits & 0x7fffffffu) > 0x7f800000u;
  return static_cast<std::uint16_t>(is_nan ? ((bits >> 16) & 0x8000u) | 0x7fc0u : rounded);
}

// fp8 e4m3 (OCP): no infinity; what overflows becomes NaN; the largest number is 448.
constexpr float e4m3_to_float(std::uint8_t bits) {
  const std::uint32_t magnitude = bits & 0x7fu;
  const std::uint32_t finite = std::bit_cast<std::uint32_t>(
      std::bit_cast<float>(magnitude << 20) * std::bit_cast<float>((127u + 120u) << 23));
  const std::uint32_t sign = std::uint32_t{bits} >> 7 << 31;
  return std::bit_cast<float>(sign | (magnitude == 0x7f ? 0x7fc00000u : finite));
}
constexpr std::uint8_t float_to_e4m3(float value) {
  return static_cast<std::uint8_t>(
      kernatlas_prelude::narrow<4, 3>(std::bit_cast<std::uint32_t>(value), 0x7f, 0x7f, 0x7e));
}

// fp8 e5m2 (OCP): with infinity, like f16 with its mantissa cut.
constexpr float e5m2_to_float(std::uint8_t bits) {
  return f16_to_float(static_cast<std::uint16_t>(bits << 8));
}
constexpr std::uint8_t float_to_e5m2(float value) {
  return static_cast<std::uint8_t>(
      kernatlas_prelude::narrow<5, 2>(std::bit_cast<std::uint32_t>(value), 0x7c, 0x7e, 0x7b));
}
