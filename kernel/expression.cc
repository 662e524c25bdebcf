#include "kernel/expression.h"

#include <fmt/format.h>
#include <muParserBase.h>

#include <algorithm>
#include <mutex>
#include <optional>

#include "kernel/expression_lexer.h"
#include "kernel/suggest.h"

namespace kernatlas {
namespace {

namespace spelling = detail::spelling;

constexpr std::int64_t kLimit = std::int64_t{1} << 53;

enum class Fault { none, overflow, division_by_zero, log2_domain };

// muParser's callbacks carry no context, so what goes wrong during one evaluation is noted here. An
// operand that C would not have evaluated raises nothing: `suppressed` counts the enclosing right
// sides of decided and/or (those of ?: are really skipped by muParser).
struct Status {
  Fault fault = Fault::none;
  int suppressed = 0;
};
thread_local constinit Status status;

double raise(Fault fault) {
  if (status.suppressed == 0 && status.fault == Fault::none) status.fault = fault;
  return 0;
}

// Every value between operators is an integer of at most 2^53, so these conversions are exact.
std::int64_t integer(double value) {
  return static_cast<std::int64_t>(value);
}

double checked(std::int64_t value) {
  if (value > kLimit || value < -kLimit) return raise(Fault::overflow);
  return static_cast<double>(value);
}

double truth(bool value) {
  return value ? 1 : 0;
}

double add(double a, double b) {
  return checked(integer(a) + integer(b));
}
double subtract(double a, double b) {
  return checked(integer(a) - integer(b));
}
double multiply(double a, double b) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(integer(a), integer(b), &product)) return raise(Fault::overflow);
  return checked(product);
}
double divide(double a, double b) {
  if (b == 0) return raise(Fault::division_by_zero);
  return checked(integer(a) / integer(b));
}
double remainder_of(double a, double b) {
  if (b == 0) return raise(Fault::division_by_zero);
  return checked(integer(a) % integer(b));
}
double ceil_div(double a, double b) {
  if (b == 0) return raise(Fault::division_by_zero);
  const std::int64_t quotient = integer(a) / integer(b);
  const bool inexact = integer(a) % integer(b) != 0;
  return checked(quotient + (inexact && (a < 0) == (b < 0) ? 1 : 0));
}
double floor_log2(double a) {
  if (a <= 0) return raise(Fault::log2_domain);
  return 63 - __builtin_clzll(static_cast<unsigned long long>(a));
}
double is_power_of_2(double a) {
  return truth(a > 0 && (integer(a) & (integer(a) - 1)) == 0);
}
double absolute(double a) {
  return a < 0 ? -a : a;
}
double smallest(const double* values, int count) {
  return *std::min_element(values, values + count);
}
double largest(const double* values, int count) {
  return *std::max_element(values, values + count);
}

double and_begin(double a, double /*unused*/) {
  if (a == 0) ++status.suppressed;
  return truth(a != 0);
}
double and_end(double a, double b) {
  if (a == 0) --status.suppressed;
  return truth(a != 0 && b != 0);
}
double or_begin(double a, double /*unused*/) {
  if (a != 0) ++status.suppressed;
  return truth(a != 0);
}
double or_end(double a, double b) {
  if (a != 0) --status.suppressed;
  return truth(a != 0 || b != 0);
}

double negate(double a) {
  return 0 - a;
}  // not -a: there is no negative zero here
double logical_not(double a) {
  return truth(a == 0);
}
double truth_of(double a) {
  return truth(a != 0);
}
double negate_not(double a) {
  return negate(logical_not(a));
}
double negate_truth(double a) {
  return negate(truth_of(a));
}

int read_digits(const char* text, int* position, double* value) {
  std::int64_t number = 0;
  int length = 0;
  // The lexer has refused numbers beyond 2^53.
  for (; text[length] >= '0' && text[length] <= '9'; ++length) {
    number = number * 10 + (text[length] - '0');
  }
  if (length == 0) return 0;
  *position += length;
  *value = static_cast<double>(number);
  return 1;
}

std::string one(char c) {
  return std::string(1, c);
}

// muParser without anything of its own but parentheses, commas and ?:.
class IntegerParser : public mu::ParserBase {
 public:
  IntegerParser() {
    AddValIdent(read_digits);
    define_everything();
  }

 protected:
  void InitCharSets() override {}
  void InitFun() override {}
  void InitConst() override {}
  void InitOprt() override {}

