#include "archives/drawing/ticks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace kernatlas::archives {
namespace {

constexpr double kSize = 11;         // of a label
constexpr double kMark = 5;          // length of a mark
constexpr double kWidest = 150;      // longer labels are cut
constexpr double kAngle = 40;        // of turned labels, in degrees
constexpr double kTurnedStep = 18;   // least distance of turned labels
constexpr double kStackedStep = 13;  // least distance of labels one above the other
const Style kMarkStyle{.stroke = "#555555", .stroke_width = 1};

double label_width(const Tick& tick) {
  return std::min(text_width(tick.text, kSize), kWidest);
}

void label(Svg& svg, Point at, const Tick& tick, Anchor anchor, double degrees = 0) {
  const std::string text = shortened(tick.text, kSize, kWidest);
  svg.text(at, text, {.size = kSize, .anchor = anchor, .degrees = degrees, .halo = true},
           text == tick.text ? std::string_view() : std::string_view(tick.text));
}

// Which labels to draw so that any two are at least `step` apart: of each axis every n-th and both
// ends, then whoever still comes too close to the one before is left out.
std::vector<bool> thinned(const Ticks& ticks, double step) {
  std::vector<bool> labelled(ticks.size(), true);
  std::size_t begin = 0;
  for (std::size_t i = 0; i < ticks.size(); ++i) {
    if (ticks[i].place == Tick::Place::first) begin = i;
    if (ticks[i].place != Tick::Place::last || i == begin) continue;
    const double spacing = std::abs(ticks[i].at - ticks[begin].at) / static_cast<double>(i - begin);
    const std::size_t stride =
        spacing > 0 ? static_cast<std::size_t>(std::ceil(step / spacing)) : ticks.size();
    for (std::size_t k = begin + 1; k < i; ++k) {
      labelled[k] = (k - begin) % stride == 0 && std::abs(ticks[i].at - ticks[k].at) >= step;
    }
  }
  const Tick* before = nullptr;
  for (std::size_t i = 0; i < ticks.size(); ++i) {
    if (!labelled[i]) continue;
    labelled[i] = before == nullptr || std::abs(ticks[i].at - before->at) >= step;
    if (labelled[i]) before = &ticks[i];
  }
  return labelled;
}

}  // namespace

std::vector<std::string> tick_texts(const Axis& axis) {
  if (axis.scale() == Scale::categorical) return axis.labels();
  std::vector<std::string> texts;
  for (const double edge : axis.boundaries()) texts.push_back(fmt::format("{:.6g}", edge));
  if (std::adjacent_find(texts.begin(), texts.end()) == texts.end()) return texts;
  texts.clear();
  for (const double edge : axis.boundaries()) texts.push_back(fmt::format("{}", edge));
  return texts;
}

std::string axis_title(const Axis& axis) {
  return axis.unit().empty() ? axis.name() : fmt::format("{} ({})", axis.name(), axis.unit());
}

Ticks scaled_ticks(const Axis& axis, double from, double to) {
  Ticks ticks;
  const auto texts = tick_texts(axis);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const bool label = axis.scale() == Scale::categorical;
    const double place = label ? (static_cast<double>(i) + 0.5) / static_cast<double>(texts.size())
                               : axis.scaled(axis.boundaries()[i]);
    ticks.push_back({.at = from + place * (to - from), .text = texts[i], .label = label});
  }
  ticks.front().place = Tick::Place::first;
  if (ticks.size() > 1) ticks.back().place = Tick::Place::last;
  return ticks;
}

std::vector<double> round_numbers(double low, double high, std::size_t count) {
  std::vector<double> numbers;
  const double rough = (high - low) / static_cast<double>(std::max<std::size_t>(count, 1));
  if (!std::isfinite(rough) || !(rough > 0)) return numbers;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  double step = power;
  for (const double factor : {1.0, 2.0, 5.0, 10.0}) {
    step = factor * power;
    if (step >= rough * 0.999) break;
  }
  // Where neighbouring doubles are further apart than a step, counting would not end.
  const double first = std::ceil(low / step - 1e-9);
  const double last = std::floor(high / step + 1e-9);
  if (!(last - first < 1000)) return numbers;
  for (double i = first; i <= last; ++i) {
    const double number = i * step;
    if (numbers.empty() || number > numbers.back()) numbers.push_back(number == 0 ? 0 : number);
  }
  return numbers;
}

LabelsBelow::LabelsBelow(Ticks ticks, bool repeated)
    : ticks_(std::move(ticks)), repeated_(repeated), labelled_(ticks_.size(), true) {
  constexpr double kApart = 5;
  double end = -1e9;
  for (const Tick& tick : ticks_) {
    const double width = label_width(tick);
    const Anchor where = anchor(tick);
    const double from = tick.at - (where == Anchor::start    ? 0
                                   : where == Anchor::middle ? width / 2
                                                             : width);
    turned_ = turned_ || from < end + kApart;
    end = from + width;
  }
  if (turned_) labelled_ = thinned(ticks_, kTurnedStep);
}

Anchor LabelsBelow::anchor(const Tick& tick) const {
  if (!repeated_ || tick.label || tick.place == Tick::Place::inner) return Anchor::middle;
  return tick.place == Tick::Place::first ? Anchor::start : Anchor::end;
}

double LabelsBelow::height() const {
  if (!turned_) return kMark + kSize + 4;
  double width = 0;
  for (const Tick& tick : ticks_) width = std::max(width, label_width(tick));
  return kMark + width * std::sin(kAngle * std::numbers::pi / 180) + kSize;
}

void LabelsBelow::draw(Svg& svg, double y) const {
  for (std::size_t i = 0; i < ticks_.size(); ++i) {
    const Tick& tick = ticks_[i];
    svg.line({tick.at, y}, {tick.at, y + kMark}, kMarkStyle);
    if (!labelled_[i]) continue;
    if (turned_) {
      label(svg, {tick.at + 3, y + kMark + kSize - 2}, tick, Anchor::end, -kAngle);
    } else {
      label(svg, {tick.at, y + kMark + kSize}, tick, anchor(tick));
    }
  }
}

LabelsLeft::LabelsLeft(Ticks ticks)
    : ticks_(std::move(ticks)), labelled_(thinned(ticks_, kStackedStep)) {}

double LabelsLeft::width() const {
  double width = 0;
  for (std::size_t i = 0; i < ticks_.size(); ++i) {
    if (labelled_[i]) width = std::max(width, label_width(ticks_[i]));
  }
  return kMark + 3 + width;
}

void LabelsLeft::draw(Svg& svg, double x) const {
  for (std::size_t i = 0; i < ticks_.size(); ++i) {
    const Tick& tick = ticks_[i];
    svg.line({x - kMark, tick.at}, {x, tick.at}, kMarkStyle);
    if (labelled_[i]) label(svg, {x - kMark - 3, tick.at + 4}, tick, Anchor::end);
  }
}

}  // namespace kernatlas::archives
