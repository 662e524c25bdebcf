// Strict reading of TOML: every key must be known, every value of the right type, and every
// complaint carries file, line, what was expected and a hint.
//
// toml++ parses; its tree is copied into TomlValue, which keeps the order of the text (the order of
// tunables matters) and lets the rest of the project stay free of that header.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernel/result.h"

namespace kernatlas {

struct TomlEntry;

struct TomlValue {
  enum class Kind { string, integer, number, boolean, date, array, table };
  Kind kind = Kind::table;
  int line = 0;  // 1-based, in the whole file
  std::string string;
  std::int64_t integer = 0;
  double number = 0;
  bool boolean = false;
  std::vector<TomlValue> items;    // of an array
  std::vector<TomlEntry> entries;  // of a table, as in the text

  [[nodiscard]] const TomlValue* find(std::string_view key) const;
  // "a string", "an array", …
  [[nodiscard]] std::string_view kind_name() const;
};

struct TomlEntry {
  std::string key;
  TomlValue value;
};

// `first_line` is the line of `file` on which `text` begins.
[[nodiscard]] Result<TomlValue> parse_toml(std::string_view text, const std::string& file,
                                           int first_line = 1);

// Collects the first complaint about one file, so that readers need no check after every value:
// after a complaint the readers below return empty values, and the caller looks at error() once.
class TomlReader {
 public:
  explicit TomlReader(std::string file) : file_(std::move(file)) {}
  void complain(int line, std::string message, std::string expected = {}, std::string hint = {});
  // An Error from elsewhere, given this file and `line`.
  void complain(int line, Error error);
  [[nodiscard]] const std::optional<Error>& error() const { return error_; }
  [[nodiscard]] const std::string& file() const { return file_; }

 private:
  std::string file_;
  std::optional<Error> error_;
};

// The fields of one table. `where` names it in messages: "[[launch]]". Required readers complain
// when the key is absent; ask has() first for optional ones. The reader and the value must outlive
// it.
class TomlFields {
 public:
  // Complains about keys that are not in `known`; `elsewhere` explains keys that belong to another
  // table (a top-level key after a [table] header is the usual mistake).
  TomlFields(TomlReader& reader, const TomlValue& table, std::string where,
             std::vector<std::string> known, std::vector<std::string> elsewhere = {});

  [[nodiscard]] bool has(std::string_view key) const { return table_->find(key) != nullptr; }
  // Of the key's value; of the table when absent.
  [[nodiscard]] int line(std::string_view key) const;
  [[nodiscard]] int line() const { return table_->line; }

  [[nodiscard]] std::string string(std::string_view key) const;
  [[nodiscard]] double number(std::string_view key) const;
  [[nodiscard]] bool boolean(std::string_view key) const;
  [[nodiscard]] std::vector<std::string> strings(std::string_view key) const;
  [[nodiscard]] std::vector<double> numbers(std::string_view key) const;
  // An expression: a string, or an integer, which stands for itself.
  [[nodiscard]] std::string expression(std::string_view key) const;
  [[nodiscard]] std::vector<std::string> expressions(std::string_view key) const;
  // A table, or nullptr after a complaint.
  [[nodiscard]] const TomlValue* table(std::string_view key) const;
  // The [[key]] tables; none when absent.
  [[nodiscard]] std::vector<const TomlValue*> tables(std::string_view key) const;
  // The raw value; nullptr after a complaint that it is missing.
  [[nodiscard]] const TomlValue* value(std::string_view key) const;

  void complain(std::string_view key, std::string message, std::string expected = {},
                std::string hint = {}) const;

 private:
  void wrong_kind(std::string_view key, const TomlValue& value, std::string expected) const;
  [[nodiscard]] const std::vector<TomlValue>* array(std::string_view key,
                                                    const std::string& of) const;

  TomlReader* reader_;
  const TomlValue* table_;
  std::string where_;
};

}  // namespace kernatlas
