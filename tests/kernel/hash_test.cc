#include "kernel/hash.h"

#include <doctest/doctest.h>

#include <string>
#include <unordered_set>

using namespace kernatlas;

TEST_CASE("hash128 is XXH3 with seed 0") {
  // The published test vector of XXH3_128bits for no input.
  CHECK(hash128("").hex() == "99aa06d3014798d86001c324468d497f");
  CHECK(hash128("a") != hash128("b"));
  CHECK(hash128("a") == hash128("a"));
}

TEST_CASE("hex and parse are inverse") {
  for (int i = 0; i < 200; ++i) {
    const Hash128 hash = hash128(std::to_string(i));
    CHECK(hash.hex().size() == 32);
    CHECK(Hash128::parse(hash.hex()) == hash);
    CHECK(hash.short_hex() == hash.hex().substr(0, 12));
  }
  const Hash128 small{.high = 0x1, .low = 0xabcdef0123456789};
  CHECK(small.hex() == "0000000000000001abcdef0123456789");
  CHECK(Hash128::parse("0000000000000001ABCDEF0123456789") == small);
}

TEST_CASE("parse refuses everything else") {
  const std::string good(32, '0');
  CHECK(Hash128::parse(good));
  CHECK_FALSE(Hash128::parse(""));
  CHECK_FALSE(Hash128::parse(good + "0"));
  CHECK_FALSE(Hash128::parse(good.substr(1)));
  for (const char bad : {'g', ' ', '-', 'G', '/', ':', '`', '@', '\0'}) {
    std::string text = good;
    text[7] = bad;
    CHECK_FALSE(Hash128::parse(text));
    text = good;
    text[31] = bad;
    CHECK_FALSE(Hash128::parse(text));
  }
}

TEST_CASE("combine depends on both and on their order") {
  const Hash128 a = hash128("a");
  const Hash128 b = hash128("b");
  CHECK(combine(a, b) != combine(b, a));
  CHECK(combine(a, b) != combine(a, a));
  CHECK(combine(a, b) == combine(a, b));
  // Pinned: identities are stored in run directories and must not change between versions.
  CHECK(combine({.high = 1, .low = 2}, {.high = 3, .low = 4}).hex() ==
        hash128(std::string("\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0\4\0\0\0\0\0\0\0", 32))
            .hex());
}

TEST_CASE("works as a key") {
  std::unordered_set<Hash128> seen;
  for (int i = 0; i < 10000; ++i) seen.insert(hash128(std::to_string(i)));
  CHECK(seen.size() == 10000);
}
