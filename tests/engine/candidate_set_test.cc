#include "engine/search/candidate_set.h"

#include <doctest/doctest.h>

#include <unordered_set>

#include "kernel/rng.h"

using namespace kernatlas;

TEST_CASE("an id is new once") {
  CandidateSet set;
  CHECK(set.size() == 0);
  CHECK(set.insert({1, 2}));
  CHECK_FALSE(set.insert({1, 2}));
  CHECK(set.insert({2, 1}));
  CHECK(set.insert({1, 3}));
  CHECK(set.size() == 3);
}

TEST_CASE("the id that marks an empty slot is an id like any other") {
  CandidateSet set;
  CHECK(set.insert({}));
  CHECK_FALSE(set.insert({}));
  CHECK(set.size() == 1);
}

TEST_CASE("agrees with a set that is known to be right, whatever its ids have in common") {
  constexpr std::uint64_t kSeed = 31;
  CAPTURE(kSeed);
  Rng rng(kSeed);
  for (const std::uint64_t spread : {std::uint64_t{7}, std::uint64_t{1000}, ~std::uint64_t{0}}) {
    CandidateSet set;
    if (spread == 1000) set.reserve(500);
    std::unordered_set<Hash128> reference;
    for (int i = 0; i < 20'000; ++i) {
      // Low words that collide modulo every size of the table.
      const Hash128 id{uniform_below(rng, spread), uniform_below(rng, spread) << 20};
      const bool is_new = reference.insert(id).second;
      if (set.insert(id) != is_new) FAIL("id " << id.hex() << " after " << i);
    }
    CHECK(set.size() == reference.size());
  }
}
