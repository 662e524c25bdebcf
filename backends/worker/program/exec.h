// `kernatlas-worker exec`: puts the sandbox on, runs one tool in it, and leaves nothing of it
// behind.
#pragma once

#include "backends/worker/program/arguments.h"

namespace kernatlas {

// The exit code of the program; what happened to the tool goes to the report pipe (exec_report.h).
[[nodiscard]] int run_exec(const Arguments& arguments);

}  // namespace kernatlas
