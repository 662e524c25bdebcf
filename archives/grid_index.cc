#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "archives/cell_index.h"

namespace kernatlas::archives {
namespace {

constexpr std::size_t kMaxCells = std::size_t{1} << 48;

class GridIndex final : public CellIndex {
 public:
  explicit GridIndex(const std::vector<Axis>& axes) : axes_(axes), strides_(axes.size()) {
    if (axes.empty()) throw std::invalid_argument("grid: at least one axis is needed");
    for (std::size_t i = axes.size(); i-- > 0;) {
      for (std::size_t j = 0; j < i; ++j) {
        if (axes[i].name() == axes[j].name()) {
          throw std::invalid_argument(fmt::format("grid: two axes named \"{}\"", axes[i].name()));
        }
      }
      if (axes[i].bins() > kMaxCells / cells_) {
        throw std::invalid_argument("grid: more than 2^48 cells");
      }
      strides_[i] = cells_;
      cells_ *= axes[i].bins();
    }
  }

  std::size_t cells() const override { return cells_; }

  std::size_t cell(std::span<const double>, std::span<const Bin> bins) const override {
    std::size_t cell = 0;
    for (std::size_t i = 0; i < bins.size(); ++i) cell += bins[i].index * strides_[i];
    return cell;
  }

  std::vector<std::string> text(std::size_t cell) const override {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < axes_.size(); ++i) {
      texts.push_back(axes_[i].bin_text(bin_of(cell, i)));
    }
    return texts;
  }

  std::vector<std::size_t> neighbours(std::size_t cell) const override {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < axes_.size(); ++i) {
      const std::size_t here = bin_of(cell, i);
      const bool any_label = axes_[i].scale() == Scale::categorical;
      const std::size_t first = any_label || here == 0 ? 0 : here - 1;
      const std::size_t end = any_label ? axes_[i].bins() : std::min(here + 2, axes_[i].bins());
      for (std::size_t bin = first; bin < end; ++bin) {
        if (bin != here) found.push_back(cell - here * strides_[i] + bin * strides_[i]);
      }
    }
    return found;
  }

 private:
  std::size_t bin_of(std::size_t cell, std::size_t axis) const {
    return cell / strides_[axis] % axes_[axis].bins();
  }

  std::vector<Axis> axes_;
  std::vector<std::size_t> strides_;
  std::size_t cells_ = 1;
};

}  // namespace

std::unique_ptr<CellIndex> make_grid_index(const std::vector<Axis>& axes) {
  return std::make_unique<GridIndex>(axes);
}

}  // namespace kernatlas::archives
