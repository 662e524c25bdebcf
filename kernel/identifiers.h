// Names that task files and kernel sources declare (kernel/suggest.h helps with misspelt ones).
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kernatlas {

// A letter or underscore, then letters, digits and underscores; ASCII only.
[[nodiscard]] bool is_identifier(std::string_view text);

// Why a dim, tunable, tensor or workspace may not be called `name`: no identifier, a C++ keyword, a
// name the language or kernatlas reserves, or a function of expressions. Empty when it may.
[[nodiscard]] std::string name_problem(std::string_view name);

// True for what expressions define themselves: min, log2, and, …
[[nodiscard]] bool is_expression_word(std::string_view word);

// The identifiers of an expression's text, each once, without the words of the language itself.
[[nodiscard]] std::vector<std::string> identifiers_in(std::string_view expression);

// `"a", "b" or "c"`, cut after a dozen: for "expected …".
[[nodiscard]] std::string one_of(std::span<const std::string> names);

// Names that must differ from each other, and what each of them is.
class NameTable {
 public:
  // What already has this name ("the tunable"), or nothing after adding it.
  [[nodiscard]] std::optional<std::string> add(const std::string& name, std::string what);
  [[nodiscard]] std::vector<std::string> names() const;

 private:
  std::map<std::string, std::string> what_;
};

}  // namespace kernatlas
