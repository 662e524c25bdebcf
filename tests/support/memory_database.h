// MemoryDatabase: a RunDatabase in memory for tests of the search: every row is settled at once.
// What a killed program leaves behind is the object itself: hand it to the next search.
#pragma once

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "engine/store/run_database.h"

namespace kernatlas::testing {

class MemoryDatabase final : public RunDatabase, private RunReader {
 public:
  explicit MemoryDatabase(RunInfo info) : info_(std::move(info)) {}

  // From then on every settle() fails: a full disk.
  std::size_t capacity = std::numeric_limits<std::size_t>::max();

  // Rows in ticket order; rows_as_settled() in the order of the calls.
  [[nodiscard]] const std::map<std::uint64_t, SettledRow>& rows() const { return rows_; }
  [[nodiscard]] const std::vector<std::uint64_t>& order() const { return order_; }
  void forget(std::uint64_t ticket) { rows_.erase(ticket); }

  Result<void> settle(SettledRow row) override {
    if (rows_.size() >= capacity) {
      return fail({.code = ErrorCode::io, .message = "the disk is full"});
    }
    if (rows_.contains(row.ticket)) {
      return fail({.code = ErrorCode::internal, .message = "a ticket was settled twice"});
    }
    order_.push_back(row.ticket);
    rows_.emplace(row.ticket, std::move(row));
    return {};
  }
  Result<void> flush() override { return {}; }
  Result<void> add_examination(std::uint64_t, const Outcome&) override { return {}; }
  Result<void> set_finish(const std::string&) override { return {}; }
  Result<void> set_budget(const std::string&) override { return {}; }
  Result<void> put_state(const std::string& key, const std::string& value) override {
    state_[key] = value;
    return {};
  }
  std::optional<std::string> state(const std::string& key) const override {
    const auto found = state_.find(key);
    if (found == state_.end()) return std::nullopt;
    return found->second;
  }
  const RunReader& reader() const override { return *this; }

 private:
  RunInfo info() const override { return info_; }
  Finish finish() const override { return {}; }
  double elapsed_s() const override { return 0; }
  std::uint64_t evaluations() const override { return rows_.size(); }
  std::uint64_t duplicates() const override {
    std::uint64_t sum = 0;
    for (const auto& [ticket, row] : rows_) sum += row.duplicates_before;
    return sum;
  }
  std::vector<std::pair<OutcomeKind, std::uint64_t>> outcomes() const override {
    std::map<OutcomeKind, std::uint64_t> counts;
    for (const auto& [ticket, row] : rows_) ++counts[row.outcome.kind];
    return {counts.begin(), counts.end()};
  }
  std::vector<std::string> operators() const override {
    std::vector<std::string> names;
    for (const auto& [ticket, row] : rows_) {
      if (std::find(names.begin(), names.end(), row.op) == names.end()) names.push_back(row.op);
    }
    return names;
  }
  void hot_rows(std::uint64_t from, const std::function<bool(const HotRow&)>& take) const override {
    const auto names = operators();
    for (auto at = rows_.lower_bound(from); at != rows_.end(); ++at) {
      const SettledRow& row = at->second;
      const auto op = std::find(names.begin(), names.end(), row.op) - names.begin();
      if (!take({.ticket = row.ticket,
                 .candidate = row.candidate,
                 .op = static_cast<std::uint32_t>(op),
                 .duplicates_before = row.duplicates_before,
                 .kind = row.outcome.kind,
                 .verdict = row.verdict.kind,
                 .cell = row.verdict.cell,
                 .kept = row.verdict.kept,
                 .gain = row.verdict.gain,
                 .fitness = row.outcome.fitness,
                 .fitness_interval = row.outcome.fitness_interval,
                 .cost_s = row.outcome.costs.total_s()})) {
        return;
      }
    }
  }
  void kept_rows(const std::function<bool(const SettledRow&)>& take) const override {
    for (const auto& [ticket, row] : rows_) {
      if (row.verdict.kept && !take(row)) return;
    }
  }
  std::optional<SettledRow> row(std::uint64_t ticket) const override {
    const auto found = rows_.find(ticket);
    if (found == rows_.end()) return std::nullopt;
    return found->second;
  }
  Result<std::uint64_t> find(const std::string&) const override {
    return fail({.message = "not kept here"});
  }
  std::optional<Outcome> examination(std::uint64_t) const override { return std::nullopt; }

  RunInfo info_;
  std::map<std::uint64_t, SettledRow> rows_;
  std::vector<std::uint64_t> order_;
  std::map<std::string, std::string> state_;
};

}  // namespace kernatlas::testing
