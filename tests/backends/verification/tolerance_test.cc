#include "backends/verification/tolerance.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

using namespace kernatlas;

TEST_CASE("the table of docs/verification.md") {
  const Tolerance f32 = default_tolerance(DType::f32, 4096);
  CHECK(f32.k == 4);
  CHECK(f32.e0 == doctest::Approx(4 * std::ldexp(1, -24) * 64));
  CHECK(f32.w0 == doctest::Approx(16 * f32.e0));
  CHECK_FALSE(f32.exact);

  CHECK(default_tolerance(DType::f16, 4096).e0 == std::ldexp(1, -11));
  CHECK(default_tolerance(DType::bf16, 4096).e0 == std::ldexp(1, -8));
  CHECK(default_tolerance(DType::bf16, 1).w0 == std::ldexp(8, -8));
  CHECK(default_tolerance(DType::f8_e4m3, 9).e0 == std::ldexp(1, -4));
  CHECK(default_tolerance(DType::f8_e4m3, 9).w0 == std::ldexp(1, -2));
  CHECK(default_tolerance(DType::f8_e5m2, 9).w0 == std::ldexp(1, -1));
  CHECK(default_tolerance(DType::f64, 100).e0 == doctest::Approx(std::ldexp(10, -47)));
  for (const DType type : {DType::i8, DType::u8, DType::i32, DType::i64, DType::boolean}) {
    CHECK(default_tolerance(type, 100).exact);
  }
}

TEST_CASE("a 16-bit result is never excused by a long reduction") {
  CHECK(default_tolerance(DType::f16, 1).e0 == default_tolerance(DType::f16, 1 << 20).e0);
}

TEST_CASE("tolerance of a task's output") {
  const std::vector<std::string> names = {"ROWS", "COLS"};
  Tensor output;
  output.name = "y";
  output.type = DType::f32;
  const Dims dims = {3, 256};

  SUBCASE("no reduction means K = 1") {
    CHECK(tolerance_of(output, dims)->e0 == default_tolerance(DType::f32, 1).e0);
  }
  SUBCASE("a fixed tolerance replaces the floor and scales the worst element's") {
    output.tolerance = 1e-3;
    const auto tolerance = tolerance_of(output, dims);
    REQUIRE(tolerance);
    CHECK(tolerance->e0 == 1e-3);
    CHECK(tolerance->w0 == doctest::Approx(16e-3));
    CHECK(tolerance->k == 4);
  }
  SUBCASE("integers stay exact whatever the task says") {
    output.type = DType::i32;
    output.tolerance = 1e-3;
    CHECK(tolerance_of(output, dims)->exact);
  }
  SUBCASE("the reduction is an expression over the dims") {
    auto expression = Expression::parse("COLS", names);
    REQUIRE(expression);
    output.reduction = *expression;
    CHECK(tolerance_of(output, dims)->e0 == default_tolerance(DType::f32, 256).e0);
    output.reduction = *Expression::parse("COLS - 256", names);
    const auto refused = tolerance_of(output, dims);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message.find("'y'") != std::string::npos);
  }
}

TEST_CASE("limits follow the baseline but never fall below the floor") {
  const Tolerance tolerance{.k = 4, .e0 = 1e-6, .w0 = 1e-5};
  CHECK(limits_of(tolerance, 1e-7, 1e-7).norm == 1e-6);
  CHECK(limits_of(tolerance, 1e-7, 1e-7).worst == 1e-5);
  CHECK(limits_of(tolerance, 1e-3, 1e-2).norm == doctest::Approx(4e-3));
  CHECK(limits_of(tolerance, 1e-3, 1e-2).worst == doctest::Approx(4e-2));
  // A broken baseline must not open the gate.
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK(limits_of(tolerance, nan, infinity).norm == 1e-6);
  CHECK(limits_of(tolerance, nan, infinity).worst == 1e-5);
}
