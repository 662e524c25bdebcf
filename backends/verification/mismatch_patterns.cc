#include "backends/verification/mismatch_patterns.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace kernatlas {

namespace {

using Match = std::optional<Finding>;

double slack(const MismatchInput& input) {
  return std::max(4 * input.limits.worst, 1e-6);
}

// Whether got[i] equals what `want(i)` gives, for all but one in a hundred of the elements.
template <typename Want>
bool explains(const MismatchInput& input, const WrongResult& result, Want want) {
  std::size_t misses = 0;
  std::size_t asked = 0;
  const double rms = input.expected.rms();
  for (std::size_t i = 0; i < result.got.size(); ++i) {
    const std::optional<double> value = want(i);
    if (!value) continue;
    ++asked;
    const double difference = std::abs(result.got[i] - *value);
    if (!(difference <= slack(input) * (std::abs(*value) + rms))) ++misses;
  }
  return asked > 0 && misses * 100 <= asked;
}

Match untouched(const MismatchInput& input, const WrongResult& result) {
  if (!result.untouched.any()) return {};
  const std::size_t bytes = result.got.size() * size_of(input.expected.type());
  if (result.untouched.bytes == bytes - bytes % 8 || result.untouched.bytes == bytes) {
    return Finding{MismatchPattern::untouched, ""};
  }
  return {};
}

Match uniform(const MismatchInput&, const WrongResult& result) {
  const auto& got = result.got;
  if (std::all_of(got.begin(), got.end(), [](double y) { return y == 0; })) {
    return Finding{MismatchPattern::all_zero, ""};
  }
  if (std::all_of(got.begin(), got.end(), [](double y) { return std::isnan(y); })) {
    return Finding{MismatchPattern::all_nan, ""};
  }
  return {};
}

Match tail(const MismatchInput& input, const WrongResult& result) {
  const std::size_t size = result.got.size();
  const std::size_t length = size - result.first;
  if (result.first > 0 && result.last == size - 1 && result.count * 10 >= length * 9 &&
      length * 2 <= size) {
    return Finding{MismatchPattern::tail_missing,
                   fmt::format("the last {} of {} elements", length, size)};
  }
  if (!result.untouched.any()) return {};
  const std::size_t first = result.untouched.first_byte / size_of(input.expected.type());
  return Finding{MismatchPattern::partly_written, fmt::format("first at element {}", first)};
}

Match factor_or_offset(const MismatchInput& input, const WrongResult& result) {
  double products = 0;
  double squares = 0;
  double difference = 0;
  const double scale = input.expected.rms();
  if (!is_float(input.expected.type()) || !(scale > 0)) return {};
  for (std::size_t i = 0; i < result.got.size(); ++i) {
    const double want = input.expected.at(i) / scale;
    if (!std::isfinite(want)) continue;
    products += want * (result.got[i] / scale);
    squares += want * want;
    difference += result.got[i] - input.expected.at(i);
  }
  const double factor = products / squares;
  const double offset = difference / static_cast<double>(result.got.size());
  if (result.got.size() < 2) return {};
  if (std::isfinite(factor) && std::abs(factor) > 1e-9 && std::abs(factor - 1) > slack(input) &&
      explains(input, result, [&](std::size_t i) { return factor * input.expected.at(i); })) {
    return Finding{MismatchPattern::constant_factor, fmt::format("{:.6g}", factor)};
  }
  if (std::isfinite(offset) && std::abs(offset) > slack(input) * scale &&
      explains(input, result, [&](std::size_t i) { return input.expected.at(i) + offset; })) {
    return Finding{MismatchPattern::constant_offset, fmt::format("{:.6g}", offset)};
  }
  return {};
}

Match moved(const MismatchInput& input, const WrongResult& result) {
  const auto size = static_cast<std::int64_t>(result.got.size());
  const auto columns = static_cast<std::int64_t>(result.columns);
  if (size < 4) return {};
  for (const std::int64_t shift : {std::int64_t{1}, std::int64_t{-1}, columns, -columns}) {
    if (std::abs(shift) >= size) continue;
    const auto want = [&](std::size_t i) -> std::optional<double> {
      const std::int64_t from = static_cast<std::int64_t>(i) + shift;
      if (from < 0 || from >= size) return std::nullopt;
      return input.expected.at(static_cast<std::size_t>(from));
    };
    if (!explains(input, result, want)) continue;
    const bool row = std::abs(shift) == columns && columns > 1;
    return Finding{MismatchPattern::shifted,
                   fmt::format("by {}{}", shift > 0 ? "+1" : "-1", row ? " row" : "")};
  }
  if (input.shape.size() < 2) return {};
  const auto rows = static_cast<std::size_t>(input.shape[input.shape.size() - 2]);
  const std::size_t cols = result.columns;
  if (rows < 2 || cols < 2) return {};
  const auto want = [&](std::size_t i) -> std::optional<double> {
    const std::size_t within = i % (rows * cols);
    return input.expected.at(i - within + (within % rows) * cols + within / rows);
  };
  if (explains(input, result, want)) return Finding{MismatchPattern::transposed, ""};
  return {};
}

// Rows that hold a wrong element, ascending.
std::vector<std::size_t> wrong_rows(const WrongResult& result) {
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < result.rows; ++row) {
    for (std::size_t column = 0; column < result.columns; ++column) {
      if (!result.wrong[row * result.columns + column]) continue;
      rows.push_back(row);
      break;
    }
  }
  return rows;
}

