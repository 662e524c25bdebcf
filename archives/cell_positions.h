// CellPositions: which position an occupied cell has, the look-up of every add.
//
// A plain table where there are few cells (at most 256 KiB), else a hash map that grows with the
// occupied ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "archives/id_map.h"

namespace kernatlas::archives {

class CellPositions {
 public:
  static constexpr std::size_t kNone = IdMap::kNone;

  explicit CellPositions(std::size_t cells) : table_(cells <= kTableCells ? cells : 0, kEmpty) {}

  // The position of a cell; kNone when it is not occupied, or no cell at all.
  [[nodiscard]] std::size_t find(std::size_t cell) const {
    if (table_.empty()) return map_.find(cell);
    if (cell >= table_.size() || table_[cell] == kEmpty) return kNone;
    return table_[cell];
  }
  [[nodiscard]] bool contains(std::size_t cell) const { return find(cell) != kNone; }

  // `cell` is one of the cells.
  void set(std::size_t cell, std::size_t position) {
    if (table_.empty()) {
      map_.set(cell, position);
    } else {
      table_[cell] = static_cast<std::uint32_t>(position);
    }
  }

 private:
  static constexpr std::size_t kTableCells = 65536;
  static constexpr std::uint32_t kEmpty = ~std::uint32_t{0};

  std::vector<std::uint32_t> table_;
  IdMap map_;
};

}  // namespace kernatlas::archives
