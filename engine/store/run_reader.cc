#include "engine/store/run_reader.h"

#include <utility>

#include "engine/store/run_info.h"
#include "engine/store/schema.h"

namespace kernatlas::store {
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
  if (bind) bind(*statement);
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
  const bool complete = each("SELECT key, value FROM info", nullptr, [&](const Statement& from) {
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
  each_rising("SELECT kind, evaluations, duplicates FROM total ORDER BY kind", nullptr,
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
      nullptr, [&](const Statement& from) {
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
  const bool complete =
      each_rising("SELECT id, name FROM operator ORDER BY id", nullptr, [&](const Statement& from) {
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

}  // namespace kernatlas::store
