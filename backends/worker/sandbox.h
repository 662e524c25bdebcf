// The sandbox layers and whether they work on this machine (docs/sandbox.md).
#pragma once

#include <string>
#include <vector>

#include "backends/backend.h"

namespace kernatlas {

// Names, in the order in which they are put on: "namespaces", "rlimits", "nobody",
// "no_new_privileges", "parent_death", "landlock", "seccomp", "watchdog". Each reported as on /
// unsupported (why) / off. Found out by spawning a worker that tries them all.
[[nodiscard]] std::vector<Check> probe_sandbox();

}  // namespace kernatlas
