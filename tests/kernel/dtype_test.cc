#include "kernel/dtype.h"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "kernel/dtype_limits.h"
#include "kernel/rng.h"

using namespace kernatlas;

namespace {

constexpr DType kAll[] = {DType::f64,     DType::f32,     DType::f16,    DType::bf16,
                          DType::f8_e4m3, DType::f8_e5m2, DType::i8,     DType::u8,
                          DType::i32,     DType::i64,     DType::boolean};
constexpr DType kNarrow[] = {DType::f16, DType::bf16, DType::f8_e4m3, DType::f8_e5m2};
constexpr double kInfinity = std::numeric_limits<double>::infinity();
const double kNan = std::nan("");

double decode(DType type, std::uint32_t bits) {
  return load(type, &bits, 0);
}

std::uint32_t encode(DType type, double value) {
  std::uint32_t bits = 0;
  store(type, &bits, 0, value);
  return bits;
}

// The non-negative finite values of a type in ascending order: patterns 0, 1, 2, … by construction
// of these formats.
std::vector<double> finite_values(DType type) {
  std::vector<double> values;
  for (std::uint32_t bits = 0;; ++bits) {
    const double value = decode(type, bits);
    if (!std::isfinite(value)) return values;
    values.push_back(value);
  }
}

}  // namespace

TEST_CASE("names, sizes and spellings") {
  for (const DType type : kAll) {
    CHECK(parse_dtype(name(type)) == type);
    CHECK(size_of(type) > 0);
  }
  CHECK(name(DType::boolean) == "bool");
  CHECK(parse_dtype("f8_e4m3") == DType::f8_e4m3);
  CHECK_FALSE(parse_dtype("float"));
  CHECK_FALSE(parse_dtype(""));
  CHECK(size_of(DType::bf16) == 2);
  CHECK(size_of(DType::f8_e5m2) == 1);
  CHECK(size_of(DType::i64) == 8);
  CHECK(is_float(DType::f8_e4m3));
  CHECK_FALSE(is_float(DType::boolean));
  CHECK(cpp_type(DType::f32) == "float");
  CHECK(cpp_type(DType::f16) == "std::uint16_t");
  CHECK(cpp_type(DType::boolean) == "std::uint8_t");
  CHECK(cpp_type(DType::i32) == "std::int32_t");
}

TEST_CASE("every bit pattern of a narrow float survives the way to double and back") {
  for (const DType type : kNarrow) {
    CAPTURE(name(type));
    const std::uint32_t patterns = 1u << (8 * size_of(type));
    for (std::uint32_t bits = 0; bits < patterns; ++bits) {
      const double value = decode(type, bits);
      if (std::isnan(value)) {
        REQUIRE(std::isnan(decode(type, encode(type, value))));
      } else {
        REQUIRE(encode(type, value) == bits);
      }
    }
  }
}

TEST_CASE("midpoints go to the even pattern, and a hair beside them to the nearer one") {
  for (const DType type : kNarrow) {
    CAPTURE(name(type));
    const std::vector<double> values = finite_values(type);
    const std::uint32_t sign = 1u << (8 * size_of(type) - 1);
    for (std::uint32_t bits = 0; bits + 1 < values.size(); ++bits) {
      REQUIRE(values[bits] < values[bits + 1]);
      const double middle = values[bits] + (values[bits + 1] - values[bits]) / 2;
      const std::uint32_t even = bits + (bits & 1);
      REQUIRE(encode(type, middle) == even);
      REQUIRE(encode(type, -middle) == (even | sign));
      REQUIRE(encode(type, std::nextafter(middle, 0)) == bits);
      REQUIRE(encode(type, std::nextafter(middle, kInfinity)) == bits + 1);
    }
  }
}

TEST_CASE("edges of the narrow floats") {
  struct Edge {
    DType type;
    double largest;
    double overflows;  // the smallest that no longer rounds to `largest`
    std::uint32_t overflow_bits;
    double smallest;
  };
  const Edge edges[] = {{DType::f16, 65504, 65520, 0x7c00, 0x1p-24},
                        {DType::bf16, 0x1.fep127, 0x1.ffp127, 0x7f80, 0x1p-133},
                        // 464 is a tie between 448 (even) and 480, which would be NaN's pattern
                        {DType::f8_e4m3, 448, std::nextafter(464, 500), 0x7f, 0x1p-9},
                        {DType::f8_e5m2, 57344, 61440, 0x7c, 0x1p-16}};
  for (const Edge& edge : edges) {
    CAPTURE(name(edge.type));
    CHECK(finite_values(edge.type).back() == edge.largest);
    CHECK(float_limits(edge.type).largest == edge.largest);
    CHECK(float_limits(edge.type).smallest_denormal == edge.smallest);
    CHECK(decode(edge.type, 1) == edge.smallest);
    CHECK(encode(edge.type, edge.overflows) == edge.overflow_bits);
    CHECK(decode(edge.type, encode(edge.type, std::nextafter(edge.overflows, 0))) == edge.largest);
    CHECK(encode(edge.type, kInfinity) == edge.overflow_bits);
    CHECK(encode(edge.type, 1e300) == edge.overflow_bits);
    CHECK(encode(edge.type, edge.smallest / 2) == 0);
    CHECK(encode(edge.type, std::nextafter(edge.smallest / 2, 1)) == 1);
    CHECK(encode(edge.type, 1e-320) == 0);
    CHECK(std::isnan(decode(edge.type, encode(edge.type, kNan))));
    CHECK(std::signbit(decode(edge.type, encode(edge.type, -0.0))));
    const double exact = float_limits(edge.type).exact_integers();
    CHECK(decode(edge.type, encode(edge.type, exact)) == exact);
    CHECK(decode(edge.type, encode(edge.type, exact - 1)) == exact - 1);
    CHECK(decode(edge.type, encode(edge.type, exact + 1)) != exact + 1);
  }
  CHECK(std::isnan(decode(DType::f8_e4m3, 0x7f)));
  CHECK(std::isnan(decode(DType::f8_e4m3, 0xff)));
  CHECK(decode(DType::f8_e4m3, 0x7e) == 448);
  CHECK(decode(DType::f8_e4m3, 0x38) == 1);
  CHECK(decode(DType::f8_e5m2, 0x3c) == 1);
  CHECK(decode(DType::f8_e5m2, 0xfc) == -kInfinity);
  CHECK(decode(DType::f16, 0x3555) == doctest::Approx(1.0 / 3).epsilon(1e-3));
  CHECK(encode(DType::f16, 1.0 / 3) == 0x3555);
}

