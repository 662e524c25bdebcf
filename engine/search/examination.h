// The final examination: the elites of a run, measured once more and checked on the holdout
// workloads.
//
// A search keeps whoever was measured best, and luck is part of every measurement; the examination
// is the honest number beside the raw one. Its outcomes are stored; `show` reports both.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "archives/archive.h"
#include "backends/backend.h"
#include "engine/store/run_database.h"
#include "kernel/result.h"
#include "kernel/task.h"

namespace kernatlas {

struct ExaminationOptions {
  std::size_t max_elites = 16;  // best first
  double max_seconds = 60;
  const std::atomic<int>* interrupt = nullptr;  // non-zero: stop after the present elite
};

struct ExaminationSummary {
  std::size_t examined = 0;
  std::size_t failed = 0;         // wrong on a holdout, or not measurable any more
  double raw_qd_score = 0;        // of the examined elites: sum of max(0, fitness - floor)
  double corrected_qd_score = 0;  // the same from the examination's fitness; failed ones count 0
  std::optional<std::uint64_t> best_ticket;  // best by the examination's fitness
};

// Candidate of a settled row, its assignment and options parsed again.
[[nodiscard]] Result<Candidate> candidate_of(const SettledRow& row,
                                             const std::vector<Tunable>& options);

// Examines the champions best first and stores each outcome.
[[nodiscard]] Result<ExaminationSummary> examine_elites(
    const archives::Archive& archive, Bench& bench, RunDatabase& database,
    const ExaminationOptions& options,
    const std::function<void(std::size_t done, std::size_t total)>& progress = {});

// The same sums from what is stored, for `show`.
[[nodiscard]] ExaminationSummary summarise_examinations(const archives::Archive& archive,
                                                        const RunReader& reader);

}  // namespace kernatlas
