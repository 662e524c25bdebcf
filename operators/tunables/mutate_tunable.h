// mutate_tunable: a parent with one tunable changed: three times out of four to an adjacent valid
// value, else to any. Where only one of the two is possible, that one.
#pragma once

#include <memory>

#include "operators/operator.h"

namespace kernatlas {

[[nodiscard]] std::unique_ptr<Operator> make_mutate_tunable();

}  // namespace kernatlas
