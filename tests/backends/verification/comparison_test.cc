#include "backends/verification/comparison.h"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <random>

#include "kernel/rng.h"

using namespace kernatlas;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

std::vector<double> random_values(std::size_t count, std::uint64_t seed, double scale = 1) {
  Rng rng(seed);
  std::normal_distribution<double> normal(0, scale);
  std::vector<double> values(count);
  for (double& value : values) value = normal(rng);
  return values;
}

std::vector<std::byte> stored(DType type, const std::vector<double>& values) {
  std::vector<std::byte> bytes(values.size() * size_of(type));
  store_all(type, values, bytes.data());
  return bytes;
}

Errors errors_of(DType type, const std::vector<double>& expected, const std::vector<double>& got) {
  return measure_errors(Expected(type, expected), stored(type, got).data());
}

bool accepted(DType type, const std::vector<double>& expected, const std::vector<double>& got) {
  return passes(errors_of(type, expected, got), limits_of(default_tolerance(type, 1), 0, 0));
}

// The definition, written down once more without blocks, lanes or scaling.
Errors by_definition(const std::vector<double>& expected, const std::vector<double>& got) {
  Errors errors;
  const std::size_t n = expected.size();
  double total = 0;
  for (const double y : expected) total += y * y;
  const double rms = std::sqrt(total / static_cast<double>(n));
  const std::size_t slab = (n + 15) / 16;
  double all = 0;
  for (std::size_t begin = 0; begin < n; begin += slab) {
    double norm = 0;
    double difference = 0;
    for (std::size_t i = begin; i < std::min(n, begin + slab); ++i) {
      norm += expected[i] * expected[i];
      difference += (got[i] - expected[i]) * (got[i] - expected[i]);
      errors.worst =
          std::max(errors.worst, std::abs(got[i] - expected[i]) / (std::abs(expected[i]) + rms));
    }
    all += difference;
    errors.norm = std::max(
        errors.norm, std::sqrt(difference) / std::max(std::sqrt(norm), std::sqrt(total) / 16));
  }
  errors.norm = std::max(errors.norm, std::sqrt(all / total));
  return errors;
}

}  // namespace

TEST_CASE("errors equal their definition for all sizes") {
  for (const std::size_t n : {1u, 2u, 7u, 15u, 16u, 17u, 1000u, 1024u, 16384u, 16385u, 40001u}) {
    CAPTURE(n);
    const std::vector<double> expected = random_values(n, 10 + n);
    std::vector<double> got = expected;
    Rng rng(n);
    for (double& y : got) y += 1e-3 * uniform01(rng) * y;
    const Errors fast = errors_of(DType::f64, expected, got);
    const Errors slow = by_definition(expected, got);
    CHECK(fast.norm == doctest::Approx(slow.norm));
    CHECK(fast.worst == doctest::Approx(slow.worst));
    CHECK(fast.class_mismatches == 0);
    REQUIRE(fast.worst_index < n);
    // The place belongs to the value.
    const Errors single = by_definition(expected, got);
    CHECK(single.worst == doctest::Approx(fast.worst));
  }
}

TEST_CASE("honest rounding passes, one unit of a coarser type does not") {
  const std::vector<double> y = random_values(5000, 1);
  CHECK(accepted(DType::f32, y, y));
  std::vector<double> tf32 = y;  // ten bits of mantissa
  for (double& v : tf32)
    v = std::ldexp(std::round(std::ldexp(v, 10 - std::ilogb(v))), std::ilogb(v) - 10);
  CHECK_FALSE(accepted(DType::f32, y, tf32));
  CHECK(accepted(DType::bf16, y, y));
  CHECK(accepted(DType::f16, y, y));
}

TEST_CASE("NaN and infinity are never wildcards") {
  const std::vector<double> y = random_values(3000, 2);
  std::vector<double> got = y;
  SUBCASE("all NaN") {
    got.assign(got.size(), kNan);
  }
  SUBCASE("all infinite") {
    got.assign(got.size(), kInf);
  }
  SUBCASE("one NaN") {
    got[1234] = kNan;
  }
  SUBCASE("one infinity at the end") {
    got[2999] = -kInf;
  }
  for (const DType type : {DType::f64, DType::f32, DType::f16, DType::bf16}) {
    CHECK_FALSE(accepted(type, y, got));
    CHECK(errors_of(type, y, got).class_mismatches > 0);
  }
}

TEST_CASE("a NaN limit or error never passes") {
  CHECK_FALSE(passes({.norm = kNan}, {.norm = 1, .worst = 1}));
  CHECK_FALSE(passes({.norm = 0}, {.norm = kNan, .worst = 1}));
  CHECK(passes({}, {.norm = 0, .worst = 0}));
}

