#include "kernel/fill.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "kernel/dtype_limits.h"
#include "kernel/fill_sampler.h"
#include "kernel/hash.h"

using namespace kernatlas;

namespace {

constexpr DType kFloats[] = {DType::f64,  DType::f32,     DType::f16,
                             DType::bf16, DType::f8_e4m3, DType::f8_e5m2};

std::vector<double> draw(std::string_view text, DType type, std::size_t count,
                         std::uint64_t seed = 1, std::int64_t bound = 0) {
  const auto fill = parse_fill(text, type);
  REQUIRE_MESSAGE(fill, fill.error().text());
  REQUIRE(check_fill(*fill, type, count, bound));
  std::vector<std::byte> bytes(count * size_of(type));
  Rng rng = stream(seed, 0, 0);
  generate(*fill, type, bytes.data(), count, bound, rng);
  std::vector<double> values(count);
  load_all(type, bytes.data(), values);
  return values;
}

std::string error_of(std::string_view text, DType type = DType::f32) {
  INFO("fill: ", std::string(text));
  const auto fill = parse_fill(text, type);
  REQUIRE_FALSE(fill);
  return fill.error().text();
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

// The mean of x^power about zero.
double moment(const std::vector<double>& values, int power) {
  double sum = 0;
  for (const double value : values) sum += std::pow(value, power);
  return sum / static_cast<double>(values.size());
}

// The largest distance between the sample's distribution and `cdf`, times sqrt(n): above 1.95 once
// in a thousand samples (Kolmogorov and Smirnov).
template <typename Cdf>
double kolmogorov(std::vector<double> values, Cdf cdf) {
  std::sort(values.begin(), values.end());
  const auto n = static_cast<double>(values.size());
  double worst = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double p = cdf(values[i]);
    worst = std::max({worst, p - static_cast<double>(i) / n, static_cast<double>(i + 1) / n - p});
  }
  return worst * std::sqrt(n);
}

double normal_cdf(double x) {
  return 0.5 * std::erfc(-x / std::sqrt(2.0));
}

}  // namespace

TEST_CASE("the grammar") {
  const Fill plain = parse_fill("normal", DType::f32).value();
  CHECK(plain.kind == FillKind::normal);
  CHECK(plain.arguments == std::vector<double>{0, 1});
  const Fill fill = parse_fill("  normal ( 0 , 3.5 ) ", DType::f32).value();
  CHECK(fill.arguments == std::vector<double>{0, 3.5});
  CHECK(fill.text == "normal ( 0 , 3.5 )");
  CHECK(parse_fill("uniform(-1e2, 1)", DType::f32)->arguments == std::vector<double>{-100, 1});
  CHECK(parse_fill("sparse", DType::f32)->arguments == std::vector<double>{0.9});
  CHECK(parse_fill("sorted", DType::i32)->arguments == std::vector<double>{0, 100});
  CHECK(parse_fill("integers(-8, 8)", DType::i8)->kind == FillKind::integers);
  const Fill indices = parse_fill("indices( ROWS * (COLS - 1) )", DType::i32).value();
  CHECK(indices.bound == "ROWS * (COLS - 1)");
  CHECK(indices.kind == FillKind::indices);
  for (const char* name : {"wide", "spikes", "special", "ones", "zeros"}) {
    CHECK(parse_fill(name, DType::f16)->text == name);
  }
}

TEST_CASE("refused fills say why") {
  CHECK(has(error_of("norml"), "did you mean normal?"));
  CHECK(has(error_of(""), "unknown distribution"));
  CHECK(has(error_of("normal(0)"), "normal(MEAN, SD)"));
  CHECK(has(error_of("normal(0, 1, 2)"), "wrong number"));
  CHECK(has(error_of("normal()"), "not a finite number"));
  CHECK(has(error_of("normal(0, x)"), "\"x\" is not a finite number"));
  CHECK(has(error_of("normal(0, inf)"), "not a finite number"));
  CHECK(has(error_of("normal(0, nan)"), "not a finite number"));
  CHECK(has(error_of("normal(0, 1e999)"), "not a finite number"));
  CHECK(has(error_of("normal(0, -1)"), "negative"));
  CHECK(has(error_of("normal(0, 1"), "closing parenthesis"));
  CHECK(has(error_of("normal(0, 1) x"), "closing parenthesis"));
  CHECK(has(error_of("ones(1)"), "takes no arguments"));
  CHECK(has(error_of("ones()"), "takes no arguments"));
  CHECK(has(error_of("integers"), "bounds are missing"));
  CHECK(has(error_of("integers(0, 1.5)"), "whole numbers"));
  CHECK(has(error_of("integers(5, 4)"), "wrong order"));
  CHECK(has(error_of("uniform(5, 4)"), "wrong order"));
  CHECK(has(error_of("sparse(1.5)"), "from 0 to 1"));
  CHECK(has(error_of("integers(0, 4096)", DType::f16), "not exact in f16"));
  CHECK(has(error_of("integers(0, 17)", DType::f8_e4m3), "-16 to 16"));
  CHECK(has(error_of("integers(0, 256)", DType::u8), "0 to 255"));
  CHECK(has(error_of("integers(0, 2)", DType::boolean), "0 to 1"));
  CHECK(has(error_of("normal(0, 1e6)", DType::f16), "too large for f16"));
  CHECK(has(error_of("uniform", DType::i32), "use integers(LO, HI)"));
  CHECK(has(error_of("special", DType::i32), "does not suit"));
  CHECK(has(error_of("normal", DType::boolean), "sparse"));
  CHECK(has(error_of("permutation", DType::f32), "i32 or i64"));
  CHECK(has(error_of("permutation", DType::u8), "i32 or i64"));
  CHECK(has(error_of("indices(N)", DType::f32), "i32 or i64"));
  CHECK(has(error_of("indices", DType::i32), "bound is missing"));
  CHECK(has(error_of("indices( )", DType::i32), "bound is missing"));
  CHECK(has(error_of(std::string(6000, 'x')), "too long"));
}

