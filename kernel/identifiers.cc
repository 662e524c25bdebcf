#include "kernel/identifiers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>

namespace kernatlas {

namespace {

constexpr std::size_t kLongestName = 64;

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// C++20's keywords and alternative tokens, sorted.
constexpr auto kKeywords =
    std::to_array<std::string_view>({"alignas",       "alignof",     "and",
                                     "and_eq",        "asm",         "auto",
                                     "bitand",        "bitor",       "bool",
                                     "break",         "case",        "catch",
                                     "char",          "char16_t",    "char32_t",
                                     "char8_t",       "class",       "co_await",
                                     "co_return",     "co_yield",    "compl",
                                     "concept",       "const",       "const_cast",
                                     "consteval",     "constexpr",   "constinit",
                                     "continue",      "decltype",    "default",
                                     "delete",        "do",          "double",
                                     "dynamic_cast",  "else",        "enum",
                                     "explicit",      "export",      "extern",
                                     "false",         "float",       "for",
                                     "friend",        "goto",        "if",
                                     "inline",        "int",         "long",
                                     "mutable",       "namespace",   "new",
                                     "noexcept",      "not",         "not_eq",
                                     "nullptr",       "operator",    "or",
                                     "or_eq",         "private",     "protected",
                                     "public",        "register",    "reinterpret_cast",
                                     "requires",      "return",      "short",
                                     "signed",        "sizeof",      "static",
                                     "static_assert", "static_cast", "struct",
                                     "switch",        "template",    "this",
                                     "thread_local",  "throw",       "true",
                                     "try",           "typedef",     "typeid",
                                     "typename",      "union",       "unsigned",
                                     "using",         "virtual",     "void",
                                     "volatile",      "wchar_t",     "while",
                                     "xor",           "xor_eq"});

constexpr auto kExpressionWords = std::to_array<std::string_view>(
    {"abs", "and", "ceil_div", "is_pow2", "log2", "max", "min", "not", "or"});

bool starts_with_kernatlas(std::string_view name) {
  constexpr std::string_view kPrefix = "kernatlas";
  return name.size() >= kPrefix.size() &&
         std::equal(kPrefix.begin(), kPrefix.end(), name.begin(), [](char a, char b) {
           return a == std::tolower(static_cast<unsigned char>(b));
         });
}

}  // namespace

bool is_identifier(std::string_view text) {
  return !text.empty() && is_letter(text.front()) &&
         std::all_of(text.begin(), text.end(), [](char c) { return is_letter(c) || is_digit(c); });
}

bool is_expression_word(std::string_view word) {
  return std::binary_search(kExpressionWords.begin(), kExpressionWords.end(), word);
}

std::string name_problem(std::string_view name) {
  if (!is_identifier(name)) return "is not an identifier";
  if (name.size() > kLongestName) return fmt::format("is longer than {} characters", kLongestName);
  if (std::binary_search(kKeywords.begin(), kKeywords.end(), name)) return "is a C++ keyword";
  if (is_expression_word(name)) return "is a function of expressions";
  const bool capital = name.size() > 1 && name[1] >= 'A' && name[1] <= 'Z';
  if (name.find("__") != std::string_view::npos || (name.front() == '_' && capital)) {
    return "is reserved by C++";
  }
  if (starts_with_kernatlas(name)) return "is reserved by kernatlas";
  return {};
}

std::vector<std::string> identifiers_in(std::string_view expression) {
  std::vector<std::string> found;
  for (std::size_t i = 0; i < expression.size();) {
    std::size_t end = i;
    while (end < expression.size() && (is_letter(expression[end]) || is_digit(expression[end]))) {
      ++end;
    }
    const std::string_view word = expression.substr(i, end - i);
    i = std::max(end, i + 1);
    if (word.empty() || is_digit(word.front()) || is_expression_word(word)) continue;
    if (std::find(found.begin(), found.end(), word) == found.end()) found.emplace_back(word);
  }
  return found;
}

std::string one_of(std::span<const std::string> names) {
  constexpr std::size_t kMost = 12;
  std::string out;
  for (std::size_t i = 0; i < std::min(names.size(), kMost); ++i) {
    const bool last = i + 1 == names.size();
    if (i > 0) out += last ? " or " : ", ";
    out += fmt::format("\"{}\"", names[i]);
  }
  if (names.size() > kMost) out += fmt::format(" or {} more", names.size() - kMost);
  return out;
}

std::optional<std::string> NameTable::add(const std::string& name, std::string what) {
  const auto [position, added] = what_.emplace(name, std::move(what));
  if (added) return std::nullopt;
  return position->second;
}

std::vector<std::string> NameTable::names() const {
  std::vector<std::string> out;
  for (const auto& [name, what] : what_) out.push_back(name);
  return out;
}

}  // namespace kernatlas
