#include "backends/cpu/arena_layout.h"

#include <algorithm>
#include <numeric>

#include "backends/verification/poison.h"
#include "kernel/result.h"

namespace kernatlas {

namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kStagger = 17 * 64;

std::size_t round_up(std::size_t value, std::size_t unit) {
  return (value + unit - 1) / unit * unit;
}

}  // namespace

std::size_t ArenaLayout::slot_bytes(std::span<const std::size_t> buffers) {
  std::size_t total = kRedZoneBytes;
  for (const std::size_t bytes : buffers) total += bytes + kRedZoneBytes + 2 * kPage;
  return round_up(total, kPage);
}

ArenaLayout::ArenaLayout(const Arena& arena, std::span<const std::size_t> buffers,
                         std::size_t slots, SecretRng& rng)
    : base_(arena.data()), secret_(rng()), places_(slots), zones_(slots) {
  const std::size_t stride = slot_bytes(buffers);
  KERNATLAS_CHECK(stride * slots <= arena.size());
  std::vector<std::size_t> order(buffers.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t slot = 0; slot < slots; ++slot) {
    std::shuffle(order.begin(), order.end(), rng);
    places_[slot].resize(buffers.size());
    const std::uint64_t begin = slot * stride;
    std::uint64_t end = begin;  // of what is placed already
    std::size_t last = kNone;
    for (const std::size_t buffer : order) {
      const std::uint64_t start = round_up(end + kRedZoneBytes, kPage) + buffer * kStagger % kPage;
      places_[slot][buffer] = {.offset = start, .bytes = buffers[buffer]};
      zones_[slot].push_back(
          {.offset = end, .bytes = start - end, .before = last, .after = buffer});
      end = start + buffers[buffer];
      last = buffer;
    }
    const std::uint64_t slot_end = begin + stride;
    KERNATLAS_CHECK(end + kRedZoneBytes <= slot_end);
    zones_[slot].push_back(
        {.offset = end, .bytes = slot_end - end, .before = last, .after = kNone});
    fill_zones(slot);
  }
}

std::span<std::byte> ArenaLayout::bytes(std::size_t slot, std::size_t buffer) const {
  const BufferPlace& at = places_[slot][buffer];
  return {base_ + at.offset, at.bytes};
}

std::span<std::byte> ArenaLayout::zone_bytes(const Zone& zone) const {
  return {base_ + zone.offset, zone.bytes};
}

std::vector<std::uint64_t> ArenaLayout::offsets(std::size_t slot) const {
  std::vector<std::uint64_t> result;
  for (const BufferPlace& at : places_[slot]) result.push_back(at.offset);
  return result;
}

void ArenaLayout::fill_zones(std::size_t slot) {
  for (const Zone& zone : zones_[slot]) fill_red_zone(secret_ ^ zone.offset, zone_bytes(zone));
}

std::optional<ArenaLayout::Damage> ArenaLayout::check_zones(std::size_t slot) const {
  for (const Zone& zone : zones_[slot]) {
    const ZoneDamage damage = check_red_zone(secret_ ^ zone.offset, zone_bytes(zone));
    if (!damage.any()) continue;
    const std::size_t to_next = zone.bytes - damage.last_byte;
    const bool after = zone.after == kNone || (zone.before != kNone && damage.first_byte < to_next);
    return Damage{.buffer = after ? zone.before : zone.after,
                  .after = after,
                  .distance = after ? damage.first_byte + 1 : to_next,
                  .bytes = damage.bytes};
  }
  return std::nullopt;
}

}  // namespace kernatlas
