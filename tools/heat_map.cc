#include "tools/heat_map.h"

#include <fmt/color.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

namespace kernatlas {

namespace {

using archives::Archive;
using archives::Axis;
using archives::Elite;

// Bins of a cell's champion, one per axis.
std::vector<std::size_t> bins_of(const Archive& archive, const Elite& elite) {
  std::vector<std::size_t> bins;
  for (std::size_t i = 0; i < archive.axes().size(); ++i) {
    const auto bin = archive.axes()[i].locate(elite.entry.measures[i]);
    bins.push_back(bin ? bin->index : 0);
  }
  return bins;
}

// From slow (dark blue) to fast (yellow), by rank between the archive's worst and best.
fmt::rgb shade(double fitness, double worst, double best) {
  // A single elite, or equal ones, sit in the middle: no division by a zero range.
  const double t = best > worst ? (fitness - worst) / (best - worst) : 0.5;
  const auto mix = [t](double a, double b) { return static_cast<std::uint8_t>(a + (b - a) * t); };
  return {mix(40, 250), mix(60, 210), mix(140, 60)};
}

struct Panel {
  std::map<std::pair<std::size_t, std::size_t>, double> fitness;  // (row, column)
};

std::string cell_text(double fitness) {
  const double speedup = std::exp2(fitness);
  return speedup >= 100 ? fmt::format("{:>5.0f} ", speedup)
                        : fmt::format("{:>5.{}f} ", speedup, speedup >= 10 ? 1 : 2);
}

std::size_t label_width(const Axis& axis) {
  std::size_t width = axis.name().size();
  for (std::size_t i = 0; i < axis.bins(); ++i) width = std::max(width, axis.bin_text(i).size());
  return width;
}

std::string panel_text(const Panel& panel, const Axis& rows, const Axis* columns, Palette palette,
                       double worst, double best) {
  const std::size_t width = label_width(rows);
  const std::size_t count = columns != nullptr ? columns->bins() : 1;
  std::string out;
  for (std::size_t r = 0; r < rows.bins(); ++r) {
    out += fmt::format("  {:>{}} ", rows.bin_text(r), width);
    for (std::size_t c = 0; c < count; ++c) {
      const auto found = panel.fitness.find({r, c});
      if (found == panel.fitness.end()) {
        out += "    . ";
      } else if (palette == Palette::plain) {
        out += cell_text(found->second);
      } else {
        out += fmt::format(
            "{}", fmt::styled(cell_text(found->second), fmt::bg(shade(found->second, worst, best)) |
                                                            fmt::fg(fmt::color::black)));
      }
    }
    out += '\n';
  }
  if (columns == nullptr) return out;
  out += fmt::format("  {:>{}} ", "", width);
  for (std::size_t c = 0; c < count; ++c) {
    out += fmt::format("{:>5.5} ", columns->bin_text(c));
  }
  return out + fmt::format("  {}\n", columns->name());
}

}  // namespace

std::string heat_map(const Archive& archive, Palette palette, std::size_t max_panels) {
  if (archive.occupied().empty()) return "  (no elite yet)\n";
  const auto& axes = archive.axes();
  std::map<std::vector<std::size_t>, Panel> panels;
  double worst = INFINITY;
  double best = -INFINITY;
  for (const std::size_t cell : archive.occupied()) {
    const Elite& elite = *archive.champion(cell);
    const auto bins = bins_of(archive, elite);
    const double fitness = elite.entry.objective;
    worst = std::min(worst, fitness);
    best = std::max(best, fitness);
    const std::vector<std::size_t> rest(
        bins.begin() + std::min<std::ptrdiff_t>(2, std::ssize(bins)), bins.end());
    panels[rest].fitness[{bins[0], bins.size() > 1 ? bins[1] : 0}] = fitness;
  }
  std::string out;
  std::size_t shown = 0;
  for (const auto& [rest, panel] : panels) {
    if (shown++ == max_panels) {
      out += fmt::format("  … and {} more panels\n", panels.size() - max_panels);
      break;
    }
    std::string title = axes[0].name() + " (rows)";
    for (std::size_t i = 0; i < rest.size(); ++i) {
      title += fmt::format(", {} = {}", axes[i + 2].name(), axes[i + 2].bin_text(rest[i]));
    }
    out += fmt::format("  {}\n", title);
    out += panel_text(panel, axes[0], axes.size() > 1 ? &axes[1] : nullptr, palette, worst, best);
  }
  return out;
}

}  // namespace kernatlas
