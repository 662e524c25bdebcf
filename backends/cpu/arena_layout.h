// ArenaLayout: where the buffers of all slots lie in an arena, and the red zones between them.
//
// A slot is one full set of buffers. Within a slot the order of the buffers is shuffled with a
// secret; everything that is not a buffer is red zone, so a write outside any buffer hits a zone
// (or another slot's zone) and is noticed. Buffers start on cache lines, staggered within pages by
// their number, the same in every layout: streams that all begin at the same page offset would
// fight for the same cache sets, and a random offset would make times depend on luck.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backends/cpu/secret_rng.h"
#include "backends/worker/worker.h"

namespace kernatlas {

struct BufferPlace {
  std::uint64_t offset = 0;
  std::size_t bytes = 0;
};

class ArenaLayout {
 public:
  // Bytes that one slot takes, zones included (an upper bound).
  [[nodiscard]] static std::size_t slot_bytes(std::span<const std::size_t> buffers);

  // `buffers`: sizes of one slot's buffers, 0 allowed. The slots must fit (checked).
  ArenaLayout(const Arena& arena, std::span<const std::size_t> buffers, std::size_t slots,
              SecretRng& rng);

  [[nodiscard]] std::size_t slots() const { return places_.size(); }
  [[nodiscard]] const BufferPlace& place(std::size_t slot, std::size_t buffer) const {
    return places_[slot][buffer];
  }
  [[nodiscard]] std::span<std::byte> bytes(std::size_t slot, std::size_t buffer) const;
  // Arena offsets of a slot's buffers, in their given order.
  [[nodiscard]] std::vector<std::uint64_t> offsets(std::size_t slot) const;

  struct Damage {
    std::size_t buffer = 0;  // the nearest one
    bool after = false;      // beyond its end, not before its beginning
    std::size_t distance =
        0;  // bytes between the buffer's edge and the nearest damaged byte, plus 1
    std::size_t bytes = 0;
  };
  // Checks the zones beside the slot's buffers.
  [[nodiscard]] std::optional<Damage> check_zones(std::size_t slot) const;
  // Restores the slot's zones.
  void fill_zones(std::size_t slot);

 private:
  struct Zone {
    std::uint64_t offset = 0;
    std::size_t bytes = 0;
    std::size_t before = 0;  // buffer that ends where the zone begins; kNone at the front
    std::size_t after = 0;   // buffer that begins where it ends; kNone at the back
  };
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  [[nodiscard]] std::span<std::byte> zone_bytes(const Zone& zone) const;

  std::byte* base_;
  std::uint64_t secret_;
  std::vector<std::vector<BufferPlace>> places_;  // [slot][buffer]
  std::vector<std::vector<Zone>> zones_;          // [slot]
};

}  // namespace kernatlas
