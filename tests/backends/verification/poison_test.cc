#include "backends/verification/poison.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "kernel/rng.h"

using namespace kernatlas;

namespace {
constexpr DType kTypes[] = {DType::f64,     DType::f32,     DType::f16,    DType::bf16,
                            DType::f8_e4m3, DType::f8_e5m2, DType::i8,     DType::u8,
                            DType::i32,     DType::i64,     DType::boolean};
}

TEST_CASE("poison of every type and pattern is found untouched, and of the promised kind") {
  for (const DType type : kTypes) {
    for (const PoisonPattern pattern :
         {PoisonPattern::nans, PoisonPattern::large, PoisonPattern::random}) {
      const Poison poison{.secret = 99, .pattern = pattern};
      std::vector<std::byte> buffer(10000 * size_of(type));
      fill_poison(type, poison, buffer);
      CHECK(find_untouched(type, poison, buffer).bytes == buffer.size());
      CHECK(is_untouched(type, poison, buffer.data(), buffer.size(), 7777));
      if (!is_float(type) || pattern == PoisonPattern::random) continue;
      for (std::size_t i = 0; i < 10000; ++i) {
        const double value = load(type, buffer.data(), i);
        if (pattern == PoisonPattern::nans) {
          CHECK(std::isnan(value));
        } else {
          CHECK(std::isfinite(value));
          CHECK(std::abs(value) >= 128);
        }
      }
    }
  }
}

TEST_CASE("a written stretch is told from an untouched one") {
  const Poison poison{.secret = 5, .pattern = PoisonPattern::nans};
  std::vector<float> buffer(5001);
  const auto bytes = std::as_writable_bytes(std::span(buffer));
  fill_poison(DType::f32, poison, bytes);
  std::fill(buffer.begin(), buffer.begin() + 3000, 1.0f);
  std::fill(buffer.begin() + 4000, buffer.end(), 2.0f);
  const Untouched found = find_untouched(DType::f32, poison, bytes);
  CHECK(found.bytes == 4000);
  CHECK(found.first_byte == 12000);
  CHECK(found.last_byte == 16000);
  std::fill(buffer.begin(), buffer.end(), 1.0f);
  CHECK_FALSE(find_untouched(DType::f32, poison, bytes).any());
}

TEST_CASE("an odd rest counts with the word before it, a tiny buffer on its own") {
  const Poison poison{.secret = 6};
  std::vector<std::byte> buffer(21);
  fill_poison(DType::u8, poison, buffer);
  CHECK(find_untouched(DType::u8, poison, buffer).bytes == 21);
  buffer[15] ^= std::byte{1};
  CHECK(find_untouched(DType::u8, poison, buffer).bytes == 8);
  std::vector<std::byte> tiny(3);
  fill_poison(DType::u8, poison, tiny);
  CHECK(find_untouched(DType::u8, poison, tiny).bytes == 3);
  tiny[0] ^= std::byte{1};
  CHECK_FALSE(find_untouched(DType::u8, poison, tiny).any());
}

TEST_CASE("streams differ between secrets, patterns and places") {
  std::vector<std::byte> a(64 * 1024);
  std::vector<std::byte> b(a.size());
  fill_red_zone(1, a);
  fill_red_zone(2, b);
  std::size_t same = 0;
  for (std::size_t i = 0; i < a.size(); i += 8) {
    same += std::memcmp(&a[i], &b[i], 8) == 0 ? 1 : 0;
    // No period: a kernel cannot restore a zone by copying the page beside it.
    if (i >= 4096) CHECK(std::memcmp(&a[i], &a[i - 4096], 8) != 0);
  }
  CHECK(same == 0);
  CHECK_FALSE(find_untouched(DType::u8, {.secret = 2}, a).any());
}

TEST_CASE("one damaged byte anywhere in a red zone is seen") {
  const std::uint64_t seed = 4711;
  MESSAGE("seed " << seed);
  Rng rng(seed);
  std::vector<std::byte> zone(kRedZoneBytes + 3);
  for (int round = 0; round < 200; ++round) {
    fill_red_zone(rng(), zone);
    const std::uint64_t secret = rng();
    fill_red_zone(secret, zone);
    CHECK_FALSE(check_red_zone(secret, zone).any());
    const std::size_t where = uniform_below(rng, zone.size());
    zone[where] ^= static_cast<std::byte>(1 + uniform_below(rng, 255));
    const ZoneDamage damage = check_red_zone(secret, zone);
    CHECK(damage.bytes == 1);
    CHECK(damage.first_byte == where);
    CHECK(damage.last_byte == where);
  }
}
