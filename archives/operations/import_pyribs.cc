#include <csv.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>

#include "archives/operations/identity.h"
#include "archives/operations/importing.h"

namespace kernatlas::archives {
namespace {

constexpr std::size_t kMaxColumns = 100000;

// Rows of a CSV text; libcsv calls back for each field and each end of a line.
class Rows {
 public:
  using Row = std::vector<std::string>;
  // False stops the reading.
  using Take = std::function<bool(Row& row, std::size_t line)>;

  static bool read(std::string_view text, const Take& take) {
    Rows rows(take);
    csv_parser parser;
    if (csv_init(&parser, CSV_APPEND_NULL) != 0) return false;
    const bool sound =
        csv_parse(&parser, text.data(), text.size(), on_field, on_row, &rows) == text.size() &&
        csv_fini(&parser, on_field, on_row, &rows) == 0;
    csv_free(&parser);
    return sound || rows.stopped_;
  }

 private:
  explicit Rows(const Take& take) : take_(take) {}
  static void on_field(void* data, std::size_t size, void* rows) {
    Rows& self = *static_cast<Rows*>(rows);
    if (!self.stopped_) self.row_.emplace_back(static_cast<const char*>(data), size);
  }
  static void on_row(int, void* rows) {
    Rows& self = *static_cast<Rows*>(rows);
    ++self.line_;
    if (!self.stopped_) self.stopped_ = !self.take_(self.row_, self.line_);
    self.row_.clear();
  }
  const Take& take_;
  Row row_;
  std::size_t line_ = 0;
  bool stopped_ = false;
};

// NaN for what is no number: such a row is skipped.
double to_number(std::string_view text) {
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc{} || end != text.data() + text.size()) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  return value;
}

struct Columns {
  std::vector<std::string> names;
  std::optional<std::size_t> objective;
  std::vector<std::size_t> measures;   // by axis
  std::vector<std::size_t> solutions;  // in their order
};

std::optional<std::size_t> position(const std::vector<std::string>& names,
                                    const std::string& name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<std::size_t>(found - names.begin());
}

// NAME_0, NAME_1, … as far as they are there.
std::vector<std::size_t> numbered(const std::vector<std::string>& names, const std::string& name) {
  std::vector<std::size_t> found;
  while (const auto next = position(names, fmt::format("{}_{}", name, found.size()))) {
    found.push_back(*next);
  }
  return found;
}

Columns columns_of(std::vector<std::string> names) {
  Columns columns;
  columns.objective = position(names, "objective");
  for (const char* name : {"measures", "measure", "behavior"}) {
    if (columns.measures.empty()) columns.measures = numbered(names, name);
  }
  columns.solutions = numbered(names, "solution");
  if (const auto whole = position(names, "solution")) columns.solutions = {*whole};
  columns.names = std::move(names);
  return columns;
}

Expected<void> check(const Columns& columns, std::size_t axes) {
  if (columns.names.size() > kMaxColumns) {
    return fail({.message = fmt::format("{} columns", columns.names.size())});
  }
  if (!columns.objective || columns.measures.empty()) {
    return fail({.message = columns.objective ? "there is no column \"measures_0\""
                                              : "there is no column \"objective\"",
                 .expected = "a pyribs archive saved by to_csv()"});
  }
  if (columns.measures.size() != axes) {
    return fail({.message = fmt::format("{} columns of measures for {} axes",
                                        columns.measures.size(), axes),
                 .hint = "give one axis for each, in their order"});
  }
  return {};
}

void add_row(const Columns& columns, const std::vector<std::string>& row, Importing& importing) {
  std::vector<double> measures;
  bool whole = true;
  for (const std::size_t column : columns.measures) {
    measures.push_back(to_number(row[column]));
    whole = whole && std::isfinite(measures.back());
  }
  if (!whole) return importing.skip();
  std::string solution;
  for (const std::size_t column : columns.solutions) {
    solution += (solution.empty() ? "" : ",") + row[column];
  }
  PayloadMap payload;
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (!columns.names[i].empty()) payload[columns.names[i]] = row[i];
  }
  importing.add(to_number(row[*columns.objective]), std::move(measures), 0,
                columns.solutions.empty() ? "" : content_key(solution), std::move(payload));
}

}  // namespace

Expected<Imported> import_pyribs(const std::filesystem::path& csv, const ImportOptions& options,
                                 const ArchiveKinds& kinds) {
  const auto text = Importing::read_file(csv);
  if (!text) return fail(text.error());
  Importing importing(options);
  std::optional<Columns> columns;
  Expected<void> fine;
  const bool sound = Rows::read(*text, [&](Rows::Row& row, std::size_t line) {
    if (!columns) {
      columns = columns_of(row);
      fine = check(*columns, options.spec.axes.size());
      return fine.has_value();
    }
    if (row.size() != columns->names.size()) {
      fine = fail({.message = fmt::format("row {} has {} fields", line, row.size()),
                   .expected = fmt::format("{}, as the first row", columns->names.size())});
      return false;
    }
    add_row(*columns, row, importing);
    return true;
  });
  if (fine && !sound) fine = fail({.message = "is no CSV file"});
  if (fine && !columns) fine = fail({.message = "is empty", .expected = "a row of column names"});
  if (!fine) {
    AtlasError error = fine.error();
    error.file = csv.string();
    return fail(std::move(error));
  }
  return importing.finish({{"imported_from", "pyribs"}, {"file", csv.filename().string()}}, kinds);
}

}  // namespace kernatlas::archives
