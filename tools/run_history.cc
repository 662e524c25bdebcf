#include "tools/run_history.h"

#include <fmt/core.h>

#include <algorithm>

#include "engine/search/elites.h"
#include "engine/search/search.h"
#include "engine/search/settler.h"

namespace kernatlas {

namespace {

// How many settled evaluations there are up to each kept ticket.
std::unordered_map<std::uint64_t, std::uint64_t> settled_before(const RunReader& reader,
                                                                std::uint64_t& total) {
  std::unordered_map<std::uint64_t, std::uint64_t> counts;
  total = 0;
  reader.hot_rows(0, [&](const HotRow& row) {
    ++total;
    if (row.kept) counts.emplace(row.ticket, total);
    return true;
  });
  return counts;
}

}  // namespace

Result<RunHistory> RunHistory::read(const RunReader& reader) {
  RunHistory history;
  history.info_ = reader.info();
  // The archive as everybody else sees it says what kind of archive grows.
  const auto last = rebuild_archive(reader);
  if (!last) return fail(last.error());
  history.spec_ = (*last)->spec();
  std::vector<KeptEntry> kept;
  std::optional<Error> error;
  reader.kept_rows([&](const SettledRow& row) {
    SettledRow plain = row;
    plain.options.clear();  // the compile options' names are not needed here
    auto entry = kept_entry(plain, history.spec_.axes, {});
    if (!entry) {
      error = entry.error();
      return false;
    }
    history.texts_.emplace(row.ticket,
                           row.assignment.empty()
                               ? row.candidate.short_hex()
                               : fmt::format("{}: {}", row.candidate.short_hex(), row.assignment));
    kept.push_back(std::move(*entry));
    return true;
  });
  if (error) return fail(*error);
  const auto counts = settled_before(reader, history.evaluations_);
  if (auto healthy = reader.health(); !healthy) return fail(healthy.error());
  sort_by_settlement(kept);
  std::uint64_t moment = 0;
  for (KeptEntry& each : kept) {
    const auto found = counts.find(each.entry.id);
    if (found != counts.end()) moment = std::max(moment, found->second);
    history.added_.push_back({std::move(each.entry), each.evidence, moment});
  }
  return history;
}

Result<void> RunHistory::replay(const std::vector<std::uint64_t>& moments, const Show& show) const {
  const auto archive = archives::builtin_kinds().make(spec_);
  if (!archive) return fail({.code = ErrorCode::internal, .message = archive.error()});
  std::size_t next = 0;
  for (const std::uint64_t moment : moments) {
    for (; next < added_.size() && added_[next].moment <= moment; ++next) {
      (*archive)->add(added_[next].entry, added_[next].evidence);
    }
    if (auto shown = show(moment, **archive); !shown) return shown;
  }
  return {};
}

Result<void> RunHistory::replay(const Show& show) const {
  std::vector<std::uint64_t> moments;
  for (const Added& each : added_) {
    if (moments.empty() || moments.back() != each.moment) moments.push_back(each.moment);
  }
  return replay(moments, show);
}

std::string RunHistory::candidate_text(std::uint64_t ticket) const {
  const auto found = texts_.find(ticket);
  return found == texts_.end() ? std::string() : found->second;
}

}  // namespace kernatlas
