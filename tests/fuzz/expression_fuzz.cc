// Any bytes as an expression over three names: parses or refuses, evaluates or refuses; what it
// yields is within ±2^53, and a copy agrees.
#include "kernel/expression.h"

#include <array>
#include <cstdlib>

using namespace kernatlas;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::vector<std::string> names = {"A", "BLOCK", "x_or"};
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto expression = Expression::parse(text, names);
  if (!expression) {
    if (expression.error().text().size() > 20000) std::abort();
    return 0;
  }
  const Expression copy(*expression);
  const std::array<std::array<std::int64_t, 3>, 3> inputs = {
      {{0, 0, 0}, {7, -3, 4096}, {std::int64_t{1} << 53, 1, -1}}};
  for (const auto& values : inputs) {
    const auto result = expression->evaluate(values);
    const auto again = copy.evaluate(values);
    if (result.has_value() != again.has_value()) std::abort();
    if (!result) continue;
    if (*result != *again || std::abs(*result) > std::int64_t{1} << 53) std::abort();
  }
  return 0;
}
