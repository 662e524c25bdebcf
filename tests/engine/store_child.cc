// A process for the tests of the run database to kill, starve or lock out:
//
//   store_child write RUN        settles rows until it is killed; says "flushed N" when every
//   ticket
//                                below N is on disk. Continues a run that is there.
//   store_child hold RUN         opens RUN for writing, says "ready", waits for the end of stdin
//   store_child limited RUN SIZE as write, but no file may grow past SIZE bytes; says "error TEXT"
//                                when the store reports that, and ends
//   store_child create RUN SIZE  the same limit for making a run
//   store_child read RUN         as user nobody where possible: reads everything; says "rows N", or
//                                "error TEXT"
//   store_child resume RUN       as user nobody where possible: opens for writing; says "error
//   TEXT"
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string>
#include <unordered_set>

#include "engine/store/run_database.h"
#include "tests/engine/store_rows.h"

namespace {

using namespace kernatlas;

void say(const std::string& line) {
  const std::string text = line + "\n";
  [[maybe_unused]] const auto written = ::write(STDOUT_FILENO, text.data(), text.size());
}

int say_error(const Error& error) {
  std::string text = error.text();
  for (char& c : text) c = c == '\n' ? ' ' : c;
  say("error " + text);
  return 3;
}

void limit_files(const char* bytes) {
  std::signal(SIGXFSZ, SIG_IGN);
  const rlim_t size = std::strtoull(bytes, nullptr, 10);
  const rlimit limit{size, size};
  if (setrlimit(RLIMIT_FSIZE, &limit) != 0) std::abort();
}

void become_nobody() {
  if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) std::abort();
}

int write_rows(const std::string& run) {
  auto database = std::filesystem::exists(run + "/run.db")
                      ? RunDatabase::open(run)
                      : RunDatabase::create(run, kernatlas::testing::some_info());
  if (!database) return say_error(database.error());
  std::unordered_set<std::uint64_t> settled;
  (*database)->reader().hot_rows(
      0, [&](const HotRow& row) { return settled.insert(row.ticket).second; });
  if (auto health = (*database)->reader().health(); !health) return say_error(health.error());
  Rng rng = stream(settled.size(), 9, static_cast<std::uint64_t>(getpid()));
  // Out of order within eight, as concurrent evaluations settle.
  for (std::uint64_t block = 0;; block += 8) {
    const std::uint64_t turn = uniform_below(rng, 8);
    for (std::uint64_t i = 0; i < 8; ++i) {
      const std::uint64_t ticket = block + (i * 3 + turn) % 8;
      if (settled.contains(ticket)) continue;
      auto done = (*database)->settle(kernatlas::testing::some_row(ticket));
      if (!done) return say_error(done.error());
    }
    if (uniform_below(rng, 40) == 0 && block >= settled.size()) {
      if (auto done = (*database)->flush(); !done) return say_error(done.error());
      say("flushed " + std::to_string(block + 8));
    }
  }
}

int hold(const std::string& run) {
  auto database = RunDatabase::open(run);
  if (!database) return say_error(database.error());
  say("ready");
  char byte = 0;
  while (::read(STDIN_FILENO, &byte, 1) > 0) {
  }
  return 0;
}

int create(const std::string& run) {
  auto database = RunDatabase::create(run, kernatlas::testing::some_info());
  return database ? 0 : say_error(database.error());
}

int read_all(const std::string& run) {
  auto reader = RunReader::open(run);
  if (!reader) return say_error(reader.error());
  std::uint64_t rows = 0;
  (*reader)->hot_rows(0, [&](const HotRow&) {
    ++rows;
    return true;
  });
  if (auto health = (*reader)->health(); !health) return say_error(health.error());
  say("rows " + std::to_string(rows));
  return 0;
}

int resume(const std::string& run) {
  auto database = RunDatabase::open(run);
  return database ? 0 : say_error(database.error());
}

int run_mode(const std::string& mode, const std::string& run) {
  if (mode == "write" || mode == "limited") return write_rows(run);
  if (mode == "hold") return hold(run);
  if (mode == "create") return create(run);
  become_nobody();
  if (mode == "read") return read_all(run);
  if (mode == "resume") return resume(run);
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  if (argc > 3) limit_files(argv[3]);
  const int code = run_mode(argv[1], argv[2]);
  // Under a size limit, files that others write at exit (coverage counters) would be cut short.
  if (argc > 3) std::_Exit(code);
  return code;
}
