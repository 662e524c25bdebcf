#include "backends/worker/program/filters.h"

#include <fcntl.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <initializer_list>
#include <string>

namespace kernatlas {

namespace {

// "Argument `index` compares like this"; a masked comparison takes the mask and then the value.
scmp_arg_cmp where(unsigned index, scmp_compare how, scmp_datum_t a, scmp_datum_t b = 0) {
  return {index, how, a, b};
}

// Owns a libseccomp filter; remembers the first failure of any step.
class Filter {
 public:
  explicit Filter(std::uint32_t otherwise) : context_(seccomp_init(otherwise)) {
    if (context_ == nullptr) failure_ = ENOMEM;
    keep(seccomp_attr_set(context_, SCMP_FLTATR_CTL_NNP, 0));
    keep(seccomp_attr_set(context_, SCMP_FLTATR_CTL_TSYNC, 1));
    // Older kernels switch on a costly mitigation with the first filter; it would change every time
    // that is measured here.
    seccomp_attr_set(context_, SCMP_FLTATR_CTL_SSB, 1);
    seccomp_attr_set(context_, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
  }
  ~Filter() {
    if (context_ != nullptr) seccomp_release(context_);
  }
  Filter(const Filter&) = delete;
  Filter& operator=(const Filter&) = delete;

  void rule(std::uint32_t action, int call, std::initializer_list<scmp_arg_cmp> conditions = {}) {
    keep(seccomp_rule_add_array(context_, action, call, static_cast<unsigned>(conditions.size()),
                                conditions.begin()));
  }
  void rules(std::uint32_t action, std::initializer_list<int> calls) {
    for (const int call : calls) rule(action, call);
  }
  // 0, or the error number of the first step that failed.
  [[nodiscard]] int load() {
    keep(seccomp_load(context_));
    return failure_;
  }

 private:
  void keep(int code) {
    if (code < 0 && failure_ == 0) failure_ = -code;
  }
  scmp_filter_ctx context_;
  int failure_ = 0;
};

Layer seccomp_layer(int failure, const char* detail) {
  if (failure != 0) return {"seccomp", Layer::State::unsupported, std::strerror(failure)};
  return {"seccomp", Layer::State::on, detail};
}

// What both filters of a worker allow: talking over the socket, waiting, memory, ending.
void allow_running(Filter& filter, int socket, std::uint64_t largest_mapping) {
  const scmp_arg_cmp on_socket = where(0, SCMP_CMP_EQ, static_cast<scmp_datum_t>(socket));
  for (const int call : {SCMP_SYS(read), SCMP_SYS(write), SCMP_SYS(recvmsg), SCMP_SYS(sendmsg)}) {
    filter.rule(SCMP_ACT_ALLOW, call, {on_socket});
  }
  filter.rules(SCMP_ACT_ALLOW,
               {SCMP_SYS(futex), SCMP_SYS(clock_gettime), SCMP_SYS(sched_yield), SCMP_SYS(munmap),
                SCMP_SYS(mremap), SCMP_SYS(madvise), SCMP_SYS(brk), SCMP_SYS(rt_sigreturn),
                SCMP_SYS(rt_sigprocmask), SCMP_SYS(restart_syscall), SCMP_SYS(getpid),
                SCMP_SYS(gettid), SCMP_SYS(exit), SCMP_SYS(exit_group)});
  constexpr scmp_datum_t kKind =
      MAP_SHARED | MAP_PRIVATE | MAP_ANONYMOUS | MAP_GROWSDOWN | MAP_HUGETLB | MAP_LOCKED;
  filter.rule(SCMP_ACT_ALLOW, SCMP_SYS(mmap),
              {where(1, SCMP_CMP_LE, largest_mapping), where(2, SCMP_CMP_MASKED_EQ, PROT_EXEC),
               where(3, SCMP_CMP_MASKED_EQ, kKind, MAP_PRIVATE | MAP_ANONYMOUS)});
  filter.rule(SCMP_ACT_ALLOW, SCMP_SYS(mprotect), {where(2, SCMP_CMP_MASKED_EQ, PROT_EXEC)});
  // abort() signals its own thread.
  filter.rule(
      SCMP_ACT_ALLOW, SCMP_SYS(tgkill),
      {where(0, SCMP_CMP_EQ, static_cast<scmp_datum_t>(getpid())), where(2, SCMP_CMP_EQ, SIGABRT)});
}

// What the dynamic loader needs on top, and what puts the stricter filter on.
void allow_loading(Filter& filter) {
  filter.rule(SCMP_ACT_ALLOW, SCMP_SYS(openat),
              {where(2, SCMP_CMP_EQ, static_cast<scmp_datum_t>(O_RDONLY | O_CLOEXEC))});
  filter.rules(SCMP_ACT_ALLOW,
               {SCMP_SYS(read), SCMP_SYS(pread64), SCMP_SYS(lseek), SCMP_SYS(close),
                SCMP_SYS(fstat), SCMP_SYS(newfstatat), SCMP_SYS(readlink), SCMP_SYS(getcwd),
                SCMP_SYS(mmap), SCMP_SYS(mprotect), SCMP_SYS(prlimit64), SCMP_SYS(seccomp)});
}

// What reaches beyond a tool's own processes and files.
constexpr int kNotForTools[] = {SCMP_SYS(socket),
                                SCMP_SYS(socketpair),
                                SCMP_SYS(connect),
                                SCMP_SYS(bind),
                                SCMP_SYS(listen),
                                SCMP_SYS(accept),
                                SCMP_SYS(accept4),
                                SCMP_SYS(ptrace),
                                SCMP_SYS(process_vm_readv),
                                SCMP_SYS(process_vm_writev),
                                SCMP_SYS(process_madvise),
                                SCMP_SYS(pidfd_open),
                                SCMP_SYS(pidfd_getfd),
                                SCMP_SYS(pidfd_send_signal),
                                SCMP_SYS(kcmp),
                                SCMP_SYS(mount),
                                SCMP_SYS(umount2),
                                SCMP_SYS(pivot_root),
                                SCMP_SYS(chroot),
                                SCMP_SYS(open_tree),
                                SCMP_SYS(move_mount),
                                SCMP_SYS(fsopen),
                                SCMP_SYS(fsconfig),
                                SCMP_SYS(fsmount),
                                SCMP_SYS(fspick),
                                SCMP_SYS(mount_setattr),
                                SCMP_SYS(unshare),
                                SCMP_SYS(setns),
                                SCMP_SYS(name_to_handle_at),
                                SCMP_SYS(open_by_handle_at),
                                SCMP_SYS(bpf),
                                SCMP_SYS(perf_event_open),
                                SCMP_SYS(userfaultfd),
                                SCMP_SYS(keyctl),
                                SCMP_SYS(add_key),
                                SCMP_SYS(request_key),
                                SCMP_SYS(io_uring_setup),
                                SCMP_SYS(io_uring_enter),
                                SCMP_SYS(io_uring_register),
                                SCMP_SYS(kexec_load),
                                SCMP_SYS(kexec_file_load),
                                SCMP_SYS(init_module),
                                SCMP_SYS(finit_module),
                                SCMP_SYS(delete_module),
                                SCMP_SYS(acct),
                                SCMP_SYS(swapon),
                                SCMP_SYS(swapoff),
                                SCMP_SYS(reboot),
                                SCMP_SYS(quotactl),
                                SCMP_SYS(sethostname),
                                SCMP_SYS(setdomainname),
                                SCMP_SYS(settimeofday),
                                SCMP_SYS(clock_settime),
                                SCMP_SYS(adjtimex),
                                SCMP_SYS(clock_adjtime),
                                SCMP_SYS(iopl),
                                SCMP_SYS(ioperm),
                                SCMP_SYS(syslog),
                                SCMP_SYS(fanotify_init),
                                SCMP_SYS(lookup_dcookie)};

}  // namespace

Layer filter_tool() {
  Filter filter(SCMP_ACT_ALLOW);
  for (const int call : kNotForTools) filter.rule(SCMP_ACT_ERRNO(EPERM), call);
  // A terminal's input queue is an old way out of a sandbox.
  filter.rule(SCMP_ACT_ERRNO(EPERM), SCMP_SYS(ioctl),
              {where(1, SCMP_CMP_MASKED_EQ, 0xffffffffu, 0x5412 /* TIOCSTI */)});
  // clone3 hides its flags behind a pointer; told that it is missing, libraries use clone.
  filter.rule(SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3));
  for (const scmp_datum_t flag : {CLONE_NEWUSER, CLONE_NEWNS, CLONE_NEWNET, CLONE_NEWIPC,
                                  CLONE_NEWPID, CLONE_NEWUTS, CLONE_NEWCGROUP}) {
    filter.rule(SCMP_ACT_ERRNO(EPERM), SCMP_SYS(clone), {where(0, SCMP_CMP_MASKED_EQ, flag, flag)});
  }
  return seccomp_layer(filter.load(), "for tools");
}

struct WorkerFilters::Contexts {
  Filter loading{SCMP_ACT_TRAP};
  Filter running{SCMP_ACT_TRAP};
};

WorkerFilters::WorkerFilters(int socket, std::uint64_t largest_mapping)
    : contexts_(std::make_unique<Contexts>()) {
  allow_running(contexts_->running, socket, largest_mapping);
  allow_running(contexts_->loading, socket, largest_mapping);
  allow_loading(contexts_->loading);
}

WorkerFilters::~WorkerFilters() = default;

Layer WorkerFilters::enter_loading() {
  return seccomp_layer(contexts_->loading.load(), "in two steps, before and after loading");
}

bool WorkerFilters::enter_running() {
  return contexts_->running.load() == 0;
}

}  // namespace kernatlas