TEST_CASE("what the workload decides is checked apart") {
  const Fill indices = parse_fill("indices(N)", DType::u8).value();
  CHECK(check_fill(indices, DType::u8, 10, 256));
  CHECK_FALSE(check_fill(indices, DType::u8, 10, 257));
  CHECK_FALSE(check_fill(indices, DType::u8, 10, 0));
  CHECK_FALSE(check_fill(indices, DType::u8, 10, -1));
  const Fill permutation = parse_fill("permutation", DType::i32).value();
  CHECK(check_fill(permutation, DType::i32, std::size_t{1} << 31, 0));
  CHECK_FALSE(check_fill(permutation, DType::i32, (std::size_t{1} << 31) + 1, 0));
  CHECK(check_fill(permutation, DType::i64, (std::size_t{1} << 31) + 1, 0));
  CHECK(check_fill(parse_fill("normal", DType::f32).value(), DType::f32, 0, 0));
}

TEST_CASE("portable exp and log are as good as the library's") {
  for (double x = -40; x < 40; x += 0.0371) {
    CAPTURE(x);
    REQUIRE(detail::portable_exp(x) == doctest::Approx(std::exp(x)).epsilon(1e-14));
    const double y = std::exp(x);
    REQUIRE(std::abs(detail::portable_log(y) - std::log(y)) <= 1e-15 + 4e-16 * std::abs(x));
  }
  CHECK(detail::portable_log(1) == 0);
  CHECK(detail::portable_exp(0) == 1);
}

TEST_CASE("the ziggurat's layers close at the top") {
  const detail::Ziggurat& tables = detail::Ziggurat::shared();
  for (std::size_t i = 0; i < detail::Ziggurat::kLayers; ++i) {
    REQUIRE(tables.edge[i] > tables.edge[i + 1]);
  }
  const double last = tables.edge[detail::Ziggurat::kLayers - 1];
  CHECK(std::exp(-0.5 * last * last) + detail::Ziggurat::kArea / last ==
        doctest::Approx(1).epsilon(1e-9));
}

TEST_CASE("normal is normal, in the middle and in the tails") {
  for (const std::uint64_t seed : {1, 2, 3}) {
    CAPTURE(seed);
    const std::vector<double> values = draw("normal", DType::f64, 200000, seed);
    CHECK(kolmogorov(values, normal_cdf) < 1.95);
    CHECK(std::abs(mean_of(values)) < 0.01);
    CHECK(moment(values, 2) == doctest::Approx(1).epsilon(0.015));
    CHECK(moment(values, 4) == doctest::Approx(3).epsilon(0.05));
    // Beyond the ziggurat's tail edge, 3.654: 2.6 in 10000, so 52 ± 7 here, on both sides.
    const auto high =
        std::count_if(values.begin(), values.end(), [](double x) { return x > 3.6541; });
    const auto low =
        std::count_if(values.begin(), values.end(), [](double x) { return x < -3.6541; });
    CHECK(high > 5);
    CHECK(low > 5);
    CHECK(high + low > 20);
    CHECK(high + low < 95);
  }
  const std::vector<double> moved = draw("normal(5, 3)", DType::f32, 100000);
  CHECK(kolmogorov(moved, [](double x) { return normal_cdf((x - 5) / 3); }) < 1.95);
}

TEST_CASE("uniform") {
  const std::vector<double> values = draw("uniform(-3, 5)", DType::f64, 100000);
  CHECK(*std::min_element(values.begin(), values.end()) >= -3);
  CHECK(*std::max_element(values.begin(), values.end()) <= 5);
  CHECK(kolmogorov(values, [](double x) { return (x + 3) / 8; }) < 1.95);
}

