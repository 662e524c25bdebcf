// The cpu backend: C++ kernels, compiled by g++ or clang++, run in sandboxed workers
// (docs/cpu-backend.md). The default, and the oracle for the others.
#pragma once

#include <memory>

#include "backends/backend.h"

namespace kernatlas {

[[nodiscard]] std::unique_ptr<Backend> make_cpu_backend();

}  // namespace kernatlas
