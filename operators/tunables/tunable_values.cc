#include "operators/tunables/tunable_values.h"

#include <algorithm>
#include <numeric>

namespace kernatlas {

TunableValues::TunableValues(const Tunable& tunable)
    : list(tunable.values),
      ascending(list.size()),
      place(list.size()),
      choice(tunable.is_choice()) {
  std::iota(ascending.begin(), ascending.end(), 0u);
  std::stable_sort(ascending.begin(), ascending.end(),
                   [this](std::uint32_t a, std::uint32_t b) { return list[a] < list[b]; });
  for (std::uint32_t i = 0; i < ascending.size(); ++i) place[ascending[i]] = i;
}

std::optional<std::uint32_t> TunableValues::position(std::int64_t value) const {
  const auto found = std::find(list.begin(), list.end(), value);
  if (found == list.end()) return std::nullopt;
  return static_cast<std::uint32_t>(found - list.begin());
}

std::uint32_t TunableValues::closest(std::int64_t value) const {
  const auto above = std::find_if(ascending.begin(), ascending.end(),
                                  [&](std::uint32_t i) { return list[i] >= value; });
  if (above == ascending.begin()) return *above;
  if (above == ascending.end()) return ascending.back();
  // Unsigned: the difference of two int64 may need 64 bits.
  const auto wanted = static_cast<std::uint64_t>(value);
  const std::uint64_t up = static_cast<std::uint64_t>(list[*above]) - wanted;
  const std::uint64_t down = wanted - static_cast<std::uint64_t>(list[*(above - 1)]);
  return up < down ? *above : *(above - 1);
}

}  // namespace kernatlas
