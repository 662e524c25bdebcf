// Draws that are the same with every standard library: its distributions are not.
#pragma once

#include <cstdint>
#include <random>

namespace kernatlas::archives {

// Uniform in [0, n), n > 0; by rejection, so exactly uniform.
[[nodiscard]] inline std::uint64_t below(std::mt19937_64& rng, std::uint64_t n) {
  const std::uint64_t excess = (~std::uint64_t{0} % n + 1) % n;
  std::uint64_t x = rng();
  while (x > ~std::uint64_t{0} - excess) x = rng();
  return x % n;
}

// Uniform in [0, 1), 53 bits.
[[nodiscard]] inline double fraction(std::mt19937_64& rng) {
  return static_cast<double>(rng() >> 11) * 0x1.0p-53;
}

}  // namespace kernatlas::archives
