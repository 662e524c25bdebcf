#include "kernel/expression_lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "kernel/suggest.h"

namespace kernatlas::detail {
namespace {

constexpr std::array<std::string_view, 6> kFunctions = {"min",      "max",     "abs",
                                                        "ceil_div", "is_pow2", "log2"};
constexpr std::int64_t kLimit = std::int64_t{1} << 53;

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_name(char c) {
  return is_name_start(c) || is_digit(c);
}

// An operator as people write it, and as muParser reads it.
struct Operator {
  std::string_view written;
  std::string_view rewritten;
};
// Longer ones first, for the first that matches is taken.
constexpr std::array<Operator, 17> kOperators = {{{"==", "="},
                                                  {"!=", "#"},
                                                  {"<=", "{"},
                                                  {">=", "}"},
                                                  {"&&", "& 0 ;"},
                                                  {"||", "| 0 !"},
                                                  {"<", "<"},
                                                  {">", ">"},
                                                  {"+", "+"},
                                                  {"-", "-"},
                                                  {"*", "*"},
                                                  {"/", "/"},
                                                  {"%", "%"},
                                                  {"?", "?"},
                                                  {":", ":"},
                                                  {",", ","},
                                                  {"!", ""}}};

// What people write out of habit from other languages, and what it is called here.
struct Habit {
  std::string_view written;
  std::string_view hint;
};
constexpr std::array<Habit, 9> kHabits = {{{"**", "write a * a; there is no power operator"},
                                           {"//", "write a / b: division is already integer"},
                                           {"<<", "multiply by a power of two"},
                                           {">>", "divide by a power of two"},
                                           {"=", "compare with =="},
                                           {"&", "write && or `and`"},
                                           {"|", "write || or `or`"},
                                           {"^", "there is no bit or power operator"},
                                           {"~", "there is no bit operator; write `not`"}}};

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  Result<Lexed> run() {
    while (!error_ && skip_space()) read_token();
    if (!error_ && !open_.empty()) {
      fail_at(open_.back(), "this parenthesis is never closed", "a ) for every (", "");
    }
    if (error_) return fail(std::move(*error_));
    // muParser compares operators without looking for the end of the text: give it room.
    out_.text += "  ";
    return std::move(out_);
  }

 private:
  bool skip_space() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
    return at_ < text_.size();
  }

  void fail_at(std::size_t offset, std::string what, std::string expected, std::string hint) {
    error_ = error_at(text_, offset, std::move(what), std::move(expected), std::move(hint));
  }

  // Appends a token; `is_value` tells whether it ends an operand, so that a minus after it is
  // binary.
  void emit(std::string_view rewritten, std::size_t begin, bool is_value) {
    out_.origins.push_back({.rewritten = out_.text.size(), .begin = begin, .end = at_});
    out_.text += rewritten;
    out_.text += ' ';
    after_value_ = is_value;
  }

