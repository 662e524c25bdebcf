// Elites: the archive together with the candidates its entries stand for.
//
// The archive knows tickets only; whoever needs a kernel (a parent, an incumbent to compare with)
// finds it here. Candidates are held as long as the archive holds their entry, compiled code only
// for the latest champions.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "archives/archive.h"
#include "backends/backend.h"
#include "engine/store/run_database.h"
#include "kernel/candidate.h"

namespace kernatlas {

// The archive a run keeps; throws std::invalid_argument as make_grid does.
[[nodiscard]] std::unique_ptr<archives::Archive> make_run_archive(std::vector<archives::Axis> axes,
                                                                  std::size_t depth);

class Elites {
 public:
  static constexpr std::size_t kCompiledLimit = 64;

  // Throws as make_run_archive does.
  Elites(std::vector<archives::Axis> axes, std::size_t depth);

  // Adds to the archive; on success the candidate is held, and those that fell out are let go.
  archives::AddOutcome add(const archives::Entry& entry, const Candidate& candidate,
                           CompiledPtr compiled, const std::optional<archives::Evidence>& evidence);

  [[nodiscard]] const archives::Archive& archive() const { return *archive_; }
  [[nodiscard]] const Candidate* candidate(std::uint64_t ticket) const;
  // Null when it was let go, or came from an earlier session: compile again.
  [[nodiscard]] CompiledPtr compiled(std::uint64_t ticket) const;
  // The champion with the highest objective (ties: the earlier ticket), null before the first.
  [[nodiscard]] const archives::Entry* best() const { return best_ ? &*best_ : nullptr; }

 private:
  void find_best();

  std::unique_ptr<archives::Archive> archive_;
  std::unordered_map<std::uint64_t, Candidate> candidates_;
  std::deque<std::pair<std::uint64_t, CompiledPtr>> compiled_;
  std::optional<archives::Entry> best_;
};

// What a candidate measured as `outcome` is to the archive.
[[nodiscard]] archives::Entry make_entry(std::uint64_t ticket, const Outcome& outcome,
                                         std::vector<double> measures);
// The evidence a settled row's comparison gave, as it was handed to the archive.
[[nodiscard]] std::optional<archives::Evidence> evidence_of(const Verdict& verdict);

}  // namespace kernatlas
