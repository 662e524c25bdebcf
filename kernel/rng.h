// Random streams that can be repeated: every stream derives from (run seed, purpose, ticket), never
// from a clock, so a run can be replayed and resumed without storing generator state.
#pragma once

#include <cstdint>

namespace kernatlas {

// SplitMix64 finaliser (Steele, Lea, Flood, "Fast splittable pseudorandom number generators",
// 2014): a bijective mix of 64 bits.
[[nodiscard]] constexpr std::uint64_t mix64(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

// SplitMix64, the generator of the same paper. A run starts a stream for every proposal, so what
// counts is that starting costs nothing: a Mersenne twister's 2.5 kB took a seventh of the engine's
// time. Eight bytes of state, period 2^64, passes the usual batteries. Not for secrets.
class Rng {
 public:
  using result_type = std::uint64_t;
  explicit constexpr Rng(std::uint64_t seed = 0) : state_(seed) {}
  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return ~result_type{0}; }
  constexpr result_type operator()() {
    const result_type number = mix64(state_);
    state_ += 0x9e3779b97f4a7c15ull;
    return number;
  }
  friend constexpr bool operator==(const Rng&, const Rng&) = default;

 private:
  std::uint64_t state_;
};

// The stream of one ticket (or of any other counter) for one purpose.
[[nodiscard]] inline Rng stream(std::uint64_t seed, std::uint64_t purpose, std::uint64_t counter) {
  return Rng(mix64(mix64(mix64(seed) ^ purpose) ^ counter));
}

// Uniform in [0, n), n > 0, by rejection: exact, and the same on every standard library.
template <typename Generator>
[[nodiscard]] std::uint64_t uniform_below(Generator& rng, std::uint64_t n) {
  const std::uint64_t limit = ~std::uint64_t{0} - (~std::uint64_t{0} % n + 1) % n;
  std::uint64_t x = rng();
  while (x > limit) x = rng();
  return x % n;
}

// Uniform in [0, 1) with 53 random bits.
template <typename Generator>
[[nodiscard]] double uniform01(Generator& rng) {
  return static_cast<double>(rng() >> 11) * 0x1.0p-53;
}

}  // namespace kernatlas
