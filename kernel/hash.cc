#include "kernel/hash.h"

#include <xxhash.h>

#include <array>

namespace kernatlas {
namespace {

Hash128 of(const void* data, std::size_t size) {
  const XXH128_hash_t hash = XXH3_128bits(data, size);
  return {.high = hash.high64, .low = hash.low64};
}

std::optional<std::uint64_t> parse_word(std::string_view digits) {
  std::uint64_t word = 0;
  for (const char c : digits) {
    std::uint64_t digit = 0;
    if (c >= '0' && c <= '9') {
      digit = static_cast<std::uint64_t>(c - '0');
    } else if (c >= 'a' && c <= 'f') {
      digit = static_cast<std::uint64_t>(c - 'a') + 10;
    } else if (c >= 'A' && c <= 'F') {
      digit = static_cast<std::uint64_t>(c - 'A') + 10;
    } else {
      return std::nullopt;
    }
    word = word << 4 | digit;
  }
  return word;
}

}  // namespace

std::string Hash128::hex() const {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text(32, '0');
  for (std::size_t i = 0; i < 16; ++i) {
    text[15 - i] = kDigits[high >> (4 * i) & 15];
    text[31 - i] = kDigits[low >> (4 * i) & 15];
  }
  return text;
}

std::optional<Hash128> Hash128::parse(std::string_view hex) {
  if (hex.size() != 32) return std::nullopt;
  const auto high = parse_word(hex.substr(0, 16));
  const auto low = parse_word(hex.substr(16));
  if (!high || !low) return std::nullopt;
  return Hash128{.high = *high, .low = *low};
}

Hash128 hash128(std::string_view bytes) {
  return of(bytes.data(), bytes.size());
}

Hash128 combine(const Hash128& a, const Hash128& b) {
  // Little-endian bytes, so that the result is the same on every machine.
  std::array<unsigned char, 32> bytes{};
  std::size_t at = 0;
  for (const std::uint64_t word : {a.high, a.low, b.high, b.low}) {
    for (int shift = 0; shift < 64; shift += 8) {
      bytes[at++] = static_cast<unsigned char>(word >> shift);
    }
  }
  return of(bytes.data(), bytes.size());
}

}  // namespace kernatlas