TEST_CASE("expected values that are not finite must be met in kind") {
  std::vector<double> y = random_values(2000, 3);
  y[5] = kInf;
  y[6] = -kInf;
  y[7] = kNan;
  CHECK(accepted(DType::f32, y, y));
  std::vector<double> got = y;
  SUBCASE("wrong sign") {
    std::swap(got[5], got[6]);
  }
  SUBCASE("finite instead of infinite") {
    got[5] = 3e38;
  }
  SUBCASE("infinite instead of NaN") {
    got[7] = kInf;
  }
  SUBCASE("NaN instead of infinite") {
    got[6] = kNan;
  }
  CHECK_FALSE(accepted(DType::f32, y, got));
  CHECK(errors_of(DType::f32, y, got).first_mismatch <= 7);
}

TEST_CASE("overflow of the output's type") {
  std::vector<double> y = {1e6, 1, -1e6, 2};
  CHECK(accepted(DType::f16, y, {kInf, 1, -kInf, 2}));
  CHECK_FALSE(accepted(DType::f16, y, {65504, 1, -kInf, 2}));
  CHECK_FALSE(accepted(DType::f16, y, {-kInf, 1, -kInf, 2}));
  // At the very edge both neighbours are right.
  y[0] = 65519;
  CHECK(accepted(DType::f16, y, {kInf, 1, -kInf, 2}));
  CHECK(accepted(DType::f16, y, {65504, 1, -kInf, 2}));
  // e4m3 has no infinity.
  CHECK(accepted(DType::f8_e4m3, {1e4, 1}, {kNan, 1}));
  CHECK(accepted(DType::f8_e4m3, {1e4, 1}, {448, 1}));
  CHECK_FALSE(accepted(DType::f8_e4m3, {1e4, 1}, {1, 1}));
}

TEST_CASE("where nothing is expected, exact zeros are required") {
  const std::vector<double> zeros(100, 0.0);
  CHECK(accepted(DType::f32, zeros, zeros));
  std::vector<double> got = zeros;
  got[3] = 1e-30;
  CHECK_FALSE(accepted(DType::f32, zeros, got));
  got[3] = -0.0;
  CHECK(accepted(DType::f32, zeros, got));
}

TEST_CASE("zeros never pass, however small the outputs are") {
  for (const double scale : {1e-30, 1e-6, 1.0, 1e30}) {
    const std::vector<double> y = random_values(4096, 4, scale);
    CHECK_FALSE(accepted(DType::f32, y, std::vector<double>(y.size(), 0.0)));
    CHECK(accepted(DType::f32, y, y));
  }
}

TEST_CASE("a wrong sixteenth cannot hide in the norm of the rest") {
  std::vector<double> y = random_values(16000, 5);
  for (std::size_t i = 0; i < 1000; ++i) y[i] *= 1e-2;
  std::vector<double> got = y;
  for (std::size_t i = 0; i < 1000; ++i) got[i] *= 1.001;
  const Errors errors = errors_of(DType::f32, y, got);
  CHECK(errors.norm > 3e-5);  // over everything it would be 2.5e-6
}

TEST_CASE("huge and tiny doubles neither overflow nor vanish") {
  for (const double scale : {1e300, 1e-300, 4e-310}) {
    const std::vector<double> y = random_values(100, 6, scale);
    CHECK(accepted(DType::f64, y, y));
    std::vector<double> got = y;
    got[50] *= 1.5;
    const Errors errors = errors_of(DType::f64, y, got);
    CHECK(std::isfinite(errors.norm));
    CHECK(errors.norm > 1e-6);
  }
}

TEST_CASE("integers must be equal, also beyond 2^53") {
  const std::vector<std::int64_t> y = {1, (std::int64_t{1} << 53) + 1, -7};
  const Expected expected(DType::i64, y);
  CHECK(measure_errors(expected, y.data()).class_mismatches == 0);
  std::vector<std::int64_t> got = y;
  got[1] -= 1;
  const Errors errors = measure_errors(expected, got.data());
  CHECK(errors.class_mismatches == 1);
  CHECK(errors.first_mismatch == 1);
  CHECK_FALSE(passes(errors, {.norm = 1, .worst = 1}));

  const std::vector<std::uint8_t> flags = {0, 1, 2};
  CHECK(measure_errors(Expected(DType::boolean, std::vector<std::int64_t>{0, 1, 1}), flags.data())
            .first_mismatch == 2);
}

TEST_CASE("the worst element is found wherever it is") {
  const std::uint64_t seed = 20261201;
  MESSAGE("seed " << seed);
  Rng rng(seed);
  for (int round = 0; round < 50; ++round) {
    const std::size_t n = 1 + uniform_below(rng, 5000);
    const std::vector<double> y = random_values(n, rng());
    std::vector<double> got = y;
    const std::size_t where = uniform_below(rng, n);
    got[where] += 10;
    const Errors errors = errors_of(DType::f32, y, got);
    CHECK(errors.worst_index == where);
    CHECK_FALSE(passes(errors, limits_of(default_tolerance(DType::f32, 1), 0, 0)));
    const Expected expected(DType::f32, y);
    CHECK_FALSE(element_matches(expected, where, got[where], 1e-5));
    CHECK(element_matches(expected, where, y[where], 1e-5));
  }
}
