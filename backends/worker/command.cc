#include "backends/worker/command.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string_view>

#include "backends/worker/exec_report.h"
#include "backends/worker/spawn.h"
#include "backends/worker/unique_fd.h"

namespace kernatlas {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kDefaultPath = "/usr/local/bin:/usr/bin:/bin";
constexpr std::chrono::milliseconds kGrace{2000};  // for the runner to clear its processes away

std::string search_path() {
  const char* path = std::getenv("PATH");
  return path != nullptr && *path != '\0' ? path : std::string(kDefaultPath);
}

bool is_program(const std::string& file) {
  std::error_code error;
  return ::access(file.c_str(), X_OK) == 0 && fs::is_regular_file(file, error);
}

Result<std::string> locate(const std::string& tool) {
  if (tool.find('/') != std::string::npos && is_program(tool)) return tool;
  std::istringstream folders(search_path());
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (folder.empty() || tool.find('/') != std::string::npos) continue;
    const std::string file = folder + "/" + tool;
    if (is_program(file)) return file;
  }
  return fail({.code = ErrorCode::unavailable,
               .message = "the tool " + tool + " was not found",
               .expected = "a program in " + search_path(),
               .hint = "install it, or put its folder into PATH"});
}

struct Pipe {
  UniqueFd read;
  UniqueFd write;
};

Result<Pipe> make_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    return fail({.code = ErrorCode::unavailable,
                 .message = std::string("cannot make a pipe: ") + std::strerror(errno)});
  }
  Pipe made{UniqueFd(ends[0]), UniqueFd(ends[1])};
  fcntl(made.read.get(), F_SETFL, O_NONBLOCK);
  return made;
}

// Nothing of the supervisor's environment reaches a tool: it may hold keys.
std::vector<std::string> environment(const fs::path& work_dir) {
  return {"PATH=" + search_path(), "LC_ALL=C", "HOME=" + work_dir.string(),
          "TMPDIR=" + work_dir.string(), "SOURCE_DATE_EPOCH=0"};
}

std::string joined(const std::vector<int>& numbers) {
  std::string out;
  for (const int n : numbers) {
    if (!out.empty()) out += ',';
    out += std::to_string(n);
  }
  return out;
}

std::vector<std::string> runner_arguments(const CommandRequest& request, const std::string& tool,
                                          const fs::path& work_dir) {
  std::vector<std::string> out = {
      "exec",
      "--parent=" + std::to_string(getpid()),
      "--work-dir=" + work_dir.string(),
      "--memory=" + std::to_string(request.memory_bytes),
      "--file=" + std::to_string(request.file_bytes),
      "--cpu=" + std::to_string(static_cast<long>(std::ceil(request.timeout_s)) + 1)};
  if (!request.cpus.empty()) out.push_back("--cpus=" + joined(request.cpus));
  if (request.trusted) out.emplace_back("--trusted");
  for (const fs::path& path : request.readable) out.push_back("--readable=" + path.string());
  out.push_back("--tool=" + tool);
  out.emplace_back("--");
  out.insert(out.end(), request.argv.begin(), request.argv.end());
  return out;
}

// Collects output up to a limit, and goes on reading (and forgetting) beyond it: a tool that could
// not write would hang.
class BoundedOutput {
 public:
  explicit BoundedOutput(std::size_t limit) : limit_(limit) {}

  // False at the end of the stream.
  bool read_from(int fd) {
    char buffer[16384];
    while (true) {
      const ssize_t n = ::read(fd, buffer, sizeof buffer);
      if (n == 0) return false;
      if (n < 0) {
        if (errno == EINTR) continue;
        return errno == EAGAIN;
      }
      const std::size_t got = static_cast<std::size_t>(n);
      const std::size_t kept = std::min(got, limit_ - text_.size());
      text_.append(buffer, kept);
      dropped_ += got - kept;
    }
  }

  [[nodiscard]] std::string take() {
    if (dropped_ > 0) text_ += "\n[cut: " + std::to_string(dropped_) + " more bytes]\n";
    return std::move(text_);
  }

 private:
  std::size_t limit_;
  std::string text_;
  std::uint64_t dropped_ = 0;
};

// One running command: the runner's process, its report pipe and the tool's output.
class Running {
 public:
  Running(pid_t pid, UniqueFd report, UniqueFd output, const CommandRequest& request)
      : pid_(pid),
        report_(std::move(report)),
        output_(std::move(output)),
        text_(request.output_bytes),
        start_ns_(monotonic_ns()),
        deadline_ns_(start_ns_ + static_cast<std::int64_t>(request.timeout_s * 1e9)) {}

