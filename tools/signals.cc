#include "tools/signals.h"

#include <csignal>

namespace kernatlas {

namespace {

std::atomic<int> interrupt_count{0};
std::atomic<bool> stop_now{false};
static_assert(std::atomic<int>::is_always_lock_free, "used in a signal handler");

void on_signal(int) {
  if (interrupt_count.fetch_add(1) >= 1) stop_now.store(true);
}

}  // namespace

void catch_interrupts() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
}

const std::atomic<int>& interrupts() {
  return interrupt_count;
}
const std::atomic<bool>& stop_at_once() {
  return stop_now;
}

}  // namespace kernatlas
