// restart_rare: several tunables of an elite from a sparse part of the map drawn anew.
//
// Between two and half of the tunables (at least two, where there are so many) get a random value;
// the nearest valid assignment is proposed. A longer way than mutation goes, from where few have
// been.
#pragma once

#include <memory>

#include "operators/operator.h"

namespace kernatlas {

[[nodiscard]] std::unique_ptr<Operator> make_restart_rare();

}  // namespace kernatlas
