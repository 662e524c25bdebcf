#include "tests/support/program.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <stdexcept>

#include "tests/support/temp_dir.h"

extern char** environ;

namespace kernatlas::testing {

namespace {

struct Pipe {
  int read_end = -1;
  int write_end = -1;
  Pipe() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("pipe2 failed");
    read_end = ends[0];
    write_end = ends[1];
  }
};

pid_t spawn(std::vector<std::string> arguments, const Pipe& out, const Pipe& err) {
  std::vector<char*> argv;
  for (std::string& each : arguments) argv.push_back(each.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out.write_end, 1);
  posix_spawn_file_actions_adddup2(&actions, err.write_end, 2);
  pid_t pid = -1;
  const int error = posix_spawnp(&pid, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw std::runtime_error("cannot start " + arguments[0]);
  return pid;
}

}  // namespace

ProgramResult run_program(const std::vector<std::string>& arguments, double timeout_s) {
  const Pipe out;
  const Pipe err;
  const pid_t pid = spawn(arguments, out, err);
  close(out.write_end);
  close(err.write_end);
  ProgramResult result;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::duration<double>(timeout_s);
  std::array<pollfd, 2> ends{{{out.read_end, POLLIN, 0}, {err.read_end, POLLIN, 0}}};
  std::array<std::string*, 2> texts{&result.out, &result.err};
  int open_ends = 2;
  while (open_ends > 0) {
    if (std::chrono::steady_clock::now() > deadline) kill(pid, SIGKILL);
    if (poll(ends.data(), ends.size(), 100) <= 0) continue;
    for (std::size_t i = 0; i < ends.size(); ++i) {
      if (ends[i].fd < 0 || ends[i].revents == 0) continue;
      std::array<char, 4096> buffer{};
      const ssize_t count = read(ends[i].fd, buffer.data(), buffer.size());
      if (count > 0) {
        texts[i]->append(buffer.data(), static_cast<std::size_t>(count));
      } else {
        close(ends[i].fd);
        ends[i].fd = -1;
        --open_ends;
      }
    }
  }
  int status = 0;
  waitpid(pid, &status, 0);
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

ProgramResult run_kernatlas(std::vector<std::string> arguments, double timeout_s) {
  arguments.insert(arguments.begin(), (bin_dir() / "kernatlas").string());
  return run_program(arguments, timeout_s);
}

}  // namespace kernatlas::testing
