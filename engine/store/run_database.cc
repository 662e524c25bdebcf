#include "engine/store/run_database.h"

#include <chrono>
#include <unordered_map>
#include <utility>

#include "engine/store/commit_queue.h"
#include "engine/store/new_folder.h"
#include "engine/store/run_info.h"
#include "engine/store/run_lock.h"
#include "engine/store/run_reader.h"
#include "engine/store/run_writer.h"
#include "engine/store/schema.h"

namespace kernatlas {
namespace {

using namespace store;

std::int64_t now_unix_ms() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

class SqliteRunDatabase final : public RunDatabase {
 public:
  SqliteRunDatabase(RunLock lock, std::unique_ptr<SqliteRunReader> reader,
                    std::unordered_map<std::string, std::string> states,
                    std::unique_ptr<RunWriter> writer)
      : lock_(std::move(lock)),
        states_(std::move(states)),
        queue_(std::move(writer)),
        reader_(std::move(reader)) {}

  Result<void> settle(SettledRow row) override { return queue_.push(std::move(row)); }
  Result<void> flush() override { return queue_.flush(); }
  Result<void> add_examination(std::uint64_t ticket, const Outcome& outcome) override {
    return durably(Examination{ticket, outcome, now_unix_ms()});
  }
  Result<void> set_finish(const std::string& reason) override {
    return durably(FinishChange{reason, now_unix_ms()});
  }
  Result<void> set_budget(const std::string& budget) override {
    return durably(BudgetChange{budget});
  }
  Result<void> put_state(const std::string& key, const std::string& value) override {
    states_[key] = value;
    return queue_.push(StateChange{key, value});
  }
  std::optional<std::string> state(const std::string& key) const override {
    const auto found = states_.find(key);
    if (found == states_.end()) return std::nullopt;
    return found->second;
  }
  const RunReader& reader() const override { return *reader_; }

 private:
  Result<void> durably(Command command) {
    if (auto done = queue_.push(std::move(command)); !done) return done;
    return queue_.flush();
  }

  // In this order: the reader goes first, so that the writer is the last to close the file and
  // tidies up its log; the lock goes last.
  RunLock lock_;
  std::unordered_map<std::string, std::string> states_;  // small: policies keep little
  CommitQueue queue_;
  std::unique_ptr<SqliteRunReader> reader_;
};

Result<void> write_new_database(const std::filesystem::path& file, const RunInfo& info) {
  auto database = Database::open(file, Access::create);
  if (!database) return fail(database.error());
  if (auto done = create_schema(*database); !done) return done;
  auto insert = database->prepare("INSERT INTO info VALUES(?, ?)");
  if (!insert) return fail(insert.error());
  if (auto begun = database->execute("BEGIN"); !begun) return begun;
  for (const auto& [key, value] : to_rows(info)) {
    insert->bind_text(1, key);
    insert->bind_text(2, value);
    if (insert->step() != Statement::Step::done) return fail(database->error());
    insert->reset();
  }
  return database->execute("COMMIT");
}

// What create() and open() share once there is a run and its lock is held by `lock`.
struct Parts {
  std::unique_ptr<SqliteRunReader> reader;
  std::unordered_map<std::string, std::string> states;
  std::unique_ptr<RunWriter> writer;
};

Result<Parts> open_parts(const std::filesystem::path& run_dir) {
  Parts parts;
  auto database = Database::open(database_file(run_dir), Access::write);
  if (!database) return fail(database.error());
  if (auto done = configure_writer(*database); !done) return fail(done.error());
  if (auto done = apply_steps(*database, schema_steps()); !done) return fail(done.error());
  auto reader = SqliteRunReader::open(run_dir);
  if (!reader) return fail(reader.error());
  parts.reader = *std::move(reader);
  auto writer = RunWriter::open(*std::move(database));
  if (!writer) return fail(writer.error());
  parts.writer = *std::move(writer);
  auto states = parts.writer->states();
  if (!states) return fail(states.error());
  parts.states = *std::move(states);
  return parts;
}

std::unique_ptr<RunDatabase> assemble(RunLock lock, Parts parts) {
  return std::make_unique<SqliteRunDatabase>(std::move(lock), std::move(parts.reader),
                                             std::move(parts.states), std::move(parts.writer));
}

}  // namespace

std::string_view name(Verdict::Kind kind) {
  switch (kind) {
    case Verdict::Kind::none:
      return "none";
    case Verdict::Kind::rejected:
      return "rejected";
    case Verdict::Kind::improved:
      return "improved";
    case Verdict::Kind::opened:
      return "opened";
    case Verdict::Kind::contested:
      return "contested";
    case Verdict::Kind::refused:
      return "refused";
  }
  return "unknown";
}

Result<std::unique_ptr<RunReader>> RunReader::open(const std::filesystem::path& run_dir) {
  return SqliteRunReader::open(run_dir);
}

Result<std::unique_ptr<RunDatabase>> RunDatabase::create(const std::filesystem::path& run_dir,
                                                         const RunInfo& info) {
  auto folder = NewFolder::make(run_dir);
  if (!folder) return fail(folder.error());
  if (auto done = write_new_database(folder->unfinished_database(), info); !done) {
    return fail(done.error());
  }
  if (auto done = folder->publish(); !done) return fail(done.error());
  auto parts = open_parts(run_dir);
  if (!parts) return fail(parts.error());
  return assemble(folder->keep(), *std::move(parts));
}

Result<std::unique_ptr<RunDatabase>> RunDatabase::open(const std::filesystem::path& run_dir) {
  // Before anything is written, the lock file included: is it ours at all?
  if (auto run = open_identified(run_dir); !run) return fail(run.error());
  auto lock = RunLock::acquire(run_dir);
  if (!lock) return fail(lock.error());
  auto parts = open_parts(run_dir);
  if (!parts) return fail(parts.error());
  return assemble(*std::move(lock), *std::move(parts));
}

}  // namespace kernatlas
