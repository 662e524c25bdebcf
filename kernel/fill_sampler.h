// The random numbers behind the fills. Part of kernel/fill_generate.cc; tests look at it too.
//
// The C library's log, exp and cos differ in the last bit between machines, and verification must
// be able to draw an input again anywhere. So everything here is made of + - * / and sqrt, which
// IEEE 754 fixes bit by bit (and fill_generate.cc is compiled without fused multiply-adds).
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include "kernel/rng.h"

namespace kernatlas::detail {

// e^x for |x| < 700, relative error below 1e-14 (for |x| < 40).
[[nodiscard]] inline double portable_exp(double x) {
  constexpr double kLn2 = 0x1.62e42fefa39efp-1;
  constexpr double kAligner = 0x1.8p52;
  const double whole = (x / kLn2 + kAligner) - kAligner;
  const double rest = x - whole * kLn2;
  double sum = 1;  // Taylor, |rest| < 0.35
  for (int n = 13; n > 0; --n) sum = 1 + sum * rest / n;
  const auto exponent = static_cast<std::uint64_t>(static_cast<std::int64_t>(whole) + 1023) << 52;
  return sum * std::bit_cast<double>(exponent);
}

// ln x for positive normal x, within a few units in the last place.
[[nodiscard]] inline double portable_log(double x) {
  constexpr double kLn2 = 0x1.62e42fefa39efp-1;
  constexpr double kSqrt2 = 0x1.6a09e667f3bcdp+0;
  constexpr std::uint64_t kMantissa = (std::uint64_t{1} << 52) - 1;
  const auto bits = std::bit_cast<std::uint64_t>(x);
  auto exponent = static_cast<double>(static_cast<std::int64_t>(bits >> 52) - 1023);
  double mantissa = std::bit_cast<double>((bits & kMantissa) | std::uint64_t{1023} << 52);
  if (mantissa > kSqrt2) {
    mantissa *= 0.5;
    exponent += 1;
  }
  const double s = (mantissa - 1) / (mantissa + 1);  // ln m = 2 (s + s^3/3 + s^5/5 + …)
  const double square = s * s;
  double sum = 0;
  for (int n = 21; n > 0; n -= 2) sum = sum * square + 1.0 / n;
  return exponent * kLn2 + 2 * s * sum;
}

// The layers of the ziggurat method (Marsaglia, Tsang 2000) for the half normal density, in the
// form of Doornik 2005: 256 layers of equal area, the lowest with the tail.
struct Ziggurat {
  static constexpr std::size_t kLayers = 256;
  static constexpr double kTail = 3.6541528853610088;   // where the tail begins
  static constexpr double kArea = 0.00492867323399141;  // of every layer

  std::array<double, kLayers + 1> edge{};  // right edges, descending
  std::array<double, kLayers> inner{};     // edge[i + 1] / edge[i]: below it no test is needed

  Ziggurat() {
    const auto density = [](double x) { return portable_exp(-0.5 * x * x); };
    edge[0] = kArea / density(kTail);
    edge[1] = kTail;
    for (std::size_t i = 2; i < kLayers; ++i) {
      const double above = kArea / edge[i - 1] + density(edge[i - 1]);
      edge[i] = std::sqrt(-2 * portable_log(above));
    }
    edge[kLayers] = 0;
    for (std::size_t i = 0; i < kLayers; ++i) inner[i] = edge[i + 1] / edge[i];
  }

  static const Ziggurat& shared() {
    static const Ziggurat tables;
    return tables;
  }
};

// One stream of numbers. SplitMix64: an addition and a mix a number, so that filling memory costs
// little more than writing it.
class Sampler {
 public:
  explicit Sampler(std::uint64_t seed) : state_(seed), ziggurat_(&Ziggurat::shared()) {}

  std::uint64_t bits() {
    const std::uint64_t out = mix64(state_);
    state_ += 0x9e3779b97f4a7c15ull;
    return out;
  }

  // [0, 1) and (0, 1], in steps of 2^-53.
  double uniform() { return static_cast<double>(bits() >> 11) * 0x1.0p-53; }
  double uniform_positive() { return static_cast<double>((bits() >> 11) + 1) * 0x1.0p-53; }

  // [0, n), exact (Lemire 2019: multiply, and reject the few products that would weigh too much).
  std::uint64_t below(std::uint64_t n) {
    __extension__ using Wide = unsigned __int128;
    Wide product = static_cast<Wide>(bits()) * n;
    if (static_cast<std::uint64_t>(product) < n) {
      const std::uint64_t threshold = (0 - n) % n;
      while (static_cast<std::uint64_t>(product) < threshold) {
        product = static_cast<Wide>(bits()) * n;
      }
    }
    return static_cast<std::uint64_t>(product >> 64);
  }

  double exponential() { return -portable_log(uniform_positive()); }

  double normal() {
    for (;;) {
      const std::uint64_t word = bits();
      const std::size_t layer = word & (Ziggurat::kLayers - 1);
      const double u = static_cast<double>(static_cast<std::int64_t>(word) >> 11) * 0x1.0p-52;
      if (std::abs(u) < ziggurat_->inner[layer]) return u * ziggurat_->edge[layer];
      if (layer == 0) return tail(u < 0);
      const double x = u * ziggurat_->edge[layer];
      if (under_curve(x, layer)) return x;
    }
  }

 private:
  bool under_curve(double x, std::size_t layer) {
    const double outer = ziggurat_->edge[layer];
    const double inner = ziggurat_->edge[layer + 1];
    const double low = portable_exp(-0.5 * (outer * outer - x * x));
    const double high = portable_exp(-0.5 * (inner * inner - x * x));
    return low + uniform() * (high - low) < 1;
  }

  double tail(bool negative) {
    for (;;) {
      const double x = exponential() / Ziggurat::kTail;
      const double y = exponential();
      if (2 * y >= x * x) return negative ? -Ziggurat::kTail - x : Ziggurat::kTail + x;
    }
  }

  std::uint64_t state_;
  const Ziggurat* ziggurat_;
};

}  // namespace kernatlas::detail
