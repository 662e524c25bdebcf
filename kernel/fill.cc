#include "kernel/fill.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include "kernel/dtype_limits.h"
#include "kernel/suggest.h"

namespace kernatlas {
namespace {

// What a fill may be used on.
enum class Suits { all, floats, numbers, integers, counters };

struct Grammar {
  std::string_view name;
  FillKind kind;
  Suits suits;
  std::size_t arguments;  // 0 or this many may be given
  std::string_view usage;
};

constexpr std::array<Grammar, 12> kGrammar = {{
    {"normal", FillKind::normal, Suits::numbers, 2, "normal or normal(MEAN, SD)"},
    {"uniform", FillKind::uniform, Suits::floats, 2, "uniform or uniform(LO, HI)"},
    {"wide", FillKind::wide, Suits::floats, 0, "wide"},
    {"spikes", FillKind::spikes, Suits::floats, 0, "spikes"},
    {"sparse", FillKind::sparse, Suits::all, 1, "sparse or sparse(SHARE)"},
    {"sorted", FillKind::sorted, Suits::all, 2, "sorted or sorted(LO, HI)"},
    {"special", FillKind::special, Suits::floats, 0, "special"},
    {"integers", FillKind::integers, Suits::all, 2, "integers(LO, HI)"},
    {"ones", FillKind::ones, Suits::all, 0, "ones"},
    {"zeros", FillKind::zeros, Suits::all, 0, "zeros"},
    {"permutation", FillKind::permutation, Suits::counters, 0, "permutation"},
    {"indices", FillKind::indices, Suits::integers, 1, "indices(EXPRESSION)"},
}};

std::string_view trim(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

tl::unexpected<Error> refuse(std::string_view text, const std::string& what, std::string expected,
                             std::string hint = {}) {
  return fail({.message = "fill " + quoted(text) + ": " + what,
               .file = {},
               .expected = std::move(expected),
               .hint = std::move(hint)});
}

bool suits(Suits suits, DType type) {
  switch (suits) {
    case Suits::all:
      return true;
    case Suits::floats:
      return is_float(type);
    case Suits::numbers:
      return type != DType::boolean;
    case Suits::integers:
      return !is_float(type) && type != DType::boolean;
    case Suits::counters:
      return type == DType::i32 || type == DType::i64;
  }
  return false;
}

std::string hint_for(Suits needed, DType type) {
  if (needed == Suits::floats) {
    return type == DType::boolean ? "use sparse(SHARE) or integers(0, 1)" : "use integers(LO, HI)";
  }
  if (needed == Suits::numbers) return "use sparse(SHARE) or integers(0, 1)";
  return "make the input i32 or i64";
}

std::vector<double> defaults(FillKind kind, DType type) {
  switch (kind) {
    case FillKind::normal:
      return {0, 1};
    case FillKind::uniform:
      return {-1, 1};
    case FillKind::sparse:
      return {0.9};
    case FillKind::sorted:
      return {0, is_float(type) || type == DType::boolean ? 1.0 : 100.0};
    default:
      return {};
  }
}

std::optional<double> parse_number(std::string_view text) {
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) {
    return std::nullopt;
  }
  return value;
}

// From -limit to limit every argument is welcome: it fits the type, and differences stay finite.
Result<std::vector<double>> parse_arguments(std::string_view text, std::string_view inside,
                                            const Grammar& grammar) {
  std::vector<double> arguments;
  for (std::string_view rest = inside;;) {
    const std::size_t comma = rest.find(',');
    const std::string_view word = trim(rest.substr(0, comma));
    const auto number = parse_number(word);
    if (!number) {
      return refuse(text, quoted(word, 40) + " is not a finite number", std::string(grammar.usage));
    }
    arguments.push_back(*number);
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  if (arguments.size() != grammar.arguments) {
    return refuse(text, "wrong number of arguments", std::string(grammar.usage));
  }
  return arguments;
}

bool is_whole(double value) {
  return value == std::floor(value);
}

// The numbers that whole-number fills may use on this type.
IntegerLimits exact_range(DType type) {
  constexpr double kExactInDouble = 0x1.0p53;
  if (is_float(type)) {
    const FloatLimits limits = float_limits(type);
    const double most = std::min(limits.exact_integers(), limits.largest);
    return {.low = -most, .high = most};
  }
  const IntegerLimits limits = integer_limits(type);
  return {.low = std::max(limits.low, -kExactInDouble),
          .high = std::min(limits.high, kExactInDouble)};
}

std::string number_text(double value) {
  std::array<char, 32> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  return {buffer.data(), end};
}

Result<void> check_arguments(const Fill& fill, DType type) {
  const std::vector<double>& a = fill.arguments;
  const bool whole =
      fill.kind == FillKind::integers || (fill.kind == FillKind::sorted && !is_float(type));
  if (whole) {
    const IntegerLimits range = exact_range(type);
    if (!is_whole(a[0]) || !is_whole(a[1])) {
      return refuse(fill.text, "the bounds must be whole numbers", "such as (0, 255)");
    }
    if (a[0] < range.low || a[1] > range.high) {
      return refuse(fill.text, "the bounds are not exact in " + std::string(name(type)),
                    number_text(range.low) + " to " + number_text(range.high));
    }
  }
  if (fill.kind == FillKind::sparse && (a[0] < 0 || a[0] > 1)) {
    return refuse(fill.text, "the share is out of range", "a share of zeros from 0 to 1");
  }
  if (fill.kind == FillKind::normal && a[1] < 0) {
    return refuse(fill.text, "the standard deviation is negative", "0 or more");
  }
  if ((whole || fill.kind == FillKind::uniform || fill.kind == FillKind::sorted) && a[0] > a[1]) {
    return refuse(fill.text, "the bounds are in the wrong order", "LO at most HI");
  }
  // Differences of two arguments must stay finite.
  const double most = is_float(type) ? std::min(float_limits(type).largest, 1e300) : 1e300;
  for (const double argument : a) {
    if (std::abs(argument) > most) {
      return refuse(fill.text,
                    number_text(argument) + " is too large for " + std::string(name(type)),
                    "at most " + number_text(most));
    }
  }
  return {};
}

// Splits "name(inside)"; `inside` is absent without parentheses.
struct Parts {
  std::string_view name;
  std::optional<std::string_view> inside;
};

Result<Parts> split(std::string_view text) {
  const std::size_t open = text.find('(');
  if (open == std::string_view::npos) return Parts{.name = text, .inside = std::nullopt};
  if (text.back() != ')') {
    return refuse(text, "the closing parenthesis is missing", "NAME or NAME(ARGUMENTS)");
  }
  return Parts{.name = trim(text.substr(0, open)),
               .inside = trim(text.substr(open + 1, text.size() - open - 2))};
}

Result<const Grammar*> find_grammar(std::string_view text, std::string_view word, DType type) {
  const auto* const found = std::find_if(kGrammar.begin(), kGrammar.end(),
                                         [&](const Grammar& each) { return each.name == word; });
  if (found == kGrammar.end()) {
    std::vector<std::string> names;
    for (const Grammar& each : kGrammar) names.emplace_back(each.name);
    return refuse(text, "unknown distribution", "the name of a fill", suggest(word, names));
  }
  if (!suits(found->suits, type)) {
    return refuse(text, "does not suit elements of type " + std::string(name(type)), {},
                  hint_for(found->suits, type));
  }
  return found;
}

}  // namespace

Result<Fill> parse_fill(std::string_view text, DType type) {
  constexpr std::size_t kMaxLength = 5000;  // room for an expression
  text = trim(text);
  if (text.size() > kMaxLength) return refuse(text, "too long", "at most 5000 characters");
  const auto parts = split(text);
  if (!parts) return fail(parts.error());
  const auto grammar = find_grammar(text, parts->name, type);
  if (!grammar) return fail(grammar.error());
  const Grammar& found = **grammar;

  Fill fill{.kind = found.kind, .arguments = {}, .bound = {}, .text = std::string(text)};
  if (parts->inside && found.arguments == 0) {
    return refuse(text, "takes no arguments", std::string(found.usage));
  }
  if (found.kind == FillKind::indices) {
    if (!parts->inside || parts->inside->empty()) {
      return refuse(text, "the bound is missing", std::string(found.usage));
    }
    fill.bound = *parts->inside;
    return fill;
  }
  if (parts->inside) {
    auto arguments = parse_arguments(text, *parts->inside, found);
    if (!arguments) return fail(std::move(arguments.error()));
    fill.arguments = std::move(*arguments);
  } else if (found.kind == FillKind::integers) {
    return refuse(text, "the bounds are missing", std::string(found.usage));
  } else {
    fill.arguments = defaults(found.kind, type);
  }
  if (auto checked = check_arguments(fill, type); !checked) return fail(std::move(checked.error()));
  return fill;
}

Result<void> check_fill(const Fill& fill, DType type, std::size_t count, std::int64_t bound) {
  if (fill.kind != FillKind::indices && fill.kind != FillKind::permutation) return {};
  const double largest = exact_range(type).high;
  if (fill.kind == FillKind::permutation && static_cast<double>(count) - 1 > largest) {
    return refuse(fill.text, std::to_string(count) + " elements", "at most what i32 can count",
                  "make the input i64");
  }
  if (fill.kind == FillKind::indices && bound <= 0) {
    return refuse(fill.text, "the bound is " + std::to_string(bound), "a positive bound");
  }
  if (fill.kind == FillKind::indices && static_cast<double>(bound - 1) > largest) {
    return refuse(fill.text, "the bound is " + std::to_string(bound),
                  "at most " + number_text(largest) + " + 1 for " + std::string(name(type)));
  }
  return {};
}

}  // namespace kernatlas
