// Random streams that can be repeated: every stream derives from (run seed, purpose, ticket), never
// from a clock, so a run can be replayed and resumed without storing generator state.
#pragma once

#include <cstdint>
#include <random>

namespace kernatlas {

// The generator handed to operators and selectors. A standard type, so that `archives`, which knows
// nothing of ours, can take the same object.
using Rng = std::mt19937_64;

// SplitMix64 finaliser (Steele, Lea, Flood 2014): a bijective mix of 64 bits.
[[nodiscard]] constexpr std::uint64_t mix64(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

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
