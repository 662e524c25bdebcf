// Ticks: marks along one side of a plot, their labels, and the room that those take.
//
// Every tick has its mark; a label that would touch another one is turned or left out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "archives/axis.h"
#include "archives/drawing/svg.h"

namespace kernatlas::archives {

struct Tick {
  double at = 0;  // along the side, in the picture's coordinates
  std::string text;
  enum class Place { first, inner, last } place = Place::inner;  // within its axis
  bool label = false;  // stands for a bin, not for a boundary
};
using Ticks = std::vector<Tick>;

// What stands at the axis' marks: its boundaries, with as many digits as tell them apart; of a
// categorical axis its labels.
[[nodiscard]] std::vector<std::string> tick_texts(const Axis& axis);
// "name (unit)".
[[nodiscard]] std::string axis_title(const Axis& axis);

// An axis drawn along its scaled space from `from` to `to` (which may be the smaller one): marks at
// the boundaries, or in the middle of each label's share.
[[nodiscard]] Ticks scaled_ticks(const Axis& axis, double from, double to);

// Round numbers (1, 2 or 5 times a power of ten apart) within [low, high], about `count` of them.
// Ends that are the wrong way round or not finite give none.
[[nodiscard]] std::vector<double> round_numbers(double low, double high, std::size_t count);

// Labels beneath a horizontal side.
class LabelsBelow {
 public:
  // `repeated`: several axes side by side share the row, so that labels must not reach beyond their
  // axis.
  LabelsBelow(Ticks ticks, bool repeated = false);
  [[nodiscard]] double height() const;
  void draw(Svg& svg, double y) const;

 private:
  [[nodiscard]] Anchor anchor(const Tick& tick) const;

  Ticks ticks_;  // by rising place
  bool repeated_;
  bool turned_ = false;
  std::vector<bool> labelled_;
};

// Labels to the left of a vertical side.
class LabelsLeft {
 public:
  explicit LabelsLeft(Ticks ticks);
  [[nodiscard]] double width() const;
  void draw(Svg& svg, double x) const;

 private:
  Ticks ticks_;
  std::vector<bool> labelled_;
};

}  // namespace kernatlas::archives
