// CpuMachine: the machine as far as timing cares: model, caches, memory, CPUs, and how fast it
// copies.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace kernatlas {

struct CpuMachine {
  std::string model = "unknown CPU";
  std::string kernel;             // "Linux 6.1.0"
  int cores = 1;                  // online
  std::vector<int> allowed_cpus;  // of this process' affinity mask, ascending
  std::size_t l1d_bytes = 32u << 10;
  std::size_t l2_bytes = 1u << 20;
  std::size_t llc_bytes = 32u << 20;  // last-level cache
  std::size_t memory_bytes = 0;       // the machine's, or the memory limit if there is a lower one
  std::string governor;               // frequency governor; empty when it cannot be read
  std::string turbo;                  // "on", "off", or empty

  // Reads /proc and /sys; what cannot be read keeps its default.
  [[nodiscard]] static CpuMachine probe();

  // The CPUs on which timed threads run: the last `threads` of the allowed ones.
  [[nodiscard]] std::vector<int> timed_cpus(int threads) const;
  // All others; empty when there are none.
  [[nodiscard]] std::vector<int> other_cpus(int threads) const;
};

// Bytes moved (read + written) per nanosecond by one thread, the best of several rounds of a copy
// and of a plain sum over `bytes` in all. An upper bound for any honest kernel on one thread.
[[nodiscard]] double measure_bandwidth(std::size_t bytes);

}  // namespace kernatlas
