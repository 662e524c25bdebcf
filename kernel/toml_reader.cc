#include "kernel/toml_reader.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <tuple>

#include "kernel/identifiers.h"
#include "kernel/suggest.h"

namespace kernatlas {

namespace {

using Kind = TomlValue::Kind;

int line_of(const toml::source_region& region, int first_line, int otherwise) {
  return region.begin.line == 0 ? otherwise : first_line + static_cast<int>(region.begin.line) - 1;
}

TomlValue convert(const toml::node& node, int first_line, int parent_line);

// toml++ sorts its tables by key; the positions of the keys give the order of the text back.
void convert_table(const toml::table& table, int first_line, TomlValue& out) {
  std::vector<std::tuple<toml::source_position, const toml::key*, const toml::node*>> entries;
  for (const auto& [key, node] : table) entries.emplace_back(key.source().begin, &key, &node);
  std::stable_sort(entries.begin(), entries.end(),
                   [](const auto& a, const auto& b) { return std::get<0>(a) < std::get<0>(b); });
  for (const auto& [position, key, node] : entries) {
    const int line = line_of(key->source(), first_line, out.line);
    out.entries.push_back({std::string(key->str()), convert(*node, first_line, line)});
  }
}

TomlValue convert(const toml::node& node, int first_line, int parent_line) {
  TomlValue out;
  out.line = line_of(node.source(), first_line, parent_line);
  if (const auto* table = node.as_table()) {
    out.kind = Kind::table;
    convert_table(*table, first_line, out);
  } else if (const auto* array = node.as_array()) {
    out.kind = Kind::array;
    for (const toml::node& item : *array) out.items.push_back(convert(item, first_line, out.line));
  } else if (const auto* string = node.as_string()) {
    out.kind = Kind::string;
    out.string = string->get();
  } else if (const auto* integer = node.as_integer()) {
    out.kind = Kind::integer;
    out.integer = integer->get();
    out.number = static_cast<double>(out.integer);
  } else if (const auto* number = node.as_floating_point()) {
    out.kind = Kind::number;
    out.number = number->get();
  } else if (const auto* boolean = node.as_boolean()) {
    out.kind = Kind::boolean;
    out.boolean = boolean->get();
  } else {
    out.kind = Kind::date;
  }
  return out;
}

}  // namespace

const TomlValue* TomlValue::find(std::string_view key) const {
  for (const auto& [name, value] : entries) {
    if (name == key) return &value;
  }
  return nullptr;
}

std::string_view TomlValue::kind_name() const {
  static constexpr std::array<std::string_view, 7> kNames = {
      "a string", "an integer", "a number", "a boolean", "a date", "an array", "a table"};
  return kNames.at(static_cast<std::size_t>(kind));
}

Result<TomlValue> parse_toml(std::string_view text, const std::string& file, int first_line) {
  try {
    const toml::table table = toml::parse(text);
    TomlValue out;
    out.line = first_line;
    convert_table(table, first_line, out);
    return out;
  } catch (const toml::parse_error& error) {
    return fail({.message = fmt::format("this is not TOML: {}", error.description()),
                 .file = file,
                 .line = line_of(error.source(), first_line, first_line),
                 .hint = "strings need quotes; see https://toml.io/en/v1.0.0 for the syntax"});
  }
}

void TomlReader::complain(int line, std::string message, std::string expected, std::string hint) {
  if (error_) return;
  error_ = Error{.message = std::move(message),
                 .file = file_,
                 .line = line,
                 .expected = std::move(expected),
                 .hint = std::move(hint)};
}

void TomlReader::complain(int line, Error error) {
  if (error_) return;
  error.file = file_;
  error.line = line;
  error_ = std::move(error);
}

TomlFields::TomlFields(TomlReader& reader, const TomlValue& table, std::string where,
                       std::vector<std::string> known, std::vector<std::string> elsewhere)
    : reader_(&reader), table_(&table), where_(std::move(where)) {
  for (const auto& [key, value] : table.entries) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    const std::string_view near = nearest(key, known);
    std::string hint = near.empty() ? std::string{} : fmt::format("did you mean \"{}\"?", near);
    if (std::find(elsewhere.begin(), elsewhere.end(), key) != elsewhere.end()) {
      hint = fmt::format("\"{}\" is a key of the file: write it above the first [table]", key);
    }
    reader.complain(value.line, fmt::format("unknown key \"{}\" in {}", key, where_), one_of(known),
                    hint);
  }
}

int TomlFields::line(std::string_view key) const {
  const TomlValue* value = table_->find(key);
  return value == nullptr ? table_->line : value->line;
}

