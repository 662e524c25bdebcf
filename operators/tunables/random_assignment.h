// random_assignment: a source that has valid assignments, each with the same probability; then one
// of its valid assignments; in one proposal of four, random compile options too.
#pragma once

#include <memory>

#include "operators/operator.h"

namespace kernatlas {

[[nodiscard]] std::unique_ptr<Operator> make_random_assignment();

}  // namespace kernatlas
