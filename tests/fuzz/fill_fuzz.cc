// Any bytes as a fill of any type (the first byte chooses): what parses must generate, stay finite
// and spell itself the same way again.
#include "kernel/fill.h"

#include <array>
#include <cmath>
#include <cstdlib>

using namespace kernatlas;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto type = static_cast<DType>(data[0] % 11);
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto fill = parse_fill(text, type);
  if (!fill) return 0;
  const auto again = parse_fill(fill->text, type);
  if (!again || again->arguments != fill->arguments || again->bound != fill->bound) std::abort();

  constexpr std::size_t kCount = 40;
  constexpr std::int64_t kBound = 5;
  if (!check_fill(*fill, type, kCount, kBound)) std::abort();
  std::array<std::uint64_t, kCount> storage{};
  Rng rng = stream(1, 2, 3);
  generate(*fill, type, storage.data(), kCount, kBound, rng);
  for (std::size_t i = 0; i < kCount; ++i) {
    if (!std::isfinite(load(type, storage.data(), i))) std::abort();
  }
  return 0;
}
