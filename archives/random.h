// Random numbers for selectors: a generator that costs nothing to start, and draws that are the
// same with every standard library, whose distributions are not.
#pragma once

#include <cstdint>

namespace kernatlas::archives {

// SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014): eight
// bytes of state, period 2^64. A stream a selection is as cheap as one for all.
class Random {
 public:
  using result_type = std::uint64_t;
  explicit constexpr Random(std::uint64_t seed = 0) : state_(seed) {}
  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return ~result_type{0}; }
  constexpr result_type operator()() {
    std::uint64_t x = state_ += 0x9e3779b97f4a7c15U;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31);
  }

 private:
  std::uint64_t state_;
};

// Uniform in [0, n), n > 0; by rejection, so exactly uniform.
template <typename Generator>
[[nodiscard]] std::uint64_t below(Generator& rng, std::uint64_t n) {
  const std::uint64_t excess = (~std::uint64_t{0} % n + 1) % n;
  std::uint64_t x = rng();
  while (x > ~std::uint64_t{0} - excess) x = rng();
  return x % n;
}

// Uniform in [0, 1), 53 bits.
template <typename Generator>
[[nodiscard]] double fraction(Generator& rng) {
  return static_cast<double>(rng() >> 11) * 0x1.0p-53;
}

}  // namespace kernatlas::archives
