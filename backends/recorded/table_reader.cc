#include "backends/recorded/table_reader.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <unordered_map>

#include "kernel/expression.h"
#include "kernel/identifiers.h"

namespace kernatlas {

namespace {

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

void split(std::string_view line, std::vector<std::string_view>& fields) {
  fields.clear();
  for (;;) {
    const auto comma = line.find(',');
    fields.push_back(trimmed(line.substr(0, comma)));
    if (comma == std::string_view::npos) return;
    line.remove_prefix(comma + 1);
  }
}

bool to_integer(std::string_view text, std::int64_t& value) {
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  return code == std::errc{} && end == text.data() + text.size();
}

// What public tables call a failure, besides the names of outcomes themselves.
std::optional<OutcomeKind> kind_of(std::string_view status) {
  if (status == "invalid") return OutcomeKind::resource_limit;
  if (status == "failed") return OutcomeKind::crashed;
  const auto kind = parse_outcome_kind(status);
  // Losing a device says nothing about a configuration.
  return kind == OutcomeKind::device_lost ? std::nullopt : kind;
}

}  // namespace

Error TableReader::error(std::string message, std::string expected, std::string hint) const {
  return {.message = std::move(message),
          .file = file_,
          .line = line_,
          .expected = std::move(expected),
          .hint = std::move(hint)};
}

bool TableReader::next_line(std::string_view& line) {
  if (rest_.empty()) return false;
  const auto end = rest_.find('\n');
  line = trimmed(rest_.substr(0, end));
  rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
  ++line_;
  return true;
}

Result<RecordedTable> TableReader::read() {
  std::string_view line;
  while (next_line(line)) {
    Result<void> done;
    if (line.empty()) continue;
    if (line.front() == '#' && columns_.count != 0) {
      return fail(error("a comment after the header line", "comments at the top only"));
    }
    if (line.front() == '#') {
      done = read_comment(trimmed(line.substr(1)));
    } else {
      done = columns_.count == 0 ? read_header(line) : read_row(line);
    }
    if (!done) return fail(done.error());
  }
  if (auto done = finish(); !done) return fail(done.error());
  return std::move(table_);
}

Result<void> TableReader::read_comment(std::string_view line) {
  constexpr std::string_view kConstraint = "constraint:";
  constexpr std::string_view kDims = "dims:";
  if (line.starts_with(kConstraint)) return read_constraint(line.substr(kConstraint.size()));
  if (line.starts_with(kDims)) return read_dims(line.substr(kDims.size()));
  return {};
}

Result<void> TableReader::read_constraint(std::string_view text) {
  const std::string expected = "# constraint: name = \"expression\"";
  const auto equals = text.find('=');
  if (equals == std::string_view::npos) return fail(error("a constraint without =", expected));
  const std::string_view name = trimmed(text.substr(0, equals));
  const std::string_view quoted = trimmed(text.substr(equals + 1));
  if (!is_identifier(name)) {
    return fail(error(fmt::format("\"{}\" cannot name a constraint", name), expected));
  }
  if (quoted.size() < 2 || quoted.front() != '"' || quoted.back() != '"' ||
      quoted.find_first_of("\"\\", 1) != quoted.size() - 1) {
    return fail(error("the constraint's expression is not in double quotes", expected));
  }
  for (const Constraint& other : table_.constraints_) {
    if (other.name == name) return fail(error(fmt::format("constraint {} appears twice", name)));
  }
  table_.constraints_.push_back(
      {std::string(name), std::string(quoted.substr(1, quoted.size() - 2)), line_});
  return {};
}

Result<void> TableReader::read_dims(std::string_view text) {
  while (!(text = trimmed(text)).empty()) {
    const std::string_view item = text.substr(0, text.find_first_of(" \t"));
    text.remove_prefix(item.size());
    const auto equals = item.find('=');
    const std::string_view name = item.substr(0, equals);
    std::int64_t value = 0;
    if (equals == std::string_view::npos || !to_integer(item.substr(equals + 1), value)) {
      return fail(error(fmt::format("\"{}\" is not a dim", item), "# dims: NAME=INTEGER …"));
    }
    if (const std::string problem = name_problem(name); !problem.empty()) {
      return fail(error(fmt::format("\"{}\" cannot name a dim: {}", name, problem)));
    }
    for (const auto& [other, unused] : table_.dims_) {
      if (other == name) return fail(error(fmt::format("dim {} appears twice", name)));
    }
    table_.dims_.emplace_back(std::string(name), value);
  }
  return {};
}

Result<void> TableReader::read_header(std::string_view line) {
  split(line, names_);
  columns_.count = names_.size();
  const auto status = std::find(names_.begin(), names_.end(), "status");
  if (status == names_.end()) {
    return fail(error("the header has no column \"status\"",
                      "NAME,…,status,median_ms,…: the tunables' names first"));
  }
  columns_.status = static_cast<std::size_t>(status - names_.begin());
  if (columns_.status == 0) {
    return fail(error("there is no tunable", "at least one column before \"status\""));
  }
  if (columns_.status > RecordedTable::kTunableLimit) {
    return fail(error(fmt::format("{} tunables are too many", columns_.status),
                      fmt::format("at most {}", RecordedTable::kTunableLimit)));
  }
  for (std::size_t at = 0; at < names_.size(); ++at) {
    if (auto done = add_column(names_[at], at); !done) return done;
  }
  if (columns_.median == 0) {
    return fail(error("the header has no column \"median_ms\" after \"status\""));
  }
  return {};
}

Result<void> TableReader::add_column(std::string_view name, std::size_t at) {
  if (std::find(names_.begin(), names_.begin() + static_cast<std::ptrdiff_t>(at), name) !=
      names_.begin() + static_cast<std::ptrdiff_t>(at)) {
    return fail(error(fmt::format("column \"{}\" appears twice", name)));
  }
  if (at > columns_.status) {
    if (name == "median_ms") columns_.median = at;
    if (name == "compile_ms") columns_.compile = at;
    if (name == "benchmark_ms") columns_.benchmark = at;
    if (name == "overhead_ms") columns_.overhead = at;
    if (name == "runs") columns_.runs = at;
    return {};
  }
  if (at == columns_.status) return {};
  if (const std::string problem = name_problem(name); !problem.empty()) {
    return fail(error(fmt::format("\"{}\" cannot name a tunable: {}", name, problem)));
  }
  for (const auto& [dim, unused] : table_.dims_) {
    if (dim == name) return fail(error(fmt::format("\"{}\" is a dim and a tunable", name)));
  }
  table_.tunables_.push_back({.name = std::string(name), .values = {}, .labels = {}});
  return {};
}

Result<double> TableReader::number(std::string_view field, std::string_view column) const {
  double value = 0;
  const auto [end, code] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (code != std::errc{} || end != field.data() + field.size() || !std::isfinite(value) ||
      value < 0) {
    return fail(error(fmt::format("\"{}\" in column \"{}\"", field.substr(0, 40), column),
                      "a number, not negative"));
  }
  return value;
}

Result<void> TableReader::read_row(std::string_view line) {
  split(line, fields_);
  if (fields_.size() != columns_.count) {
    return fail(error(fmt::format("{} fields in this line", fields_.size()),
                      fmt::format("{} as in the header", columns_.count)));
  }
  for (std::size_t at = 0; at < columns_.status; ++at) {
    if (fields_[at].empty() || fields_[at].find_first_of("\"'\\") != std::string_view::npos) {
      return fail(
          error(fmt::format("\"{}\" in column \"{}\"", fields_[at].substr(0, 40), names_[at]),
                "an integer or a plain word", "this dialect of CSV has no quotes"));
    }
    cells_.push_back(fields_[at]);
  }
  row_lines_.push_back(line_);
  return read_status(fields_);
}

Result<void> TableReader::read_status(const std::vector<std::string_view>& fields) {
  RecordedRow row;
  const auto kind = kind_of(fields[columns_.status]);
  if (!kind) {
    return fail(error(fmt::format("unknown status \"{}\"", fields[columns_.status].substr(0, 40)),
                      "measured, compile_error, launch_error, crashed, timed_out, wrong_result, "
                      "resource_limit, invalid, failed, …"));
  }
  row.kind = *kind;
  if (row.kind == OutcomeKind::measured) {
    auto median = number(fields[columns_.median], "median_ms");
    if (!median) return fail(median.error());
    if (*median <= 0) return fail(error("median_ms is 0", "a time above 0"));
    row.median_ms = *median;
  }
  const auto optional = [&](std::size_t at, auto& out) -> Result<void> {
    if (at == 0 || fields[at].empty()) return {};
    auto value = number(fields[at], names_[at]);
    if (!value) return fail(value.error());
    out = static_cast<std::remove_reference_t<decltype(out)>>(std::min(*value, 4e9));
    return {};
  };
  for (auto [at, out] : {std::pair{columns_.compile, &row.compile_ms},
                         {columns_.benchmark, &row.benchmark_ms},
                         {columns_.overhead, &row.overhead_ms}}) {
    if (auto done = optional(at, *out); !done) return done;
  }
  if (auto done = optional(columns_.runs, row.runs); !done) return done;
  table_.rows_.push_back(row);
  return {};
}

void TableReader::make_numeric(Tunable& tunable, std::size_t column) {
  const std::size_t width = columns_.status;
  for (std::size_t row = 0; row < table_.rows_.size(); ++row) {
    tunable.values.push_back(table_.values_[row * width + column]);
  }
  std::sort(tunable.values.begin(), tunable.values.end());
  tunable.values.erase(std::unique(tunable.values.begin(), tunable.values.end()),
                       tunable.values.end());
}

void TableReader::make_choice(Tunable& tunable, std::size_t column) {
  const std::size_t width = columns_.status;
  std::unordered_map<std::string_view, std::int64_t> positions;
  for (std::size_t row = 0; row < table_.rows_.size(); ++row) {
    const std::string_view label = cells_[row * width + column];
    const auto [at, fresh] =
        positions.emplace(label, static_cast<std::int64_t>(tunable.labels.size()));
    if (fresh) {
      tunable.values.push_back(at->second);
      tunable.labels.emplace_back(label);
    }
    table_.values_[row * width + column] = at->second;
  }
}

void TableReader::make_tunables() {
  const std::size_t width = columns_.status;
  table_.values_.resize(cells_.size());
  std::vector<bool> is_integer(width, true);
  for (std::size_t at = 0; at < cells_.size(); ++at) {
    if (!to_integer(cells_[at], table_.values_[at])) is_integer[at % width] = false;
  }
  for (std::size_t column = 0; column < width; ++column) {
    Tunable& tunable = table_.tunables_[column];
    if (is_integer[column]) {
      make_numeric(tunable, column);
    } else {
      make_choice(tunable, column);
    }
  }
}

Result<void> TableReader::check_constraints() const {
  std::vector<std::string> known;
  for (const auto& [name, unused] : table_.dims_) known.push_back(name);
  for (const Tunable& tunable : table_.tunables_) known.push_back(tunable.name);
  for (const Constraint& constraint : table_.constraints_) {
    auto parsed = Expression::parse(constraint.text, known);
    if (parsed) continue;
    Error error = parsed.error();
    error.message = fmt::format("constraint {}: {}", constraint.name, error.message);
    error.file = file_;
    error.line = constraint.line;
    return fail(std::move(error));
  }
  return {};
}

Result<void> TableReader::finish() {
  if (columns_.count == 0) {
    return fail(error("the table is empty", "a header line: the tunables, then status, median_ms"));
  }
  if (table_.rows_.empty()) return fail(error("the table has a header but no rows"));
  make_tunables();
  if (auto done = check_constraints(); !done) return done;
  if (const auto same = table_.index_rows()) {
    line_ = row_lines_[same->second];
    return fail(error(fmt::format("the same configuration as in line {}", row_lines_[same->first]),
                      "one line per configuration"));
  }
  table_.summarise();
  if (table_.baseline_ms_ <= 0) {
    line_ = 0;
    return fail(error("no row is \"measured\"", "at least one configuration with a time"));
  }
  table_.hash_ = hash128(text_);
  return {};
}

}  // namespace kernatlas
