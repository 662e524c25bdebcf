// TableReader: the strict CSV dialect of recorded tables (docs/formats/recorded-csv.md). No
// quoting: fields are numbers and plain words. One use: TableReader(text, file).read().
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "backends/recorded/recorded_table.h"
#include "kernel/result.h"

namespace kernatlas {

class TableReader {
 public:
  // Both outlive the reader.
  TableReader(std::string_view text, const std::string& file)
      : rest_(text), text_(text), file_(file) {}
  [[nodiscard]] Result<RecordedTable> read();

 private:
  struct Columns {
    std::size_t count = 0;
    std::size_t status = 0;  // tunables are the columns before it
    std::size_t median = 0;
    std::size_t compile = 0, benchmark = 0, overhead = 0, runs = 0;  // 0: absent
  };

  bool next_line(std::string_view& line);
  [[nodiscard]] Error error(std::string message, std::string expected = {},
                            std::string hint = {}) const;
  [[nodiscard]] Result<void> read_comment(std::string_view line);
  [[nodiscard]] Result<void> read_constraint(std::string_view text);
  [[nodiscard]] Result<void> read_dims(std::string_view text);
  [[nodiscard]] Result<void> read_header(std::string_view line);
  [[nodiscard]] Result<void> add_column(std::string_view name, std::size_t at);
  [[nodiscard]] Result<void> read_row(std::string_view line);
  [[nodiscard]] Result<void> read_status(const std::vector<std::string_view>& fields);
  [[nodiscard]] Result<double> number(std::string_view field, std::string_view column) const;
  void make_tunables();
  void make_numeric(Tunable& tunable, std::size_t column);
  void make_choice(Tunable& tunable, std::size_t column);
  [[nodiscard]] Result<void> check_constraints() const;
  [[nodiscard]] Result<void> finish();

  std::string_view rest_;
  std::string_view text_;
  const std::string& file_;
  int line_ = 0;
  Columns columns_;
  std::vector<std::string_view> names_;   // of the columns
  std::vector<std::string_view> fields_;  // of the present row
  std::vector<std::string_view> cells_;   // rows × tunables, as written
  std::vector<int> row_lines_;
  RecordedTable table_;
};

}  // namespace kernatlas
