// The rows of SqliteRunReader: evaluations, their records and sources, examinations.
#include <string>
#include <utility>

#include "engine/store/run_reader.h"

namespace kernatlas::store {
namespace {

constexpr std::uint8_t kLastVerdict = static_cast<std::uint8_t>(Verdict::Kind::refused);
constexpr std::size_t kSourceCache = 4096;

constexpr const char* kHotColumns =
    "SELECT ticket, candidate, operator, duplicates_before, kind, verdict, cell, kept, gain, "
    "fitness, fitness_low, fitness_high, cost_s FROM evaluation";
constexpr const char* kWholeColumns =
    "SELECT e.ticket, candidate, operator, duplicates_before, kind, verdict, cell, kept, gain, "
    "fitness, fitness_low, fitness_high, cost_s, source, assignment, options, body, log.text "
    "FROM evaluation AS e LEFT JOIN record AS r ON r.ticket = e.ticket "
    "LEFT JOIN log ON log.ticket = e.ticket";

Interval interval_at(const Statement& from, int column) {
  return {from.column_double(column), from.column_double(column + 1)};
}

std::optional<Language> parse_language(std::string_view text) {
  for (int i = 0; i <= static_cast<int>(Language::recorded); ++i) {
    if (name(static_cast<Language>(i)) == text) return static_cast<Language>(i);
  }
  return std::nullopt;
}

}  // namespace

bool SqliteRunReader::read_hot(const Statement& from, HotRow& row) const {
  const auto candidate = hash_from_bytes(from.column_bytes(1));
  const std::int64_t op = from.column_int(2);
  const std::int64_t duplicates = from.column_int(3);
  const std::int64_t kind = from.column_int(4);
  const std::int64_t verdict = from.column_int(5);
  const std::int64_t kept = from.column_int(7);
  if (!candidate || operator_name(op) == nullptr || !fits(duplicates, 0xffff'ffff) ||
      !fits(kind, kOutcomeKinds - 1) || !fits(verdict, kLastVerdict) || !fits(kept, 1)) {
    return damaged("evaluation " + std::to_string(from.column_int(0)));
  }
  row.ticket = static_cast<std::uint64_t>(from.column_int(0));
  row.candidate = *candidate;
  row.op = static_cast<std::uint32_t>(op);
  row.duplicates_before = static_cast<std::uint32_t>(duplicates);
  row.kind = static_cast<OutcomeKind>(kind);
  row.verdict = static_cast<Verdict::Kind>(verdict);
  row.cell = static_cast<std::uint64_t>(from.column_int(6));
  row.kept = kept == 1;
  row.gain = from.column_double(8);
  row.fitness = from.column_double(9);
  row.fitness_interval = interval_at(from, 10);
  row.cost_s = from.column_double(12);
  return true;
}

bool SqliteRunReader::read_row(const Statement& from, SettledRow& row) const {
  HotRow hot;
  if (!read_hot(from, hot)) return false;
  row.ticket = hot.ticket;
  row.candidate = hot.candidate;
  row.op = *operator_name(hot.op);
  row.duplicates_before = hot.duplicates_before;
  row.verdict.kind = hot.verdict;
  row.verdict.cell = hot.cell;
  row.verdict.gain = hot.gain;
  row.verdict.kept = hot.kept;
  row.outcome.kind = hot.kind;
  row.outcome.fitness = hot.fitness;
  row.outcome.fitness_interval = hot.fitness_interval;
  const std::string what = "the record of evaluation " + std::to_string(hot.ticket);
  if (!from.column_null(13)) {
    row.source = source(from.column_int(13));
    if (row.source == nullptr) return damaged(what);
  }
  row.assignment = from.column_bytes(14);
  row.options = from.column_bytes(15);
  if (!decode_body(from.column_bytes(16), *words_, row)) return damaged(what);
  if (!from.column_null(17)) {
    auto detail = unpack_text(from.column_bytes(17));
    if (!detail) return damaged("the log of evaluation " + std::to_string(hot.ticket));
    row.outcome.detail = *std::move(detail);
  }
  return true;
}

KernelSourcePtr SqliteRunReader::source(std::int64_t id) const {
  const auto known = sources_.find(id);
  if (known != sources_.end()) return known->second;
  KernelSourcePtr found;
  each(
      "SELECT language, file, text FROM source WHERE id = ?",
      [&](Statement& query) { query.bind(1, id); },
      [&](const Statement& from) {
        auto text = unpack_text(from.column_bytes(2));
        if (!text) return damaged("source " + std::to_string(id));
        const auto language = parse_language(from.column_bytes(0));
        if (!language) return damaged("the language of source " + std::to_string(id));
        auto parsed =
            KernelSource::parse(*std::move(text), *language, std::string(from.column_bytes(1)));
        if (!parsed) {
          note(parsed.error());
          return false;
        }
        found = *parsed;
        return true;
      });
  if (sources_.size() >= kSourceCache) sources_.clear();
  if (found != nullptr) sources_.emplace(id, found);
  return found;
}

void SqliteRunReader::hot_rows(std::uint64_t from_ticket,
                               const std::function<bool(const HotRow&)>& row) const {
  const ReadTransaction moment(database_);
  HotRow hot;
  std::uint64_t count = 0;
  const bool complete = each_rising(
      std::string(kHotColumns) + " WHERE ticket >= ? ORDER BY ticket",
      [&](Statement& query) { query.bind(1, static_cast<std::int64_t>(from_ticket)); },
      [&](const Statement& from) {
        ++count;
        return read_hot(from, hot) && row(hot);
      });
  // A full pass is the occasion to see that rows and totals agree.
  if (complete && from_ticket == 0 && count != totals().evaluations) {
    (void)damaged("the number of evaluations");
  }
}

void SqliteRunReader::kept_rows(const std::function<bool(const SettledRow&)>& row) const {
  const ReadTransaction moment(database_);
  each_rising(std::string(kWholeColumns) + " WHERE e.kept = 1 ORDER BY e.ticket", nullptr,
              [&](const Statement& from) {
                SettledRow whole;
                return read_row(from, whole) && row(whole);
              });
}

std::optional<SettledRow> SqliteRunReader::row(std::uint64_t ticket) const {
  const ReadTransaction moment(database_);
  std::optional<SettledRow> found;
  each(
      std::string(kWholeColumns) + " WHERE e.ticket = ?",
      [&](Statement& query) { query.bind(1, static_cast<std::int64_t>(ticket)); },
      [&](const Statement& from) {
        SettledRow whole;
        if (read_row(from, whole)) found = std::move(whole);
        return false;
      });
  return found;
}

std::optional<Outcome> SqliteRunReader::examination(std::uint64_t ticket) const {
  const ReadTransaction moment(database_);
  std::optional<Outcome> found;
  each(
      "SELECT kind, fitness, fitness_low, fitness_high, body, log FROM examination "
      "WHERE ticket = ?",
      [&](Statement& query) { query.bind(1, static_cast<std::int64_t>(ticket)); },
      [&](const Statement& from) {
        Outcome outcome;
        ByteReader body(from.column_bytes(4));
        auto detail = unpack_text(from.column_bytes(5));
        if (!fits(from.column_int(0), kOutcomeKinds - 1) || !detail ||
            !decode_outcome(body, *words_, outcome) || !body.at_end()) {
          return damaged("the examination of evaluation " + std::to_string(ticket));
        }
        outcome.kind = static_cast<OutcomeKind>(from.column_int(0));
        outcome.fitness = from.column_double(1);
        outcome.fitness_interval = interval_at(from, 2);
        outcome.detail = *std::move(detail);
        found = std::move(outcome);
        return false;
      });
  return found;
}

}  // namespace kernatlas::store
