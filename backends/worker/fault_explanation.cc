#include "backends/worker/fault_explanation.h"

#include <fmt/format.h>
#include <seccomp.h>
#include <sys/wait.h>

#include <csignal>
#include <cstdlib>
#include <cstring>

namespace kernatlas {

namespace {

double mebibytes(std::uint64_t bytes) {
  return static_cast<double>(bytes) / (1 << 20);
}

std::string call_name(int number) {
  char* name = seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, number);
  if (name == nullptr) return "unknown";
  std::string text = name;
  std::free(name);
  return text;
}

bool box_speaks(const Death& death) {
  return death.black_box != nullptr && death.black_box->claimed.load() != 0;
}

Fault out_of_memory(const Death& death) {
  return {OutcomeKind::out_of_memory,
          fmt::format("asked for more than the {:.0f} MiB of memory it may have",
                      mebibytes(death.memory_bytes))};
}

Fault forbidden_call(const Death& death) {
  if (!box_speaks(death)) return {OutcomeKind::rejected, "forbidden system call"};
  const BlackBox& box = *death.black_box;
  if (box.asked_bytes > 0) return out_of_memory(death);
  return {OutcomeKind::rejected, fmt::format("forbidden system call {} ({})", box.system_call,
                                             call_name(box.system_call))};
}

std::string address_text(const BlackBox& box) {
  switch (box.address_class) {
    case AddressClass::null_pointer:
      return ", near address zero";
    case AddressClass::stack:
      return ", stack overflow (8 MiB)";
    case AddressClass::before_arena:
      return fmt::format(", {} bytes before the first buffer", box.distance_bytes);
    case AddressClass::after_arena:
      return fmt::format(", {} bytes past the last buffer", box.distance_bytes);
    case AddressClass::unknown:
      break;
  }
  return "";
}

double cpu_s(const rusage& usage) {
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

Fault killed(const Death& death) {
  const auto resident = static_cast<std::uint64_t>(death.ending.usage.ru_maxrss) * 1024;
  if (death.cpu_s > 0 && cpu_s(death.ending.usage) >= death.cpu_s) {
    return {OutcomeKind::timed_out, fmt::format("used up its {:g} s of CPU time", death.cpu_s)};
  }
  if (resident >= death.memory_bytes / 5 * 4) return out_of_memory(death);
  return {OutcomeKind::device_lost, "the worker process was killed from outside"};
}

Fault by_signal(const Death& death, int signal) {
  if (signal == SIGSYS) return forbidden_call(death);
  if (signal == SIGXCPU) {
    return {OutcomeKind::timed_out, fmt::format("used up its {:g} s of CPU time", death.cpu_s)};
  }
  if (signal == SIGKILL) return killed(death);
  if (signal == SIGTERM || signal == SIGHUP || signal == SIGINT || signal == SIGQUIT) {
    return {OutcomeKind::device_lost,
            "the worker process was ended from outside by " + signal_name(signal)};
  }
  if (box_speaks(death) && death.black_box->at_memory_limit != 0) return out_of_memory(death);
  std::string text = signal_name(signal);
  if (box_speaks(death) && (signal == SIGSEGV || signal == SIGBUS)) {
    text += address_text(*death.black_box);
  }
  return {OutcomeKind::crashed, text};
}

}  // namespace

std::string signal_name(int signal) {
  const char* name = sigabbrev_np(signal);
  return name != nullptr ? "SIG" + std::string(name) : "signal " + std::to_string(signal);
}

Fault explain_death(const Death& death) {
  const int status = death.ending.status;
  if (WIFSIGNALED(status)) return by_signal(death, WTERMSIG(status));
  const int code = WEXITSTATUS(status);
  if (code == kForbiddenCallExit && box_speaks(death)) return forbidden_call(death);
  if (code == kOutOfMemoryExit && box_speaks(death)) return out_of_memory(death);
  return {OutcomeKind::crashed, fmt::format("ended without answering (exit status {})", code)};
}

}  // namespace kernatlas
