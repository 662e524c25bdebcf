#include "backends/worker/program/exec.h"

#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "backends/worker/exec_report.h"
#include "backends/worker/program/filters.h"
#include "backends/worker/program/isolation.h"
#include "backends/worker/program/landlock.h"

namespace kernatlas {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kMostProcesses = 64;

// RLIMIT_NPROC counts this tool alone where it has a user namespace, otherwise everything that runs
// under the same name: all tools of ours (nobody), or a whole desktop.
std::uint64_t most_processes(const Isolation& isolation) {
  if (isolation.own_user) return kMostProcesses;
  const auto cpus = static_cast<std::uint64_t>(sysconf(_SC_NPROCESSORS_ONLN));
  return geteuid() == kNobody ? kMostProcesses * (1 + cpus) : kMostProcesses * 64;
}

void send_report(const ExecReport& report) {
  [[maybe_unused]] const ssize_t n = write(kReportDescriptor, &report, sizeof report);
}

[[noreturn]] void give_up(const char* step) {
  ExecReport report;
  report.kind = ExecReport::Kind::failed;
  report.error_number = errno;
  std::snprintf(report.step, sizeof report.step, "%s", step);
  send_report(report);
  _exit(1);
}

void report_end(int wait_status) {
  ExecReport report;
  report.kind = ExecReport::Kind::ended;
  report.wait_status = wait_status;
  send_report(report);
}

bool reachable(const std::string& path, int mode) {
  return faccessat(AT_FDCWD, path.c_str(), mode, AT_EACCESS) == 0;
}

// While it lives, files are accessed with nobody's rights (root only).
class AsNobody {
 public:
  AsNobody() {
    setfsgid(kNobody);
    setfsuid(kNobody);
  }
  ~AsNobody() {
    setfsuid(0);
    setfsgid(0);
  }
  AsNobody(const AsNobody&) = delete;
  AsNobody& operator=(const AsNobody&) = delete;
};

bool folder_is_usable(const std::string& folder) {
  if (!reachable(folder, R_OK | W_OK | X_OK)) return false;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (!reachable(entry.path().string(), R_OK)) return false;
  }
  return !error;
}

bool inputs_are_readable(const Arguments& arguments) {
  if (!reachable(arguments.tool, X_OK)) return false;
  for (const std::string& path : arguments.readable) {
    if (!reachable(path, R_OK) && errno != ENOENT) return false;
  }
  return true;
}

void own(const std::string& path, unsigned id) {
  [[maybe_unused]] const int code = lchown(path.c_str(), id, id);
}

// What nobody made in this folder earlier becomes root's again.
void take_back(const std::string& folder) {
  own(folder, 0);
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    struct stat status {};
    const std::string path = entry.path().string();
    if (lstat(path.c_str(), &status) == 0 && status.st_uid == kNobody) own(path, 0);
  }
}

// Root only: could nobody work with these files? The working directory is handed over to it unless
// it can write there anyway; what lies in it has to be readable as it is.
bool nobody_can_work(const Arguments& arguments) {
  if (geteuid() != 0) return true;
  setgroups(0, nullptr);
  const std::string& folder = arguments.work_dir;
  struct stat before {};
  if (stat(folder.c_str(), &before) != 0) give_up("looking at its working directory");
  const auto tried = [&] {
    const AsNobody nobody;
    return inputs_are_readable(arguments) && folder_is_usable(folder);
  };
  if (tried()) return true;
  own(folder, kNobody);
  if (tried()) return true;
  own(folder, before.st_uid);
  if (before.st_uid == kNobody) take_back(folder);
  return false;
}

// A compiler outside the system's folders brings its own headers and libraries along, one level up.
std::string home_of(const std::string& tool) {
  std::error_code error;
  const fs::path real = fs::canonical(tool, error);
  if (error || real.string().starts_with("/usr/")) return "/usr";
  const fs::path folder = real.parent_path();
  return folder.filename() == "bin" && folder.parent_path() != "/" ? folder.parent_path() : real;
}

FileRules file_rules(const Arguments& arguments) {
  FileRules rules;
  rules.readable = {"/usr",
                    "/bin",
                    "/sbin",
                    "/lib",
                    "/lib32",
                    "/lib64",
                    "/libx32",
                    "/etc/alternatives",
                    "/etc/ld.so.cache",
                    "/dev/urandom"};
  rules.readable.push_back(home_of(arguments.tool));
  rules.readable.insert(rules.readable.end(), arguments.readable.begin(), arguments.readable.end());
  if (arguments.trusted) rules.readable = {"/"};
  rules.writable = {arguments.work_dir, "/dev/null"};
  // Reading back what it wrote needs no rule of its own: writable folders are readable.
  return rules;
}

