// IdMap: from 64-bit numbers to positions, for the two look-ups that every add makes.
//
// Open addressing with linear probing and a multiplicative hash: a look-up is one cache line most
// of the time, where a node-based map takes a division and two pointers. In a profile of adds to a
// grid of 10,000 cells, looking up in std::unordered_map was 29 % of all samples.
//
// Not thread-safe for writing; const methods from many threads. Memory: 32 to 64 bytes an element.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace kernatlas::archives {

class IdMap {
 public:
  static constexpr std::size_t kNone = ~std::size_t{0};

  // The position of a key; kNone when it has none.
  [[nodiscard]] std::size_t find(std::uint64_t key) const {
    if (count_ == 0) return kNone;
    for (std::size_t i = start(key);; i = (i + 1) & mask_) {
      if (slots_[i].position == kNone || slots_[i].key == key) return slots_[i].position;
    }
  }
  [[nodiscard]] bool contains(std::uint64_t key) const { return find(key) != kNone; }
  [[nodiscard]] std::size_t size() const { return count_; }

  // `position` is not kNone.
  void set(std::uint64_t key, std::size_t position) {
    if (2 * (count_ + 1) > slots_.size()) grow();
    std::size_t i = start(key);
    while (slots_[i].position != kNone && slots_[i].key != key) i = (i + 1) & mask_;
    count_ += slots_[i].position == kNone;
    slots_[i] = {key, position};
  }

  // Nothing happens when the key is not there.
  void erase(std::uint64_t key) {
    if (count_ == 0) return;
    std::size_t hole = start(key);
    while (slots_[hole].position != kNone && slots_[hole].key != key) hole = (hole + 1) & mask_;
    if (slots_[hole].position == kNone) return;
    --count_;
    // Who was pushed beyond the hole by its neighbours moves back into it.
    for (std::size_t i = (hole + 1) & mask_; slots_[i].position != kNone; i = (i + 1) & mask_) {
      const std::size_t wanted = start(slots_[i].key);
      if (((i - wanted) & mask_) < ((i - hole) & mask_)) continue;
      slots_[hole] = slots_[i];
      hole = i;
    }
    slots_[hole].position = kNone;
  }

 private:
  struct Slot {
    std::uint64_t key = 0;
    std::size_t position = kNone;
  };

  // Fibonacci hashing (Knuth, volume 3, section 6.4): the high bits of a product.
  [[nodiscard]] std::size_t start(std::uint64_t key) const {
    return static_cast<std::size_t>((key * 0x9E3779B97F4A7C15U) >> shift_);
  }
  void grow() {
    std::vector<Slot> old(slots_.empty() ? 16 : 2 * slots_.size());
    old.swap(slots_);
    mask_ = slots_.size() - 1;
    for (shift_ = 64; (std::size_t{1} << (64 - shift_)) < slots_.size();) --shift_;
    count_ = 0;
    for (const Slot& slot : old) {
      if (slot.position != kNone) set(slot.key, slot.position);
    }
  }

  std::vector<Slot> slots_;
  std::size_t mask_ = 0;
  unsigned shift_ = 64;
  std::size_t count_ = 0;
};

}  // namespace kernatlas::archives
