// One layer of the sandbox, as the process that put it on reports it.
#pragma once

#include <string>
#include <vector>

namespace kernatlas {

struct Layer {
  enum class State { on, unsupported, off };
  std::string name;
  State state = State::off;
  std::string detail;  // why not, or which variant
};

}  // namespace kernatlas
