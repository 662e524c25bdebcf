// ChildProcess: a program started by a test, with its standard input and output as pipes; killed
// and waited for at the end of the scope.
#pragma once

#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <stdexcept>
#include <string>
#include <vector>

extern char** environ;

namespace kernatlas::testing {

class ChildProcess {
 public:
  explicit ChildProcess(std::vector<std::string> command) {
    int in[2];
    int out[2];
    if (pipe(in) != 0 || pipe(out) != 0) throw std::runtime_error("pipe failed");
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
    for (const int end : {in[0], in[1], out[0], out[1]}) {
      posix_spawn_file_actions_addclose(&actions, end);
    }
    std::vector<char*> arguments;
    for (std::string& word : command) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    const int code = posix_spawn(&pid_, arguments[0], &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    close(in[0]);
    close(out[1]);
    input_ = in[1];
    output_ = out[0];
    if (code != 0) throw std::runtime_error("cannot start " + command[0]);
  }
  ~ChildProcess() {
    kill();
    close_input();
    close(output_);
  }
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // Reads what is there, waiting at most so long for the first byte; false at the end of output.
  bool read_some(int timeout_ms) {
    pollfd waiting{output_, POLLIN, 0};
    if (poll(&waiting, 1, timeout_ms) <= 0) return true;
    char buffer[4096];
    const ssize_t size = read(output_, buffer, sizeof buffer);
    if (size <= 0) return false;
    text_.append(buffer, static_cast<std::size_t>(size));
    return true;
  }
  // Everything it says until it ends; its exit status follows.
  const std::string& read_all() {
    while (read_some(-1)) {
    }
    return text_;
  }
  [[nodiscard]] const std::string& text() const { return text_; }
  void close_input() {
    if (input_ >= 0) close(input_);
    input_ = -1;
  }
  // SIGKILL, then waits.
  void kill() {
    if (pid_ > 0) ::kill(pid_, SIGKILL);
    (void)wait();
  }
  // Exit code; -1 when it was ended by a signal or was waited for before.
  int wait() {
    if (pid_ <= 0) return -1;
    int status = 0;
    waitpid(pid_, &status, 0);
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  pid_t pid_ = -1;
  int input_ = -1;
  int output_ = -1;
  std::string text_;
};

}  // namespace kernatlas::testing
