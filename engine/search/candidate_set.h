// CandidateSet: the ids of all candidates a run has proposed, so that none is evaluated twice.
//
// Asked for every draw, several times as often as anything is evaluated. The ids are hashes, so
// open addressing with linear probing finds one in one cache line most of the time; a node-based
// set took a sixth of the engine's time. At most half full: 32 to 64 bytes an id. Not thread-safe.
#pragma once

#include <bit>
#include <cstddef>
#include <utility>
#include <vector>

#include "kernel/hash.h"

namespace kernatlas {

class CandidateSet {
 public:
  // False when it was there already. O(1).
  bool insert(const Hash128& id) {
    if (id == Hash128{}) return !std::exchange(has_zero_, true);
    if (2 * (count_ + 1) > slots_.size()) resize(2 * slots_.size());
    if (!place(id)) return false;
    ++count_;
    return true;
  }
  [[nodiscard]] std::size_t size() const { return count_ + (has_zero_ ? 1 : 0); }
  // Room for that many without growing.
  void reserve(std::size_t ids) {
    if (2 * ids > slots_.size()) resize(std::bit_ceil(2 * ids));
  }

 private:
  bool place(const Hash128& id) {
    for (std::size_t i = id.low;; ++i) {
      Hash128& slot = slots_[i & (slots_.size() - 1)];
      if (slot == id) return false;
      if (slot != Hash128{}) continue;
      slot = id;
      return true;
    }
  }
  void resize(std::size_t size) {
    std::vector<Hash128> old(size);
    old.swap(slots_);
    for (const Hash128& id : old) {
      if (id != Hash128{}) place(id);
    }
  }

  std::vector<Hash128> slots_ = std::vector<Hash128>(64);  // a power of two; zero: empty
  std::size_t count_ = 0;
  bool has_zero_ = false;
};

}  // namespace kernatlas
