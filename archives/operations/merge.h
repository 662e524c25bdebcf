// Merge: several atlases of one subject become one.
//
// Where contracts agree, elites meet by their objectives. Where they do not, the elites of the
// others become proposals: what a clock said elsewhere says nothing here.
//
// The result depends on the set of atlases only: merging is commutative, and merging with something
// that is in already changes nothing. Elites with one key are one: of two measurements the one with
// more samples stands. Ids are given anew, in the order of keys.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "archives/atlas.h"
#include "archives/registry.h"

namespace kernatlas::archives {

struct MergeOptions {
  // Whose objectives stand; nothing: that of the most elites (ties: the smaller text).
  std::optional<std::string> contract;
};

struct Merged {
  Atlas atlas;
  std::size_t read = 0;        // elites of all inputs
  std::size_t foreign = 0;     // of these, under other contracts
  std::size_t duplicates = 0;  // elites with a key that another one has too
};

// Errors: nothing to merge; different subjects; archives of one contract that differ in kind, axes
// or rules (re-bin one of them first); no archive of the contract asked for.
[[nodiscard]] Expected<Merged> merge(std::span<const Atlas> inputs, const ArchiveKinds& kinds,
                                     const MergeOptions& options = {});

}  // namespace kernatlas::archives
