// CpuCompiler end to end: real compilers in the real sandbox.
#include "backends/cpu/cpu_compiler.h"

#include <dlfcn.h>
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <thread>

#include "tests/backends/cpu/cpu_test_support.h"
#include "tests/support/skip.h"
#include "tests/support/temp_dir.h"

using namespace kernatlas;
using namespace kernatlas::testing;

namespace {

const char* const kScale =
    "extern \"C\" void k(const float* x, const float* w, float* y, Block at) {\n"
    "  for (int i = 0; i < COLS; ++i) y[at.x * COLS + i] = x[at.x * COLS + i] * w[i];\n"
    "}\n";

// Loads an image and calls a launch over [begin, end). In this process: the object passed
// inspection.
class Loaded {
 public:
  explicit Loaded(const std::string& image) {
    const auto file = dir_.write("object.so", image);
    handle_ = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    REQUIRE_MESSAGE(handle_ != nullptr, dlerror());
  }
  ~Loaded() { dlclose(handle_); }
  void launch(const char* symbol, const std::vector<void*>& buffers, std::int64_t begin,
              std::int64_t end) const {
    using Launcher = void (*)(void* const*, std::int64_t, std::int64_t);
    const auto function = reinterpret_cast<Launcher>(dlsym(handle_, symbol));
    REQUIRE(bool(function));
    function(buffers.data(), begin, end);
  }

 private:
  TempDir dir_;
  void* handle_ = nullptr;
};

}  // namespace

TEST_CASE("a candidate becomes one object per workload that computes what it says") {
  const auto compiled = shared_compiler().compile(candidate_of(one_launch(kScale)));
  const std::string problem = compiled ? "" : compiled.error().message + compiled.error().detail;
  REQUIRE_MESSAGE(compiled, problem);
  const Compiled& object = **compiled;
  REQUIRE(object.images.size() == 2);
  CHECK(*object.images[0] != *object.images[1]);  // dims are macros
  CHECK(object.compile_s > 0);
  CHECK(!object.features.empty());
  std::vector<float> x(7 * 333), w(333), y(7 * 333, -1);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 17);
  for (std::size_t i = 0; i < w.size(); ++i) w[i] = static_cast<float>(i);
  const Loaded loaded(*object.images[1]);
  loaded.launch("kernatlas_launch_0", {x.data(), w.data(), y.data()}, 2, 5);
  CHECK(y[2 * 333 - 1] == -1);
  CHECK(y[2 * 333 + 10] == x[2 * 333 + 10] * 10);
  CHECK(y[5 * 333 - 1] == x[5 * 333 - 1] * 332);
  CHECK(y[5 * 333] == -1);
}

namespace {

Outcome failure(const std::string& body, const CompileOptions& options = {}) {
  const auto compiled = shared_compiler().compile(candidate_of(one_launch(body), options));
  REQUIRE(!compiled);
  return compiled.error();
}

// The outcome's kind, or "compiled"; with the message for the log.
std::string fate(const std::string& body, const CompileOptions& options = {}) {
  const auto compiled = shared_compiler().compile(candidate_of(one_launch(body), options));
  if (compiled) return "compiled";
  const Outcome& outcome = compiled.error();
  MESSAGE(std::string(name(outcome.kind)) << ": " << outcome.message);
  CHECK(!outcome.message.empty());
  CHECK(outcome.message.find('\n') == std::string::npos);
  CHECK(outcome.detail.size() <= kDetailLimit);
  return std::string(name(outcome.kind));
}

}  // namespace

TEST_CASE("diagnostics carry the candidate's own file and lines, and no path of ours") {
  const Outcome outcome = failure(
      "extern \"C\" void k(const float* x, const float* w, float* y, Block at) {\n"
      "  y[at.x] = x[at.x] + missing;\n}\n");
  CHECK(outcome.kind == OutcomeKind::compile_error);
  CHECK(outcome.stage == Stage::compile);
  CHECK(outcome.message.starts_with("kernel.cpp:8:23: error: 'missing' was not declared"));
  CHECK(outcome.detail.find("y[at.x] = x[at.x] + missing;") != std::string::npos);
  CHECK(outcome.detail.find("scratch-") == std::string::npos);
  CHECK(outcome.costs.compile_s > 0);
}

