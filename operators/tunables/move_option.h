// move_option: a parent with one of its compile options changed to another value.
#pragma once

#include <memory>

#include "operators/operator.h"

namespace kernatlas {

[[nodiscard]] std::unique_ptr<Operator> make_move_option();

}  // namespace kernatlas
