// The arguments of kernatlas-worker: `--name=value` pairs, then what follows `--`. They come from
// our own supervisor, so a bad one is a programmer's error: a message and exit code 2.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kernatlas {

struct Arguments {
  std::int64_t parent = 0;
  std::string work_dir;
  std::vector<std::string> readable;
  std::string tool;
  std::uint64_t memory_bytes = 0;
  std::uint64_t file_bytes = 0;
  std::uint64_t cpu_s = 0;
  int threads = 1;
  std::vector<int> cpus;
  bool trusted = false;
  std::vector<std::string> rest;  // after --
};

[[nodiscard]] Arguments parse_arguments(int argc, char** argv, int first);

// Pins the calling thread; an empty list, or CPUs that do not exist here, leave it where it is.
void pin_to(const std::vector<int>& cpus);

}  // namespace kernatlas