  // The report pipe closes when the runner and its helper are gone, and with them every process
  // of the tool: that, and not the end of the output, is the end of the command.
  void wait() {
    while (report_open_) {
      std::int64_t left_ns = deadline_ns_ - monotonic_ns();
      if (left_ns <= 0) {
        if (terminating_) break;
        terminate();
        continue;
      }
      poll_once(left_ns);
    }
    Ending ending;
    if (report_open_ || !wait_for_end(pid_, kGrace, ending)) kill_group(pid_);
    if (output_open_) text_.read_from(output_.get());
  }

  [[nodiscard]] bool timed_out() const { return terminating_; }
  [[nodiscard]] std::string take_output() { return text_.take(); }
  [[nodiscard]] double wall_s() const {
    return static_cast<double>(monotonic_ns() - start_ns_) * 1e-9;
  }
  // Null when the runner died without a word.
  [[nodiscard]] const ExecReport* report() const {
    const bool whole = received_ == sizeof record_ && record_.magic == ExecReport::kMagic;
    return whole ? &record_ : nullptr;
  }

 private:
  void terminate() {
    terminating_ = true;
    kill(pid_, SIGTERM);  // the runner kills and reaps everything of the tool's, then ends
    deadline_ns_ = monotonic_ns() + std::chrono::nanoseconds(kGrace).count();
  }

  void poll_once(std::int64_t left_ns) {
    pollfd fds[2] = {{report_.get(), POLLIN, 0}, {output_open_ ? output_.get() : -1, POLLIN, 0}};
    const auto milliseconds =
        static_cast<int>(std::min<std::int64_t>(left_ns / 1'000'000 + 1, 60'000));
    if (::poll(fds, 2, milliseconds) <= 0) return;
    if (fds[1].revents != 0) output_open_ = text_.read_from(output_.get());
    if (fds[0].revents != 0) read_report();
  }

  void read_report() {
    char* target = reinterpret_cast<char*>(&record_);
    char surplus = 0;
    const std::size_t left = sizeof record_ - received_;
    const ssize_t n =
        ::read(report_.get(), left > 0 ? target + received_ : &surplus, left > 0 ? left : 1);
    if (n > 0 && left > 0) received_ += static_cast<std::size_t>(n);
    if (n == 0) report_open_ = false;
  }

  pid_t pid_;
  UniqueFd report_;
  UniqueFd output_;
  BoundedOutput text_;
  std::int64_t start_ns_;
  std::int64_t deadline_ns_;
  ExecReport record_;
  std::size_t received_ = 0;
  bool report_open_ = true;
  bool output_open_ = true;
  bool terminating_ = false;
};

Result<CommandResult> conclude(Running& running) {
  CommandResult result;
  result.timed_out = running.timed_out();
  result.output = running.take_output();
  result.wall_s = running.wall_s();
  const ExecReport* report = running.report();
  if (report == nullptr) {
    if (!result.timed_out) {
      return fail({.code = ErrorCode::unavailable,
                   .message = "the process that runs tools ended before the tool did"});
    }
    result.signal = SIGKILL;
    return result;
  }
  if (report->kind == ExecReport::Kind::failed) {
    const std::string step(report->step, strnlen(report->step, sizeof report->step));
    return fail(
        {.code = ErrorCode::unavailable,
         .message = "cannot run the tool: " + step + ": " + std::strerror(report->error_number)});
  }
  if (WIFEXITED(report->wait_status)) {
    result.exit_code = WEXITSTATUS(report->wait_status);
  } else {
    result.signal = WTERMSIG(report->wait_status);
  }
  return result;
}

}  // namespace

Result<CommandResult> run_command(const CommandRequest& request) {
  KERNATLAS_CHECK(!request.argv.empty());
  std::error_code error;
  const fs::path work_dir = fs::absolute(request.work_dir, error);
  if (error || !fs::is_directory(work_dir, error)) {
    return fail({.code = ErrorCode::io,
                 .message = "the working directory is missing",
                 .file = request.work_dir.string()});
  }
  auto tool = locate(request.argv.front());
  if (!tool) return tl::unexpected(tool.error());
  auto program = find_worker_program();
  if (!program) return tl::unexpected(program.error());
  auto report = make_pipe();
  if (!report) return tl::unexpected(report.error());
  auto output = make_pipe();
  if (!output) return tl::unexpected(output.error());
  auto pid =
      spawn({.program = *program,
             .arguments = runner_arguments(request, *tool, work_dir),
             .environment = environment(work_dir),
             .descriptors = {-1, output->write.get(), output->write.get(), report->write.get()}});
  if (!pid) return tl::unexpected(pid.error());
  report->write.reset();
  output->write.reset();
  Running running(*pid, std::move(report->read), std::move(output->read), request);
  running.wait();
  return conclude(running);
}

}  // namespace kernatlas