void TomlFields::complain(std::string_view key, std::string message, std::string expected,
                          std::string hint) const {
  reader_->complain(line(key), std::move(message), std::move(expected), std::move(hint));
}

void TomlFields::wrong_kind(std::string_view key, const TomlValue& value,
                            std::string expected) const {
  reader_->complain(value.line, fmt::format("\"{}\" of {} is {}", key, where_, value.kind_name()),
                    std::move(expected));
}

const TomlValue* TomlFields::value(std::string_view key) const {
  const TomlValue* value = table_->find(key);
  if (value == nullptr) {
    reader_->complain(table_->line, fmt::format("\"{}\" is missing in {}", key, where_));
  }
  return value;
}

std::string TomlFields::string(std::string_view key) const {
  const TomlValue* found = value(key);
  if (found == nullptr) return {};
  if (found->kind != Kind::string) wrong_kind(key, *found, "a string in quotes");
  return found->string;
}

double TomlFields::number(std::string_view key) const {
  const TomlValue* found = value(key);
  if (found == nullptr) return 0;
  if (found->kind != Kind::integer && found->kind != Kind::number) {
    wrong_kind(key, *found, "a number");
  }
  return found->number;
}

bool TomlFields::boolean(std::string_view key) const {
  const TomlValue* found = value(key);
  if (found == nullptr) return false;
  if (found->kind != Kind::boolean) wrong_kind(key, *found, "true or false");
  return found->boolean;
}

const std::vector<TomlValue>* TomlFields::array(std::string_view key, const std::string& of) const {
  const TomlValue* found = value(key);
  if (found == nullptr) return nullptr;
  if (found->kind != Kind::array) {
    wrong_kind(key, *found, "an array of " + of);
    return nullptr;
  }
  return &found->items;
}

std::vector<std::string> TomlFields::strings(std::string_view key) const {
  std::vector<std::string> out;
  const auto* items = array(key, "strings");
  if (items == nullptr) return out;
  for (const TomlValue& item : *items) {
    if (item.kind != Kind::string) {
      reader_->complain(item.line,
                        fmt::format("\"{}\" of {} contains {}", key, where_, item.kind_name()),
                        "strings only");
      break;
    }
    out.push_back(item.string);
  }
  return out;
}

std::vector<double> TomlFields::numbers(std::string_view key) const {
  std::vector<double> out;
  const auto* items = array(key, "numbers");
  if (items == nullptr) return out;
  for (const TomlValue& item : *items) {
    if (item.kind != Kind::integer && item.kind != Kind::number) {
      reader_->complain(item.line,
                        fmt::format("\"{}\" of {} contains {}", key, where_, item.kind_name()),
                        "numbers only");
      break;
    }
    out.push_back(item.number);
  }
  return out;
}

std::string TomlFields::expression(std::string_view key) const {
  const TomlValue* found = value(key);
  if (found == nullptr) return {};
  if (found->kind == Kind::integer) return std::to_string(found->integer);
  if (found->kind != Kind::string) {
    wrong_kind(key, *found, "an integer, or an expression in quotes");
  }
  return found->string;
}

std::vector<std::string> TomlFields::expressions(std::string_view key) const {
  std::vector<std::string> out;
  const auto* items = array(key, "integers or expressions in quotes");
  if (items == nullptr) return out;
  for (const TomlValue& item : *items) {
    if (item.kind == Kind::integer) {
      out.push_back(std::to_string(item.integer));
    } else if (item.kind == Kind::string) {
      out.push_back(item.string);
    } else {
      reader_->complain(item.line,
                        fmt::format("\"{}\" of {} contains {}", key, where_, item.kind_name()),
                        "integers, or expressions in quotes");
      break;
    }
  }
  return out;
}

const TomlValue* TomlFields::table(std::string_view key) const {
  const TomlValue* found = value(key);
  if (found == nullptr) return nullptr;
  if (found->kind != Kind::table) {
    wrong_kind(key, *found, fmt::format("a table: [{}] or {{…}}", key));
    return nullptr;
  }
  return found;
}

std::vector<const TomlValue*> TomlFields::tables(std::string_view key) const {
  std::vector<const TomlValue*> out;
  const TomlValue* found = table_->find(key);
  if (found == nullptr) return out;
  const std::string expected = fmt::format("tables: [[{}]], in double brackets", key);
  if (found->kind != Kind::array) {
    wrong_kind(key, *found, expected);
    return out;
  }
  for (const TomlValue& item : found->items) {
    if (item.kind == Kind::table) {
      out.push_back(&item);
    } else {
      wrong_kind(key, item, expected);
    }
  }
  return out;
}

}  // namespace kernatlas
