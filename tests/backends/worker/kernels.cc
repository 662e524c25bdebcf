// What the worker's tests load: honest launches, and one function per way of misbehaving.
#include <fcntl.h>
#include <immintrin.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

#define LAUNCH(name)                                                                               \
  extern "C" void name([[maybe_unused]] void* const* buffers, [[maybe_unused]] std::int64_t begin, \
                       [[maybe_unused]] std::int64_t end)

namespace {

// As a hostile kernel would: no library in between.
long raw_call(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0, long f = 0) {
  register long r10 asm("r10") = d;
  register long r8 asm("r8") = e;
  register long r9 asm("r9") = f;
  long result = 0;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory");
  return result;
}

float* floats(void* const* buffers, int i) {
  return static_cast<float*>(buffers[i]);
}

volatile int zero = 0;

[[gnu::noinline]] int recurse(int depth) {
  volatile char frame[1024];
  frame[0] = static_cast<char>(depth);
  return zero == 0 ? recurse(depth + 1) + frame[0] : 0;
}

}  // namespace

LAUNCH(twice) {
  for (std::int64_t i = begin; i < end; ++i) floats(buffers, 1)[i] = 2 * floats(buffers, 0)[i];
}
LAUNCH(square_root) {
  for (std::int64_t i = begin; i < end; ++i)
    floats(buffers, 1)[i] = std::sqrt(floats(buffers, 0)[i]);
}
LAUNCH(sine) {
  for (std::int64_t i = begin; i < end; ++i)
    floats(buffers, 1)[i] = std::sin(floats(buffers, 0)[i]);
}
// Two launches that are only right when the first has finished everywhere before the second starts:
// mirror reads what another thread wrote.
LAUNCH(fill_index) {
  for (std::int64_t i = begin; i < end; ++i) floats(buffers, 0)[i] += 1;
}
LAUNCH(mirror) {
  const auto last = static_cast<std::int64_t>(floats(buffers, 2)[0]) - 1;
  for (std::int64_t i = begin; i < end; ++i) floats(buffers, 1)[i] = floats(buffers, 0)[last - i];
}
// Records which thread ran which point.
LAUNCH(note_thread) {
  for (std::int64_t i = begin; i < end; ++i) {
    static_cast<std::int64_t*>(buffers[0])[i] = static_cast<std::int64_t>(raw_call(SYS_gettid));
  }
}
LAUNCH(note_cpu) {
  for (std::int64_t i = begin; i < end; ++i) {
    static_cast<std::int32_t*>(buffers[0])[i] = sched_getcpu();
  }
}
LAUNCH(upset_rounding) {
  _mm_setcsr(0x1f80 | 0x6000 | 0x8040);  // toward zero, flush to zero
}
LAUNCH(report_rounding) {
  static_cast<std::uint32_t*>(buffers[0])[0] = _mm_getcsr() & 0xffc0;
}
LAUNCH(spin_a_while) {
  volatile double x = 1;
  for (int i = 0; i < 20'000'000; ++i) x = x * 1.0000001;
}
LAUNCH(allocate_modestly) {
  auto* bytes = static_cast<char*>(std::malloc(32u << 20));
  std::memset(bytes, 1, 32u << 20);
  static_cast<std::int32_t*>(buffers[0])[0] = bytes[123456];
  std::free(bytes);
}

LAUNCH(fault_null) {
  *reinterpret_cast<volatile int*>(static_cast<std::uintptr_t>(zero)) = 1;
}
LAUNCH(fault_wild) {
  *reinterpret_cast<volatile int*>(std::uintptr_t{0x123456789000}) = 1;
}
LAUNCH(fault_illegal) {
  __builtin_trap();
}
LAUNCH(fault_divide) {
  static_cast<int*>(buffers[0])[0] = (zero + 7) / zero;
}
LAUNCH(fault_stack) {
  static_cast<int*>(buffers[0])[0] = recurse(0);
}
LAUNCH(fault_abort) {
  std::abort();
}
LAUNCH(fault_far_after) {
  static_cast<volatile char*>(buffers[0])[64l << 20] = 1;
}
LAUNCH(fault_far_before) {
  static_cast<volatile char*>(buffers[0])[-(64l << 20)] = 1;
}
LAUNCH(fault_not_canonical) {
  *reinterpret_cast<volatile int*>(std::uintptr_t{0x8000000000000000}) = 1;
}

