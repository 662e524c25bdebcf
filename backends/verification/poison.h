// Poison and red zones: what lies in a buffer before a launch, and what lies around it.
//
// Outputs and workspaces are filled before every launch with a stream of words that only the
// supervisor can predict: word i is a function of a secret, of i, and of the pattern. A word that
// still holds its poison afterwards was not written (values of that kind are rare, and equal ones
// rarer than once in 2^40 words for types of 16 bits and more). Two
// patterns alternate, because each hides a different mistake: a maximum taken over NaN, or a sum
// started from a large value. Red zones hold a stream of plain random bits.
//
// Pure functions, memory-bandwidth fast, no allocation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernel/dtype.h"

namespace kernatlas {

enum class PoisonPattern : std::uint8_t {
  nans,    // floats: NaN with random payload and sign; integers: random bits
  large,   // floats: random finite values, large in magnitude; integers: random bits
  random,  // random bits: red zones
};

struct Poison {
  std::uint64_t secret = 0;
  PoisonPattern pattern = PoisonPattern::random;
};

// Words are 8 bytes, counted from the beginning of `buffer`; a rest shorter than 8 bytes gets the
// first bytes of its word.
void fill_poison(DType type, const Poison& poison, std::span<std::byte> buffer);

struct Untouched {
  std::size_t bytes = 0;       // in whole words (or the short rest, if that is all there is)
  std::size_t first_byte = 0;  // of the first untouched word
  std::size_t last_byte = 0;   // one past the end of the last untouched word
  [[nodiscard]] bool any() const { return bytes > 0; }
};

// What still holds its poison. A buffer shorter than 8 bytes counts as untouched only if all of it
// is, and then by chance once in 256^size: decide such buffers by their values, not by this.
[[nodiscard]] Untouched find_untouched(DType type, const Poison& poison,
                                       std::span<const std::byte> buffer);

// Whether the one element still holds its poison (chance once in 2^(bits of the type - a few)).
[[nodiscard]] bool is_untouched(DType type, const Poison& poison, const void* buffer,
                                std::size_t bytes, std::size_t element);

// Bytes on each side of every buffer.
inline constexpr std::size_t kRedZoneBytes = 4096;

struct ZoneDamage {
  std::size_t bytes = 0;       // how many differ
  std::size_t first_byte = 0;  // the first and the last that differ
  std::size_t last_byte = 0;
  [[nodiscard]] bool any() const { return bytes > 0; }
};

void fill_red_zone(std::uint64_t secret, std::span<std::byte> zone);
[[nodiscard]] ZoneDamage check_red_zone(std::uint64_t secret, std::span<const std::byte> zone);

}  // namespace kernatlas
