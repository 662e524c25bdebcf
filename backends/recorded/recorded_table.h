// RecordedTable: every measured configuration of one kernel's search space, as read from a CSV file
// (docs/formats/recorded-csv.md). Immutable after load; const methods are thread-safe.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernel/candidate.h"
#include "kernel/hash.h"
#include "kernel/kernel_source.h"
#include "kernel/outcome.h"
#include "kernel/result.h"

namespace kernatlas {

// What one configuration gave, and what finding out cost (milliseconds; 0 where not recorded).
struct RecordedRow {
  OutcomeKind kind = OutcomeKind::measured;
  double median_ms = 0;  // measured only
  float compile_ms = 0;
  float benchmark_ms = 0;
  float overhead_ms = 0;
  std::uint32_t runs = 0;
};

class RecordedTable {
 public:
  static constexpr std::size_t kFileLimit = std::size_t{256} << 20;  // also after decompression
  static constexpr std::size_t kTunableLimit = 64;

  // Reads a .csv or .csv.gz file. Errors name file and line, what was expected, and a hint.
  [[nodiscard]] static Result<RecordedTable> load(const std::filesystem::path& file);
  // The same from text; `file` is used for messages only.
  [[nodiscard]] static Result<RecordedTable> parse(std::string_view text, const std::string& file);

  // One per column before `status`: its distinct values ascending, or its labels in order of
  // appearance when one of them is not an integer.
  [[nodiscard]] const std::vector<Tunable>& tunables() const { return tunables_; }
  [[nodiscard]] const std::vector<Constraint>& constraints() const { return constraints_; }
  [[nodiscard]] const std::vector<std::pair<std::string, std::int64_t>>& dims() const {
    return dims_;
  }
  [[nodiscard]] const std::vector<RecordedRow>& rows() const { return rows_; }
  // Row number of an assignment in the order of tunables(); nothing when it was not recorded.
  // O(tunables): a hash of the values and, almost always, one comparison.
  [[nodiscard]] std::optional<std::uint32_t> find(const Assignment& assignment) const;
  [[nodiscard]] Assignment assignment(std::size_t row) const;
  // Median of the medians of the measured rows, ms: the baseline that fitness refers to.
  [[nodiscard]] double baseline_ms() const { return baseline_ms_; }
  [[nodiscard]] double best_ms() const { return best_ms_; }
  [[nodiscard]] const Hash128& hash() const { return hash_; }  // of the text

 private:
  friend class TableReader;
  RecordedTable() = default;
  [[nodiscard]] std::size_t slot_of(const std::int64_t* values) const;
  // Builds the index; the numbers of two rows with the same values, or nothing.
  [[nodiscard]] std::optional<std::pair<std::uint32_t, std::uint32_t>> index_rows();
  void summarise();

  std::vector<Tunable> tunables_;
  std::vector<Constraint> constraints_;
  std::vector<std::pair<std::string, std::int64_t>> dims_;
  std::vector<RecordedRow> rows_;
  std::vector<std::int64_t> values_;  // rows × tunables
  std::vector<std::uint32_t> slots_;  // open addressing, row + 1, 0 for free
  double baseline_ms_ = 0;
  double best_ms_ = 0;
  Hash128 hash_;
};

}  // namespace kernatlas
