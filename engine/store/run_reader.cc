#include "engine/store/run_reader.h"

#include <cctype>
#include <utility>

#include "engine/store/run_info.h"
#include "engine/store/schema.h"

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

bool fits(std::int64_t value, std::int64_t last) {
  return value >= 0 && value <= last;
}

void no_parameters(Statement&) {}

std::optional<Language> parse_language(std::string_view text) {
  for (int i = 0; i <= static_cast<int>(Language::recorded); ++i) {
    if (name(static_cast<Language>(i)) == text) return static_cast<Language>(i);
  }
  return std::nullopt;
}

}  // namespace

// The table `word`, read when a row names one that is not known yet.
class SqliteRunReader::Words final : public WordDecoder {
 public:
  explicit Words(const SqliteRunReader& reader) : reader_(reader) {}
  [[nodiscard]] std::optional<std::string> word(std::uint32_t number) const override {
    auto found = known_.find(number);
    if (found == known_.end()) {
      load();
      found = known_.find(number);
    }
    if (found == known_.end()) return std::nullopt;
    return found->second;
  }

 private:
  void load() const {
    reader_.each_rising(
        "SELECT id, text FROM word WHERE id > ? ORDER BY id",
        [&](Statement& query) {
          query.bind(1, known_.empty() ? std::int64_t{0} : std::int64_t{known_.rbegin()->first});
        },
        [&](const Statement& row) {
          if (!fits(row.column_int(0), 0xffff'ffff)) return reader_.damaged("a word's number");
          known_.emplace(static_cast<std::uint32_t>(row.column_int(0)), row.column_bytes(1));
          return true;
        });
  }
  const SqliteRunReader& reader_;
  mutable std::map<std::uint32_t, std::string> known_;
};

SqliteRunReader::SqliteRunReader(Database database)
    : database_(std::move(database)), words_(std::make_unique<Words>(*this)) {}

SqliteRunReader::~SqliteRunReader() = default;

Result<std::unique_ptr<SqliteRunReader>> SqliteRunReader::open(
    const std::filesystem::path& run_dir) {
  auto database = open_to_read(run_dir);
  if (!database) return fail(database.error());
  std::unique_ptr<SqliteRunReader> reader(new SqliteRunReader(*std::move(database)));
  RunInfo info;
  (void)reader->read_info(info);
  (void)reader->totals();
  (void)reader->operators();
  if (auto health = reader->health(); !health) return fail(health.error());
  return reader;
}

bool SqliteRunReader::each(const std::string& query, const std::function<void(Statement&)>& bind,
                           const std::function<bool(const Statement&)>& row) const {
  auto statement = database_.prepare(query);
  if (!statement) {
    note(statement.error());
    return false;
  }
  bind(*statement);
  for (;;) {
    switch (statement->step()) {
      case Statement::Step::row:
        if (!row(*statement)) return false;
        break;
      case Statement::Step::done:
        return true;
      case Statement::Step::failed:
        note(database_.error());
        return false;
    }
  }
}

bool SqliteRunReader::each_rising(const std::string& query,
                                  const std::function<void(Statement&)>& bind,
                                  const std::function<bool(const Statement&)>& row) const {
  std::optional<std::int64_t> previous;
  return each(query, bind, [&](const Statement& from) {
    const std::int64_t key = from.column_int(0);
    if (previous && key <= *previous) return damaged("the order of rows");
    previous = key;
    return row(from);
  });
}

void SqliteRunReader::note(Error error) const {
  if (!damage_) damage_ = std::move(error);
}

bool SqliteRunReader::damaged(const std::string& what) const {
  note({.code = ErrorCode::bad_input,
        .message = "the run database is damaged: " + what + " makes no sense",
        .file = database_.file().string(),
        .expected = "what docs/formats/run-directory.md describes",
        .hint = "check the disk; restore the folder from a copy if you have one"});
  return false;
}

Result<void> SqliteRunReader::health() const {
  if (damage_) return fail(*damage_);
  return {};
}

bool SqliteRunReader::read_info(RunInfo& info) const {
  std::map<std::string, std::string> rows;
  const bool complete =
      each("SELECT key, value FROM info", no_parameters, [&](const Statement& from) {
        const bool fresh = rows.emplace(from.column_bytes(0), from.column_bytes(1)).second;
        return fresh || damaged("a repeated key in table info");
      });
  if (!complete) return false;
  const auto wrong = from_rows(rows, info);
  return !wrong || damaged("the value of '" + *wrong + "' in table info");
}

RunInfo SqliteRunReader::info() const {
  RunInfo info;
  (void)read_info(info);
  return info;
}

RunReader::Totals SqliteRunReader::totals() const {
  const ReadTransaction moment(database_);
  Totals totals;
  each_rising("SELECT kind, evaluations, duplicates FROM total ORDER BY kind", no_parameters,
              [&](const Statement& from) {
                if (!fits(from.column_int(0), kOutcomeKinds - 1) || from.column_int(1) < 0 ||
                    from.column_int(2) < 0) {
                  return damaged("a row of table total");
                }
                const auto count = static_cast<std::uint64_t>(from.column_int(1));
                totals.outcomes.emplace_back(static_cast<OutcomeKind>(from.column_int(0)), count);
                totals.evaluations += count;
                totals.duplicates += static_cast<std::uint64_t>(from.column_int(2));
                return true;
              });
  each_rising(
      "SELECT id, elapsed_s, finish_reason, finish_evaluations, finish_unix_ms FROM session "
      "ORDER BY id",
      no_parameters, [&](const Statement& from) {
        const double elapsed_s = from.column_double(1);
        if (!(elapsed_s >= 0) || from.column_int(3) < 0) return damaged("a row of table session");
        totals.elapsed_s += elapsed_s;
        // The last session's end is the run's end.
        totals.finish.reason = from.column_bytes(2);
        totals.finish.evaluations = static_cast<std::uint64_t>(from.column_int(3));
        totals.finish.unix_ms = from.column_int(4);
        return true;
      });
  return totals;
}

Finish SqliteRunReader::finish() const {
  return totals().finish;
}
double SqliteRunReader::elapsed_s() const {
  return totals().elapsed_s;
}
std::uint64_t SqliteRunReader::evaluations() const {
  return totals().evaluations;
}
std::uint64_t SqliteRunReader::duplicates() const {
  return totals().duplicates;
}
std::vector<std::pair<OutcomeKind, std::uint64_t>> SqliteRunReader::outcomes() const {
  return totals().outcomes;
}

std::vector<std::string> SqliteRunReader::operators() const {
  std::vector<std::string> names;
  const bool complete = each_rising(
      "SELECT id, name FROM operator ORDER BY id", no_parameters, [&](const Statement& from) {
        if (from.column_int(0) != static_cast<std::int64_t>(names.size())) {
          return damaged("the numbering of table operator");
        }
        names.emplace_back(from.column_bytes(1));
        return true;
      });
  if (complete) operators_ = names;
  return names;
}

const std::string* SqliteRunReader::operator_name(std::int64_t id) const {
  const auto index = static_cast<std::size_t>(id);
  if (id >= 0 && index >= operators_.size()) (void)operators();
  return id >= 0 && index < operators_.size() ? &operators_[index] : nullptr;
}

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
  each_rising(std::string(kWholeColumns) + " WHERE e.kept = 1 ORDER BY e.ticket", no_parameters,
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
