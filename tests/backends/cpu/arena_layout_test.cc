#include "backends/cpu/arena_layout.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "backends/verification/poison.h"

using namespace kernatlas;

namespace {

struct Fixture {
  std::vector<std::size_t> sizes = {4000, 1, 0, 65536, 100};
  std::unique_ptr<Arena> arena = std::move(*Arena::create(16 << 20));
};

}  // namespace

TEST_CASE("buffers are aligned, apart by a red zone, and inside their slot") {
  const std::uint64_t seed = 12;
  MESSAGE("seed " << seed);
  SecretRng rng(seed);
  const Fixture f;
  const ArenaLayout layout(*f.arena, f.sizes, 5, rng);
  std::vector<BufferPlace> places;
  for (std::size_t slot = 0; slot < 5; ++slot) {
    for (std::size_t b = 0; b < f.sizes.size(); ++b) {
      places.push_back(layout.place(slot, b));
      CHECK(places.back().bytes == f.sizes[b]);
      CHECK(places.back().offset % 64 == 0);
      CHECK(layout.offsets(slot)[b] == places.back().offset);
      // The same place within a page in every slot and layout.
      CHECK(places.back().offset % 4096 == layout.place(0, b).offset % 4096);
    }
  }
  std::sort(places.begin(), places.end(),
            [](const auto& a, const auto& b) { return a.offset < b.offset; });
  CHECK(places.front().offset >= kRedZoneBytes);
  for (std::size_t i = 1; i < places.size(); ++i) {
    CHECK(places[i].offset >= places[i - 1].offset + places[i - 1].bytes + kRedZoneBytes);
  }
  CHECK(places.back().offset + places.back().bytes + kRedZoneBytes <= f.arena->size());
}

TEST_CASE("the order of the buffers is shuffled") {
  const Fixture f;
  SecretRng rng(5);
  bool first = false;
  bool second = false;
  for (int i = 0; i < 40; ++i) {
    const ArenaLayout layout(*f.arena, f.sizes, 1, rng);
    (layout.place(0, 0).offset < layout.place(0, 3).offset ? first : second) = true;
  }
  CHECK(first);
  CHECK(second);
}

TEST_CASE("damage is seen and blamed on the nearest buffer") {
  const Fixture f;
  SecretRng rng(6);
  for (int round = 0; round < 20; ++round) {
    ArenaLayout layout(*f.arena, f.sizes, 3, rng);
    for (std::size_t slot = 0; slot < 3; ++slot) CHECK_FALSE(layout.check_zones(slot));
    const std::span<std::byte> buffer = layout.bytes(1, 3);
    buffer.front() = buffer.back() = std::byte{7};  // inside: fine
    CHECK_FALSE(layout.check_zones(1));
    *(buffer.data() + buffer.size()) ^= std::byte{1};
    auto damage = layout.check_zones(1);
    REQUIRE(damage);
    CHECK(damage->buffer == 3);
    CHECK(damage->after);
    CHECK(damage->distance == 1);
    CHECK(damage->bytes == 1);
    CHECK_FALSE(layout.check_zones(0));
    CHECK_FALSE(layout.check_zones(2));
    layout.fill_zones(1);
    CHECK_FALSE(layout.check_zones(1));
    *(buffer.data() - 4) ^= std::byte{1};
    damage = layout.check_zones(1);
    REQUIRE(damage);
    CHECK(damage->buffer == 3);
    CHECK_FALSE(damage->after);
    CHECK(damage->distance == 4);
  }
}
