// Inspection of real objects: each forbidden thing beside an honest twin that passes.
#include "backends/cpu/object_inspection.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/backends/cpu/cpu_test_support.h"

using namespace kernatlas;
using namespace kernatlas::testing;

namespace {

const char* const kHead =
    "extern \"C\" void k(const float* x, const float* w, float* y, Block at) {\n";

std::string in_kernel(const std::string& statements) {
  return kHead + statements + "\n  y[at.x] = x[at.x] * w[0];\n}\n";
}

// "passed", or "rejected: <message>"; anything else is a failed test.
std::string verdict(const std::string& body, const std::string& options = "") {
  CpuCompiler& compiler = search_compiler();
  const auto compiled =
      compiler.compile(candidate_of(one_launch(body), options_of(compiler, options)));
  if (compiled) return "passed";
  const Outcome& outcome = compiled.error();
  CAPTURE(outcome.detail);
  CAPTURE(outcome.message);
  CHECK(name(outcome.kind) == "rejected");
  CHECK(outcome.stage == Stage::inspect);
  CHECK(!outcome.message.empty());
  return "rejected: " + outcome.message;
}

void check_rejected(const std::string& body, const std::string& why) {
  CAPTURE(body);
  const std::string text = verdict(body);
  CAPTURE(text);
  CHECK(text.starts_with("rejected: "));
  CHECK(text.find(why) != std::string::npos);
}

void check_passes(const std::string& body, const std::string& options = "") {
  CAPTURE(body);
  CHECK(verdict(body, options) == "passed");
}

}  // namespace

TEST_CASE("library calls outside <cmath> and memory copies are named, with what to use instead") {
  check_rejected("extern \"C\" void* malloc(std::size_t);\n" +
                     in_kernel("  auto* p = static_cast<float*>(malloc(4 * COLS));\n"
                               "  std::memcpy(p, x + at.x, 4 * COLS);\n"
                               "  y[1] = p[static_cast<int>(x[0])];"),
                 "calls malloc; instead: declare scratch memory as a [workspace]");
  check_rejected(
      "#include <dlfcn.h>\n" + in_kernel("  if (dlsym(nullptr, \"clock\") != nullptr) return;"),
      "calls dlsym");
  check_rejected("#include <sys/mman.h>\n" + in_kernel("  mprotect(y, 4096, 7);"),
                 "calls mprotect");
  check_rejected("#include <cstdio>\n" + in_kernel("  std::printf(\"%f\\n\", x[0]);"),
                 "leave checks and output out");
  check_rejected(
      "#include <time.h>\n" + in_kernel("  timespec t; clock_gettime(CLOCK_MONOTONIC, &t);"),
      "a kernel has no clock");
  check_rejected("#include <vector>\n" + in_kernel("  std::vector<float> v(at.x + 8, 1.0f);\n"
                                                   "  y[0] = v[static_cast<int>(x[0])];"),
                 "[workspace]");
  check_rejected("extern \"C\" void cblas_sgemm(int);\n" + in_kernel("  cblas_sgemm(1);"),
                 "calls cblas_sgemm");
}

TEST_CASE("math functions, copies and integer helpers are honest") {
  check_passes(
      in_kernel("  y[0] = std::exp(x[1]) + std::tanh(x[2]) + std::pow(x[3], w[1]) + "
                "std::erf(x[4]) + std::lgamma(x[5]) + std::fmod(x[6], 3.0f);"));
  check_passes(in_kernel("  std::memcpy(y, x, 4 * COLS); std::memset(y, 0, 4 * COLS);"));
  check_passes(
      in_kernel("  unsigned __int128 big = static_cast<unsigned long>(at.x) + 77;\n"
                "  y[0] = static_cast<float>(static_cast<std::uint64_t>(\n"
                "      (big << 64) / (static_cast<std::uint64_t>(at.y) + 3)));"));
  check_passes(in_kernel("  for (int i = 0; i < COLS; ++i) y[i] = std::exp(x[i]);"),
               "fast_math=full");
  if (has_compiler(search_compiler(), "clangxx")) {
    check_passes(in_kernel("  for (int i = 0; i < COLS; ++i) y[i] = std::exp(x[i]);"),
                 "compiler=clangxx fast_math=full");
  }
}

TEST_CASE("state that survives a launch is named") {
  check_rejected("static int calls;\n" + in_kernel("  if (++calls > 10) return;"),
                 "the static variable calls");
  check_rejected(in_kernel("  static float cache[16];\n  cache[at.x % 16] += 1; y[0] = cache[3];"),
                 "cache");
  check_rejected("static float table[4] = {1, 2, 3, 4};\n" +
                     in_kernel("  table[at.x % 4] *= 2; y[0] = table[1];"),
                 "make it const, or declare a [workspace]");
  check_rejected("thread_local int seen;\n" + in_kernel("  if (seen++ > 3) return;"),
                 "thread-local");
}

TEST_CASE("constant tables are not state") {
  check_passes("static const float table[4] = {1, 2, 3, 4};\n" +
               in_kernel("  y[1] = table[at.x % 4];"));
  check_passes("constexpr std::array<int, 3> steps = {1, 5, 9};\n" +
               in_kernel("  y[1] = static_cast<float>(steps[at.x % 3]);"));
  // Pointers are relocated when loaded, then sealed.
  check_passes(
      "static const float a[2] = {1, 2};\nstatic const float b[2] = {3, 4};\n"
      "static const float* const tables[2] = {a, b};\n" +
      in_kernel("  y[1] = tables[at.x % 2][at.y % 2];"));
  check_passes(
      in_kernel("  switch (at.x % 7) { case 0: y[1] = 5; break; case 1: y[2] = w[3]; "
                "break; case 2: y[3] = x[9]; break; case 3: y[4] = x[2] * 3; break; "
                "case 4: y[8] = 1; break; case 5: y[9] = x[1]; break; default: y[6] = "
                "0; }"));
}