TEST_CASE("rounding happens once, not by way of float") {
  // Just above a midpoint of f16 by less than float can see.
  const double value = 1 + 0x1p-11 + 0x1p-40;
  CHECK(encode(DType::f16, value) == 0x3c01);
  CHECK(encode(DType::f16, 1 + 0x1p-11) == 0x3c00);
}

TEST_CASE("bf16 is the upper half of a float") {
  for (std::uint32_t bits = 0; bits < 0x7f80; ++bits) {
    REQUIRE(decode(DType::bf16, bits) == static_cast<double>(std::bit_cast<float>(bits << 16)));
  }
}

TEST_CASE("native floats") {
  float narrow = 0;
  store(DType::f32, &narrow, 0, 0.1);
  CHECK(narrow == 0.1f);
  CHECK(load(DType::f32, &narrow, 0) == static_cast<double>(0.1f));
  double wide[2] = {};
  store(DType::f64, wide, 1, 0.1);
  CHECK(wide[0] == 0);
  CHECK(wide[1] == 0.1);
  CHECK(load(DType::f64, wide, 1) == 0.1);
}

TEST_CASE("integers round to even, saturate, and know no NaN") {
  const auto stored = [](DType type, double value) {
    std::int64_t slot = 0;
    store(type, &slot, 0, value);
    return load(type, &slot, 0);
  };
  for (const DType type : {DType::i8, DType::u8, DType::i32, DType::i64}) {
    CAPTURE(name(type));
    const IntegerLimits limits = integer_limits(type);
    CHECK(stored(type, 2.5) == 2);
    CHECK(stored(type, 3.5) == 4);
    CHECK(stored(type, 0.49) == 0);
    CHECK(stored(type, kNan) == 0);
    CHECK(stored(type, kInfinity) == limits.high);
    CHECK(stored(type, -kInfinity) == limits.low);
    CHECK(stored(type, 1e300) == limits.high);
    CHECK(stored(type, limits.low) == limits.low);
  }
  CHECK(stored(DType::i8, -128.4) == -128);
  CHECK(stored(DType::i8, 127.5) == 127);
  CHECK(stored(DType::i8, -2.5) == -2);
  CHECK(stored(DType::u8, -1) == 0);
  CHECK(stored(DType::i32, 2147483646.5) == 2147483646);
  std::int64_t slot = 0;
  store(DType::i64, &slot, 0, 0x1p63);
  CHECK(slot == std::numeric_limits<std::int64_t>::max());
  store(DType::i64, &slot, 0, -0x1p63);
  CHECK(slot == std::numeric_limits<std::int64_t>::min());
  store(DType::i64, &slot, 0, 0x1p62);
  CHECK(slot == std::int64_t{1} << 62);
  store(DType::i64, &slot, 0, 0x1.8p51 + 0.5);
  CHECK(slot == std::int64_t{3} << 50);
}

TEST_CASE("bool: anything but zero and NaN is stored as true, and bytes are read as they are") {
  std::uint8_t byte = 7;
  store(DType::boolean, &byte, 0, 0.25);
  CHECK(byte == 1);
  store(DType::boolean, &byte, 0, -0.0);
  CHECK(byte == 0);
  store(DType::boolean, &byte, 0, kNan);
  CHECK(byte == 0);
  byte = 0xa5;  // what no kernel has written must not look like true
  CHECK(load(DType::boolean, &byte, 0) == 0xa5);
}

TEST_CASE("whole arrays agree with single elements") {
  for (const std::uint64_t seed : {1, 2, 3}) {
    CAPTURE(seed);
    Rng rng = stream(seed, 0, 0);
    std::vector<double> values(257);
    for (double& value : values) value = (uniform01(rng) - 0.5) * std::exp2(uniform01(rng) * 20);
    values[5] = kNan;
    values[6] = kInfinity;
    for (const DType type : kAll) {
      CAPTURE(name(type));
      std::vector<char> all(values.size() * size_of(type) + 1);
      std::vector<char> single(all.size());
      // One byte off: buffers need not be aligned.
      store_all(type, values, all.data() + 1);
      for (std::size_t i = 0; i < values.size(); ++i) store(type, single.data() + 1, i, values[i]);
      CHECK(all == single);
      std::vector<double> read(values.size());
      load_all(type, all.data() + 1, read);
      for (std::size_t i = 0; i < values.size(); ++i) {
        const double one = load(type, single.data() + 1, i);
        REQUIRE(std::bit_cast<std::uint64_t>(read[i]) == std::bit_cast<std::uint64_t>(one));
      }
    }
  }
}