 private:
  void define_everything() {
    EnableBuiltInOprt(false);
    EnableOptimizer(false);
    DefineNameChars("0123456789_abcdefghijklmnopqrstuvwxyz");
    DefineOprtChars("~@$`^=#<{>}&;|!+-*/%");
    DefineInfixOprtChars("~@$`^");
    binary(1, spelling::kOrBegin, or_begin);
    binary(1, spelling::kOrEnd, or_end);
    binary(2, spelling::kAndBegin, and_begin);
    binary(2, spelling::kAndEnd, and_end);
    binary(3, spelling::kEqual, [](double a, double b) { return truth(a == b); });
    binary(3, spelling::kUnequal, [](double a, double b) { return truth(a != b); });
    binary(4, spelling::kLess, [](double a, double b) { return truth(a < b); });
    binary(4, spelling::kLessEqual, [](double a, double b) { return truth(a <= b); });
    binary(4, spelling::kGreater, [](double a, double b) { return truth(a > b); });
    binary(4, spelling::kGreaterEqual, [](double a, double b) { return truth(a >= b); });
    binary(5, '+', add);
    binary(5, '-', subtract);
    binary(6, '*', multiply);
    binary(6, '/', divide);
    binary(6, '%', remainder_of);
    unary(spelling::kNegate, negate);
    unary(spelling::kNot, logical_not);
    unary(spelling::kTruth, truth_of);
    unary(spelling::kNegateNot, negate_not);
    unary(spelling::kNegateTruth, negate_truth);
    DefineFun("min", smallest, false);
    DefineFun("max", largest, false);
    DefineFun("abs", absolute, false);
    DefineFun("ceil_div", ceil_div, false);
    DefineFun("is_pow2", is_power_of_2, false);
    DefineFun("log2", floor_log2, false);
  }

  void binary(unsigned precedence, char symbol, mu::fun_type2 function) {
    DefineOprt(one(symbol), function, precedence, mu::oaLEFT, false);
  }
  void unary(char symbol, mu::fun_type1 function) {
    constexpr int kTightest = 100;
    DefineInfixOprt(one(symbol), function, kTightest, false);
  }
};

std::string explain(mu::EErrorCodes code) {
  switch (code) {
    case mu::ecUNEXPECTED_EOF:
    case mu::ecEMPTY_EXPRESSION:
      return "the expression ends where an operand is missing";
    case mu::ecUNEXPECTED_VAL:
    case mu::ecUNEXPECTED_VAR:
    case mu::ecUNEXPECTED_FUN:
      return "an operator is missing before this";
    case mu::ecUNEXPECTED_PARENS:
      return "this parenthesis does not belong here";
    case mu::ecUNEXPECTED_ARG:
    case mu::ecUNEXPECTED_ARG_SEP:
      return "this comma does not separate arguments of a function";
    case mu::ecTOO_MANY_PARAMS:
      return "too many arguments";
    case mu::ecTOO_FEW_PARAMS:
      return "too few arguments";
    case mu::ecMISSING_ELSE_CLAUSE:
      return "a ? without its :";
    case mu::ecMISPLACED_COLON:
    case mu::ecUNEXPECTED_CONDITIONAL:
      return "this part of ?: does not belong here";
    default:
      return "this does not belong here";
  }
}

Error syntax_error(std::string_view text, const detail::Lexed& lexed, mu::EErrorCodes code,
                   int position) {
  // muParser points at the beginning or right behind what it stumbled over.
  std::size_t offset = text.size();
  for (const detail::Origin& origin : lexed.origins) {
    if (static_cast<int>(origin.rewritten) > position) break;
    offset = origin.begin;
  }
  if (code == mu::ecUNEXPECTED_EOF || code == mu::ecEMPTY_EXPRESSION || position < 0) {
    offset = text.size();
  }
  return detail::error_at(text, offset, explain(code), "an expression such as ceil_div(N, 4 * B)",
                          "");
}

}  // namespace

void Names::set(std::string_view name, std::int64_t value) {
  const auto found = std::find(names_.begin(), names_.end(), name);
  if (found != names_.end()) {
    values_[static_cast<std::size_t>(found - names_.begin())] = value;
    return;
  }
  names_.emplace_back(name);
  values_.push_back(value);
}

const std::int64_t* Names::find(std::string_view name) const {
  const auto found = std::find(names_.begin(), names_.end(), name);
  return found == names_.end() ? nullptr
                               : &values_[static_cast<std::size_t>(found - names_.begin())];
}

