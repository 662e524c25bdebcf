// CellIndex: which cell a point of measure space belongs to. What the kinds with fixed cells share.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "archives/axis.h"
#include "archives/spec.h"

namespace kernatlas::archives {

// Immutable; const methods from many threads. A total function: every point that the axes can place
// has exactly one cell.
class CellIndex {
 public:
  virtual ~CellIndex() = default;
  [[nodiscard]] virtual std::size_t cells() const = 0;
  // `bins`: where the measures fall on their axes, none of them missing.
  [[nodiscard]] virtual std::size_t cell(std::span<const double> measures,
                                         std::span<const Bin> bins) const = 0;
  // One text per axis.
  [[nodiscard]] virtual std::vector<std::string> text(std::size_t cell) const = 0;
  [[nodiscard]] virtual std::vector<std::size_t> neighbours(std::size_t cell) const = 0;
};

// The product of the axes' bins, row-major, first axis slowest. A neighbour is one bin away on one
// numeric axis, or any other label of one categorical axis. Throws std::invalid_argument for no
// axes, two of one name, or more than 2^48 cells.
[[nodiscard]] std::unique_ptr<CellIndex> make_grid_index(const std::vector<Axis>& axes);

// What a spec asks for: a Voronoi index (archives/cvt.h) when it has points, else a grid index.
[[nodiscard]] std::unique_ptr<CellIndex> make_cell_index(const ArchiveSpec& spec);

}  // namespace kernatlas::archives
