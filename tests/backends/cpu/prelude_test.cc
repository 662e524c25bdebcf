// The prelude's conversions against those of kernel/dtype.h, which verification uses.
#include "backends/cpu/prelude.h"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "backends/cpu/prelude_text.h"
#include "kernel/dtype.h"

using namespace kernatlas;

namespace {

// NaN compares equal to NaN; zeros by their sign.
bool same(float a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return static_cast<double>(a) == b && std::signbit(a) == std::signbit(b);
}

// Every boundary between neighbours of an 8- or 16-bit type, and the floats beside it, and others.
std::vector<float> interesting_floats() {
  std::vector<float> values;
  const auto add = [&](float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    for (const std::uint32_t near : {bits - 1, bits, bits + 1}) {
      values.push_back(std::bit_cast<float>(near));
      values.push_back(std::bit_cast<float>(near ^ 0x80000000u));
    }
  };
  for (std::uint32_t i = 0; i < 65536; i += 3) {
    add(f16_to_float(static_cast<std::uint16_t>(i)));
    add(bf16_to_float(static_cast<std::uint16_t>(i)));
    // Halfway between two f16 numbers: ties go to even.
    const float next = f16_to_float(static_cast<std::uint16_t>(i + 1));
    add((f16_to_float(static_cast<std::uint16_t>(i)) + next) / 2);
  }
  for (std::uint32_t i = 0; i < 255; ++i) {
    const auto bits = static_cast<std::uint8_t>(i);
    const auto after = static_cast<std::uint8_t>(i + 1);
    add((e4m3_to_float(bits) + e4m3_to_float(after)) / 2);
    add((e5m2_to_float(bits) + e5m2_to_float(after)) / 2);
  }
  std::mt19937 rng(20240607);
  for (int i = 0; i < 200000; ++i) add(std::bit_cast<float>(static_cast<std::uint32_t>(rng())));
  return values;
}

}  // namespace

TEST_CASE("widening is exact for every bit pattern") {
  int wrong = 0;
  for (std::uint32_t i = 0; i < 65536; ++i) {
    const auto bits = static_cast<std::uint16_t>(i);
    if (!same(f16_to_float(bits), load(DType::f16, &bits, 0))) ++wrong;
    if (!same(bf16_to_float(bits), load(DType::bf16, &bits, 0))) ++wrong;
  }
  for (std::uint32_t i = 0; i < 256; ++i) {
    const auto bits = static_cast<std::uint8_t>(i);
    if (!same(e4m3_to_float(bits), load(DType::f8_e4m3, &bits, 0))) ++wrong;
    if (!same(e5m2_to_float(bits), load(DType::f8_e5m2, &bits, 0))) ++wrong;
  }
  CHECK(wrong == 0);
}

TEST_CASE("narrowing rounds like the engine does") {
  int wrong[4] = {};
  float example[4] = {};
  for (const float value : interesting_floats()) {
    std::uint16_t wide = 0;
    std::uint8_t narrow = 0;
    const auto check = [&](int which, float got, double expected) {
      if (same(got, expected)) return;
      ++wrong[which];
      example[which] = value;
    };
    store(DType::f16, &wide, 0, value);
    check(0, f16_to_float(float_to_f16(value)), load(DType::f16, &wide, 0));
    store(DType::bf16, &wide, 0, value);
    check(1, bf16_to_float(float_to_bf16(value)), load(DType::bf16, &wide, 0));
    store(DType::f8_e4m3, &narrow, 0, value);
    check(2, e4m3_to_float(float_to_e4m3(value)), load(DType::f8_e4m3, &narrow, 0));
    store(DType::f8_e5m2, &narrow, 0, value);
    check(3, e5m2_to_float(float_to_e5m2(value)), load(DType::f8_e5m2, &narrow, 0));
  }
  for (int i = 0; i < 4; ++i) {
    CAPTURE(i);
    CAPTURE(example[i]);
    CHECK(wrong[i] == 0);
  }
}

TEST_CASE("conversions are usable in constant expressions") {
  static_assert(f16_to_float(0x3c00) == 1.0f);
  static_assert(float_to_f16(65504.0f) == 0x7bff);
  static_assert(float_to_f16(65520.0f) == 0x7c00);
  static_assert(float_to_bf16(1.0f) == 0x3f80);
  static_assert(float_to_e4m3(448.0f) == 0x7e);
  static_assert(float_to_e4m3(1e9f) == 0x7f);
  static_assert(float_to_e5m2(57344.0f) == 0x7b);
  CHECK(e4m3_to_float(0x7e) == 448.0f);
}

TEST_CASE("the embedded text is the header") {
  CHECK(prelude_text().find("struct Block {") != std::string_view::npos);
  CHECK(prelude_text().find("#pragma once") != std::string_view::npos);
  CHECK(prelude_text().find("float_to_e5m2") != std::string_view::npos);
}