struct Expression::State {
  struct Binding {
    std::size_t known;  // index into parse()'s `known`
    std::size_t slot;   // index into `variables`
  };

  std::string text;
  std::string rewritten;
  std::vector<Binding> bindings;  // ascending by `known`
  std::vector<std::size_t> used;
  IntegerParser parser;
  std::vector<double> variables;  // the parser holds pointers into it
  std::mutex mutex;               // guards `variables` and the parser's stack

  // Throws mu::ParserError.
  void compile() {
    variables.assign(bindings.size(), 0);
    for (std::size_t slot = 0; slot < variables.size(); ++slot) {
      parser.DefineVar(fmt::format("v{}", slot), &variables[slot]);
    }
    parser.SetExpr(rewritten);
    status = {};
    parser.Eval();  // muParser compiles at the first evaluation; its value says nothing
    if (parser.GetNumResults() != 1) throw mu::ParserError(mu::ecUNEXPECTED_ARG_SEP, 0, ",");
  }

  std::string explain(Fault fault, std::span<const std::int64_t> values,
                      std::span<const std::string> names) const;
  std::vector<std::string> names;  // of `used`
};

std::string Expression::State::explain(Fault fault, std::span<const std::int64_t> values,
                                       std::span<const std::string> of) const {
  std::string what = "the value leaves ±2^53";
  if (fault == Fault::division_by_zero) what = "division by zero";
  if (fault == Fault::log2_domain) what = "log2 of a number below 1";
  what += " in \"" + text + "\"";
  for (std::size_t i = 0; i < of.size(); ++i) {
    what += (i == 0 ? " with " : ", ") + of[i] + " = " + std::to_string(values[used[i]]);
  }
  return what;
}

Result<Expression> Expression::parse(std::string_view text, std::span<const std::string> known) {
  auto lexed = detail::lex(text);
  if (!lexed) return fail(std::move(lexed.error()));

  auto state = std::make_unique<State>();
  state->text = text;
  state->rewritten = lexed->text;
  for (std::size_t slot = 0; slot < lexed->names.size(); ++slot) {
    const std::string& name = lexed->names[slot];
    const auto found = std::find(known.begin(), known.end(), name);
    if (found == known.end()) {
      return fail(detail::error_at(text, lexed->name_at[slot], "unknown name " + quoted(name),
                                   "the name of a dim or tunable", suggest(name, known)));
    }
    state->bindings.push_back(
        {.known = static_cast<std::size_t>(found - known.begin()), .slot = slot});
  }
  std::sort(state->bindings.begin(), state->bindings.end(),
            [](const auto& a, const auto& b) { return a.known < b.known; });
  for (const State::Binding& binding : state->bindings) {
    state->used.push_back(binding.known);
    state->names.push_back(known[binding.known]);
  }
  try {
    state->compile();
  } catch (const mu::ParserError& error) {
    return fail(syntax_error(text, *lexed, error.GetCode(), static_cast<int>(error.GetPos())));
  }
  return Expression(std::move(state));
}

Expression::Expression(std::unique_ptr<State> state) : state_(std::move(state)) {}
Expression::Expression(Expression&&) noexcept = default;
Expression::~Expression() = default;

// A copy has a parser and a lock of its own, so that threads with copies never wait for each other.
Expression::Expression(const Expression& other) : state_(std::make_unique<State>()) {
  state_->text = other.state_->text;
  state_->rewritten = other.state_->rewritten;
  state_->bindings = other.state_->bindings;
  state_->used = other.state_->used;
  state_->names = other.state_->names;
  state_->compile();
}

Expression& Expression::operator=(Expression other) noexcept {
  state_ = std::move(other.state_);
  return *this;
}

Result<std::int64_t> Expression::evaluate(std::span<const std::int64_t> values) const {
  State& state = *state_;
  KERNATLAS_CHECK(state.used.empty() || values.size() > state.used.back());
  double value = 0;
  Status outcome;
  {
    const std::lock_guard lock(state.mutex);
    status = {};
    for (const State::Binding& binding : state.bindings) {
      state.variables[binding.slot] = checked(values[binding.known]);
    }
    value = state.parser.Eval();
    outcome = status;
  }
  if (outcome.fault != Fault::none) {
    return fail({.message = state.explain(outcome.fault, values, state.names),
                 .file = {},
                 .expected = {},
                 .hint = {}});
  }
  return integer(value);
}

const std::vector<std::size_t>& Expression::used() const {
  return state_->used;
}
const std::string& Expression::text() const {
  return state_->text;
}

}  // namespace kernatlas
