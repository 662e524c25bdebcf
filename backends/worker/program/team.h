// Team: the threads that share a launch's grid. Made before the sandbox closes, ended by the end of
// the process.
//
// The caller of run() is thread 0. The points are split into contiguous parts, the same on every
// call; run() returns when all parts are done, so launches of a sequence never overlap. With one
// thread it is a plain call. Waiting threads spin briefly and then sleep, and do not spin at all
// when there are more of them than CPUs.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

namespace kernatlas {

using LaunchFunction = void (*)(void* const* buffers, std::int64_t begin, std::int64_t end);

struct LaunchJob {
  LaunchFunction function = nullptr;
  void* const* buffers = nullptr;
  std::int64_t points = 0;
};

class Team {
 public:
  // Thread i > 0 is pinned to cpus[i % size]; thread 0 pins itself.
  Team(int threads, std::vector<int> cpus);
  // Makes the threads and waits until each is ready. False when one could not be made.
  [[nodiscard]] bool start();
  void run(const LaunchJob& job);
  // Rounding, exceptions and flushing back to what every candidate may expect, on this thread.
  static void reset_floating_point();

 private:
  static void* helper(void* self);
  void help(int index);
  void run_part(int index);

  int threads_;
  std::vector<int> cpus_;
  int spins_ = 0;
  LaunchJob job_;
  std::atomic<int> next_index_{1};
  std::atomic<int> prepared_{0};
  alignas(64) std::atomic<int> generation_{0};
  alignas(64) std::atomic<int> pending_{0};
};

// A thread with the stack that candidates are promised; true when it was made.
[[nodiscard]] bool start_thread(void* (*body)(void*), void* argument, unsigned long* id);

}  // namespace kernatlas
