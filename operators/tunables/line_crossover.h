// line_crossover: a new assignment near the line through two elites of the same source.
//
// The iso+line variation of Vassiliades and Mouret (GECCO 2018, doi:10.1145/3205455.3205602) over
// positions in the value lists: x = a + iso · N + line · n · (b − a), with a bell-shaped N of its
// own for each tunable and one n for all; rounded, then repaired. A choice, whose values have no
// order, is taken from either parent. So is each compile option.
#pragma once

#include <memory>

#include "operators/operator.h"

namespace kernatlas {

[[nodiscard]] std::unique_ptr<Operator> make_line_crossover();

}  // namespace kernatlas
