#include "backends/verification/poison.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "kernel/result.h"
#include "kernel/rng.h"

namespace kernatlas {

namespace {

constexpr std::size_t kTableWords = 512;

// word = ((random & keep) | set): puts a float of the wanted kind into every lane of the word.
struct Masks {
  std::uint64_t keep = ~std::uint64_t{0};
  std::uint64_t set = 0;
};

constexpr std::uint64_t lanes(std::uint64_t value, int bits) {
  std::uint64_t word = 0;
  for (int shift = 0; shift < 64; shift += bits) word |= value << shift;
  return word;
}

Masks masks_of(DType type, PoisonPattern pattern) {
  if (pattern == PoisonPattern::random || !is_float(type)) return {};
  const bool nans = pattern == PoisonPattern::nans;
  constexpr std::uint64_t kAll = ~std::uint64_t{0};
  switch (type) {
    case DType::f64:
      return nans ? Masks{kAll, 0x7ff8000000000000} : Masks{0x807fffffffffffff, 0x4100000000000000};
    case DType::f32:
      return nans ? Masks{kAll, lanes(0x7fc00000, 32)}
                  : Masks{lanes(0x83ffffff, 32), lanes(0x48000000, 32)};
    case DType::bf16:
      return nans ? Masks{kAll, lanes(0x7fc0, 16)} : Masks{lanes(0x83ff, 16), lanes(0x4800, 16)};
    case DType::f16:
      return nans ? Masks{kAll, lanes(0x7e00, 16)} : Masks{lanes(0x83ff, 16), lanes(0x7400, 16)};
    case DType::f8_e4m3:
      return nans ? Masks{kAll, lanes(0x7f, 8)} : Masks{lanes(0x87, 8), lanes(0x70, 8)};
    default:  // f8_e5m2
      return nans ? Masks{kAll, lanes(0x7e, 8)} : Masks{lanes(0x83, 8), lanes(0x70, 8)};
  }
}

// The stream: a secret table, and a key that changes every table length, so that no two places of a
// buffer hold the same words and the inner loop is nothing but an exclusive or.
class Stream {
 public:
  Stream(DType type, const Poison& poison)
      : masks_(masks_of(type, poison.pattern)),
        secret_(mix64(poison.secret ^ (static_cast<std::uint64_t>(poison.pattern) << 56))) {
    for (std::size_t i = 0; i < kTableWords; ++i) table_[i] = mix64(secret_ + 2 * i + 1);
  }
  [[nodiscard]] std::uint64_t key(std::size_t table) const {
    return mix64(~secret_ ^ (table * 0x2545f4914f6cdd1dull));
  }
  [[nodiscard]] std::uint64_t word(std::size_t offset, std::uint64_t key) const {
    return ((table_[offset] ^ key) & masks_.keep) | masks_.set;
  }
  [[nodiscard]] std::uint64_t at(std::size_t index) const {
    return word(index % kTableWords, key(index / kTableWords));
  }

 private:
  Masks masks_;
  std::uint64_t secret_;
  std::array<std::uint64_t, kTableWords> table_{};
};

}  // namespace

void fill_poison(DType type, const Poison& poison, std::span<std::byte> buffer) {
  const Stream stream(type, poison);
  const std::size_t words = buffer.size() / 8;
  std::byte* out = buffer.data();
  for (std::size_t begin = 0; begin < words; begin += kTableWords) {
    const std::uint64_t key = stream.key(begin / kTableWords);
    const std::size_t count = std::min(kTableWords, words - begin);
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t word = stream.word(i, key);
      std::memcpy(out + 8 * (begin + i), &word, 8);
    }
  }
  if (const std::size_t rest = buffer.size() % 8; rest > 0) {
    const std::uint64_t word = stream.at(words);
    std::memcpy(out + 8 * words, &word, rest);
  }
}

Untouched find_untouched(DType type, const Poison& poison, std::span<const std::byte> buffer) {
  const Stream stream(type, poison);
  Untouched found;
  const auto note = [&](std::size_t byte, std::size_t count) {
    if (!found.any()) found.first_byte = byte;
    found.last_byte = byte + count;
    found.bytes += count;
  };
  const std::size_t words = buffer.size() / 8;
  for (std::size_t begin = 0; begin < words; begin += kTableWords) {
    const std::uint64_t key = stream.key(begin / kTableWords);
    const std::size_t count = std::min(kTableWords, words - begin);
    std::uint64_t hits = 0;  // counted without a branch: the usual answer is none
    for (std::size_t i = 0; i < count; ++i) {
      std::uint64_t word = 0;
      std::memcpy(&word, buffer.data() + 8 * (begin + i), 8);
      hits += word == stream.word(i, key) ? 1u : 0u;
    }
    for (std::size_t i = 0; hits > 0 && i < count; ++i) {
      std::uint64_t word = 0;
      std::memcpy(&word, buffer.data() + 8 * (begin + i), 8);
      if (word == stream.word(i, key)) note(8 * (begin + i), 8);
    }
  }
  // A short rest alone could match by chance, so it only counts beside an untouched word.
  if (const std::size_t rest = buffer.size() % 8; rest > 0) {
    const std::uint64_t word = stream.at(words);
    const bool same = std::memcmp(buffer.data() + 8 * words, &word, rest) == 0;
    if (same && (words == 0 || found.last_byte == 8 * words)) note(8 * words, rest);
  }
  return found;
}

bool is_untouched(DType type, const Poison& poison, const void* buffer, std::size_t bytes,
                  std::size_t element) {
  const Stream stream(type, poison);
  const std::size_t width = size_of(type);
  const std::size_t byte = element * width;
  KERNATLAS_CHECK(byte + width <= bytes);
  const std::uint64_t word = stream.at(byte / 8);
  return std::memcmp(static_cast<const std::byte*>(buffer) + byte,
                     reinterpret_cast<const std::byte*>(&word) + byte % 8, width) == 0;
}

void fill_red_zone(std::uint64_t secret, std::span<std::byte> zone) {
  fill_poison(DType::u8, {.secret = secret, .pattern = PoisonPattern::random}, zone);
}

ZoneDamage check_red_zone(std::uint64_t secret, std::span<const std::byte> zone) {
  const Stream stream(DType::u8, {.secret = secret, .pattern = PoisonPattern::random});
  ZoneDamage damage;
  std::uint64_t key = 0;
  for (std::size_t begin = 0; begin < zone.size(); begin += 8) {
    const std::size_t index = begin / 8;
    if (index % kTableWords == 0) key = stream.key(index / kTableWords);
    const std::uint64_t word = stream.word(index % kTableWords, key);
    const std::size_t count = std::min<std::size_t>(8, zone.size() - begin);
    if (std::memcmp(zone.data() + begin, &word, count) == 0) continue;
    for (std::size_t i = 0; i < count; ++i) {
      if (zone[begin + i] == reinterpret_cast<const std::byte*>(&word)[i]) continue;
      if (!damage.any()) damage.first_byte = begin + i;
      damage.last_byte = begin + i;
      ++damage.bytes;
    }
  }
  return damage;
}

}  // namespace kernatlas
