#include "backends/verification/mismatch.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <random>

#include "kernel/rng.h"

using namespace kernatlas;

namespace {

constexpr std::int64_t kRows = 64;
constexpr std::int64_t kColumns = 96;

// A 64×96 f32 output that `spoil` makes wrong.
Mismatch described(const std::function<void(std::vector<float>&, const std::vector<float>&)>& spoil,
                   bool hide = false) {
  const std::vector<std::int64_t> shape = {kRows, kColumns};
  Rng rng(31);
  std::normal_distribution<double> normal(1, 1);
  std::vector<float> y(kRows * kColumns);
  for (float& value : y) value = static_cast<float>(normal(rng));
  const Expected expected(DType::f32, std::vector<double>(y.begin(), y.end()));
  const Poison poison{.secret = 17, .pattern = PoisonPattern::nans};
  std::vector<float> got(y.size());
  fill_poison(DType::f32, poison, std::as_writable_bytes(std::span(got)));
  spoil(got, y);
  const Errors errors = measure_errors(expected, got.data());
  const Limits limits = limits_of(default_tolerance(DType::f32, 1), 0, 0);
  REQUIRE_FALSE(passes(errors, limits));
  return describe_mismatch({.expected = expected,
                            .got = got.data(),
                            .shape = shape,
                            .errors = errors,
                            .limits = limits,
                            .poison = poison,
                            .output = "y",
                            .hide_places = hide});
}

}  // namespace

TEST_CASE("every pattern is recognised") {
  using V = std::vector<float>;
  const auto n = static_cast<std::size_t>(kRows * kColumns);
  CHECK(described([](V&, const V&) {}).pattern == MismatchPattern::untouched);
  CHECK(described([](V& g, const V&) { std::fill(g.begin(), g.end(), 0.0f); }).pattern ==
        MismatchPattern::all_zero);
  CHECK(described([](V& g, const V&) { std::fill(g.begin(), g.end(), NAN); }).pattern ==
        MismatchPattern::all_nan);
  CHECK(described([&](V& g, const V& y) {
          std::copy(y.begin(), y.end() - 100, g.begin());
        }).pattern == MismatchPattern::tail_missing);
  CHECK(described([&](V& g, const V& y) {
          for (std::size_t i = 0; i < n; ++i) g[i] = i + 100 < n ? y[i] : 0.0f;
        }).pattern == MismatchPattern::tail_missing);
  CHECK(described([&](V& g, const V& y) {
          for (std::size_t i = 0; i < n; ++i) {
            if (i % 500 > 20) g[i] = y[i];
          }
        }).pattern == MismatchPattern::partly_written);
  CHECK(described([&](V& g, const V& y) {
          for (std::size_t i = 0; i < n; ++i) g[i] = 2 * y[i];
        }).pattern == MismatchPattern::constant_factor);
  CHECK(described([&](V& g, const V& y) {
          for (std::size_t i = 0; i < n; ++i) g[i] = y[i] + 3;
        }).pattern == MismatchPattern::constant_offset);
  CHECK(described([&](V& g, const V& y) {
          for (std::size_t i = 0; i < n; ++i) g[i] = y[(i + 1) % n];
        }).pattern == MismatchPattern::shifted);
  CHECK(described([&](V& g, const V& y) {
          for (std::size_t i = 0; i < n; ++i) g[i] = y[(i + n - kColumns) % n];
        }).pattern == MismatchPattern::shifted);
  CHECK(described([&](V& g, const V& y) {
          for (std::size_t i = 0; i < n; ++i) g[i] = y[(i % kRows) * kColumns + i / kRows];
        }).pattern == MismatchPattern::transposed);
  CHECK(described([&](V& g, const V& y) {
          for (std::size_t i = 0; i < n; ++i) g[i] = i / kColumns % 8 == 7 ? 5.0f : y[i];
        }).pattern == MismatchPattern::one_row_in_n);
  CHECK(described([&](V& g, const V& y) {
          for (std::size_t i = 0; i < n; ++i) g[i] = i % kColumns >= 90 ? 5.0f : y[i];
        }).pattern == MismatchPattern::row_tail);
  CHECK(described([&](V& g, const V& y) {
          for (std::size_t i = 0; i < n; ++i)
            g[i] = i / kColumns == 3 || i / kColumns == 20 ? 5.0f : y[i];
        }).pattern == MismatchPattern::some_rows);
  CHECK(described([&](V& g, const V& y) {
          for (std::size_t i = 0; i < n; ++i) g[i] = i % 700 == 9 ? NAN : y[i];
        }).pattern == MismatchPattern::some_nan);
  CHECK(described([&](V& g, const V& y) {
          for (std::size_t i = 0; i < n; ++i) g[i] = y[i] * (i % 2 == 0 ? 1.0001f : 0.9999f);
        }).pattern == MismatchPattern::precision);
  CHECK(described([&](V& g, const V& y) {
          Rng rng(8);
          for (std::size_t i = 0; i < n; ++i) g[i] = uniform01(rng) < 0.03 ? 9.0f : y[i];
        }).pattern == MismatchPattern::scattered);
}