  void read_token() {
    const char c = text_[at_];
    if (is_digit(c) || (c == '.' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1]))) {
      read_number();
    } else if (is_name_start(c)) {
      read_name();
    } else if (c == '(') {
      open_parenthesis();
    } else if (c == ')') {
      close_parenthesis();
    } else {
      read_operator();
    }
  }

  void read_number() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && (is_name(text_[at_]) || text_[at_] == '.')) ++at_;
    const std::string_view digits = text_.substr(begin, at_ - begin);
    std::int64_t value = 0;
    const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (end != digits.data() + digits.size()) {
      fail_at(begin, quoted(digits) + " is not an integer", "decimal digits only, such as 256",
              "a fraction is written as a product and a quotient: 3 * N / 2");
    } else if (code != std::errc{} || value > kLimit) {
      fail_at(begin, "the number " + quoted(digits) + " is too large", "at most 2^53", "");
    } else if (digits.size() > 1 && digits.front() == '0') {
      fail_at(begin, "the number " + std::string(digits) + " starts with 0", "decimal digits",
              "octal numbers are not supported; write " + std::to_string(value));
    } else {
      emit(digits, begin, true);
    }
  }

  void read_name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_name(text_[at_])) ++at_;
    const std::string_view word = text_.substr(begin, at_ - begin);
    if (word == "and") return emit("& 0 ;", begin, false);
    if (word == "or") return emit("| 0 !", begin, false);
    if (word == "not") {
      at_ = begin;
      return read_unary();
    }
    std::size_t next = at_;
    while (next < text_.size() && is_space(text_[next])) ++next;
    if (next < text_.size() && text_[next] == '(') {
      if (is_function_name(word)) {
        emit(word, begin, false);
        out_.text.pop_back();  // muParser wants the parenthesis right after the name
        return;
      }
      const std::vector<std::string> known(kFunctions.begin(), kFunctions.end());
      return fail_at(begin, "unknown function " + quoted(word),
                     "min, max, abs, ceil_div, is_pow2 or log2", suggest(word, known));
    }
    emit(fmt::format("v{}", index_of(word, begin)), begin, true);
  }

  std::size_t index_of(std::string_view word, std::size_t begin) {
    const auto found = std::find(out_.names.begin(), out_.names.end(), word);
    if (found != out_.names.end()) return static_cast<std::size_t>(found - out_.names.begin());
    out_.names.emplace_back(word);
    out_.name_at.push_back(begin);
    return out_.names.size() - 1;
  }

  void open_parenthesis() {
    open_.push_back(at_);
    if (open_.size() > static_cast<std::size_t>(kMaxExpressionDepth)) {
      return fail_at(at_, "parentheses are nested too deeply",
                     "at most " + std::to_string(kMaxExpressionDepth) + " levels", "");
    }
    ++at_;
    emit("(", at_ - 1, false);
  }

  void close_parenthesis() {
    if (open_.empty()) return fail_at(at_, "this ) closes nothing", "a ( before it", "");
    open_.pop_back();
    ++at_;
    emit(")", at_ - 1, true);
  }

  void read_operator() {
    const std::string_view rest = text_.substr(at_);
    if (!after_value_ &&
        (rest.front() == '-' || (rest.front() == '!' && !rest.starts_with("!=")))) {
      return read_unary();
    }
    for (const Operator& each : kOperators) {
      if (!rest.starts_with(each.written) || is_habit(rest, each.written)) continue;
      if (each.rewritten.empty() || (each.written == "," && open_.empty())) break;
      const std::size_t begin = at_;
      at_ += each.written.size();
      return emit(each.rewritten, begin, false);
    }
    refuse_operator(rest);
  }

  static bool is_habit(std::string_view rest, std::string_view written) {
    return std::any_of(kHabits.begin(), kHabits.end(), [&](const Habit& habit) {
      return habit.written.size() > written.size() && rest.starts_with(habit.written);
    });
  }

  void refuse_operator(std::string_view rest) {
    std::string hint;
    std::string_view shown = rest.substr(0, 1);
    for (const Habit& habit : kHabits) {
      if (!rest.starts_with(habit.written)) continue;
      hint = habit.hint;
      shown = habit.written;
      break;
    }
    const bool printable = shown.front() > ' ' && shown.front() < 0x7f;
    fail_at(at_, printable ? "unexpected \"" + std::string(shown) + "\"" : "unexpected character",
            "names, integers, ( ) and the operators ?: or and == != < <= > >= + - * / % not",
            std::move(hint));
  }

  // muParser takes one unary operator before an operand. A run of them has at most five different
  // meanings, each of which is one operator of ours.
  void read_unary() {
    const std::size_t begin = at_;
    std::string run;  // '-' and '!', outermost first
    while (skip_space()) {
      const std::string_view rest = text_.substr(at_);
      if (rest.front() == '-' || (rest.front() == '!' && !rest.starts_with("!="))) {
        run += rest.front();
        ++at_;
      } else if (rest.starts_with("not") && (rest.size() == 3 || !is_name(rest[3]))) {
        run += '!';
        at_ += 3;
      } else {
        break;
      }
    }
    bool negative = false;
    int nots = 0;
    for (const char c : run) {
      if (c == '!') {
        ++nots;  // a sign inside a not does not matter
      } else if (nots == 0) {
        negative = !negative;
      }
    }
    if (nots == 0 && !negative) {
      after_value_ = false;
      return;
    }
    char unary = negative ? spelling::kNegate : spelling::kTruth;
    if (nots > 0 && nots % 2 == 1) unary = negative ? spelling::kNegateNot : spelling::kNot;
    if (nots > 0 && nots % 2 == 0) unary = negative ? spelling::kNegateTruth : spelling::kTruth;
    emit(std::string_view(&unary, 1), begin, false);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool after_value_ = false;
  std::vector<std::size_t> open_;  // offsets of open parentheses
  Lexed out_;
  std::optional<Error> error_;
};

}  // namespace

bool is_function_name(std::string_view name) {
  return std::find(kFunctions.begin(), kFunctions.end(), name) != kFunctions.end();
}

Error error_at(std::string_view text, std::size_t offset, std::string what, std::string expected,
               std::string hint) {
  return {.message = "expression " + quoted(text) + ", character " + std::to_string(offset + 1) +
                     ": " + std::move(what),
          .file = {},
          .expected = std::move(expected),
          .hint = std::move(hint)};
}

Result<Lexed> lex(std::string_view text) {
  if (text.size() > kMaxExpressionLength) {
    return fail(error_at(text, kMaxExpressionLength, "the expression is too long",
                         "at most " + std::to_string(kMaxExpressionLength) + " characters", ""));
  }
  return Lexer(text).run();
}

}  // namespace kernatlas::detail
