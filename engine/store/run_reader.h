// The RunReader on SQLite. Private to engine/store; callers use RunReader::open.
//
// Whatever a damaged file contains, reads give rows that are well-formed or stop: the first damage
// or I/O error is kept and reported by health().
//
// Thread safety: one thread at a time.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/store/row_codec.h"
#include "engine/store/run_database.h"
#include "engine/store/sqlite.h"

namespace kernatlas::store {

[[nodiscard]] inline bool fits(std::int64_t value, std::int64_t last) {
  return value >= 0 && value <= last;
}

class SqliteRunReader final : public RunReader {
 public:
  // Checks that everything outside the rows can be read, so that info() and totals cannot fail
  // later for reasons of format.
  [[nodiscard]] static Result<std::unique_ptr<SqliteRunReader>> open(
      const std::filesystem::path& run_dir);
  ~SqliteRunReader() override;

  [[nodiscard]] RunInfo info() const override;
  [[nodiscard]] Finish finish() const override;
  [[nodiscard]] double elapsed_s() const override;
  [[nodiscard]] std::uint64_t evaluations() const override;
  [[nodiscard]] std::uint64_t duplicates() const override;
  [[nodiscard]] std::vector<std::pair<OutcomeKind, std::uint64_t>> outcomes() const override;
  [[nodiscard]] Totals totals() const override;
  [[nodiscard]] std::vector<std::string> operators() const override;
  void hot_rows(std::uint64_t from_ticket,
                const std::function<bool(const HotRow&)>& row) const override;
  void kept_rows(const std::function<bool(const SettledRow&)>& row) const override;
  [[nodiscard]] std::optional<SettledRow> row(std::uint64_t ticket) const override;
  [[nodiscard]] Result<std::uint64_t> find(const std::string& prefix) const override;
  [[nodiscard]] std::optional<Outcome> examination(std::uint64_t ticket) const override;
  [[nodiscard]] Result<void> health() const override;

 private:
  class Words;
  explicit SqliteRunReader(Database database);

  // Runs `query` with what `bind` (may be null) sets, calling `row` for each row until it returns
  // false. Any failure is noted; true when all rows were read.
  bool each(const std::string& query, const std::function<void(Statement&)>& bind,
            const std::function<bool(const Statement&)>& row) const;
  // The same for a query whose first column rises from row to row; one that does not is damage (a
  // damaged tree could otherwise give rows without end).
  bool each_rising(const std::string& query, const std::function<void(Statement&)>& bind,
                   const std::function<bool(const Statement&)>& row) const;
  // Notes a broken promise of the file; always false, so that callbacks can return it.
  bool damaged(const std::string& what) const;
  void note(Error error) const;

  [[nodiscard]] bool read_row(const Statement& from, SettledRow& row) const;
  [[nodiscard]] bool read_hot(const Statement& from, HotRow& row) const;
  [[nodiscard]] const std::string* operator_name(std::int64_t id) const;
  [[nodiscard]] KernelSourcePtr source(std::int64_t id) const;
  [[nodiscard]] bool read_info(RunInfo& info) const;

  // Statements must go before the connection; each() keeps them local.
  mutable Database database_;
  mutable std::optional<Error> damage_;
  mutable std::vector<std::string> operators_;
  mutable std::unique_ptr<WordDecoder> words_;
  mutable std::map<std::int64_t, KernelSourcePtr> sources_;  // bounded cache
};

}  // namespace kernatlas::store