TEST_CASE("the text says where, how many, how much, and shows values") {
  const Mismatch mismatch = described([](std::vector<float>& g, const std::vector<float>& y) {
    g = y;
    g[5 * kColumns + 7] = 1000;
    g[9 * kColumns + 1] = -1000;
  });
  CHECK(mismatch.wrong == 2);
  CHECK(mismatch.summary.find("2 of 6144 elements") != std::string::npos);
  CHECK(mismatch.detail.find("at [5, 7]: expected ") != std::string::npos);
  CHECK(mismatch.detail.find("got 1000") != std::string::npos);
  CHECK(mismatch.detail.find("[9, 1]") != std::string::npos);
  CHECK(mismatch.detail.find("limit") != std::string::npos);
}

TEST_CASE("an unwritten element is called so") {
  const Mismatch mismatch = described([](std::vector<float>& g, const std::vector<float>& y) {
    std::copy(y.begin(), y.end() - 64, g.begin());
  });
  CHECK(mismatch.summary.find("the last 64 of 6144") != std::string::npos);
  CHECK(mismatch.detail.find("nothing (not written)") != std::string::npos);
}

TEST_CASE("hidden workloads show the kind of mistake only") {
  const Mismatch mismatch =
      described([](std::vector<float>& g,
                   const std::vector<float>& y) { std::copy(y.begin(), y.end() - 64, g.begin()); },
                true);
  CHECK(mismatch.pattern == MismatchPattern::tail_missing);
  CHECK(mismatch.summary == "output 'y' is wrong: the tail is missing");
  for (const char* secret : {"64", "96", "6144", "[", "elements"}) {
    CHECK(mismatch.summary.find(secret) == std::string::npos);
    if (std::strcmp(secret, "64") != 0 && std::strcmp(secret, "96") != 0) {
      CHECK(mismatch.detail.find(secret) == std::string::npos);
    }
  }
}

TEST_CASE("integers") {
  const std::vector<std::int64_t> shape = {100};
  const Expected expected(DType::i32, std::vector<std::int64_t>(100, 4));
  std::vector<std::int32_t> got(100, 4);
  got[50] = 5;
  const Mismatch mismatch = describe_mismatch({.expected = expected,
                                               .got = got.data(),
                                               .shape = shape,
                                               .errors = measure_errors(expected, got.data()),
                                               .limits = {},
                                               .poison = {},
                                               .output = "count"});
  CHECK(mismatch.pattern == MismatchPattern::scattered);
  CHECK(mismatch.detail.find("at [50]: expected 4, got 5") != std::string::npos);
}

TEST_CASE("odd shapes: a single element, a scalar output") {
  const Expected expected(DType::f32, std::vector<double>{3});
  const float got = 4;
  for (const std::vector<std::int64_t>& shape :
       {std::vector<std::int64_t>{1}, std::vector<std::int64_t>{},
        std::vector<std::int64_t>{1, 1}}) {
    const Mismatch mismatch = describe_mismatch({.expected = expected,
                                                 .got = &got,
                                                 .shape = shape,
                                                 .errors = measure_errors(expected, &got),
                                                 .limits = {},
                                                 .poison = {},
                                                 .output = "sum"});
    CHECK(mismatch.wrong == 1);
    CHECK(mismatch.detail.find("expected 3, got 4") != std::string::npos);
  }
}
