// Integer expressions over dims and tunables: grid sizes, workspace bytes, constraints.
//
// Operators, loosest first: `c ? a : b`, `or ||`, `and &&`, `== !=`, `< <= > >=`, `+ -`, `* / %`,
// unary `- ! not`, and the functions min, max, abs, ceil_div, is_pow2, log2 (floor). Division and
// remainder are those of C on integers; division by zero is an error. Everything is exact: a value
// beyond ±2^53 is an error, never a rounded number. Booleans are 0 and 1. Parsed by muParser with
// its built-in operators replaced by checked integer ones.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/result.h"

namespace kernatlas {

// A value for each name, parallel arrays; later entries shadow nothing: names are unique.
class Names {
 public:
  // Adds or overwrites.
  void set(std::string_view name, std::int64_t value);
  [[nodiscard]] const std::int64_t* find(std::string_view name) const;
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  [[nodiscard]] const std::vector<std::int64_t>& values() const { return values_; }

 private:
  std::vector<std::string> names_;
  std::vector<std::int64_t> values_;
};

// Thread safety: const methods may be called from several threads at once.
class Expression {
 public:
  // Parses `text` (at most 4096 characters, 64 nested parentheses). The error names the position
  // and the offending token; `known` are the names that may appear, for "did you mean" hints.
  [[nodiscard]] static Result<Expression> parse(std::string_view text,
                                                std::span<const std::string> known);

  Expression(const Expression&);
  Expression(Expression&&) noexcept;
  Expression& operator=(Expression) noexcept;
  ~Expression();

  // The value with `values[i]` for `known[i]` of parse(). Errors: division by zero, overflow.
  [[nodiscard]] Result<std::int64_t> evaluate(std::span<const std::int64_t> values) const;
  // Which of `known` the expression uses, as indices, ascending.
  [[nodiscard]] const std::vector<std::size_t>& used() const;
  [[nodiscard]] const std::string& text() const;

 private:
  struct State;
  explicit Expression(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace kernatlas
