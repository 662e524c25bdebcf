// RunHistory: the archive of a run as it was at any moment, replayed from the run database.
//
// Moments are counted in settled evaluations. Every state shown is one that the archive really had:
// entries are added in the order in which they were settled. In ordered runs the count is exact;
// in others, whose evaluations overtake each other, an entry counts once every evaluation proposed
// before it has settled, which is at most the window of proposals in flight later.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "archives/archive.h"
#include "archives/registry.h"
#include "engine/store/run_database.h"
#include "kernel/result.h"

namespace kernatlas {

class RunHistory {
 public:
  [[nodiscard]] static Result<RunHistory> read(const RunReader& reader);

  [[nodiscard]] const RunInfo& info() const { return info_; }
  [[nodiscard]] std::uint64_t evaluations() const { return evaluations_; }

  // One archive growing, shown after each of `moments` (ascending). O(entries + moments).
  using Show = std::function<Result<void>(std::uint64_t moment, const archives::Archive& archive)>;
  [[nodiscard]] Result<void> replay(const std::vector<std::uint64_t>& moments,
                                    const Show& show) const;
  // Shown whenever an entry was added.
  [[nodiscard]] Result<void> replay(const Show& show) const;

  // "3f2a…: LANES=8 CHUNK=64" of a ticket that was kept; else empty.
  [[nodiscard]] std::string candidate_text(std::uint64_t ticket) const;

 private:
  struct Added {
    archives::Entry entry;
    std::optional<archives::Evidence> evidence;
    std::uint64_t moment = 0;
  };

  RunInfo info_;
  archives::ArchiveSpec spec_;
  std::uint64_t evaluations_ = 0;
  std::vector<Added> added_;  // in the order of settlement; moments never fall
  std::unordered_map<std::uint64_t, std::string> texts_;
};

}  // namespace kernatlas
