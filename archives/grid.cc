#include "archives/grid.h"

#include <stdexcept>
#include <utility>

#include "archives/cell_index.h"
#include "archives/ranked_cells.h"

namespace kernatlas::archives {

std::unique_ptr<Archive> make_grid(std::vector<Axis> axes, std::unique_ptr<Acceptance> acceptance,
                                   const GridOptions& options) {
  if (!acceptance) throw std::invalid_argument("grid: an acceptance rule is needed");
  ArchiveSpec spec{.kind = "grid",
                   .axes = std::move(axes),
                   .acceptance = std::string(acceptance->name()),
                   .min_gain = acceptance->min_gain(),
                   .floor = options.floor,
                   .options = {{"depth", static_cast<double>(options.depth)}}};
  auto index = make_grid_index(spec.axes);
  return make_ranked_cells(std::move(spec), std::move(index), std::move(acceptance));
}

Kind grid_kind() {
  return {.name = "grid",
          .description = "the product of the axes' bins, the best `depth` entries in each cell",
          .options = {{.name = "depth",
                       .standard = 3,
                       .least = 1,
                       .most = 1e6,
                       .meaning = "entries per cell, the champion included"}},
          .factory = [](const ArchiveSpec& spec) {
            return make_ranked_cells(spec, make_grid_index(spec.axes));
          }};
}

}  // namespace kernatlas::archives
