#include "tools/exit_code.h"

#include <fmt/core.h>

namespace kernatlas {

int report(const Error& error) {
  fmt::print(stderr, "kernatlas: {}\n", error.text());
  return exit_code(error.code);
}

}  // namespace kernatlas
