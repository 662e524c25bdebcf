#include "archives/entry.h"

#include <algorithm>

namespace kernatlas::archives {

bool better(const Entry& a, const Entry& b) {
  if (a.objective != b.objective) return a.objective > b.objective;
  if (a.size != b.size) return a.size < b.size;
  return a.id < b.id;
}

double Stats::edge_share(std::size_t axis) const {
  const std::uint64_t placed = adds() - refused;
  if (placed == 0) return 0;
  return static_cast<double>(std::max(first.at(axis), last.at(axis))) / static_cast<double>(placed);
}

}  // namespace kernatlas::archives
