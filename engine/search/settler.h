// Settler: what happens when an outcome is known: the archive's verdict, learning, counting, and
// one row for the database. The same steps, from rows instead of jobs, bring a resumed run back.
//
// Thread safety: none; the search serialises. Only a comparison, which takes a device and its time,
// happens outside: judge() says which one is wanted and is asked again with its result.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/adaptation/operator_mix.h"
#include "engine/search/elites.h"
#include "engine/search/job.h"
#include "engine/search/search.h"
#include "engine/store/run_database.h"
#include "operators/operator.h"

namespace kernatlas {

// A comparison that the archive wants before it decides.
struct Contest {
  std::uint64_t incumbent = 0;  // ticket
  Candidate candidate;          // the incumbent's
  CompiledPtr compiled;         // null: compile again
};

// A settled row boiled down to what the archive needs.
struct KeptEntry {
  archives::Entry entry;
  Candidate candidate;
  std::optional<archives::Evidence> evidence;
  std::int64_t settled_unix_ms = 0;
};

class Settler {
 public:
  // Counts over all sessions.
  struct Counts {
    std::uint64_t settled = 0;
    std::uint64_t duplicates = 0;
    std::uint64_t since_gain = 0;  // settled since an elite was opened or improved
    std::vector<std::uint64_t> outcomes = std::vector<std::uint64_t>(kOutcomeKinds, 0);
    std::uint64_t opened = 0, improved = 0, rejected = 0, refused = 0;
  };

  Settler(Elites& elites, OperatorMix& mix, std::span<Operator* const> operators);

  // Asks the archive. Returns the comparison it wants first, or nothing once job.verdict stands.
  // An Error when the archive's axes ask for what the backend does not report at all.
  [[nodiscard]] Result<std::optional<Contest>> judge(Job& job);
  // The same again, knowing how the comparison went.
  [[nodiscard]] std::optional<Contest> judge(Job& job, std::uint64_t incumbent,
                                             const Comparison& comparison);
  // Ends a contest that would not end: the incumbent stays.
  void concede(Job& job, std::uint64_t incumbent);
  // Learning and counting; then the row. The job's outcome is moved into it.
  [[nodiscard]] SettledRow finish(Job& job, const std::vector<Tunable>& options);

  // Resume. A row's counts and lessons; its archive entry, where it was kept.
  void replay(const HotRow& row, std::size_t arm);
  void replay(const KeptEntry& kept);

  [[nodiscard]] const Counts& counts() const { return counts_; }

 private:
  std::optional<Contest> add(Job& job, const std::optional<archives::Evidence>& evidence);
  void count(OutcomeKind kind, Verdict::Kind verdict, std::uint32_t duplicates);
  void learn(std::size_t arm, const Settled& settled, Verdict::Kind verdict);
  std::int64_t settlement_time(const Job& job);

  Elites& elites_;
  OperatorMix& mix_;
  std::span<Operator* const> operators_;
  Counts counts_;
  bool measures_known_ = false;  // the axes have worked for some candidate
  archives::Entry entry_;        // of the job being judged
  std::int64_t last_unix_ms_ = 0;
  std::uint64_t last_kept_ticket_ = 0;
  std::int64_t last_kept_unix_ms_ = 0;
};

// Boils a whole row down. An Error when it does not fit the axes or the task.
[[nodiscard]] Result<KeptEntry> kept_entry(const SettledRow& row,
                                           const std::vector<archives::Axis>& axes,
                                           const std::vector<Tunable>& options);

// The order in which kept rows were settled: by time, then by ticket. Settling keeps it exact.
void sort_by_settlement(std::vector<KeptEntry>& kept);

}  // namespace kernatlas