[[noreturn]] void become_tool(const Arguments& arguments, const Isolation& isolation) {
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  setpgid(0, 0);
  if (chdir(arguments.work_dir.c_str()) != 0) give_up("entering its working directory");
  ResourceLimits limits;
  limits.cpu_s = arguments.cpu_s;
  limits.file_bytes = arguments.file_bytes;
  limits.open_files = 256;
  limits.address_bytes = arguments.memory_bytes;
  limits.processes = most_processes(isolation);
  // A layer that this machine does not offer is left out; `kernatlas doctor` names it.
  (void)limit_resources(limits);
  (void)restrict_files(file_rules(arguments));
  (void)filter_tool();
  std::vector<char*> argv;
  for (const std::string& text : arguments.rest) argv.push_back(const_cast<char*>(text.c_str()));
  argv.push_back(nullptr);
  execv(arguments.tool.c_str(), argv.data());
  give_up("starting it");
}

pid_t start_tool(const Arguments& arguments, const Isolation& isolation) {
  const pid_t tool = fork();
  if (tool < 0) give_up("making its process");
  if (tool == 0) become_tool(arguments, isolation);
  return tool;
}

// Process 1 of the new namespace: when it ends, the kernel kills everything else there.
[[noreturn]] void be_first_process(const Arguments& arguments, const Isolation& isolation) {
  (void)die_with_parent(0);
  pollfd supervisor{kReportDescriptor, 0, 0};
  // The runner may have died before we asked to follow it; then so has the supervisor.
  if (poll(&supervisor, 1, 0) > 0 && (supervisor.revents & POLLERR) != 0) _exit(1);
  const pid_t tool = start_tool(arguments, isolation);
  int status = 0;
  while (true) {
    const pid_t ended = waitpid(-1, &status, 0);
    if (ended == tool) break;
    if (ended < 0 && errno != EINTR) _exit(1);
  }
  report_end(status);
  _exit(0);
}

// Without a process namespace: every orphan of the tool's becomes our child. Kill until none is
// left; a child that forks faster than we kill meets the limit on rounds.
void clear_away_orphans() {
  for (int round = 0; round < 10'000; ++round) {
    std::FILE* list = std::fopen("/proc/thread-self/children", "re");
    if (list == nullptr) return;
    int pid = 0;
    while (std::fscanf(list, "%d", &pid) == 1) {
      kill(-pid, SIGKILL);
      kill(pid, SIGKILL);
    }
    std::fclose(list);
    if (waitpid(-1, nullptr, 0) < 0 && errno == ECHILD) return;
  }
}

// Waits for the child; SIGTERM (the supervisor's deadline) kills it. Returns its wait status.
int watch(pid_t child, const sigset_t& signals) {
  while (true) {
    int status = 0;
    const pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child || (ended < 0 && errno == ECHILD)) return status;
    if (sigwaitinfo(&signals, nullptr) == SIGTERM) {
      kill(-child, SIGKILL);
      kill(child, SIGKILL);
    }
  }
}

}  // namespace

int run_exec(const Arguments& arguments) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGCHLD);
  sigprocmask(SIG_BLOCK, &signals, nullptr);
  fcntl(kReportDescriptor, F_SETFD, FD_CLOEXEC);
  pin_to(arguments.cpus);
  const bool trusted = arguments.trusted;
  const Isolation isolation = isolate({.own_processes = true,
                                       .keep_identity = trusted,
                                       .nobody_can_work = trusted || nobody_can_work(arguments)});
  (void)forbid_new_privileges();
  (void)die_with_parent(static_cast<pid_t>(arguments.parent));
  if (!isolation.own_processes) {
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    const pid_t tool = start_tool(arguments, isolation);
    const int status = watch(tool, signals);
    clear_away_orphans();
    report_end(status);
    return 0;
  }
  const pid_t first = fork();
  if (first < 0) give_up("making its process");
  if (first == 0) be_first_process(arguments, isolation);
  watch(first, signals);
  return 0;
}

}  // namespace kernatlas
