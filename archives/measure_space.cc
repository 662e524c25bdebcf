#include "archives/measure_space.h"

#include <utility>

namespace kernatlas::archives {

MeasureSpace::MeasureSpace(std::vector<Axis> axes) : axes_(std::move(axes)) {
  for (const Axis& axis : axes_) categorical_.push_back(axis.scale() == Scale::categorical);
}

void MeasureSpace::scale(std::span<const double> measures, double* place) const {
  for (std::size_t i = 0; i < axes_.size(); ++i) place[i] = axes_[i].scaled(measures[i]);
}

void MeasureSpace::unscale(std::span<const double> place, double* measures) const {
  for (std::size_t i = 0; i < axes_.size(); ++i) measures[i] = axes_[i].unscaled(place[i]);
}

}  // namespace kernatlas::archives
