#include "archives/cvt.h"

#include <fmt/format.h>

#include <array>
#include <stdexcept>
#include <utility>

#include "archives/grid.h"
#include "archives/measure_space.h"
#include "archives/nearest.h"
#include "archives/ranked_cells.h"

namespace kernatlas::archives {
namespace {

std::vector<double> scaled_points(const MeasureSpace& space, const std::vector<double>& points) {
  const std::size_t width = space.dimensions();
  if (points.empty() || points.size() % width != 0) {
    throw std::invalid_argument(
        fmt::format("cvt: {} numbers are no centroids of {} axes", points.size(), width));
  }
  std::vector<double> scaled(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Axis& axis = space.axes()[i % width];
    if (!axis.locate(points[i])) {
      throw std::invalid_argument(fmt::format("cvt: centroid {}: axis \"{}\" has no place for {}",
                                              i / width, axis.name(), points[i]));
    }
    scaled[i] = axis.scaled(points[i]);
  }
  return scaled;
}

class VoronoiIndex final : public CellIndex {
 public:
  VoronoiIndex(const std::vector<Axis>& axes, const std::vector<double>& points)
      : space_(axes), centroids_(scaled_points(space_, points)) {
    nearest_ = quickest_nearest(space_, centroids_);
  }

  std::size_t cells() const override { return centroids_.size() / space_.dimensions(); }

  std::size_t cell(std::span<const double> measures, std::span<const Bin>) const override {
    constexpr std::size_t kFew = 32;
    if (space_.dimensions() <= kFew) {
      std::array<double, kFew> place;
      space_.scale(measures, place.data());
      return nearest_->nearest(place.data());
    }
    std::vector<double> place(space_.dimensions());
    space_.scale(measures, place.data());
    return nearest_->nearest(place.data());
  }

  std::vector<std::string> text(std::size_t cell) const override {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < space_.dimensions(); ++i) {
      const Axis& axis = space_.axes()[i];
      const double measure = axis.unscaled(centroid(cell)[i]);
      texts.push_back(space_.categorical(i) ? axis.bin_text(axis.locate(measure)->index)
                                            : fmt::format("near {:.6g}", measure));
    }
    return texts;
  }

  std::vector<std::size_t> neighbours(std::size_t cell) const override {
    auto found = nearest_->nearest(centroid(cell), 2 * space_.dimensions() + 1);
    std::erase(found, cell);
    if (found.size() > 2 * space_.dimensions()) found.pop_back();
    return found;
  }

 private:
  const double* centroid(std::size_t cell) const {
    return centroids_.data() + cell * space_.dimensions();
  }

  MeasureSpace space_;
  std::vector<double> centroids_;  // scaled
  std::unique_ptr<Nearest> nearest_;
};

}  // namespace

std::unique_ptr<CellIndex> make_voronoi_index(const std::vector<Axis>& axes,
                                              const std::vector<double>& points) {
  // The grid's checks of the axes hold here too; its limit of cells does not.
  if (axes.empty()) throw std::invalid_argument("cvt: at least one axis is needed");
  for (std::size_t i = 0; i < axes.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (axes[i].name() == axes[j].name()) {
        throw std::invalid_argument(fmt::format("cvt: two axes named \"{}\"", axes[i].name()));
      }
    }
  }
  return std::make_unique<VoronoiIndex>(axes, points);
}

std::unique_ptr<CellIndex> make_cell_index(const ArchiveSpec& spec) {
  if (spec.points.empty()) return make_grid_index(spec.axes);
  return make_voronoi_index(spec.axes, spec.points);
}

Kind cvt_kind() {
  return {.name = "cvt",
          .description = "cells around given centroids, the best `depth` entries in each",
          .options = grid_kind().options,
          .factory =
              [](const ArchiveSpec& spec) {
                return make_ranked_cells(spec, make_voronoi_index(spec.axes, spec.points));
              },
          .points = true};
}

}  // namespace kernatlas::archives