TEST_CASE("sorted is ascending, uniform, and no two samples are alike") {
  for (const DType type : {DType::f64, DType::f32}) {
    const std::vector<double> values = draw("sorted(-1, 3)", type, 100000);
    CHECK(std::is_sorted(values.begin(), values.end()));
    CHECK(values.front() >= -1);
    CHECK(values.back() <= 3);
    CHECK(kolmogorov(values, [](double x) { return (x + 1) / 4; }) < 1.95);
    CHECK(values != draw("sorted(-1, 3)", type, 100000, 2));
  }
  const std::vector<double> integers = draw("sorted(0, 9)", DType::i32, 100000);
  CHECK(std::is_sorted(integers.begin(), integers.end()));
  for (int digit = 0; digit < 10; ++digit) {
    const auto count = std::count(integers.begin(), integers.end(), digit);
    CHECK(count > 9500);
    CHECK(count < 10500);
  }
  const std::vector<double> truths = draw("sorted", DType::boolean, 1000);
  CHECK(std::is_sorted(truths.begin(), truths.end()));
  CHECK(truths.front() == 0);
  CHECK(truths.back() == 1);
}

TEST_CASE("wide spans sixteen powers of two more than normal") {
  const std::vector<double> values = draw("wide", DType::f32, 100000);
  const auto share = [&](double limit) {
    return static_cast<double>(std::count_if(values.begin(), values.end(),
                                             [&](double x) { return std::abs(x) > limit; })) /
           100000;
  };
  CHECK(share(64) > 0.05);  // out of reach of normal
  CHECK(share(64) < 0.25);
  CHECK(share(1.0 / 64) < 0.95);
  CHECK(share(1.0 / 64) > 0.75);
  CHECK(std::abs(mean_of(values)) < 2);
}

TEST_CASE("spikes: one in each 1024 elements, and in the rest, at places that vary") {
  const std::vector<double> values = draw("spikes", DType::f32, 10 * 1024 + 100);
  std::vector<std::size_t> places;
  for (std::size_t block = 0; block < 11; ++block) {
    const std::size_t end = std::min<std::size_t>(values.size(), (block + 1) * 1024);
    // A spike is a normal value times at least 100: nearly always above 7, the others never.
    const auto count = std::count_if(values.begin() + static_cast<std::ptrdiff_t>(block * 1024),
                                     values.begin() + static_cast<std::ptrdiff_t>(end),
                                     [](double x) { return std::abs(x) > 7; });
    CHECK(count <= 1);
    for (std::size_t i = block * 1024; i < end; ++i) {
      if (std::abs(values[i]) > 7) places.push_back(i % 1024);
    }
  }
  CHECK(places.size() >= 9);
  std::sort(places.begin(), places.end());
  CHECK(std::unique(places.begin(), places.end()) - places.begin() >= 8);
  CHECK(draw("spikes", DType::f32, 1).size() == 1);
}

TEST_CASE("sparse") {
  for (const double share : {0.0, 0.5, 0.9, 1.0}) {
    CAPTURE(share);
    const std::string text = "sparse(" + std::to_string(share) + ")";
    for (const DType type : {DType::f32, DType::i8, DType::boolean}) {
      CAPTURE(name(type));
      const std::vector<double> values = draw(text, type, 20000);
      const auto zeros = static_cast<double>(std::count(values.begin(), values.end(), 0.0));
      CHECK(zeros / 20000 == doctest::Approx(share).epsilon(0.03));
      const double largest = *std::max_element(values.begin(), values.end());
      if (share < 1) CHECK(largest > 0);
      if (type == DType::boolean) CHECK(largest <= 1);
      if (type == DType::i8) CHECK(largest <= 100);
    }
  }
}

TEST_CASE("special has zeros of both signs, denormals and large values, on every float") {
  for (const DType type : kFloats) {
    CAPTURE(name(type));
    const FloatLimits limits = float_limits(type);
    const double denormal_edge = limits.smallest_denormal * std::exp2(limits.mantissa_bits);
    int positive_zeros = 0;
    int negative_zeros = 0;
    int denormals = 0;
    int large = 0;
    const std::vector<double> values = draw("special", type, 20000);
    for (const double value : values) {
      REQUIRE(std::isfinite(value));
      if (value == 0) ++(std::signbit(value) ? negative_zeros : positive_zeros);
      if (value != 0 && std::abs(value) < denormal_edge) ++denormals;
      if (std::abs(value) == limits.largest / 4) ++large;
    }
    // 20000 / 16 / 6 = 208 each, and 416 of the two-sided kinds.
    CHECK(positive_zeros > 140);
    CHECK(negative_zeros > 140);
    CHECK(denormals > 300);
    CHECK(large > 300);
    CHECK(large < 550);
  }
}

