// seed: each seed source as it stands, with its first valid assignment and default options.
//
// Ticket i gets the i-th seed source that has a valid assignment; later tickets get nothing. So the
// operator needs no memory, and a resumed run goes on where it stopped, as long as the engine asks
// it first until it answers nothing.
#pragma once

#include <memory>

#include "operators/operator.h"

namespace kernatlas {

[[nodiscard]] std::unique_ptr<Operator> make_seed();

}  // namespace kernatlas
