#include "backends/cpu/cpu_machine.h"

#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <numeric>
#include <sstream>

namespace kernatlas {

namespace {

std::string first_line(const std::string& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

// "32K", "1024K", "32M" of /sys; 0 when unreadable.
std::size_t parse_size(const std::string& text) {
  std::istringstream in(text);
  std::size_t value = 0;
  char unit = 0;
  in >> value >> unit;
  if (unit == 'K') return value << 10;
  if (unit == 'M') return value << 20;
  if (unit == 'G') return value << 30;
  return value;
}

std::string cpu_model() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with("model name") && !line.starts_with("Model")) continue;
    const std::size_t colon = line.find(':');
    if (colon != std::string::npos && colon + 2 < line.size()) return line.substr(colon + 2);
  }
  return "unknown CPU";
}

void read_caches(CpuMachine& machine, int cpu) {
  int highest = 0;
  for (int index = 0; index < 8; ++index) {
    const std::string folder = "/sys/devices/system/cpu/cpu" + std::to_string(cpu) +
                               "/cache/index" + std::to_string(index);
    const std::string level = first_line(folder + "/level");
    if (level.empty() || first_line(folder + "/type") == "Instruction") continue;
    const std::size_t bytes = parse_size(first_line(folder + "/size"));
    if (bytes == 0) continue;
    const int number = level.front() - '0';
    if (number == 1) machine.l1d_bytes = bytes;
    if (number == 2) machine.l2_bytes = bytes;
    if (number >= highest) {
      highest = number;
      machine.llc_bytes = bytes;
    }
  }
}

std::size_t memory_limit() {
  const auto pages = static_cast<std::size_t>(std::max(0l, sysconf(_SC_PHYS_PAGES)));
  std::size_t bytes = pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  for (const char* file :
       {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    std::istringstream in(first_line(file));
    if (std::size_t limit = 0; in >> limit && limit > 0) bytes = std::min(bytes, limit);
  }
  return bytes;
}

std::vector<int> affinity() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cpus;
  if (sched_getaffinity(0, sizeof set, &set) == 0) {
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (CPU_ISSET(static_cast<std::size_t>(cpu), &set)) cpus.push_back(cpu);
    }
  }
  return cpus;
}

std::string turbo_state() {
  const std::string boost = first_line("/sys/devices/system/cpu/cpufreq/boost");
  if (!boost.empty()) return boost == "1" ? "on" : "off";
  const std::string no_turbo = first_line("/sys/devices/system/cpu/intel_pstate/no_turbo");
  if (!no_turbo.empty()) return no_turbo == "0" ? "on" : "off";
  return {};
}

}  // namespace

CpuMachine CpuMachine::probe() {
  CpuMachine machine;
  machine.model = cpu_model();
  if (utsname names{}; uname(&names) == 0) {
    machine.kernel = std::string(names.sysname) + " " + names.release;
  }
  machine.cores = static_cast<int>(std::max(1l, sysconf(_SC_NPROCESSORS_ONLN)));
  machine.allowed_cpus = affinity();
  const int cpu = machine.allowed_cpus.empty() ? 0 : machine.allowed_cpus.back();
  read_caches(machine, cpu);
  machine.memory_bytes = memory_limit();
  machine.governor =
      first_line("/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/cpufreq/scaling_governor");
  machine.turbo = turbo_state();
  return machine;
}

std::vector<int> CpuMachine::timed_cpus(int threads) const {
  const auto count = std::min(allowed_cpus.size(), static_cast<std::size_t>(std::max(1, threads)));
  return {allowed_cpus.end() - static_cast<std::ptrdiff_t>(count), allowed_cpus.end()};
}

std::vector<int> CpuMachine::other_cpus(int threads) const {
  const auto count = std::min(allowed_cpus.size(), static_cast<std::size_t>(std::max(1, threads)));
  return {allowed_cpus.begin(), allowed_cpus.end() - static_cast<std::ptrdiff_t>(count)};
}

double measure_bandwidth(std::size_t bytes) {
  const std::size_t half = std::max<std::size_t>(bytes / 2, 4096);
  std::vector<std::uint64_t> from(half / 8, 1);
  std::vector<std::uint64_t> to(half / 8);
  double best = 0;
  volatile std::uint64_t sink = 0;
  const auto timed = [&](double moved, auto work) {
    // Small sizes are repeated until the clock's own cost does not matter.
    const auto repeats = std::max<std::size_t>(1, (std::size_t{4} << 20) / half);
    for (int round = 0; round < 4; ++round) {
      const auto begin = std::chrono::steady_clock::now();
      for (std::size_t i = 0; i < repeats; ++i) work();
      const std::chrono::duration<double, std::nano> spent =
          std::chrono::steady_clock::now() - begin;
      best = std::max(best, moved * static_cast<double>(repeats) / spent.count());
    }
  };
  const auto size = static_cast<double>(from.size() * 8);
  timed(2 * size, [&] {
    std::memcpy(to.data(), from.data(), from.size() * 8);
    sink = sink + to[to.size() / 2];
  });
  timed(size, [&] {
    std::uint64_t lanes[8] = {};
    for (std::size_t i = 0; i + 8 <= from.size(); i += 8) {
      for (std::size_t lane = 0; lane < 8; ++lane) lanes[lane] += from[i + lane];
    }
    sink = sink + std::accumulate(std::begin(lanes), std::end(lanes), std::uint64_t{0});
  });
  return best;
}

}  // namespace kernatlas
