#include "archives/id_map.h"

#include <doctest/doctest.h>

#include <random>
#include <unordered_map>

using namespace kernatlas::archives;

TEST_CASE("does what a map of the library does, whatever the keys") {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 rng(seed);
    // Few keys, dense ones, wide strides: crowded and colliding slots.
    const std::uint64_t keys = 1 + rng() % 200;
    const std::uint64_t stride = seed % 3 == 0 ? std::uint64_t{1} << (seed + 20) : 1;
    IdMap map;
    std::unordered_map<std::uint64_t, std::size_t> expected;
    CHECK(map.find(0) == IdMap::kNone);
    for (int i = 0; i < 3000; ++i) {
      const std::uint64_t key = (rng() % keys) * stride;
      if (rng() % 2 == 0) {
        map.erase(key);
        expected.erase(key);
      } else {
        map.set(key, static_cast<std::size_t>(i));
        expected[key] = static_cast<std::size_t>(i);
      }
      const std::uint64_t asked = (rng() % keys) * stride;
      const auto known = expected.find(asked);
      REQUIRE(map.find(asked) == (known == expected.end() ? IdMap::kNone : known->second));
      REQUIRE(map.size() == expected.size());
    }
    for (const auto& [key, position] : expected) REQUIRE(map.find(key) == position);
  }
}

TEST_CASE("the ends of the range are keys like others") {
  IdMap map;
  map.set(0, 7);
  map.set(~std::uint64_t{0}, 8);
  CHECK(map.find(0) == 7);
  CHECK(map.find(~std::uint64_t{0}) == 8);
  map.erase(0);
  CHECK_FALSE(map.contains(0));
  CHECK(map.contains(~std::uint64_t{0}));
}
