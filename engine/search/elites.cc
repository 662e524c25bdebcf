#include "engine/search/elites.h"

#include <algorithm>

#include "archives/grid.h"

namespace kernatlas {

namespace {

// The evaluator's finding already is a statistical judgement; the archive needs no second
// threshold.
constexpr double kMinGain = 0;

}  // namespace

std::unique_ptr<archives::Archive> make_run_archive(std::vector<archives::Axis> axes,
                                                    std::size_t depth) {
  return archives::make_grid(std::move(axes), archives::interleaved_acceptance(kMinGain),
                             {.depth = std::max<std::size_t>(depth, 1)});
}

Elites::Elites(std::vector<archives::Axis> axes, std::size_t depth)
    : archive_(make_run_archive(std::move(axes), depth)) {}

archives::AddOutcome Elites::add(const archives::Entry& entry, const Candidate& candidate,
                                 CompiledPtr compiled,
                                 const std::optional<archives::Evidence>& evidence) {
  archives::AddOutcome added = archive_->add(entry, evidence);
  if (!added.kept) return added;
  candidates_.insert_or_assign(entry.id, candidate);
  for (const std::uint64_t id : added.dropped) candidates_.erase(id);
  using archives::AddStatus;
  if (added.status == AddStatus::opened || added.status == AddStatus::improved) {
    if (compiled != nullptr) compiled_.emplace_back(entry.id, std::move(compiled));
    if (compiled_.size() > kCompiledLimit) compiled_.pop_front();
    if (!best_ || entry.objective > best_->objective) {
      best_ = entry;
    } else {
      find_best();
    }
  }
  return added;
}

// Evidence may replace the best champion by one with a lower objective: then all have to be asked.
void Elites::find_best() {
  const archives::Entry* best = nullptr;
  for (const std::size_t cell : archive_->occupied()) {
    const archives::Entry& entry = archive_->champion(cell)->entry;
    if (best == nullptr || entry.objective > best->objective ||
        (entry.objective == best->objective && entry.id < best->id)) {
      best = &entry;
    }
  }
  if (best != nullptr) best_ = *best;
}

const Candidate* Elites::candidate(std::uint64_t ticket) const {
  const auto found = candidates_.find(ticket);
  return found == candidates_.end() ? nullptr : &found->second;
}

CompiledPtr Elites::compiled(std::uint64_t ticket) const {
  for (const auto& [id, compiled] : compiled_) {
    if (id == ticket) return compiled;
  }
  return nullptr;
}

archives::Entry make_entry(std::uint64_t ticket, const Outcome& outcome,
                           std::vector<double> measures) {
  archives::Entry entry{.id = ticket,
                        .objective = outcome.fitness,
                        .low = outcome.fitness_interval.low,
                        .high = outcome.fitness_interval.high,
                        .measures = std::move(measures),
                        .size = 0,
                        .samples = std::max<std::uint64_t>(outcome.samples(), 1)};
  if (const FeatureValue* size = outcome.features.find("code_bytes")) {
    if (const auto* bytes = std::get_if<double>(size)) entry.size = *bytes;
  }
  return entry;
}

std::optional<archives::Evidence> evidence_of(const Verdict& verdict) {
  if (!verdict.comparison) return std::nullopt;
  return archives::Evidence{
      .incumbent = verdict.compared_with,
      .gain = verdict.comparison->log2_gain,
      .conclusive = verdict.comparison->finding == Comparison::Finding::faster};
}

}  // namespace kernatlas
