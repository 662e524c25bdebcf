// Diff: what two atlases have in common and what they do not.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "archives/atlas.h"
#include "archives/registry.h"

namespace kernatlas::archives {

// A cell whose champions differ; where one side is missing the cell is empty there.
struct CellChange {
  std::size_t cell = 0;
  std::vector<std::string> text = {};             // one bin text per axis
  std::optional<double> before = {}, after = {};  // the champions' objectives
  std::string key_before = {}, key_after = {};
  [[nodiscard]] bool opened() const { return !before; }
  [[nodiscard]] bool lost() const { return !after; }
  // After minus before; only where both are there.
  [[nodiscard]] double gain() const { return *after - *before; }
};

struct Difference {
  bool same_subject = false;
  bool same_contract = false;  // else objectives cannot be compared: gains mean nothing
  bool same_cells = false;     // both maps have the same cells; else there are no changes below
  Stats before, after;
  std::size_t same_champions = 0;  // cells with one and the same champion (by key)
  std::size_t opened = 0, lost = 0, better = 0, worse = 0;  // of the changes; equal ones in neither
  std::vector<CellChange> changes;  // opened and lost ones first, then by falling size of the gain
  std::size_t shared_keys = 0, only_before = 0, only_after = 0;  // elites by key, wherever they lie
};

// An error when one of the states cannot be an archive.
[[nodiscard]] Expected<Difference> diff(const Atlas& before, const Atlas& after,
                                        const ArchiveKinds& kinds);

}  // namespace kernatlas::archives
