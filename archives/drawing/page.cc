#include "archives/drawing/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "archives/drawing/ticks.h"

namespace kernatlas::archives {
namespace {

constexpr double kBarGap = 26;
constexpr double kBarWidth = 16;
constexpr double kLabelSize = 11;
constexpr double kWidestLabel = 90;
constexpr double kNearEnd = 0.06;

}  // namespace

double page_width(const DrawingOptions& options) {
  constexpr double kLeast = 300;
  constexpr double kMost = 10000;
  return options.width > kLeast ? std::min(options.width, kMost) : kLeast;
}

void draw_head(Svg& svg, double width, std::string_view title, std::string_view summary) {
  constexpr double kSize = 16;
  const double room = width - 2 * kMargin;
  svg.text({kMargin, 28}, shortened(title, kSize, room), {.size = kSize, .bold = true});
  svg.text({kMargin, 46}, shortened(summary, kTitleSize, room),
           {.size = kTitleSize, .fill = "#555555"});
}

std::string objective_text(const DrawingOptions& options, double objective) {
  if (options.objective_text) return options.objective_text(objective);
  return fmt::format("{:.6g}", objective);
}

std::string summary_of(const Archive& archive, const DrawingOptions& options) {
  const Stats& stats = archive.stats();
  if (stats.occupied == 0) {
    return stats.cells > 0 ? fmt::format("none of {} cells occupied", stats.cells)
                           : "nothing stored yet";
  }
  const std::string best = objective_text(options, stats.best);
  return stats.cells > 0
             ? fmt::format("{} of {} cells occupied, best {}", stats.occupied, stats.cells, best)
             : fmt::format("{} stored, best {}", stats.occupied, best);
}

std::string cell_tooltip(const Archive& archive, std::size_t cell, const Elite* elite,
                         const DrawingOptions& options) {
  const auto texts = archive.cell_text(cell);
  std::string out;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const Axis& axis = archive.axes()[i];
    const bool bare = axis.unit().empty() || axis.scale() == Scale::categorical;
    out += fmt::format("{}: {}{}{}\n", axis.name(), texts[i], bare ? "" : " ",
                       bare ? "" : axis.unit());
  }
  if (elite == nullptr) return out + "empty";
  const Entry& entry = elite->entry;
  out += fmt::format("{}: {}", options.objective, objective_text(options, entry.objective));
  if (entry.low < entry.high) {
    out += fmt::format(" [{}, {}]", objective_text(options, entry.low),
                       objective_text(options, entry.high));
  }
  out += fmt::format("\nid: {}", entry.id);
  if (options.elite_text) out += "\n" + options.elite_text(*elite);
  return out;
}

ColourBar::ColourBar(const ColourScale& scale, const DrawingOptions& options)
    : scale_(scale), options_(options), marks_{scale.low()} {
  // The ends are always written; round numbers close to an end are not.
  for (const double mark : round_numbers(scale.low(), scale.high(), 6)) {
    if (scale.place(mark) > kNearEnd && scale.place(mark) < 1 - kNearEnd) marks_.push_back(mark);
  }
  marks_.push_back(scale.high());
}

double ColourBar::width() const {
  double widest = 0;
  for (const double mark : marks_) {
    widest = std::max(widest, text_width(objective_text(options_, mark), kLabelSize));
  }
  return kBarGap + kBarWidth + 8 + std::min(widest, kWidestLabel) + 6 + kTitleHeight;
}

double ColourBar::least_height() const {
  return std::clamp(text_width(options_.objective, kTitleSize) + 4, 110.0, 240.0);
}

void ColourBar::draw(Svg& svg, double x, double from, double to) const {
  constexpr std::size_t kStops = 33;
  std::vector<std::string> colours;
  for (std::size_t i = 0; i < kStops; ++i) {
    colours.push_back(hex(shade(static_cast<double>(i) / (kStops - 1))));
  }
  const double left = x + kBarGap;
  const double right = left + kBarWidth;
  svg.begin("colour-bar", {}, options_.objective);
  svg.gradient("shades", colours);
  svg.rect({left, from, kBarWidth, to - from},
           {.fill = "url(#shades)", .stroke = kGridStroke, .stroke_width = 1});
  double before = to + 100;
  for (const double mark : marks_) {
    const double y = to + scale_.place(mark) * (from - to);
    svg.line({right, y}, {right + 4, y}, {.stroke = "#555555", .stroke_width = 1});
    if (before - y < 12) continue;
    before = y;
    svg.text({right + 8, y + 4},
             shortened(objective_text(options_, mark), kLabelSize, kWidestLabel),
             {.size = kLabelSize});
  }
  const double title = x + width() - 4;
  svg.text({title, (from + to) / 2}, shortened(options_.objective, kTitleSize, to - from),
           {.size = kTitleSize, .anchor = Anchor::middle, .degrees = -90});
  svg.end();
}

}  // namespace kernatlas::archives