TEST_CASE("code that runs at load time is refused") {
  check_rejected(
      "__attribute__((constructor)) void early() { __asm__ volatile(\"nop\"); }\n" + in_kernel(""),
      "runs code when it is loaded");
  check_rejected(
      "__attribute__((destructor)) void late() { __asm__ volatile(\"nop\"); }\n" + in_kernel(""),
      "runs code when it is loaded");
  check_rejected(
      "extern \"C\" double sin(double);\nstatic const double base = sin(COLS * 1.5 + "
      "__builtin_ia32_rdtsc());\n" +
          in_kernel("  y[1] = static_cast<float>(base);"),
      "runs code when it is loaded");
  check_rejected(
      "__asm__(\".section .init_array,\\\"aw\\\"\\n.quad k\\n.text\");\n" + in_kernel(""),
      "runs code when it is loaded");
  check_rejected(
      "static void one() {}\nextern \"C\" { void (*choose())() { return one; } }\n"
      "void chosen() __attribute__((ifunc(\"choose\")));\n" +
          std::string(kHead) + "  chosen(); y[at.x] = x[at.x] * w[0];\n}\n",
      "ifunc");
}

TEST_CASE("instructions that leave the kernel's business are named") {
  const auto check_asm = [](const std::string& assembly, const std::string& why) {
    check_rejected(in_kernel("  __asm__ volatile(\"" + assembly + "\");"), why);
  };
  check_asm("syscall", "calls the operating system");
  check_asm("int $0x80", "calls the operating system");
  check_asm("rdtsc", "reads a clock");
  check_asm("rdtscp", "reads a clock");
  check_asm("rdpmc", "reads a clock or a counter");
  check_asm("cpuid", "identifies the processor");
  check_asm("hlt", "privileged");
  check_asm("inb $0x60, %al", "instruction in");
  check_asm("rdrand %rax", "random number");
  check_asm("xbegin 1f\\n1: nop", "transactions");
  check_asm("wrfsbase %rax", "wrfsbase");
  check_asm("mov %fs:0, %rax", "segment register");
  check_asm("mov %rax, %gs:8", "segment register");
  check_asm("std", "flags");
  check_asm("fldcw (%rsp)", "rounding");
  check_asm("ldmxcsr (%rsp)", "rounding or denormal mode");
  check_asm("clflush (%rsp)", "flushes");
  check_asm("lretq", "another code segment");
  check_rejected(in_kernel("  _mm_setcsr(0x9fc0);"), "rounding or denormal mode");
  check_rejected(in_kernel("  y[2] = static_cast<float>(__rdtsc());"), "reads a clock");
}

TEST_CASE("prefetch, non-temporal stores, fences, atomics and traps are honest") {
  check_passes(in_kernel("  _mm_prefetch(reinterpret_cast<const char*>(x + 64), _MM_HINT_T0);"));
  check_passes(in_kernel("  _mm_stream_si32(reinterpret_cast<int*>(y), 3); _mm_sfence();"));
  check_passes("#include <atomic>\n" +
               in_kernel("  std::atomic_ref<int>(*reinterpret_cast<int*>(y)).fetch_add(1);"));
  check_passes(in_kernel("  if (at.x > 1000000) __builtin_trap();"));
  check_passes(in_kernel("  _mm_pause(); y[1] = static_cast<float>(_mm_popcnt_u64(at.x));"));
}

TEST_CASE("code that a linear sweep cannot read is refused") {
  check_rejected(in_kernel("  __asm__ volatile(\"jmp 1f\\n.byte 0x06,0x0e,0x16\\n1: nop\");"),
                 "cannot be read");
  // A system call inside the constant of a move, reached by a jump into its middle.
  check_rejected(in_kernel("  __asm__ volatile(\"jmp . + 3\\n.byte 0xb8,0x0f,0x05,0x90,0x90\" "
                           "::: \"rax\");"),
                 "not the start of an instruction");
  check_rejected("__asm__(\".section .evil,\\\"awxR\\\"\\nnop\\n.text\");\n" + in_kernel(""),
                 "writable");
}

TEST_CASE("a header-only library is delegation, too") {
  check_rejected("#include \"/usr/include/tl/expected.hpp\"\n" + in_kernel(""),
                 "includes /usr/include/tl/expected.hpp");
}

TEST_CASE("the allow-list of imports") {
  for (const char* symbol : {"expf", "exp", "expl", "sincosf", "memcpy", "_ZGVdN8v_expf",
                             "_ZGVeN16vv_powf", "__exp_finite", "lgammaf_r", "fma"}) {
    CAPTURE(symbol);
    CHECK(is_allowed_import(symbol));
  }
  for (const char* symbol :
       {"malloc", "dlsym", "_ZGVdN8v_system", "_ZGV", "_ZGVx", "", "f", "expff", "mprotect",
        "fesetround", "memcpyf", "pthread_create", "__cxa_atexit", "signgam", "errno", "__"}) {
    CAPTURE(symbol);
    CHECK_FALSE(is_allowed_import(symbol));
  }
}

TEST_CASE("the text of a finding") {
  CHECK(finding_text({"calls f", "g"}) == "calls f; instead: g");
  CHECK(finding_text({"calls f", ""}) == "calls f");
}
