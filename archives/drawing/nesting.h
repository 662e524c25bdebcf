// Nesting: how several axes share one side of a map: the first changes fastest, each further one
// repeats what is inside it, with a gap between the repetitions that grows with the level.
//
// Private to archives/drawing.
#pragma once

#include <cstddef>
#include <vector>

#include "archives/axis.h"
#include "archives/drawing/ticks.h"

namespace kernatlas::archives {

class Nesting {
 public:
  // Axes from the innermost outwards; none make a side one cell long. Not owned.
  explicit Nesting(std::vector<const Axis*> axes);

  // The cell length with which the side is `length` long.
  [[nodiscard]] double cell_for(double length) const;
  void set_cell(double cell);
  [[nodiscard]] double length() const { return extent_.back(); }

  // Bins of the axes taken together: how many, and where the cell of one of them begins.
  [[nodiscard]] std::size_t cells() const { return cells_; }
  [[nodiscard]] double offset(std::size_t index) const;

  [[nodiscard]] std::size_t levels() const { return axes_.size(); }
  [[nodiscard]] const Axis& axis(std::size_t level) const { return *axes_[level]; }
  // How often an axis is repeated along the side, and the span of each repetition.
  [[nodiscard]] std::size_t repetitions(std::size_t level) const;
  struct Span {
    double from = 0;
    double to = 0;
  };
  [[nodiscard]] Span span(std::size_t level, std::size_t repetition) const;
  // The span of one bin of an axis in a repetition.
  [[nodiscard]] Span bin(std::size_t level, std::size_t repetition, std::size_t bin) const;
  // All marks of a level, at origin + direction · place: boundaries, in the middle of the gaps of
  // outer levels; the middle of a label's bin.
  [[nodiscard]] Ticks ticks(std::size_t level, double origin, double direction) const;

 private:
  [[nodiscard]] double gap(std::size_t level) const;
  void measure(double cell);

  std::vector<const Axis*> axes_;
  std::size_t cells_ = 1;
  std::vector<double> extent_;  // of one bin of each level; last: of everything
};

}  // namespace kernatlas::archives
