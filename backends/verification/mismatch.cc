#include "backends/verification/mismatch.h"

#include <fmt/format.h>

#include <vector>

#include "backends/verification/mismatch_patterns.h"

namespace kernatlas {

namespace {

// A few places that show the most: the first wrong elements, the middle one, the last.
std::vector<std::size_t> places_to_show(const WrongResult& result, const Errors& errors) {
  constexpr std::size_t kFirst = 4;
  std::vector<std::size_t> places;
  std::size_t seen = 0;
  for (std::size_t i = result.first; result.count > 0 && i <= result.last; ++i) {
    if (!result.wrong[i]) continue;
    ++seen;
    const bool show = seen <= kFirst || seen == result.count / 2 || seen == result.count;
    if (show) places.push_back(i);
  }
  if (places.empty() && errors.worst_index != Errors::kNone) places.push_back(errors.worst_index);
  return places;
}

std::string value_text(const MismatchInput& input, const WrongResult& result, std::size_t index) {
  const DType type = input.expected.type();
  if (input.poison &&
      is_untouched(type, *input.poison, input.got, result.got.size() * size_of(type), index)) {
    return "nothing (not written)";
  }
  return fmt::format("{:.9g}", result.got[index]);
}

std::string error_text(const MismatchInput& input) {
  if (!is_float(input.expected.type())) return "integers must be equal";
  return fmt::format("norm error {:.3g} (limit {:.3g}), worst element {:.3g} (limit {:.3g})",
                     input.errors.norm, input.limits.norm, input.errors.worst, input.limits.worst);
}

}  // namespace

std::string_view name(MismatchPattern pattern) {
  switch (pattern) {
    case MismatchPattern::untouched:
      return "nothing was written";
    case MismatchPattern::partly_written:
      return "not all of it was written";
    case MismatchPattern::tail_missing:
      return "the tail is missing";
    case MismatchPattern::all_zero:
      return "all zero";
    case MismatchPattern::all_nan:
      return "all NaN";
    case MismatchPattern::some_nan:
      return "NaN or infinity in places";
    case MismatchPattern::constant_factor:
      return "a constant factor";
    case MismatchPattern::constant_offset:
      return "a constant offset";
    case MismatchPattern::shifted:
      return "shifted";
    case MismatchPattern::transposed:
      return "transposed";
    case MismatchPattern::one_row_in_n:
      return "one row in N";
    case MismatchPattern::row_tail:
      return "the end of each row";
    case MismatchPattern::some_rows:
      return "some rows";
    case MismatchPattern::precision:
      return "precision only";
    case MismatchPattern::scattered:
      return "scattered";
  }
  return "scattered";
}

std::string place(std::size_t index, std::span<const std::int64_t> shape) {
  std::vector<std::size_t> coordinates(shape.size());
  for (std::size_t d = shape.size(); d-- > 0;) {
    const auto extent = static_cast<std::size_t>(shape[d]);
    coordinates[d] = index % extent;
    index /= extent;
  }
  std::string text;
  for (const std::size_t coordinate : coordinates) {
    text += (text.empty() ? "" : ", ") + std::to_string(coordinate);
  }
  return "[" + text + "]";
}

Mismatch describe_mismatch(const MismatchInput& input) {
  const WrongResult result = widen(input);
  const Finding finding = recognise(input, result);
  Mismatch mismatch{.pattern = finding.pattern, .wrong = result.count, .summary = {}, .detail = {}};
  const std::string_view pattern = name(finding.pattern);
  if (input.hide_places) {
    mismatch.summary = fmt::format("output '{}' is wrong: {}", input.output, pattern);
    mismatch.detail = error_text(input);
    return mismatch;
  }
  const std::string number = finding.number.empty() ? "" : " (" + finding.number + ")";
  mismatch.summary = fmt::format("output '{}' is wrong: {}{}; {} of {} elements", input.output,
                                 pattern, number, result.count, result.got.size());
  mismatch.detail = error_text(input);
  for (const std::size_t index : places_to_show(result, input.errors)) {
    mismatch.detail += fmt::format("\n  at {}: expected {:.9g}, got {}", place(index, input.shape),
                                   input.expected.at(index), value_text(input, result, index));
  }
  return mismatch;
}

}  // namespace kernatlas
