// Content hashes: XXH3, 128 bits. Identity of sources, candidates and binaries; not a signature.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace kernatlas {

struct Hash128 {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  friend bool operator==(const Hash128&, const Hash128&) = default;
  friend auto operator<=>(const Hash128&, const Hash128&) = default;

  // 32 lower-case hexadecimal digits; short_hex is the first 12, enough for people.
  [[nodiscard]] std::string hex() const;
  [[nodiscard]] std::string short_hex() const { return hex().substr(0, 12); }
  // Accepts exactly 32 hexadecimal digits.
  [[nodiscard]] static std::optional<Hash128> parse(std::string_view hex);
};

[[nodiscard]] Hash128 hash128(std::string_view bytes);
// Hash of the two in this order.
[[nodiscard]] Hash128 combine(const Hash128& a, const Hash128& b);

}  // namespace kernatlas

template <>
struct std::hash<kernatlas::Hash128> {
  std::size_t operator()(const kernatlas::Hash128& h) const noexcept {
    return static_cast<std::size_t>(h.low ^ (h.high * 0x9e3779b97f4a7c15ull));
  }
};
