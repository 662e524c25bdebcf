// Ctrl-C and SIGTERM: the first asks the search to finish what is in flight, the second to stop
// now.
#pragma once

#include <atomic>

namespace kernatlas {

// Installs the handlers once; afterwards the counters below move.
void catch_interrupts();
// 0 none, 1 finish cleanly, 2 stop at once.
[[nodiscard]] const std::atomic<int>& interrupts();
// Set together with the second interrupt: for BenchOptions::cancel.
[[nodiscard]] const std::atomic<bool>& stop_at_once();

}  // namespace kernatlas
