#include "backends/worker/program/isolation.h"

#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>

#include "backends/worker/unique_fd.h"

namespace kernatlas {

namespace {

std::string because(int error_number) {
  return std::strerror(error_number);
}

bool write_text(const char* path, const std::string& text) {
  const UniqueFd file(open(path, O_WRONLY | O_CLOEXEC));
  if (!file.valid()) return false;
  return write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

// Inside a new user namespace we are who we were outside, and nobody else exists.
bool keep_own_ids(unsigned uid, unsigned gid) {
  const auto line = [](unsigned id) {
    return std::to_string(id) + " " + std::to_string(id) + " 1";
  };
  return write_text("/proc/self/setgroups", "deny") &&
         write_text("/proc/self/uid_map", line(uid)) && write_text("/proc/self/gid_map", line(gid));
}

bool enter_user_namespace(int others) {
  const unsigned uid = geteuid();
  const unsigned gid = getegid();
  // After a change of identity /proc/self belongs to root, and the maps could not be written.
  prctl(PR_SET_DUMPABLE, 1);
  if (unshare(CLONE_NEWUSER | others) != 0) return false;
  return keep_own_ids(uid, gid);
}

void drop_capabilities() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct none[2] = {};
  prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  syscall(SYS_capset, &header, none);
}

bool become_nobody() {
  return setgroups(0, nullptr) == 0 && setresgid(kNobody, kNobody, kNobody) == 0 &&
         setresuid(kNobody, kNobody, kNobody) == 0;
}

Layer change_identity(const IsolationWish& wish) {
  Layer layer{"nobody", Layer::State::on, "uid 65534"};
  if (geteuid() != 0) {
    layer.detail = "not root: uid " + std::to_string(geteuid());
  } else if (wish.keep_identity) {
    layer = {"nobody", Layer::State::off, "trusted"};
  } else if (!wish.nobody_can_work) {
    layer = {"nobody", Layer::State::off,
             "its files are out of nobody's reach: root without capabilities instead"};
  } else if (!become_nobody()) {
    layer = {"nobody", Layer::State::unsupported, because(errno)};
  }
  return layer;
}

constexpr int kQuiet = CLONE_NEWNET | CLONE_NEWIPC;

Layer namespaces_on(bool processes, bool user) {
  std::string text = "network, IPC";
  if (processes) text += ", processes";
  if (user) text += ", user";
  return {"namespaces", Layer::State::on, text};
}

}  // namespace

Isolation isolate(const IsolationWish& wish) {
  Isolation out;
  const int pid_flag = wish.own_processes ? CLONE_NEWPID : 0;
  bool separated = geteuid() == 0 && unshare(kQuiet | pid_flag) == 0;
  out.own_processes = separated && wish.own_processes;
  out.nobody = change_identity(wish);
  if (separated) {
    if (!wish.keep_identity) out.own_user = enter_user_namespace(0);
  } else if (enter_user_namespace(kQuiet | pid_flag)) {
    separated = out.own_user = true;
    out.own_processes = wish.own_processes;
  } else if (pid_flag != 0 && enter_user_namespace(kQuiet)) {
    separated = out.own_user = true;
  }
  out.namespaces = separated ? namespaces_on(out.own_processes, out.own_user)
                             : Layer{"namespaces", Layer::State::unsupported, because(errno)};
  if (!wish.keep_identity || out.own_user) drop_capabilities();
  return out;
}

Layer limit_resources(const ResourceLimits& limits) {
  struct Entry {
    int which;
    std::uint64_t soft;
    std::uint64_t hard;
    bool wanted;
  };
  const Entry entries[] = {
      {RLIMIT_CORE, 0, 0, true},
      {RLIMIT_CPU, limits.cpu_s, limits.cpu_s + 5, limits.cpu_s > 0},
      {RLIMIT_FSIZE, limits.file_bytes, limits.file_bytes, true},
      {RLIMIT_NOFILE, limits.open_files, limits.open_files, true},
      {RLIMIT_STACK, 8u << 20, 64u << 20, true},
      {RLIMIT_MEMLOCK, 0, 0, true},
      {RLIMIT_MSGQUEUE, 0, 0, true},
      {RLIMIT_AS, limits.address_bytes, limits.address_bytes, limits.address_bytes > 0},
      {RLIMIT_DATA, limits.data_bytes, limits.data_bytes, limits.data_bytes > 0},
      {RLIMIT_NPROC, limits.processes, limits.processes, limits.processes > 0},
  };
  for (const Entry& entry : entries) {
    if (!entry.wanted) continue;
    rlimit current{};
    const auto which = static_cast<__rlimit_resource>(entry.which);
    getrlimit(which, &current);
    // Somebody may have limited us further already: never ask for more.
    const rlim_t hard = std::min<rlim_t>(entry.hard, current.rlim_max);
    const rlimit wish{std::min<rlim_t>(entry.soft, hard), hard};
    if (setrlimit(which, &wish) != 0) {
      return {"rlimits", Layer::State::unsupported, because(errno)};
    }
  }
  return {"rlimits", Layer::State::on, ""};
}

Layer forbid_new_privileges() {
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
    return {"no_new_privileges", Layer::State::unsupported, because(errno)};
  }
  return {"no_new_privileges", Layer::State::on, ""};
}

Layer die_with_parent(pid_t parent) {
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) {
    return {"parent_death", Layer::State::unsupported, because(errno)};
  }
  // It may have died before we asked.
  if (parent > 0 && getppid() != parent) _exit(1);
  return {"parent_death", Layer::State::on, ""};
}

}  // namespace kernatlas
