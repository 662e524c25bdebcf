// TunableValues: one tunable's values, by position in the declared list and in ascending order.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernel/kernel_source.h"

namespace kernatlas {

struct TunableValues {
  std::vector<std::int64_t> list;        // as declared
  std::vector<std::uint32_t> ascending;  // positions in `list`, by value
  std::vector<std::uint32_t> place;      // the inverse: where a position stands in `ascending`
  bool choice = false;

  explicit TunableValues(const Tunable& tunable);
  // O(values).
  [[nodiscard]] std::optional<std::uint32_t> position(std::int64_t value) const;
  // Of the value closest to this one; of two equally close, the smaller.
  [[nodiscard]] std::uint32_t closest(std::int64_t value) const;
};

}  // namespace kernatlas
