// `kernatlas-worker serve` and `probe`: the sandboxed process that runs one candidate.
#pragma once

#include "backends/worker/program/arguments.h"

namespace kernatlas {

// Answers requests until the socket closes; the exit code of the program.
[[nodiscard]] int run_serve(const Arguments& arguments);
// Tries every layer, reports them in a hello, and ends.
[[nodiscard]] int run_probe(const Arguments& arguments);

}  // namespace kernatlas
