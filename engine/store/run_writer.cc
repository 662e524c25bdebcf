#include "engine/store/run_writer.h"

#include <sqlite3.h>

#include <chrono>

#include "engine/store/run_lock.h"

namespace kernatlas::store {
namespace {

// Longer texts are unlikely to come again, and a dictionary must not grow without end.
constexpr std::size_t kLongestWord = 200;
constexpr std::size_t kMostWords = 100'000;

std::int64_t now_unix_ms() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

std::string_view cut(std::string_view detail) {
  return detail.substr(0, kDetailLimit);
}

}  // namespace

Result<std::unique_ptr<RunWriter>> RunWriter::open(Database database) {
  std::unique_ptr<RunWriter> writer(new RunWriter(std::move(database)));
  if (auto done = writer->prepare(); !done) return fail(done.error());
  if (auto done = writer->load(); !done) return fail(done.error());
  if (auto done = writer->begin_session(); !done) return fail(done.error());
  return writer;
}

Result<void> RunWriter::prepare() {
  const std::pair<Statement*, const char*> statements[] = {
      {&statements_.evaluation, "INSERT INTO evaluation VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?)"},
      {&statements_.record, "INSERT INTO record VALUES(?,?,?,?,?)"},
      {&statements_.log, "INSERT INTO log VALUES(?,?)"},
      {&statements_.source, "INSERT INTO source(hash, language, file, text) VALUES(?,?,?,?)"},
      {&statements_.find_source, "SELECT id FROM source WHERE hash = ?"},
      {&statements_.operator_name, "INSERT INTO operator VALUES(?,?)"},
      {&statements_.word, "INSERT INTO word VALUES(?,?)"},
      {&statements_.total, "INSERT OR REPLACE INTO total VALUES(?,?,?)"},
      {&statements_.session, "UPDATE session SET elapsed_s = ? WHERE id = ?"},
  };
  for (const auto& [statement, sql] : statements) {
    auto prepared = database_.prepare(sql);
    if (!prepared) return fail(prepared.error());
    *statement = *std::move(prepared);
  }
  return {};
}

Result<void> RunWriter::load() {
  auto words = database_.prepare("SELECT id, text FROM word");
  if (!words) return fail(words.error());
  while (words->step() == Statement::Step::row) {
    words_.emplace(words->column_bytes(1), static_cast<std::uint32_t>(words->column_int(0)));
  }
  auto operators = database_.prepare("SELECT id, name FROM operator");
  if (!operators) return fail(operators.error());
  while (operators->step() == Statement::Step::row) {
    operators_.emplace(operators->column_bytes(1), operators->column_int(0));
  }
  auto totals = database_.prepare("SELECT kind, evaluations, duplicates FROM total");
  if (!totals) return fail(totals.error());
  while (totals->step() == Statement::Step::row) {
    const auto kind = static_cast<std::size_t>(totals->column_int(0));
    if (kind >= totals_.size()) continue;
    totals_[kind].evaluations = static_cast<std::uint64_t>(totals->column_int(1));
    totals_[kind].duplicates = static_cast<std::uint64_t>(totals->column_int(2));
  }
  if (database_.code() != SQLITE_OK && database_.code() != SQLITE_DONE) {
    return fail(database_.error());
  }
  return {};
}

Result<void> RunWriter::begin_session() {
  auto begun = database_.prepare(
      "INSERT INTO session(process, started_unix_ms, elapsed_s, finish_reason, "
      "finish_evaluations, finish_unix_ms) VALUES(?, ?, 0, '', 0, 0) RETURNING id");
  if (!begun) return fail(begun.error());
  const std::string process = process_text();
  begun->bind_text(1, process);
  begun->bind(2, now_unix_ms());
  if (begun->step() != Statement::Step::row) return fail(database_.error());
  session_ = begun->column_int(0);
  if (begun->step() != Statement::Step::done) return fail(database_.error());
  return {};
}

bool RunWriter::run(Statement& statement) {
  const bool done = statement.step() == Statement::Step::done;
  if (!done && !failed_) failed_ = database_.error();
  statement.reset();
  return done;
}

Result<void> RunWriter::run_once(std::string_view sql,
                                 std::initializer_list<std::string_view> texts) {
  auto statement = database_.prepare(sql);
  if (!statement) return fail(statement.error());
  int index = 0;
  for (const std::string_view text : texts) statement->bind_text(++index, text);
  if (!run(*statement)) return fail(*failed_);
  return {};
}

Result<void> RunWriter::begin() {
  return database_.execute("BEGIN IMMEDIATE");
}

std::uint32_t RunWriter::word(std::string_view text) {
  if (text.empty() || text.size() > kLongestWord) return 0;
  std::string key(text);
  const auto known = words_.find(key);
  if (known != words_.end()) return known->second;
  if (words_.size() >= kMostWords) return 0;
  const auto number = static_cast<std::uint32_t>(words_.size() + 1);
  statements_.word.bind(1, std::int64_t{number});
  statements_.word.bind_text(2, key);
  if (!run(statements_.word)) return 0;
  words_.emplace(std::move(key), number);
  return number;
}

std::int64_t RunWriter::operator_id(const std::string& name) {
  const auto known = operators_.find(name);
  if (known != operators_.end()) return known->second;
  const auto id = static_cast<std::int64_t>(operators_.size());
  statements_.operator_name.bind(1, id);
  statements_.operator_name.bind_text(2, name);
  if (run(statements_.operator_name)) operators_.emplace(name, id);
  return id;
}

std::int64_t RunWriter::source_id(const KernelSource& source) {
  const auto known = sources_.find(source.hash());
  if (known != sources_.end()) return known->second;
  const std::string hash = hash_bytes(source.hash());
  Statement& find = statements_.find_source;
  find.bind_blob(1, hash);
  const Statement::Step found = find.step();
  std::int64_t id = found == Statement::Step::row ? find.column_int(0) : 0;
  if (found == Statement::Step::failed) failed_ = database_.error();
  find.reset();

  if (found == Statement::Step::done) {
    Statement& insert = statements_.source;
    const std::string language(name(source.language()));
    insert.bind_blob(1, hash);
    insert.bind_text(2, language);
    insert.bind_text(3, source.file());
    insert.bind_blob(4, packer_.pack(source.text()));
    if (run(insert)) id = database_.last_row();
  }
  if (!failed_) sources_.emplace(source.hash(), id);
  return id;
}

Result<bool> RunWriter::insert_evaluation(const SettledRow& row, std::int64_t op) {
  const std::string candidate = hash_bytes(row.candidate);
  Statement& insert = statements_.evaluation;
  insert.bind(1, static_cast<std::int64_t>(row.ticket));
  insert.bind_blob(2, candidate);
  insert.bind(3, op);
  insert.bind(4, std::int64_t{row.duplicates_before});
  insert.bind(5, static_cast<std::int64_t>(row.outcome.kind));
  insert.bind(6, static_cast<std::int64_t>(row.verdict.kind));
  insert.bind(7, static_cast<std::int64_t>(row.verdict.cell));
  insert.bind(8, std::int64_t{row.verdict.kept});
  insert.bind(9, row.verdict.gain);
  insert.bind(10, row.outcome.fitness);
  insert.bind(11, row.outcome.fitness_interval.low);
  insert.bind(12, row.outcome.fitness_interval.high);
  insert.bind(13, row.outcome.costs.total_s());
  const bool done = insert.step() == Statement::Step::done;
  const int code = done ? SQLITE_OK : database_.extended_code();
  const bool settled = code == SQLITE_CONSTRAINT_PRIMARYKEY || code == SQLITE_CONSTRAINT_ROWID;
  if (!done && !settled) failed_ = database_.error();
  insert.reset();
  if (failed_) return fail(*failed_);
  return done;
}

Result<void> RunWriter::insert_record(const SettledRow& row) {
  const std::int64_t source = row.source == nullptr ? 0 : source_id(*row.source);
  body_.clear();
  encode_body(row, *this, body_);
  Statement& record = statements_.record;
  record.bind(1, static_cast<std::int64_t>(row.ticket));
  if (row.source == nullptr) {
    record.bind_null(2);
  } else {
    record.bind(2, source);
  }
  record.bind_text(3, row.assignment);
  record.bind_text(4, row.options);
  record.bind_blob(5, body_.bytes());
  if (failed_ || !run(record)) return fail(*failed_);
  if (row.outcome.detail.empty()) return {};
  statements_.log.bind(1, static_cast<std::int64_t>(row.ticket));
  statements_.log.bind_blob(2, packer_.pack(cut(row.outcome.detail)));
  if (!run(statements_.log)) return fail(*failed_);
  return {};
}

Result<bool> RunWriter::insert(const SettledRow& row) {
  const std::int64_t op = operator_id(row.op);
  if (failed_) return fail(*failed_);
  auto fresh = insert_evaluation(row, op);
  if (!fresh || !*fresh) return fresh;
  if (auto done = insert_record(row); !done) return fail(done.error());
  Total& total = totals_[static_cast<std::size_t>(row.outcome.kind)];
  ++total.evaluations;
  total.duplicates += row.duplicates_before;
  total.changed = true;
  return true;
}

Result<void> RunWriter::examine(std::uint64_t ticket, const Outcome& outcome,
                                std::int64_t unix_ms) {
  auto insert = database_.prepare("INSERT OR REPLACE INTO examination VALUES(?,?,?,?,?,?,?,?)");
  if (!insert) return fail(insert.error());
  body_.clear();
  encode_outcome(outcome, *this, body_);
  if (failed_) return fail(*failed_);
  insert->bind(1, static_cast<std::int64_t>(ticket));
  insert->bind(2, unix_ms);
  insert->bind(3, static_cast<std::int64_t>(outcome.kind));
  insert->bind(4, outcome.fitness);
  insert->bind(5, outcome.fitness_interval.low);
  insert->bind(6, outcome.fitness_interval.high);
  insert->bind_blob(7, body_.bytes());
  insert->bind_blob(8, packer_.pack(cut(outcome.detail)));
  if (!run(*insert)) return fail(*failed_);
  return {};
}

Result<void> RunWriter::finish(const std::string& reason, std::int64_t unix_ms) {
  std::uint64_t evaluations = 0;
  for (const Total& total : totals_) evaluations += total.evaluations;
  auto update = database_.prepare(
      "UPDATE session SET finish_reason = ?, finish_evaluations = ?, finish_unix_ms = ? "
      "WHERE id = ?");
  if (!update) return fail(update.error());
  update->bind_text(1, reason);
  update->bind(2, static_cast<std::int64_t>(evaluations));
  update->bind(3, unix_ms);
  update->bind(4, session_);
  if (!run(*update)) return fail(*failed_);
  return {};
}

Result<void> RunWriter::set_budget(const std::string& budget) {
  return run_once("INSERT OR REPLACE INTO info VALUES('budget', ?)", {budget});
}

Result<void> RunWriter::put_state(const std::string& key, const std::string& value) {
  return run_once("INSERT OR REPLACE INTO state VALUES(?, CAST(? AS BLOB))", {key, value});
}

Result<void> RunWriter::commit(double elapsed_s) {
  for (std::size_t kind = 0; kind < totals_.size(); ++kind) {
    Total& total = totals_[kind];
    if (!total.changed) continue;
    statements_.total.bind(1, static_cast<std::int64_t>(kind));
    statements_.total.bind(2, static_cast<std::int64_t>(total.evaluations));
    statements_.total.bind(3, static_cast<std::int64_t>(total.duplicates));
    if (!run(statements_.total)) return fail(*failed_);
    total.changed = false;
  }
  statements_.session.bind(1, elapsed_s);
  statements_.session.bind(2, session_);
  if (!run(statements_.session)) return fail(*failed_);
  return database_.execute("COMMIT");
}

void RunWriter::rollback() {
  if (database_.in_transaction()) (void)database_.execute("ROLLBACK");
}

Result<std::unordered_map<std::string, std::string>> RunWriter::states() {
  auto query = database_.prepare("SELECT key, value FROM state");
  if (!query) return fail(query.error());
  std::unordered_map<std::string, std::string> states;
  for (;;) {
    switch (query->step()) {
      case Statement::Step::row:
        states.emplace(query->column_bytes(0), query->column_bytes(1));
        break;
      case Statement::Step::done:
        return states;
      case Statement::Step::failed:
        return fail(database_.error());
    }
  }
}

}  // namespace kernatlas::store