TEST_CASE("a kernel that does not fit its launch is an error at the launch") {
  SUBCASE("missing") {
    const Outcome outcome = failure("extern \"C\" void other(Block) {}\n");
    CHECK(outcome.kind == OutcomeKind::compile_error);
    CHECK(outcome.detail.find("kernel.cpp:2:") != std::string::npos);
    CHECK(outcome.message.find("kernel_is_not_defined") != std::string::npos);
  }
  SUBCASE("too few parameters") {
    const Outcome outcome = failure("extern \"C\" void k(const float* x, float* y, Block at) {}\n");
    CHECK(outcome.kind == OutcomeKind::compile_error);
    CHECK(outcome.detail.find("kernel.cpp:2:") != std::string::npos);
    CHECK(outcome.message.find("no matching function for call to 'k(const float*, const float*, "
                               "float*, Block&)'") != std::string::npos);
    CHECK(outcome.detail.find("kernel.cpp:7:17: note: candidate: 'void k(const float*, float*, "
                              "Block)'") != std::string::npos);
  }
  SUBCASE("an input that is not const") {
    const Outcome outcome =
        failure("extern \"C\" void k(float* x, const float* w, float* y, Block at) {}\n");
    CHECK(outcome.kind == OutcomeKind::compile_error);
    CHECK(outcome.message.find("invalid conversion from 'const float*' to 'float*'") !=
          std::string::npos);
  }
}

TEST_CASE("text tricks fail to compile or have no effect") {
  const std::string good(kScale);
  for (const std::string compiler : {"gxx", "clangxx"}) {
    CAPTURE(compiler);
    if (!has_compiler(shared_compiler(), compiler)) continue;
    const CompileOptions options =
        options_of(shared_compiler(), "compiler=" + compiler);
    const auto ends = [&](const std::string& body) { return fate(body, options); };
    // Left open at the end of the text.
    CHECK(ends(good + "/* open") == "compile_error");
    CHECK(ends(good + "#if 0\n") == "compile_error");
    CHECK(ends(good + "const char* s = R\"(open") == "compile_error");
    CHECK(ends(good + "namespace open {\n") == "compile_error");
    CHECK(ends(good + "// ends in a continuation \\") == "compiled");
    // Macros and poison for the launcher's tokens.
    CHECK(ends("#define static_cast broken\n#define for while\n#define buffers 1\n"
               "#define call_0 2\n#define kernatlas_launch_0 3\n#define end 4\n" +
               std::string("#undef for\n") + good) == "compiled");
    CHECK(ends("#pragma GCC poison kernatlas_launch_0 buffers begin\n" + good) == "compiled");
    CHECK(ends("#undef ROWS\n#define ROWS 1\n" + good) == "compiled");
    CHECK(ends("#define Block int\n" + good) == "compile_error");
    // Its own launcher, by each way of defining a symbol.
    CHECK(ends(good + "extern \"C\" void kernatlas_launch_0(void* const*, std::int64_t, "
                      "std::int64_t) {}\n") == "compile_error");
    CHECK(ends(good + "extern \"C\" void fake() __asm__(\"kernatlas_launch_0\");\n"
                      "void fake() {}\n") != "compiled");
    CHECK(ends(good + "__asm__(\".globl kernatlas_launch_1\\nkernatlas_launch_1: ret\");\n") ==
          "compiled");  // not exported: the version script names what is
    CHECK(ends(good + "struct Block { int x; };\n") == "compile_error");
    CHECK(ends("#pragma GCC visibility push(default)\n" + good) == "compiled");
    // Lines are the candidate's own affair.
    CHECK(ends("#line 1 \"/etc/passwd\"\n" + good) == "compiled");
    // Files that are none of its business.
    CHECK(ends("#include \"/etc/passwd\"\n" + good) != "compiled");
    CHECK(ends("#include \"../preludes\"\n" + good) == "compile_error");
    CHECK(ends("__asm__(\".section .rodata\\n.incbin \\\"/etc/passwd\\\"\\n.text\");\n" + good) !=
          "compiled");
  }
}

TEST_CASE("a constructor added to the launcher itself is seen") {
  CHECK(fate(std::string("extern \"C\" __attribute__((constructor)) void "
                         "kernatlas_launch_0(void* const*, std::int64_t, std::int64_t);\n") +
             kScale) == "rejected");
}
