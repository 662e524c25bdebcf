#include "backends/worker/spawn.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <thread>

namespace kernatlas {

namespace fs = std::filesystem;

namespace {

constexpr const char* kProgramName = "kernatlas-worker";

// The two posix_spawn objects, destroyed together.
class SpawnSetup {
 public:
  SpawnSetup() {
    posix_spawn_file_actions_init(&actions_);
    posix_spawnattr_init(&attributes_);
  }
  ~SpawnSetup() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnSetup(const SpawnSetup&) = delete;
  SpawnSetup& operator=(const SpawnSetup&) = delete;

  void set_attributes() {
    sigset_t none;
    sigset_t all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setsigdefault(&attributes_, &all);
    posix_spawnattr_setflags(
        &attributes_,
        static_cast<short>(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID));
  }

  void set_descriptors(const std::vector<int>& descriptors) {
    const int count = static_cast<int>(descriptors.size());
    // Two passes through free numbers: a target number may be some other entry's source.
    int free = count;
    for (const int fd : descriptors) free = std::max(free, fd + 1);
    for (int i = 0; i < count; ++i) {
      if (descriptors[i] < 0) {
        posix_spawn_file_actions_addopen(&actions_, free + i, "/dev/null", O_RDWR, 0);
      } else {
        posix_spawn_file_actions_adddup2(&actions_, descriptors[i], free + i);
      }
    }
    for (int i = 0; i < count; ++i) posix_spawn_file_actions_adddup2(&actions_, free + i, i);
    posix_spawn_file_actions_addclosefrom_np(&actions_, count);
  }

  [[nodiscard]] const posix_spawn_file_actions_t* actions() const { return &actions_; }
  [[nodiscard]] const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> out;
  out.reserve(texts.size() + 1);
  for (const std::string& text : texts) out.push_back(const_cast<char*>(text.c_str()));
  out.push_back(nullptr);
  return out;
}

}  // namespace

Result<std::string> find_worker_program() {
  std::error_code error;
  const fs::path here = fs::read_symlink("/proc/self/exe", error).parent_path();
  std::vector<fs::path> places = {here, here / "../bin", here / "../libexec/kernatlas"};
  if (const char* folder = std::getenv("KERNATLAS_BIN_DIR")) places.emplace_back(folder);
  for (const fs::path& place : places) {
    const fs::path file = place / kProgramName;
    if (::access(file.c_str(), X_OK) == 0) return file.lexically_normal().string();
  }
  return fail({.code = ErrorCode::unavailable,
               .message = "the program kernatlas-worker was not found",
               .expected = "it beside " + (here / "kernatlas").string(),
               .hint = "build or install the whole project, or set KERNATLAS_BIN_DIR"});
}

Result<pid_t> spawn(const SpawnRequest& request) {
  SpawnSetup setup;
  setup.set_attributes();
  setup.set_descriptors(request.descriptors);
  std::vector<std::string> arguments{request.program};
  arguments.insert(arguments.end(), request.arguments.begin(), request.arguments.end());
  const std::vector<char*> argv = pointers(arguments);
  const std::vector<char*> envp = pointers(request.environment);
  pid_t pid = -1;
  const int code = posix_spawn(&pid, request.program.c_str(), setup.actions(), setup.attributes(),
                               argv.data(), envp.data());
  if (code != 0) {
    return fail({.code = ErrorCode::unavailable,
                 .message = "cannot start " + request.program + ": " + std::strerror(code)});
  }
  return pid;
}

bool wait_for_end(pid_t pid, std::chrono::milliseconds patience, Ending& ending) {
  const auto until = std::chrono::steady_clock::now() + patience;
  std::chrono::microseconds pause{50};
  while (true) {
    const pid_t got = wait4(pid, &ending.status, WNOHANG, &ending.usage);
    if (got == pid || (got < 0 && errno == ECHILD)) return true;
    if (std::chrono::steady_clock::now() >= until) return false;
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::microseconds{5000});
  }
}

Ending kill_group(pid_t pid) {
  Ending ending;
  kill(-pid, SIGKILL);
  kill(pid, SIGKILL);
  while (wait4(pid, &ending.status, 0, &ending.usage) < 0 && errno == EINTR) {
  }
  return ending;
}

std::int64_t cpu_time_ns(pid_t pid) {
  clockid_t clock = 0;
  timespec time{};
  if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &time) != 0) return -1;
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

std::int64_t monotonic_ns() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

}  // namespace kernatlas
