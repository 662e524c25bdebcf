// Short ways to archives and entries for tests of single kinds.
#pragma once

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "archives/registry.h"

namespace kernatlas::archives::testing {

inline std::unique_ptr<Archive> make(ArchiveSpec spec) {
  auto archive = builtin_kinds().make(std::move(spec));
  if (!archive) FAIL(archive.error());
  return std::move(*archive);
}

// Why there can be no such archive.
inline std::string refusal(ArchiveSpec spec) {
  const auto archive = builtin_kinds().make(std::move(spec));
  REQUIRE_FALSE(archive.has_value());
  return archive.error();
}

inline Entry entry(std::uint64_t id, double objective, std::vector<double> measures,
                   std::vector<double> costs = {}) {
  return {.id = id,
          .objective = objective,
          .low = objective,
          .high = objective,
          .measures = std::move(measures),
          .costs = std::move(costs)};
}

inline std::vector<std::uint64_t> ids(const Archive& archive, std::size_t cell) {
  std::vector<std::uint64_t> result;
  for (const Elite& elite : archive.members(cell)) result.push_back(elite.entry.id);
  return result;
}

}  // namespace kernatlas::archives::testing
