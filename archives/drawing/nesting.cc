#include "archives/drawing/nesting.h"

#include <algorithm>
#include <utility>

namespace kernatlas::archives {

Nesting::Nesting(std::vector<const Axis*> axes) : axes_(std::move(axes)) {
  for (const Axis* axis : axes_) cells_ *= axis->bins();
  measure(1);
}

// Wide enough that the last label of one repetition and the first of the next do not meet.
double Nesting::gap(std::size_t level) const {
  return level == 0 ? 0 : 8 + 10 * static_cast<double>(level);
}

void Nesting::measure(double cell) {
  extent_ = {cell};
  for (std::size_t level = 0; level < axes_.size(); ++level) {
    const auto bins = static_cast<double>(axes_[level]->bins());
    extent_.push_back(bins * (extent_.back() + gap(level)) - gap(level));
  }
}

double Nesting::cell_for(double length) const {
  Nesting without(axes_);
  without.measure(0);
  return (length - without.length()) / static_cast<double>(cells_);
}

void Nesting::set_cell(double cell) {
  measure(cell);
}

double Nesting::offset(std::size_t index) const {
  double offset = 0;
  for (std::size_t level = 0; level < axes_.size(); ++level) {
    const std::size_t bins = axes_[level]->bins();
    offset += static_cast<double>(index % bins) * (extent_[level] + gap(level));
    index /= bins;
  }
  return offset;
}

std::size_t Nesting::repetitions(std::size_t level) const {
  std::size_t repetitions = 1;
  for (std::size_t i = level + 1; i < axes_.size(); ++i) repetitions *= axes_[i]->bins();
  return repetitions;
}

Nesting::Span Nesting::span(std::size_t level, std::size_t repetition) const {
  const std::size_t inside = cells_ / repetitions(level);
  const double from = offset(repetition * inside);
  return {from, from + extent_[level + 1]};
}

Nesting::Span Nesting::bin(std::size_t level, std::size_t repetition, std::size_t bin) const {
  const double from =
      span(level, repetition).from + static_cast<double>(bin) * (extent_[level] + gap(level));
  return {from, from + extent_[level]};
}

Ticks Nesting::ticks(std::size_t level, double origin, double direction) const {
  const auto texts = tick_texts(axis(level));
  const bool labels = axis(level).scale() == Scale::categorical;
  Ticks ticks;
  for (std::size_t r = 0; r < repetitions(level); ++r) {
    for (std::size_t i = 0; i < texts.size(); ++i) {
      double at = span(level, r).to;
      if (labels) {
        at = (bin(level, r, i).from + bin(level, r, i).to) / 2;
      } else if (i + 1 < texts.size()) {
        at = bin(level, r, i).from - (i > 0 ? gap(level) / 2 : 0);
      }
      const auto place = i == 0                  ? Tick::Place::first
                         : i + 1 == texts.size() ? Tick::Place::last
                                                 : Tick::Place::inner;
      ticks.push_back(
          {.at = origin + direction * at, .text = texts[i], .place = place, .label = labels});
    }
  }
  return ticks;
}

}  // namespace kernatlas::archives
