#include "backends/worker/program/arguments.h"

#include <sched.h>

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace kernatlas {

namespace {

[[noreturn]] void refuse(std::string_view text) {
  std::fprintf(stderr, "kernatlas-worker: bad argument: %.*s\n", static_cast<int>(text.size()),
               text.data());
  std::exit(2);
}

template <typename T>
void read_number(std::string_view text, T& out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc() || end != text.data() + text.size()) refuse(text);
}

std::vector<int> read_list(std::string_view text) {
  std::vector<int> out;
  while (!text.empty()) {
    const std::string_view item = text.substr(0, text.find(','));
    read_number(item, out.emplace_back());
    text.remove_prefix(std::min(text.size(), item.size() + 1));
  }
  return out;
}

void read_one(std::string_view name, std::string_view value, Arguments& out) {
  if (name == "--parent") return read_number(value, out.parent);
  if (name == "--memory") return read_number(value, out.memory_bytes);
  if (name == "--file") return read_number(value, out.file_bytes);
  if (name == "--cpu") return read_number(value, out.cpu_s);
  if (name == "--threads") return read_number(value, out.threads);
  if (name == "--work-dir") {
    out.work_dir = value;
  } else if (name == "--readable") {
    out.readable.emplace_back(value);
  } else if (name == "--tool") {
    out.tool = value;
  } else if (name == "--cpus") {
    out.cpus = read_list(value);
  } else if (name == "--trusted") {
    out.trusted = true;
  } else {
    refuse(name);
  }
}

}  // namespace

Arguments parse_arguments(int argc, char** argv, int first) {
  Arguments out;
  for (int i = first; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--") {
      out.rest.assign(argv + i + 1, argv + argc);
      break;
    }
    const std::size_t equals = std::min(argument.find('='), argument.size());
    read_one(argument.substr(0, equals), argument.substr(std::min(argument.size(), equals + 1)),
             out);
  }
  return out;
}

void pin_to(const std::vector<int>& cpus) {
  if (cpus.empty()) return;
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int cpu : cpus) {
    if (cpu >= 0 && cpu < CPU_SETSIZE) CPU_SET(static_cast<unsigned>(cpu), &set);
  }
  sched_setaffinity(0, sizeof set, &set);
}

}  // namespace kernatlas
