// MeasureSpace: distances between points whose axes have different units and scales.
//
// A numeric axis counts in its scaled space (Axis::scaled), so a log2 axis in octaves and a
// quantile axis in ranks; a categorical axis adds 1 to the squared distance when the labels differ,
// as much as the whole width of a numeric axis (the overlap metric of Wilson and Martinez,
// "Improved heterogeneous distance functions", 1997). Points are row-major, one number per axis,
// numeric ones already scaled.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "archives/axis.h"

namespace kernatlas::archives {

class MeasureSpace {
 public:
  explicit MeasureSpace(std::vector<Axis> axes);

  [[nodiscard]] std::size_t dimensions() const { return axes_.size(); }
  [[nodiscard]] bool categorical(std::size_t axis) const { return categorical_[axis] != 0; }
  [[nodiscard]] const std::vector<Axis>& axes() const { return axes_; }

  // dimensions() measures to as many places, and back. A place is finite for every measure that
  // the axis can locate.
  void scale(std::span<const double> measures, double* place) const;
  void unscale(std::span<const double> place, double* measures) const;

  // Symmetric to the last bit; the terms are summed in the order of the axes.
  [[nodiscard]] double squared(const double* a, const double* b) const {
    double sum = 0;
    for (std::size_t i = 0; i < categorical_.size(); ++i) {
      const double step = a[i] - b[i];
      sum += categorical_[i] != 0 ? static_cast<double>(step != 0) : step * step;
    }
    return sum;
  }

 private:
  std::vector<Axis> axes_;
  std::vector<char> categorical_;
};

}  // namespace kernatlas::archives
