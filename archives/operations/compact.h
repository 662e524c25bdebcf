// Compact: an atlas without what its reader does not need.
#pragma once

#include <cstddef>
#include <set>
#include <string>

#include "archives/atlas.h"

namespace kernatlas::archives {

struct CompactOptions {
  std::size_t depth = 1;            // elites kept per cell
  bool proposals = true;            // keep them
  std::set<std::string> drop = {};  // names of payload values to leave out
};

struct Compacted {
  Atlas atlas;
  std::size_t dropped_elites = 0;
  std::size_t dropped_proposals = 0;  // not wanted, elites by now, or twice
  std::size_t dropped_values = 0;     // of payloads
};

[[nodiscard]] Compacted compact(const Atlas& atlas, const CompactOptions& options);

}  // namespace kernatlas::archives
