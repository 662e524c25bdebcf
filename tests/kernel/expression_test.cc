#include "kernel/expression.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <optional>
#include <thread>
#include <vector>

#include "kernel/rng.h"

using namespace kernatlas;

namespace {

const std::vector<std::string> kNames = {"A", "B", "C", "x_or", "notes", "android", "ROWS"};
const std::vector<std::int64_t> kValues = {7, 3, 0, 5, -2, 64, 4096};
constexpr std::int64_t kLimit = std::int64_t{1} << 53;

std::int64_t value(std::string_view text) {
  INFO("expression: ", std::string(text));
  const auto expression = Expression::parse(text, kNames);
  REQUIRE_MESSAGE(expression, expression.error().text());
  const auto result = expression->evaluate(kValues);
  REQUIRE_MESSAGE(result, result.error().text());
  return *result;
}

std::string parse_error(std::string_view text) {
  INFO("expression: ", std::string(text));
  const auto expression = Expression::parse(text, kNames);
  REQUIRE_FALSE(expression);
  CHECK(expression.error().code == ErrorCode::bad_input);
  return expression.error().text();
}

std::string value_error(std::string_view text) {
  INFO("expression: ", std::string(text));
  const auto expression = Expression::parse(text, kNames);
  REQUIRE_MESSAGE(expression, expression.error().text());
  const auto result = expression->evaluate(kValues);
  REQUIRE_FALSE(result);
  return result.error().text();
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("operators, alone and glued to their neighbours") {
  CHECK(value("2*3") == 6);
  CHECK(value("2 *3 ") == 6);
  CHECK(value("A*-3") == -21);
  CHECK(value("A--3") == 10);
  CHECK(value("A==-1") == 0);
  CHECK(value("A==7") == 1);
  CHECK(value("A!=7") == 0);
  CHECK(value("A%-B") == 1);
  CHECK(value("-A%B") == -1);
  CHECK(value("-A/B") == -2);
  CHECK(value("A/B") == 2);
  CHECK(value("!A") == 0);
  CHECK(value("!C") == 1);
  CHECK(value("not A") == 0);
  CHECK(value("not(C)") == 1);
  CHECK(value("!!A") == 1);
  CHECK(value("- -A") == 7);
  CHECK(value("--A") == 7);
  CHECK(value("-!A") == 0);
  CHECK(value("-!C") == -1);
  CHECK(value("-!!A") == -1);
  CHECK(value("!-A") == 0);
  CHECK(value("not not A") == 1);
  CHECK(value("A<7") == 0);
  CHECK(value("A<=7") == 1);
  CHECK(value("A>=7") == 1);
  CHECK(value("A>7") == 0);
  CHECK(value("A&&C") == 0);
  CHECK(value("A||C") == 1);
  CHECK(value("A and B") == 1);
  CHECK(value("C or C") == 0);
  CHECK(value("  ( ( A ) )  ") == 7);
  CHECK(value("0") == 0);
  CHECK(value("9007199254740992") == kLimit);
}

TEST_CASE("words inside names stay names") {
  CHECK(value("x_or") == 5);
  CHECK(value("x_or or C") == 1);
  CHECK(value("notes+1") == -1);
  CHECK(value("android and notes") == 1);
  CHECK(value("(A)and(B)") == 1);
}

TEST_CASE("precedence, loosest first as in the header") {
  CHECK(value("1 or 0 and 0") == 1);
  CHECK(value("0 and 0 or 1") == 1);
  CHECK(value("1 == 2 < 3") == 1);
  CHECK(value("2 + 3 * 4") == 14);
  CHECK(value("(2 + 3) * 4") == 20);
  CHECK(value("10 - 4 - 3") == 3);
  CHECK(value("100 / 10 / 2") == 5);
  CHECK(value("100 / 10 * 2") == 20);
  CHECK(value("-2 + 3") == 1);
  CHECK(value("!0 + 1") == 2);
  CHECK(value("not A == 0") == 1);
  CHECK(value("1 ? 2 : 3 + 4") == 2);
  CHECK(value("0 ? 2 : 3 + 4") == 7);
  CHECK(value("0 ? 1 : 0 ? 2 : 3") == 3);
  CHECK(value("1 ? 0 ? 4 : 5 : 6") == 5);
  CHECK(value("0 or 1 ? 8 : 9") == 8);
  CHECK(value("(C ? A : B) * 2") == 6);
}

TEST_CASE("functions") {
  CHECK(value("min(A, B)") == 3);
  CHECK(value("max(A, B, ROWS, 1)") == 4096);
  CHECK(value("min (A)") == 7);
  CHECK(value("abs(notes)") == 2);
  CHECK(value("ceil_div(7, 3)") == 3);
  CHECK(value("ceil_div(6, 3)") == 2);
  CHECK(value("ceil_div(-7, 3)") == -2);
  CHECK(value("ceil_div(-7, -3)") == 3);
  CHECK(value("is_pow2(64)") == 1);
  CHECK(value("is_pow2(0)") == 0);
  CHECK(value("is_pow2(-4)") == 0);
  CHECK(value("is_pow2(65)") == 0);
  CHECK(value("log2(1)") == 0);
  CHECK(value("log2(4095)") == 11);
  CHECK(value("log2(ROWS)") == 12);
  CHECK(value("log2(9007199254740992)") == 53);
  CHECK(value("max(min(A, B), A ? 4 : 5)") == 4);
  CHECK(has(parse_error("min()"), "few"));
  CHECK(has(parse_error("abs(A, B)"), "many"));
  CHECK(has(parse_error("ceil_div(A)"), "few"));
  CHECK(has(parse_error("log3(A)"), "did you mean log2?"));
  CHECK(has(parse_error("sin(A)"), "unknown function"));
}

TEST_CASE("a name may be called like a function") {
  const std::vector<std::string> names = {"max"};
  const auto expression = Expression::parse("max(max, 3) + max", names);
  REQUIRE(expression);
  CHECK(expression->evaluate(std::array<std::int64_t, 1>{5}).value() == 10);
}

TEST_CASE("numbers are decimal integers") {
  CHECK(has(parse_error("1.5 * A"), "3 * N / 2"));
  CHECK(has(parse_error(".5"), "not an integer"));
  CHECK(has(parse_error("1e3"), "not an integer"));
  CHECK(has(parse_error("0x10"), "not an integer"));
  CHECK(has(parse_error("2A"), "not an integer"));
  CHECK(has(parse_error("010"), "octal"));
  CHECK(has(parse_error("9007199254740993"), "too large"));
  CHECK(has(parse_error("99999999999999999999999"), "too large"));
}

TEST_CASE("syntax errors point at the place and say what to do") {
  CHECK(has(parse_error(""), "operand is missing"));
  CHECK(has(parse_error("   "), "operand is missing"));
  CHECK(has(parse_error("A +"), "operand is missing"));
  CHECK(has(parse_error("A * * B"), "character 5"));
  CHECK(has(parse_error("A B"), "character 3: an operator is missing"));
  CHECK(has(parse_error("A 2"), "operator is missing"));
  CHECK(has(parse_error("(A"), "character 1: this parenthesis is never closed"));
  CHECK(has(parse_error("A)"), "character 2: this ) closes nothing"));
  CHECK(has(parse_error("()"), "parenthesis"));
  CHECK(has(parse_error("A, B"), "character 2"));
  CHECK(has(parse_error("(A, B)"), "comma"));
  CHECK(has(parse_error("A ? B"), "without its :"));
  CHECK(has(parse_error("A : B"), "?:"));
  CHECK(has(parse_error("A = B"), "=="));
  CHECK(has(parse_error("A ** 2"), "power"));
  CHECK(has(parse_error("A << 2"), "power of two"));
  CHECK(has(parse_error("A & B"), "&&"));
  CHECK(has(parse_error("A | B"), "||"));
  CHECK(has(parse_error("A !B"), "unexpected \"!\""));
  CHECK(has(parse_error("A not B"), "character 3"));
  CHECK(has(parse_error("A + and"), "character 5"));
  CHECK(has(parse_error("\"A\""), "unexpected"));
  CHECK(has(parse_error("A + \xc3\x97"), "unexpected character"));
  CHECK(has(parse_error(std::string_view("A\0B", 3)), "unexpected character"));
  CHECK(has(parse_error("A;B"), "unexpected \";\""));
  CHECK(has(parse_error("A @ B"), "unexpected \"@\""));
  CHECK(has(parse_error("ROW"), "did you mean ROWS?"));
  CHECK(has(parse_error("rows"), "did you mean ROWS?"));
  CHECK(has(parse_error("A + Something"), "character 5: unknown name"));
  CHECK(has(parse_error("A + Something"), "known names: A, B"));
}

TEST_CASE("limits: length and depth") {
  std::string deep = std::string(64, '(') + "A" + std::string(64, ')');
  CHECK(value(deep) == 7);
  CHECK(has(parse_error("(" + deep + ")"), "nested too deeply"));
  std::string long_sum = "A";
  while (long_sum.size() + 2 <= 4096) long_sum += "+A";
  CHECK(value(long_sum) == 7 * (static_cast<std::int64_t>(long_sum.size()) / 2 + 1));
  CHECK(has(parse_error(long_sum + "+ABC"), "too long"));
  std::string conditions = "A";
  while (conditions.size() + 3 <= 4096) conditions += "||A";
  CHECK(value(conditions) == 1);
  std::string ternaries = "A";
  while (ternaries.size() + 4 <= 4096) ternaries = "C?1:" + ternaries;
  CHECK(value(ternaries) == 7);
}

TEST_CASE("nothing is ever rounded") {
  CHECK(value("9007199254740992 - 1") == kLimit - 1);
  CHECK(has(value_error("9007199254740992 + 1"), "2^53"));
  CHECK(has(value_error("-9007199254740992 - 1"), "2^53"));
  CHECK(value("94906265 * 94906265") == 94906265ll * 94906265ll);
  CHECK(has(value_error("94906266 * 94906267"), "2^53"));
  CHECK(has(value_error("9007199254740992 * 9007199254740992"), "2^53"));
  CHECK(has(value_error("9007199254740992 * 2 / 2"), "2^53"));
  const auto identity = Expression::parse("A", kNames).value();
  std::vector<std::int64_t> values = kValues;
  values[0] = kLimit;
  CHECK(identity.evaluate(values).value() == kLimit);
  values[0] = kLimit + 1;
  CHECK_FALSE(identity.evaluate(values));
  values[0] = std::numeric_limits<std::int64_t>::min();
  CHECK_FALSE(identity.evaluate(values));
}

TEST_CASE("division by zero names the values") {
  const std::string text = value_error("A / C");
  CHECK(has(text, "division by zero in \"A / C\" with A = 7, C = 0"));
  CHECK(has(value_error("A % C"), "division by zero"));
  CHECK(has(value_error("ceil_div(A, C)"), "division by zero"));
  CHECK(has(value_error("log2(C)"), "log2"));
  CHECK(has(value_error("A / C ? 2 : 3"), "division by zero"));
  CHECK(has(value_error("max(1, A / C) > 0"), "division by zero"));
  CHECK(has(value_error("0 * (A / C)"), "division by zero"));
}

TEST_CASE("what C would not evaluate raises nothing") {
  CHECK(value("C != 0 and A / C > 1") == 0);
  CHECK(value("C == 0 or A / C > 1") == 1);
  CHECK(value("C != 0 and (B != 0 and A / C > 1)") == 0);
  CHECK(value("C != 0 and (A / C ? 2 : 3)") == 0);
  CHECK(value("C == 0 ? 0 : A / C") == 0);
  CHECK(value("C != 0 ? A / C : 5") == 5);
  CHECK(value("C and A / C or B") == 1);
  CHECK(has(value_error("A / C > 1 and C != 0"), "division by zero"));
  CHECK(has(value_error("C == 0 and A / C > 1"), "division by zero"));
  CHECK(has(value_error("C != 0 or A / C > 1"), "division by zero"));
  CHECK(has(value_error("(C and A / C) + A / C"), "division by zero"));
}

TEST_CASE("used names, copies and assignment") {
  auto expression = Expression::parse("ROWS / B + B", kNames).value();
  CHECK(expression.used() == std::vector<std::size_t>{1, 6});
  CHECK(expression.text() == "ROWS / B + B");
  const Expression copy = expression;  // NOLINT(performance-unnecessary-copy-initialization)
  expression = Expression::parse("A", kNames).value();
  CHECK(expression.evaluate(kValues).value() == 7);
  CHECK(copy.evaluate(kValues).value() == 1368);
  CHECK(copy.used() == std::vector<std::size_t>{1, 6});
  CHECK(Expression::parse("1 + 1", {}).value().evaluate({}).value() == 2);
}

TEST_CASE("Names keeps one value a name") {
  Names names;
  names.set("A", 1);
  names.set("B", 2);
  names.set("A", 3);
  CHECK(names.names() == std::vector<std::string>{"A", "B"});
  CHECK(names.values() == std::vector<std::int64_t>{3, 2});
  CHECK(*names.find("A") == 3);
  CHECK(names.find("C") == nullptr);
}

// A random expression together with its value by the rules of the header, computed here without any
// parser. No value means that evaluating it is an error.
namespace {

struct Sample {
  std::string text;
  int level = 0;  // 0 ?:, 1 or, … 6 * / %, 7 unary, 8 atom
  std::optional<std::int64_t> value;
};

std::optional<std::int64_t> within(__int128 x) {
  if (x > kLimit || x < -kLimit) return std::nullopt;
  return static_cast<std::int64_t>(x);
}

class Grower {
 public:
  explicit Grower(std::uint64_t seed) : rng_(stream(seed, 1, 2)) {}

  Sample grow(int depth) {
    if (depth == 0 || below(6) == 0) return atom();
    const int choice = static_cast<int>(below(10));
    if (choice == 0) return ternary(depth);
    if (choice == 1) return unary(depth);
    if (choice == 2) return function(depth);
    return binary(depth);
  }

 private:
  std::uint64_t below(std::uint64_t n) { return uniform_below(rng_, n); }
  std::string space() { return below(2) == 0 ? "" : " "; }
  static std::string at_least(const Sample& sample, int level) {
    return sample.level >= level ? sample.text : "(" + sample.text + ")";
  }

  Sample atom() {
    if (below(2) == 0) {
      const std::size_t i = below(kNames.size());
      return {kNames[i], 8, kValues[i]};
    }
    static const std::vector<std::int64_t> numbers = {0, 1, 2, 10, 4095, 94906267, kLimit};
    const std::int64_t number = numbers[below(numbers.size())];
    return {std::to_string(number), 8, number};
  }

  Sample ternary(int depth) {
    const Sample a = grow(depth - 1);
    const Sample b = grow(depth - 1);
    const Sample c = grow(depth - 1);
    std::optional<std::int64_t> result;
    if (a.value) result = *a.value != 0 ? b.value : c.value;
    return {at_least(a, 1) + space() + "?" + space() + b.text + space() + ":" + space() + c.text, 0,
            result};
  }

  Sample unary(int depth) {
    const Sample a = grow(depth - 1);
    const auto choice = below(3);
    if (choice == 0) {
      return {"-" + space() + at_least(a, 7), 7, a.value ? std::optional(-*a.value) : std::nullopt};
    }
    const std::optional<std::int64_t> result =
        a.value ? std::optional<std::int64_t>(*a.value == 0 ? 1 : 0) : std::nullopt;
    return {(choice == 1 ? "!" : "not ") + at_least(a, 7), 7, result};
  }

  Sample function(int depth) {
    const Sample a = grow(depth - 1);
    const Sample b = grow(depth - 1);
    const bool both = a.value && b.value;
    std::optional<std::int64_t> result;
    switch (below(3)) {
      case 0:
        if (both) result = std::min(*a.value, *b.value);
        return {"min(" + a.text + "," + space() + b.text + ")", 8, result};
      case 1:
        if (both) result = std::max(*a.value, *b.value);
        return {"max(" + a.text + space() + ", " + b.text + ")", 8, result};
      default:
        if (a.value) result = std::abs(*a.value);
        return {"abs(" + space() + a.text + ")", 8, result};
    }
  }

  Sample binary(int depth) {
    struct Op {
      std::string_view text;
      int level;
    };
    static const std::vector<Op> ops = {{"||", 1}, {" or ", 1}, {"&&", 2}, {" and ", 2}, {"==", 3},
                                        {"!=", 3}, {"<", 4},    {"<=", 4}, {">", 4},     {">=", 4},
                                        {"+", 5},  {"-", 5},    {"*", 6},  {"/", 6},     {"%", 6}};
    const std::size_t which = below(ops.size());
    const Op op = ops[which];
    const Sample a = grow(depth - 1);
    const Sample b = grow(depth - 1);
    return {at_least(a, op.level) + space() + std::string(op.text) + space() +
                at_least(b, op.level + 1),
            op.level, apply(which, a.value, b.value)};
  }

  static std::optional<std::int64_t> apply(std::size_t which, std::optional<std::int64_t> a,
                                           std::optional<std::int64_t> b) {
    if (!a) return std::nullopt;
    if (which <= 1) {
      if (*a != 0) return 1;
      return b ? std::optional<std::int64_t>(*b != 0) : std::nullopt;
    }
    if (which <= 3) {
      if (*a == 0) return 0;
      return b ? std::optional<std::int64_t>(*b != 0) : std::nullopt;
    }
    if (!b || (which >= 13 && *b == 0)) return std::nullopt;
    const __int128 x = *a;
    const __int128 y = *b;
    switch (which) {
      case 4:
        return x == y;
      case 5:
        return x != y;
      case 6:
        return x < y;
      case 7:
        return x <= y;
      case 8:
        return x > y;
      case 9:
        return x >= y;
      case 10:
        return within(x + y);
      case 11:
        return within(x - y);
      case 12:
        return within(x * y);
      case 13:
        return within(x / y);
      default:
        return within(x % y);
    }
  }

  Rng rng_;
};

}  // namespace

TEST_CASE("random expressions agree with their own rules") {
  int valid = 0;
  int invalid = 0;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    CAPTURE(seed);
    const Sample sample = Grower(seed).grow(1 + static_cast<int>(seed % 5));
    if (sample.text.size() > 4000) continue;
    CAPTURE(sample.text);
    const auto expression = Expression::parse(sample.text, kNames);
    REQUIRE_MESSAGE(expression, expression.error().text());
    const auto result = expression->evaluate(kValues);
    REQUIRE(result.has_value() == sample.value.has_value());
    if (sample.value) REQUIRE(*result == *sample.value);
    ++(sample.value ? valid : invalid);
  }
  CHECK(valid > 1000);
  CHECK(invalid > 100);
}

TEST_CASE("one expression evaluated by several threads at once") {
  const auto expression = Expression::parse("A * ROWS + (C != 0 and A / C)", kNames).value();
  std::array<int, 4> wrong{};
  {
    std::vector<std::jthread> threads;
    for (std::size_t t = 0; t < wrong.size(); ++t) {
      threads.emplace_back([&, t] {
        std::vector<std::int64_t> values = kValues;
        for (std::int64_t i = 0; i < 2000; ++i) {
          values[0] = i * static_cast<std::int64_t>(t + 1);
          values[2] = i % 3 == 0 ? 0 : 1;
          const std::int64_t expected = values[0] * 4096 + (values[2] != 0 && values[0] != 0);
          const auto result = expression.evaluate(values);
          if (!result || *result != expected) ++wrong[t];
        }
      });
    }
  }
  CHECK(wrong == std::array<int, 4>{});
}
