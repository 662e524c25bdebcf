#include "engine/search/settler.h"

#include <algorithm>
#include <chrono>

#include "engine/search/axes.h"
#include "engine/search/examination.h"

namespace kernatlas {

namespace {

Verdict::Kind kind_of(archives::AddStatus status) {
  switch (status) {
    case archives::AddStatus::rejected:
      return Verdict::Kind::rejected;
    case archives::AddStatus::improved:
      return Verdict::Kind::improved;
    case archives::AddStatus::opened:
      return Verdict::Kind::opened;
    case archives::AddStatus::contested:
      return Verdict::Kind::contested;
    case archives::AddStatus::refused:
      return Verdict::Kind::refused;
  }
  return Verdict::Kind::none;
}

std::int64_t unix_ms() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

}  // namespace

Settler::Settler(Elites& elites, OperatorMix& mix, std::span<Operator* const> operators)
    : elites_(elites), mix_(mix), operators_(operators) {}

Result<std::optional<Contest>> Settler::judge(Job& job) {
  job.verdict = {};
  if (!job.outcome.measured()) return std::nullopt;
  auto measures = measures_of(elites_.archive().axes(), job.outcome.features, job.candidate);
  if (!measures) {
    // The axes are wrong when they never worked; later on, the candidate is.
    if (!measures_known_) return fail(measures.error());
    job.verdict.kind = Verdict::Kind::refused;
    return std::nullopt;
  }
  measures_known_ = true;
  entry_ = make_entry(job.ticket, job.outcome, std::move(*measures));
  // A run that racing cut short has no time worth keeping, only a verdict.
  if (job.outcome.was_cut()) {
    job.verdict.kind = Verdict::Kind::rejected;
    job.verdict.cell = elites_.archive().cell_of(entry_.measures).value_or(0);
    return std::nullopt;
  }
  return add(job, std::nullopt);
}

std::optional<Contest> Settler::judge(Job& job, std::uint64_t incumbent,
                                      const Comparison& comparison) {
  // Others may have been judged while this comparison ran.
  auto measures = measures_of(elites_.archive().axes(), job.outcome.features, job.candidate);
  KERNATLAS_CHECK(measures.has_value());
  entry_ = make_entry(job.ticket, job.outcome, std::move(*measures));
  job.verdict.comparison = comparison;
  job.verdict.compared_with = incumbent;
  return add(job, evidence_of(job.verdict));
}

void Settler::concede(Job& job, std::uint64_t incumbent) {
  Comparison comparison;
  comparison.finding = Comparison::Finding::ambiguous;
  comparison.message = "the champion changed during every comparison";
  const auto contest = judge(job, incumbent, comparison);
  KERNATLAS_CHECK(!contest);
}

std::optional<Contest> Settler::add(Job& job, const std::optional<archives::Evidence>& evidence) {
  const archives::AddOutcome added = elites_.add(entry_, job.candidate, job.compiled, evidence);
  job.verdict.kind = kind_of(added.status);
  job.verdict.cell = added.cell;
  job.verdict.gain = added.gain;
  job.verdict.kept = added.kept;
  if (added.status != archives::AddStatus::contested) return std::nullopt;
  const Candidate* candidate = elites_.candidate(*added.incumbent);
  KERNATLAS_CHECK(candidate != nullptr);
  return Contest{*added.incumbent, *candidate, elites_.compiled(*added.incumbent)};
}

void Settler::count(OutcomeKind kind, Verdict::Kind verdict, std::uint32_t duplicates) {
  ++counts_.settled;
  ++counts_.outcomes[static_cast<std::size_t>(kind)];
  counts_.duplicates += duplicates;
  counts_.opened += verdict == Verdict::Kind::opened ? 1 : 0;
  counts_.improved += verdict == Verdict::Kind::improved ? 1 : 0;
  counts_.rejected += verdict == Verdict::Kind::rejected ? 1 : 0;
  counts_.refused += verdict == Verdict::Kind::refused ? 1 : 0;
  const bool gained = verdict == Verdict::Kind::opened || verdict == Verdict::Kind::improved;
  counts_.since_gain = gained ? 0 : counts_.since_gain + 1;
}

void Settler::learn(std::size_t arm, const Settled& settled, Verdict::Kind verdict) {
  if (arm >= operators_.size()) return;  // an operator the policy no longer has
  operators_[arm]->learn(settled);
  mix_.learn(arm, verdict, settled.gain, settled.cost_s);
}

// (time, ticket) has to order kept rows as they were settled, whatever the wall clock does and
// whoever of two in one millisecond came first.
std::int64_t Settler::settlement_time(const Job& job) {
  last_unix_ms_ = std::max(last_unix_ms_, unix_ms());
  if (!job.verdict.kept) return last_unix_ms_;
  if (last_unix_ms_ == last_kept_unix_ms_ && job.ticket < last_kept_ticket_) ++last_unix_ms_;
  last_kept_unix_ms_ = last_unix_ms_;
  last_kept_ticket_ = job.ticket;
  return last_unix_ms_;
}

SettledRow Settler::finish(Job& job, const std::vector<Tunable>& options) {
  const Verdict::Kind verdict = job.verdict.kind;
  count(job.outcome.kind, verdict, job.duplicates);
  learn(job.arm,
        {.ticket = job.ticket,
         .kind = job.outcome.kind,
         .opened = verdict == Verdict::Kind::opened,
         .improved = verdict == Verdict::Kind::improved,
         .gain = job.verdict.gain,
         .cost_s = job.outcome.costs.total_s(),
         .duplicate = false},
        verdict);
  SettledRow row;
  row.ticket = job.ticket;
  row.candidate = job.id;
  row.source = job.candidate.source;
  row.assignment = to_text(job.candidate.source->tunables(), job.candidate.assignment);
  if (!job.candidate.options.empty()) row.options = to_text(options, job.candidate.options);
  row.op = operators_[job.arm]->name();
  row.parents = std::move(job.parents);
  row.duplicates_before = job.duplicates;
  row.outcome = std::move(job.outcome);
  row.settled_unix_ms = settlement_time(job);
  row.verdict = std::move(job.verdict);
  return row;
}

void Settler::replay(const HotRow& row, std::size_t arm) {
  count(row.kind, row.verdict, row.duplicates_before);
  learn(arm,
        {.ticket = row.ticket,
         .kind = row.kind,
         .opened = row.verdict == Verdict::Kind::opened,
         .improved = row.verdict == Verdict::Kind::improved,
         .gain = row.gain,
         .cost_s = row.cost_s,
         .duplicate = false},
        row.verdict);
}

void Settler::replay(const KeptEntry& kept) {
  measures_known_ = true;
  elites_.add(kept.entry, kept.candidate, nullptr, kept.evidence);
  last_unix_ms_ = std::max(last_unix_ms_, kept.settled_unix_ms);
  last_kept_unix_ms_ = kept.settled_unix_ms;
  last_kept_ticket_ = kept.entry.id;
}

Result<KeptEntry> kept_entry(const SettledRow& row, const std::vector<archives::Axis>& axes,
                             const std::vector<Tunable>& options) {
  auto candidate = candidate_of(row, options);
  if (!candidate) return fail(candidate.error());
  auto measures = measures_of(axes, row.outcome.features, *candidate);
  if (!measures) return fail(measures.error());
  return KeptEntry{make_entry(row.ticket, row.outcome, std::move(*measures)), std::move(*candidate),
                   evidence_of(row.verdict), row.settled_unix_ms};
}

void sort_by_settlement(std::vector<KeptEntry>& kept) {
  std::sort(kept.begin(), kept.end(), [](const KeptEntry& a, const KeptEntry& b) {
    return a.settled_unix_ms != b.settled_unix_ms ? a.settled_unix_ms < b.settled_unix_ms
                                                  : a.entry.id < b.entry.id;
  });
}

}  // namespace kernatlas
