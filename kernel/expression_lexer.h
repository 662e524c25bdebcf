// Splits an expression into tokens and writes it down in the spelling that the parser understands.
// Part of kernel/expression.cc; nobody else needs it.
//
// Why a step before muParser: its own reading of operators glues neighbours together ("a*-3"),
// takes the letters of `or` out of a name, accepts 1.5 and 1e3, and refuses "!!a". After this step
// every token stands alone between spaces, variables are v0, v1, …, and a run of unary operators is
// one. Grammar and precedence stay muParser's.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernel/result.h"

namespace kernatlas::detail {

// The operators as muParser sees them, one character each.
namespace spelling {
inline constexpr char kNegate = '~';
inline constexpr char kNot = '@';
inline constexpr char kTruth = '$';        // !!a
inline constexpr char kNegateNot = '`';    // -!a
inline constexpr char kNegateTruth = '^';  // -!!a
inline constexpr char kEqual = '=';
inline constexpr char kUnequal = '#';
inline constexpr char kLess = '<';
inline constexpr char kLessEqual = '{';
inline constexpr char kGreater = '>';
inline constexpr char kGreaterEqual = '}';
// `a and b` becomes `a & 0 ; b`: the first operator runs before b is evaluated, the second after.
inline constexpr char kAndBegin = '&';
inline constexpr char kAndEnd = ';';
inline constexpr char kOrBegin = '|';
inline constexpr char kOrEnd = '!';
}  // namespace spelling

// Where a piece of the rewritten text came from.
struct Origin {
  std::size_t rewritten = 0;  // offset of the piece in Lexed::text
  std::size_t begin = 0;      // offsets in the original text
  std::size_t end = 0;
};

struct Lexed {
  std::string text;                  // for muParser
  std::vector<std::string> names;    // names[i] is written v<i>; in order of first appearance
  std::vector<std::size_t> name_at;  // offset of that first appearance
  std::vector<Origin> origins;       // ascending by `rewritten`
};

inline constexpr std::size_t kMaxExpressionLength = 4096;
inline constexpr int kMaxExpressionDepth = 64;

[[nodiscard]] bool is_function_name(std::string_view name);

// "… at character 5 of "A * * B": …" with `offset` counted from 0.
[[nodiscard]] Error error_at(std::string_view text, std::size_t offset, std::string what,
                             std::string expected, std::string hint);

// Errors: too long, too deep, a character, number or operator that does not belong, unbalanced
// parentheses.
[[nodiscard]] Result<Lexed> lex(std::string_view text);

}  // namespace kernatlas::detail