LAUNCH(hang) {
  while (zero == 0) {
  }
}
LAUNCH(hang_deaf) {
  sigset_t all;
  std::memset(&all, 0xff, sizeof all);
  raw_call(SYS_rt_sigprocmask, SIG_SETMASK, reinterpret_cast<long>(&all), 0, 8);
  while (zero == 0) {
  }
}
LAUNCH(hang_one_thread) {
  while (begin == 0 && zero == 0) {
  }
}

LAUNCH(call_open) {
  raw_call(SYS_open, reinterpret_cast<long>("/etc/passwd"), O_RDONLY);
}
LAUNCH(call_openat) {
  raw_call(SYS_openat, AT_FDCWD, reinterpret_cast<long>("/etc/passwd"), O_RDONLY | O_CLOEXEC);
}
LAUNCH(call_socket) {
  raw_call(SYS_socket, AF_INET, SOCK_STREAM);
}
LAUNCH(call_fork) {
  raw_call(SYS_fork);
}
LAUNCH(call_clone) {
  raw_call(SYS_clone, SIGCHLD);
}
LAUNCH(call_clone3) {
  raw_call(SYS_clone3);
}
LAUNCH(call_ptrace) {
  raw_call(SYS_ptrace, 0);
}
LAUNCH(call_kill_parent) {
  raw_call(SYS_kill, raw_call(SYS_getppid), SIGKILL);
}
LAUNCH(call_kill_all) {
  raw_call(SYS_kill, -1, SIGKILL);
}
LAUNCH(call_make_executable) {
  raw_call(SYS_mprotect, reinterpret_cast<long>(buffers[0]), 4096, PROT_READ | PROT_EXEC);
}
LAUNCH(call_map_executable) {
  raw_call(SYS_mmap, 0, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1);
}
LAUNCH(call_write_stdout) {
  raw_call(SYS_write, 1, reinterpret_cast<long>("loud\n"), 5);
}
LAUNCH(call_execve) {
  raw_call(SYS_execve, reinterpret_cast<long>("/bin/sh"));
}
LAUNCH(call_execveat) {
  raw_call(SYS_execveat, AT_FDCWD, reinterpret_cast<long>("/bin/sh"));
}
LAUNCH(call_io_uring) {
  raw_call(SYS_io_uring_setup, 1);
}
LAUNCH(call_sigaction) {
  raw_call(SYS_rt_sigaction, SIGSYS, 0, 0, 8);
}
LAUNCH(call_compat) {
  // The 32-bit gate has other numbers: 20 is getpid there.
  long result = 20;
  asm volatile("int $0x80" : "+a"(result)::"memory", "r8", "r9", "r10", "r11");
}

LAUNCH(leave_quietly) {
  raw_call(SYS_exit_group, 0);
}
LAUNCH(leave_thread) {
  raw_call(SYS_exit, 0);
}
LAUNCH(forge_garbage) {
  raw_call(SYS_write, 3, reinterpret_cast<long>("\x05\x00\x00\x00hello"), 9);
  raw_call(SYS_exit_group, 0);
}
LAUNCH(forge_length) {
  raw_call(SYS_write, 3, reinterpret_cast<long>("\xff\xff\xff\x7f"), 4);
}
// A well-formed reply that says "done", but cannot know the nonce.
LAUNCH(forge_reply) {
  static const char kFrame[] =
      "\x32\x00\x00\x00"
      "\x85\xa2op\xa5reply\xa5nonce\xcd\x30\x39\xa5state\xa4"
      "done\xa4text\xa0\xa9sample_ns\x91\xcd\x03\xe8";
  raw_call(SYS_write, 3, reinterpret_cast<long>(kFrame), sizeof kFrame - 1);
}
// Answers once more than asked: found before the next request.
LAUNCH(forge_early) {
  raw_call(SYS_write, 3, reinterpret_cast<long>("\x01\x00\x00\x00\xc0"), 5);
}

LAUNCH(hog_in_one) {
  auto* bytes = static_cast<volatile char*>(std::malloc(std::size_t{8} << 30));
  bytes[0] = 1;
}
LAUNCH(hog_in_steps) {
  while (true) {
    auto* bytes = static_cast<volatile char*>(std::malloc(4u << 20));
    for (std::size_t i = 0; i < 4u << 20; i += 4096) bytes[i] = 1;
  }
}
LAUNCH(hog_with_new) {
  while (true) std::memset(::operator new(4u << 20), 1, 4u << 20);
}