TEST_CASE("no fill of a float is ever infinite or NaN") {
  for (const DType type : kFloats) {
    CAPTURE(name(type));
    for (const char* text : {"normal", "normal(0, 400)", "uniform", "wide", "spikes", "sparse",
                             "sorted", "special", "integers(-8, 8)"}) {
      CAPTURE(text);
      for (const double value : draw(text, type, 20000)) REQUIRE(std::isfinite(value));
    }
  }
}

TEST_CASE("integers and indices hit every value about equally often") {
  for (const DType type : {DType::f16, DType::i8, DType::i64}) {
    CAPTURE(name(type));
    const std::vector<double> values = draw("integers(-3, 3)", type, 70000);
    for (int each = -3; each <= 3; ++each) {
      const auto count = std::count(values.begin(), values.end(), each);
      CHECK(count > 9500);
      CHECK(count < 10500);
    }
  }
  const std::vector<double> indices = draw("indices(N)", DType::i32, 50000, 1, 5);
  for (int each = 0; each < 5; ++each) {
    const auto count = std::count(indices.begin(), indices.end(), each);
    CHECK(count > 9500);
    CHECK(count < 10500);
  }
  const std::vector<double> bytes = draw("integers(0, 255)", DType::u8, 20000);
  CHECK(*std::max_element(bytes.begin(), bytes.end()) == 255);
  CHECK(*std::min_element(bytes.begin(), bytes.end()) == 0);
  const std::vector<double> far =
      draw("integers(-9007199254740992, 9007199254740992)", DType::i64, 9);
  CHECK(std::abs(far[0]) > 1e9);
  CHECK(draw("integers(4, 4)", DType::i32, 3) == std::vector<double>{4, 4, 4});
  for (const double value : draw("indices(N)", DType::i64, 10, 1, 1)) CHECK(value == 0);
}

TEST_CASE("permutation holds every number once, and every order is as likely") {
  for (const DType type : {DType::i32, DType::i64}) {
    std::vector<double> values = draw("permutation", type, 10007);
    CHECK_FALSE(std::is_sorted(values.begin(), values.end()));
    std::sort(values.begin(), values.end());
    for (std::size_t i = 0; i < values.size(); ++i) REQUIRE(values[i] == static_cast<double>(i));
  }
  std::vector<int> orders(27);
  for (std::uint64_t seed = 0; seed < 6000; ++seed) {
    const std::vector<double> three = draw("permutation", DType::i32, 3, seed);
    ++orders[static_cast<std::size_t>(three[0] * 9 + three[1] * 3 + three[2])];
  }
  CHECK(std::count_if(orders.begin(), orders.end(), [](int n) { return n > 0; }) == 6);
  for (const int count : orders) {
    if (count > 0) CHECK(std::abs(count - 1000) < 150);
  }
}

TEST_CASE("ones, zeros and nothing at all") {
  for (const DType type : {DType::f64, DType::f8_e4m3, DType::boolean, DType::i64}) {
    CHECK(draw("ones", type, 3) == std::vector<double>{1, 1, 1});
    CHECK(draw("zeros", type, 3) == std::vector<double>{0, 0, 0});
    CHECK(draw("ones", type, 0).empty());
  }
  CHECK(draw("permutation", DType::i32, 0).empty());
  CHECK(draw("sorted", DType::f32, 0).empty());
  CHECK(draw("spikes", DType::f32, 0).empty());
}

TEST_CASE("a fill takes one number from the stream, whatever its length") {
  for (const char* text : {"normal", "zeros", "permutation", "sorted(0, 5)", "integers(0, 5)"}) {
    CAPTURE(text);
    for (const std::size_t count : {0, 1, 5000}) {
      std::vector<std::int32_t> values(count);
      Rng used = stream(3, 0, 0);
      generate(parse_fill(text, DType::i32).value(), DType::i32, values.data(), count, 0, used);
      Rng stepped = stream(3, 0, 0);
      static_cast<void>(stepped());
      CHECK(used() == stepped());
    }
  }
}

TEST_CASE("the bytes are the same on every machine") {
  // Computed once; a change here makes stored seeds mean other inputs.
  Hash128 all;
  for (const char* text : {"normal", "uniform", "wide", "spikes", "sparse", "sorted", "special"}) {
    const std::vector<double> values = draw(text, DType::f64, 50000, 42);
    const auto* bytes = reinterpret_cast<const char*>(values.data());
    all = combine(all, hash128({bytes, values.size() * sizeof(double)}));
  }
  CHECK(all.hex() == "0ee32f06a278383e69cc07aacd01bcee");
}
