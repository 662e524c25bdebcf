// The archive as a heat map in a terminal: one axis down, one across, further axes side by side.
#pragma once

#include <string>

#include "archives/archive.h"

namespace kernatlas {

enum class Palette { colour, plain };

// Every cell shows its champion's speed-up ("3.4"), an empty cell ".". Rows are the first axis,
// columns the second; for more axes one panel per combination of the others that has an elite, at
// most `max_panels`. `plain` uses no escape sequences.
[[nodiscard]] std::string heat_map(const archives::Archive& archive, Palette palette,
                                   std::size_t max_panels = 12);

}  // namespace kernatlas
