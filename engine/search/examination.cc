#include "engine/search/examination.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <vector>

namespace kernatlas {

namespace {

using archives::Elite;

// Champions by falling objective; ties by ticket, so that the order is always the same.
std::vector<const Elite*> champions_best_first(const archives::Archive& archive) {
  std::vector<const Elite*> champions;
  for (const std::size_t cell : archive.occupied()) champions.push_back(archive.champion(cell));
  std::sort(champions.begin(), champions.end(), [](const Elite* a, const Elite* b) {
    if (a->entry.objective != b->entry.objective) return a->entry.objective > b->entry.objective;
    return a->entry.id < b->entry.id;
  });
  return champions;
}

class Sums {
 public:
  explicit Sums(double floor) : floor_(floor) {}

  void count(const Elite& elite, const Outcome& outcome) {
    ++summary.examined;
    summary.raw_qd_score += std::max(0.0, elite.entry.objective - floor_);
    if (!outcome.measured()) {
      ++summary.failed;
      return;
    }
    summary.corrected_qd_score += std::max(0.0, outcome.fitness - floor_);
    if (outcome.fitness > best_) {
      best_ = outcome.fitness;
      summary.best_ticket = elite.entry.id;
    }
  }

  ExaminationSummary summary;

 private:
  double floor_;
  double best_ = -std::numeric_limits<double>::infinity();
};

Outcome examine(const Candidate& candidate, Bench& bench, std::uint64_t ticket) {
  const auto compiled = bench.compiler().compile(candidate);
  if (!compiled) return compiled.error();
  return bench.evaluators().front()->examine(candidate, **compiled, ticket);
}

}  // namespace

Result<Candidate> candidate_of(const SettledRow& row, const std::vector<Tunable>& options) {
  Candidate candidate{row.source, {}, {}};
  auto assignment = from_text(row.source->tunables(), row.assignment);
  if (!assignment) return fail(assignment.error());
  candidate.assignment = *std::move(assignment);
  if (row.options.empty()) return candidate;
  auto values = from_text(options, row.options);
  if (!values) return fail(values.error());
  candidate.options = *std::move(values);
  return candidate;
}

Result<ExaminationSummary> examine_elites(
    const archives::Archive& archive, Bench& bench, RunDatabase& database,
    const ExaminationOptions& options,
    const std::function<void(std::size_t, std::size_t)>& progress) {
  const auto start = std::chrono::steady_clock::now();
  const auto champions = champions_best_first(archive);
  const std::size_t total = std::min(champions.size(), options.max_elites);
  Sums sums(archive.floor());
  for (std::size_t i = 0; i < total; ++i) {
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    if (elapsed.count() > options.max_seconds) break;
    if (options.interrupt != nullptr && options.interrupt->load() > 0) break;
    const std::uint64_t ticket = champions[i]->entry.id;
    const auto row = database.reader().row(ticket);
    if (!row) {
      return fail({.code = ErrorCode::internal,
                   .message = "elite " + std::to_string(ticket) + " is not in the run database"});
    }
    const auto candidate = candidate_of(*row, bench.options());
    if (!candidate) return fail(candidate.error());
    const Outcome outcome = examine(*candidate, bench, ticket);
    // The machine's fault says nothing about the elite: it simply stays unexamined.
    if (outcome.kind == OutcomeKind::device_lost) continue;
    if (auto stored = database.add_examination(ticket, outcome); !stored) {
      return fail(stored.error());
    }
    sums.count(*champions[i], outcome);
    if (progress) progress(i + 1, total);
  }
  return sums.summary;
}

ExaminationSummary summarise_examinations(const archives::Archive& archive,
                                          const RunReader& reader) {
  Sums sums(archive.floor());
  for (const Elite* elite : champions_best_first(archive)) {
    if (const auto outcome = reader.examination(elite->entry.id)) sums.count(*elite, *outcome);
  }
  return sums.summary;
}

}  // namespace kernatlas
