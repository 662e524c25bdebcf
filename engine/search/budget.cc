#include "engine/search/budget.h"

#include <fmt/core.h>

#include <charconv>
#include <cmath>

namespace kernatlas {

namespace {

constexpr std::string_view kUnlimited = "unlimited";
constexpr double kMostEvaluations = 1e15;

Error bad_limit(std::string_view item) {
  return {.message = fmt::format("\"{}\" is not a budget", item.substr(0, 40)),
          .expected = "a number above 0 with a unit: 200e (evaluations), 90s, 5m, 2h, 3.50usd",
          .hint = "join several with commas: 5000e,2h; or say unlimited"};
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

template <typename T>
Result<void> set_once(std::optional<T>& limit, double value, std::string_view item) {
  if (limit) {
    return fail({.message = fmt::format("\"{}\" limits what an earlier part limits", item),
                 .expected = "each of evaluations, time and money at most once"});
  }
  limit = static_cast<T>(value);
  return {};
}

Result<void> parse_limit(std::string_view item, Budget& budget) {
  double value = 0;
  const auto [end, code] = std::from_chars(item.data(), item.data() + item.size(), value);
  const auto used = static_cast<std::size_t>(end - item.data());
  if (code != std::errc{} || !std::isfinite(value) || value <= 0) return fail(bad_limit(item));
  const std::string_view unit = trimmed(item.substr(used));
  if (unit == "e") {
    if (value != std::floor(value) || value > kMostEvaluations) return fail(bad_limit(item));
    return set_once(budget.evaluations, value, item);
  }
  if (unit == "s") return set_once(budget.seconds, value, item);
  if (unit == "m") return set_once(budget.seconds, value * 60, item);
  if (unit == "h") return set_once(budget.seconds, value * 3600, item);
  if (unit == "usd") return set_once(budget.usd, value, item);
  return fail(bad_limit(item));
}

}  // namespace

Result<Budget> Budget::parse(std::string_view text) {
  Budget budget;
  if (trimmed(text) == kUnlimited) return budget;
  for (;;) {
    const auto comma = text.find(',');
    if (auto done = parse_limit(trimmed(text.substr(0, comma)), budget); !done) {
      return fail(done.error());
    }
    if (comma == std::string_view::npos) return budget;
    text.remove_prefix(comma + 1);
  }
}

std::string Budget::text() const {
  std::string text;
  const auto add = [&](const std::string& limit) { text += (text.empty() ? "" : ",") + limit; };
  if (evaluations) add(fmt::format("{}e", *evaluations));
  if (seconds) add(fmt::format("{}s", *seconds));
  if (usd) add(fmt::format("{}usd", *usd));
  return text.empty() ? std::string(kUnlimited) : text;
}

}  // namespace kernatlas
