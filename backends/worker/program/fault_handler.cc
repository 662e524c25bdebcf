#include "backends/worker/program/fault_handler.h"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

namespace kernatlas {

namespace {

// A signal handler reaches nothing but globals; these are written before the candidate runs.
BlackBox* black_box = nullptr;
ArenaPlace arena;
std::size_t largest_mapping_bytes = 0;
thread_local std::uintptr_t stack_low = 0;

constexpr std::uintptr_t kNullZone = 64u << 10;
constexpr std::size_t kProbeBytes = 4u << 20;
constexpr std::size_t kSignalStackBytes = 64u << 10;

bool claim() {
  return black_box != nullptr && black_box->claimed.exchange(1) == 0;
}

void classify(std::uintptr_t address) {
  const auto low = reinterpret_cast<std::uintptr_t>(arena.data);
  const std::uintptr_t high = low + arena.size;
  if (address < kNullZone) {
    black_box->address_class = AddressClass::null_pointer;
  } else if (stack_low != 0 && address < stack_low && stack_low - address <= kStackGuardBytes) {
    black_box->address_class = AddressClass::stack;
  } else if (low != 0 && address < low && low - address <= kGuardBytes) {
    black_box->address_class = AddressClass::before_arena;
    black_box->distance_bytes = low - address;
  } else if (low != 0 && address >= high && address - high < kGuardBytes) {
    black_box->address_class = AddressClass::after_arena;
    black_box->distance_bytes = address - high;
  }
}

// Whether the process has used up its memory: a candidate that ignores a failed allocation faults
// near zero, and only this tells the two apart.
bool at_memory_limit() {
  void* probe =
      mmap(nullptr, kProbeBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (probe == MAP_FAILED) return true;
  munmap(probe, kProbeBytes);
  return false;
}

// The disposition is back at its default by now: returning repeats the instruction, and the
// process dies of the same signal.
void on_fault(int signal, siginfo_t* info, void*) {
  if (!claim()) return;
  black_box->signal = signal;
  if (signal == SIGSEGV || signal == SIGBUS) {
    // An address that is none at all (not canonical) is reported by the kernel as zero.
    if (info->si_code != SI_KERNEL) classify(reinterpret_cast<std::uintptr_t>(info->si_addr));
    black_box->at_memory_limit = at_memory_limit() ? 1 : 0;
  }
}

[[noreturn]] void leave(int code) {
  while (true) syscall(SYS_exit_group, code);
}

void on_forbidden_call(int signal, siginfo_t* info, void* context) {
  if (claim()) {
    black_box->signal = signal;
    black_box->system_call = info->si_syscall;
    const auto& registers = static_cast<const ucontext_t*>(context)->uc_mcontext.gregs;
    const auto asked = static_cast<std::uint64_t>(registers[REG_RSI]);
    const bool executable = (registers[REG_RDX] & PROT_EXEC) != 0;
    if (info->si_syscall == SYS_mmap && !executable && asked > largest_mapping_bytes) {
      black_box->asked_bytes = asked;
    }
  }
  leave(kForbiddenCallExit);
}

}  // namespace

void install_fault_handler(BlackBox* box, std::size_t largest_mapping) {
  black_box = box;
  largest_mapping_bytes = largest_mapping;
  struct sigaction action {};
  action.sa_flags = static_cast<int>(SA_SIGINFO | SA_ONSTACK | SA_RESETHAND);
  sigemptyset(&action.sa_mask);
  action.sa_sigaction = on_fault;
  for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE}) sigaction(signal, &action, nullptr);
  action.sa_sigaction = on_forbidden_call;
  sigaction(SIGSYS, &action, nullptr);
}

void prepare_thread_for_faults() {
  stack_t stack{};
  stack.ss_sp = std::malloc(kSignalStackBytes);  // for the thread's life, which is the process'
  stack.ss_size = kSignalStackBytes;
  sigaltstack(&stack, nullptr);
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
  void* low = nullptr;
  std::size_t size = 0;
  pthread_attr_getstack(&attributes, &low, &size);
  stack_low = reinterpret_cast<std::uintptr_t>(low);
  pthread_attr_destroy(&attributes);
}

void note_arena(ArenaPlace place) {
  arena = place;
}

void die_out_of_memory() {
  if (claim()) black_box->at_memory_limit = 1;
  leave(kOutOfMemoryExit);
}

}  // namespace kernatlas
