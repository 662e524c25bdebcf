// RunWriter: turns rows into statements on one writing connection; the caller decides what is one
// transaction. Private to engine/store.
//
// After a failure the transaction is rolled back and the object must not be used any more: its
// dictionaries may name things that were rolled back with it.
//
// Thread safety: one thread at a time.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "engine/store/row_codec.h"
#include "engine/store/run_database.h"
#include "engine/store/sqlite.h"

namespace kernatlas::store {

class RunWriter final : private WordEncoder {
 public:
  // Takes over a connection that configure_writer has prepared, and begins a session.
  [[nodiscard]] static Result<std::unique_ptr<RunWriter>> open(Database database);

  [[nodiscard]] Result<void> begin();
  // False when the ticket is settled already; nothing is changed then.
  [[nodiscard]] Result<bool> insert(const SettledRow& row);
  [[nodiscard]] Result<void> examine(std::uint64_t ticket, const Outcome& outcome,
                                     std::int64_t unix_ms);
  [[nodiscard]] Result<void> finish(const std::string& reason, std::int64_t unix_ms);
  [[nodiscard]] Result<void> set_budget(const std::string& budget);
  [[nodiscard]] Result<void> put_state(const std::string& key, const std::string& value);
  // Stores totals and this session's elapsed time with the rows.
  [[nodiscard]] Result<void> commit(double elapsed_s);
  void rollback();

  // The states as they were when the run was opened.
  [[nodiscard]] Result<std::unordered_map<std::string, std::string>> states();

 private:
  struct Total {
    std::uint64_t evaluations = 0;
    std::uint64_t duplicates = 0;
    bool changed = false;
  };
  struct Statements {
    Statement evaluation, record, log, source, find_source, operator_name, word, total, session;
  };

  explicit RunWriter(Database database) : database_(std::move(database)) {}
  [[nodiscard]] Result<void> prepare();
  [[nodiscard]] Result<void> load();
  [[nodiscard]] Result<void> begin_session();
  [[nodiscard]] std::uint32_t word(std::string_view text) override;
  // Id of a row in `source`, made on first sight; 0 on failure.
  [[nodiscard]] std::int64_t source_id(const KernelSource& source);
  [[nodiscard]] std::int64_t operator_id(const std::string& name);
  [[nodiscard]] Result<bool> insert_evaluation(const SettledRow& row, std::int64_t op);
  [[nodiscard]] Result<void> insert_record(const SettledRow& row);
  // Runs a statement without rows and resets it; a failure is kept in failed_.
  bool run(Statement& statement);
  [[nodiscard]] Result<void> run_once(std::string_view sql,
                                      std::initializer_list<std::string_view> texts);

  Database database_;
  Statements statements_;
  std::unordered_map<std::string, std::uint32_t> words_;
  std::unordered_map<std::string, std::int64_t> operators_;
  std::unordered_map<Hash128, std::int64_t> sources_;
  std::array<Total, kOutcomeKinds> totals_{};
  std::int64_t session_ = 0;
  TextPacker packer_;
  ByteWriter body_;
  std::optional<Error> failed_;  // the first failure
};

}  // namespace kernatlas::store