Match row_structure(const MismatchInput&, const WrongResult& result) {
  const std::vector<std::size_t> rows = wrong_rows(result);
  if (result.rows > 1 && rows.size() < result.rows) {
    const std::size_t step = rows.size() > 1 ? rows[1] - rows[0] : 0;
    bool regular = rows.size() > 2 && step > 1;
    for (std::size_t i = 1; regular && i < rows.size(); ++i) {
      regular = rows[i] - rows[i - 1] == step;
    }
    if (regular && rows.front() < step && rows.back() + step >= result.rows) {
      return Finding{MismatchPattern::one_row_in_n, fmt::format("one in {}", step)};
    }
  }
  if (result.columns > 1) {
    std::size_t first = result.columns;
    for (std::size_t i = 0; i < result.wrong.size(); ++i) {
      if (result.wrong[i]) first = std::min(first, i % result.columns);
    }
    const std::size_t width = result.columns - first;
    if (first > 0 && width * 2 <= result.columns && result.count * 10 >= width * rows.size() * 9) {
      return Finding{MismatchPattern::row_tail,
                     fmt::format("from column {} of {} on", first, result.columns)};
    }
  }
  const bool whole = result.count * 10 >= rows.size() * result.columns * 9;
  if (result.columns > 1 && whole && rows.size() * 2 <= result.rows) {
    return Finding{MismatchPattern::some_rows,
                   fmt::format("{} of {} rows", rows.size(), result.rows)};
  }
  return {};
}

Match not_finite(const MismatchInput&, const WrongResult& result) {
  for (std::size_t i = 0; i < result.got.size(); ++i) {
    if (result.wrong[i] && std::isfinite(result.got[i])) return {};
  }
  return result.count > 0 ? Match(Finding{MismatchPattern::some_nan, ""}) : Match();
}

Match imprecise(const MismatchInput& input, const WrongResult&) {
  const bool close =
      input.errors.class_mismatches == 0 && input.errors.norm < 0.02 && input.errors.worst < 0.25;
  return close && is_float(input.expected.type()) ? Match(Finding{MismatchPattern::precision, ""})
                                                  : Match();
}

}  // namespace

WrongResult widen(const MismatchInput& input) {
  const Expected& expected = input.expected;
  WrongResult result;
  const std::size_t size = expected.size();
  result.got.resize(size);
  load_all(expected.type(), input.got, result.got);
  result.wrong.resize(size);
  for (std::size_t i = 0; i < size; ++i) {
    const bool wrong = !element_matches(expected, i, result.got[i], input.limits.worst);
    result.wrong[i] = wrong;
    if (!wrong) continue;
    if (result.count++ == 0) result.first = i;
    result.last = i;
  }
  if (!input.shape.empty()) {
    result.columns = std::max<std::size_t>(1, static_cast<std::size_t>(input.shape.back()));
  }
  result.rows = std::max<std::size_t>(1, size / result.columns);
  if (input.poison) {
    result.untouched =
        find_untouched(expected.type(), *input.poison,
                       {static_cast<const std::byte*>(input.got), size * size_of(expected.type())});
  }
  return result;
}

Finding recognise(const MismatchInput& input, const WrongResult& result) {
  using Recogniser = Match (*)(const MismatchInput&, const WrongResult&);
  constexpr std::array<Recogniser, 8> kRecognisers = {
      untouched, uniform, imprecise, tail, factor_or_offset, moved, row_structure, not_finite};
  for (const Recogniser recogniser : kRecognisers) {
    if (Match match = recogniser(input, result)) return *match;
  }
  return {};
}

}  // namespace kernatlas
