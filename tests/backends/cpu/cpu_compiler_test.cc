// CpuCompiler end to end: real compilers in the real sandbox.
#include "backends/cpu/cpu_compiler.h"

#include <dlfcn.h>
#include <doctest/doctest.h>
#include <unistd.h>

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
    const CompileOptions options = options_of(shared_compiler(), "compiler=" + compiler);
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

TEST_CASE("several launches, workspaces of any pointer type and integers reach the kernels") {
  const auto source = cpp_source(
      "/*kernatlas\n[tune]\nSTEP = [3, 4]\nMODE = [\"plain\", \"other\"]\n[workspace]\n"
      "sums = \"8 * ROWS\"\n[[launch]]\nkernel = \"first\"\ngrid = [\"2\", \"3\", \"ROWS\"]\n"
      "args = [\"x\", \"sums\", \"-5\"]\n[[launch]]\nkernel = \"second\"\ngrid = [\"ROWS\"]\n"
      "args = [\"sums\", \"y\", \"COLS\"]\n*/\n"
      "extern \"C\" void first(const float* x, double* sums, int offset, Block at) {\n"
      "  sums[at.z] += static_cast<double>(x[0]) * at.x + 10 * at.y + offset + MODE_other;\n}\n"
      "extern \"C\" void second(const double* sums, float* y, std::int64_t cols, Block at) {\n"
      "  for (int i = 0; i < cols; ++i) y[at.x * cols + i] = float(sums[at.x]) * STEP;\n}\n");
  const auto compiled = shared_compiler().compile(candidate_of(source));
  const std::string problem = compiled ? "" : compiled.error().detail;
  REQUIRE_MESSAGE(compiled, problem);
  std::vector<float> x(7 * 333, 2), w(333), y(7 * 333);
  std::vector<double> sums(7, 0);
  const std::vector<void*> buffers = {x.data(), w.data(), y.data(), sums.data()};
  const Loaded loaded(*(*compiled)->images[1]);
  loaded.launch("kernatlas_launch_0", buffers, 0, 2 * 3 * 7);
  // Over x in {0, 1} and y in {0, 1, 2}: 3 · 2 + 2 · (10 + 20) + 6 · (−5 + 1).
  for (const double sum : sums) CHECK(sum == 3 * 2 + 2 * 30 - 24);
  loaded.launch("kernatlas_launch_1", buffers, 0, 7);
  CHECK(y[7 * 333 - 1] == 42 * 3);
}

TEST_CASE("every value of every option compiles, and does what it says") {
  CpuCompiler& compiler = search_compiler();
  const auto& options = compiler.options();
  REQUIRE(options.size() >= 4);
  CHECK(options[0].name == "compiler");
  for (std::size_t i = 0; i < options.size(); ++i) {
    for (std::size_t value = 0; value < options[i].values.size(); ++value) {
      CompileOptions chosen(options.size(), 0);
      chosen[i] = options[i].values[value];
      CAPTURE(options[i].name);
      CAPTURE(options[i].labels[value]);
      const auto compiled = compiler.compile(candidate_of(one_launch(kScale), chosen));
      CHECK(compiled);
    }
  }
}

TEST_CASE("full fast math does not switch denormals off for the process") {
  const auto compiled = shared_compiler().compile(
      candidate_of(one_launch(kScale), options_of(shared_compiler(), "fast_math=full")));
  REQUIRE(compiled);
  const unsigned before = __builtin_ia32_stmxcsr();
  const Loaded loaded(*(*compiled)->images[0]);
  CHECK(__builtin_ia32_stmxcsr() == before);
}

TEST_CASE("what is wrong with a plan is said before anything is compiled") {
  const auto outcome_of = [](const Candidate& candidate) {
    const auto compiled = shared_compiler().compile(candidate);
    REQUIRE(!compiled);
    CHECK(compiled.error().stage == Stage::plan);
    return compiled.error();
  };
  const std::string launch = "[[launch]]\nkernel = \"k\"\nargs = [\"x\", \"w\", \"y\"]\n*/\n";
  const auto constrained =
      cpp_source("/*kernatlas\n[constraint]\nnever = \"ROWS > 10\"\n" + launch + kScale);
  CHECK(outcome_of(candidate_of(constrained)).kind == OutcomeKind::compile_error);
  const auto huge = cpp_source("/*kernatlas\n[workspace]\nbig = \"COLS * (1024 * 1024 * 1024)\"\n" +
                               launch + kScale);
  CHECK(outcome_of(candidate_of(huge)).kind == OutcomeKind::resource_limit);
  CHECK(outcome_of(candidate_of(one_launch(kScale), {0, 99})).kind == OutcomeKind::compile_error);
  CompileOptions wrong(shared_compiler().options().size(), 99);
  CHECK(outcome_of(candidate_of(one_launch(kScale), wrong)).message.find("no value 99") !=
        std::string::npos);
}

TEST_CASE("a compilation without an end runs into its limits, and the outcome says which") {
  const Outcome endless = failure(
      "template <int N, unsigned M> struct Tree {\n"
      "  static constexpr unsigned value = Tree<N - 1, 2 * M>::value + Tree<N - 1, 2 * M + "
      "1>::value;\n"
      "};\n"
      "template <unsigned M> struct Tree<0, M> { static constexpr unsigned value = M; };\n"
      "static_assert(Tree<29, 1>::value != 3);\n" +
      std::string(kScale));
  MESSAGE(endless.message);
  CHECK((endless.kind == OutcomeKind::timed_out || endless.kind == OutcomeKind::out_of_memory));
  CHECK(endless.stage == Stage::compile);
}

TEST_CASE("an object larger than allowed is a limit, not a crash") {
  const Outcome huge = failure("__asm__(\".section .rodata\\n.fill 200000000,1,7\\n.text\");\n" +
                               std::string(kScale));
  MESSAGE(huge.message);
  CHECK(huge.kind == OutcomeKind::resource_limit);
}

TEST_CASE("the cache answers, survives corruption and is shared between processes' compilers") {
  const TempDir cache;
  const CpuCompilerOptions options{.cache_dir = cache.path(), .cpus = {}};
  const auto make = [&] { return std::move(*CpuCompiler::create(small_task(), options)); };
  const Candidate candidate = candidate_of(one_launch(kScale));
  const auto first = *make()->compile(candidate);
  CHECK_FALSE(first->cached);
  const auto second = *make()->compile(candidate);
  CHECK(second->cached);
  CHECK(second->binary == first->binary);
  CHECK(second->features == first->features);
  for (const auto& item : std::filesystem::directory_iterator(cache.path() / "objects")) {
    std::fstream file(item.path(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(100);
    file.put('~');
  }
  const auto third = *make()->compile(candidate);
  CHECK_FALSE(third->cached);
  CHECK(third->binary == first->binary);  // the compilers write the same bytes again
  CHECK((*make()->compile(candidate))->cached);
  for (const auto& item : std::filesystem::directory_iterator(cache.path())) {
    CHECK_FALSE(item.path().filename().string().starts_with("scratch-"));
  }
}

TEST_CASE("without a cache folder nothing is left behind") {
  std::string binary;
  {
    auto compiler = std::move(*CpuCompiler::create(small_task(), {.cache_dir = {}, .cpus = {}}));
    const auto first = compiler->compile(candidate_of(one_launch(kScale)));
    REQUIRE(first);
    const auto second = compiler->compile(candidate_of(one_launch(kScale)));
    REQUIRE(second);
    CHECK_FALSE((*second)->cached);
    CHECK((*first)->binary == (*second)->binary);
  }
  const std::string mine = "kernatlas-" + std::to_string(getpid()) + "-";
  for (const auto& item :
       std::filesystem::directory_iterator(std::filesystem::temp_directory_path())) {
    CHECK_FALSE(item.path().filename().string().starts_with(mine));
  }
}

TEST_CASE("many threads compile at once, each gets its own answer") {
  CpuCompiler& compiler = search_compiler();
  CHECK(compiler.concurrency() >= 1);
  std::vector<Hash128> hashes(8);
  std::atomic<int> failed{0};
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < hashes.size(); ++i) {
      threads.emplace_back([&, i] {
        // Two threads each ask for the same.
        const std::string body =
            "#define FACTOR " + std::to_string(i / 2) + ".0f\n" +
            "extern \"C\" void k(const float* x, const float*, float* y, Block "
            "at) { y[at.x] = x[at.x] * FACTOR + 1.0f; }\n";
        auto source = KernelSource::parse(with_launch(body), Language::cpp, "kernel.cpp");
        Candidate candidate;
        candidate.source = *source;
        const auto compiled = compiler.compile(candidate);
        if (compiled) {
          hashes[i] = (*compiled)->binary;
        } else {
          ++failed;
        }
      });
    }
  }
  CHECK(failed == 0);
  for (std::size_t i = 0; i < hashes.size(); i += 2) {
    CHECK(hashes[i] == hashes[i + 1]);
    if (i > 0) CHECK(hashes[i] != hashes[i - 1]);
  }
}

TEST_CASE("inspection can be switched off for tests of what comes after it") {
  const TempDir cache;
  auto compiler = std::move(*CpuCompiler::create(
      small_task(), {.cache_dir = cache.path(), .cpus = {}, .inspect = false}));
  const std::string stateful =
      "static int calls;\nextern \"C\" void k(const float*, const float*, "
      "float* y, Block) { y[0] = ++calls; }\n";
  CHECK(compiler->compile(candidate_of(one_launch(stateful))));
  CHECK(fate(stateful) == "rejected");
}

TEST_CASE("baselines link libraries, and are unavailable where those are missing") {
  Baseline baseline;
  baseline.name = "plain";
  baseline.backend = "cpu";
  baseline.source = one_launch(kScale);
  CHECK(shared_compiler().compile_baseline(baseline));

  baseline.source =
      one_launch("#include <vector>\n" + std::string(kScale) + "std::vector<float> storage(10);\n");
  CHECK(shared_compiler().compile_baseline(baseline));  // trusted: state, constructors, libstdc++

  baseline.libraries = {"no_such_library_anywhere"};
  const auto no_library = shared_compiler().compile_baseline(baseline);
  REQUIRE(!no_library);
  CHECK(no_library.error().code == ErrorCode::unavailable);

  baseline.libraries.clear();
  baseline.source = one_launch("#include <no_such_header.h>\n" + std::string(kScale));
  const auto no_header = shared_compiler().compile_baseline(baseline);
  REQUIRE(!no_header);
  CHECK(no_header.error().code == ErrorCode::unavailable);
  CHECK(no_header.error().message.find("no_such_header.h") != std::string::npos);

  baseline.source = one_launch("broken\n");
  const auto broken = shared_compiler().compile_baseline(baseline);
  REQUIRE(!broken);
  CHECK(broken.error().code == ErrorCode::bad_input);
  CHECK(broken.error().message.find("kernel.cpp:7") != std::string::npos);
}

TEST_CASE("a baseline finds the headers of the folders it names") {
  const TempDir headers;
  headers.write("scale_by.h", "inline float scale_by(float a, float b) { return a * b; }\n");
  Baseline baseline;
  baseline.source = one_launch(
      "#include <scale_by.h>\nextern \"C\" void k(const float* x, const float* w, float* y, Block "
      "at) { y[at.x] = scale_by(x[at.x], w[0]); }\n");
  baseline.include_dirs = {headers.path().string()};
  const auto first = shared_compiler().compile_baseline(baseline);
  REQUIRE(first);
  CHECK((*shared_compiler().compile_baseline(baseline))->cached);
  // A library that was upgraded is compiled again.
  headers.write("scale_by.h", "inline float scale_by(float a, float b) { return a * b + 1; }\n");
  const auto upgraded = shared_compiler().compile_baseline(baseline);
  REQUIRE(upgraded);
  CHECK_FALSE((*upgraded)->cached);
  CHECK((*upgraded)->binary != (*first)->binary);
}

TEST_CASE("the reference computes in double, whatever the types of the task") {
  const auto task = small_task();
  task->inputs[1].type = DType::i32;
  auto reference = KernelSource::parse(
      "void reference(const double* x, const std::int64_t* w, double* y) {\n"
      "  for (int r = 0; r < ROWS; ++r)\n"
      "    for (int i = 0; i < COLS; ++i) y[r * COLS + i] = x[r * COLS + i] / 3.0 * double(w[i]);\n"
      "}\n",
      Language::cpp, "reference.cpp");
  REQUIRE(reference);
  task->reference = *reference;
  const TempDir cache;
  auto compiler = std::move(*CpuCompiler::create(task, {.cache_dir = cache.path(), .cpus = {}}));
  const auto compiled = compiler->compile_reference();
  const std::string problem = compiled ? "" : compiled.error().text();
  REQUIRE_MESSAGE(compiled, problem);
  std::vector<double> x(7 * 333, 1.0), y(7 * 333);
  std::vector<std::int64_t> w(333, 5'000'000'000);
  const Loaded loaded(*(*compiled)->images[1]);
  loaded.launch("kernatlas_launch_0", {x.data(), w.data(), y.data()}, 0, 1);
  CHECK(y[7 * 333 - 1] == 1.0 / 3.0 * 5e9);

  task->reference = nullptr;
  CHECK(!compiler->compile_reference());
}

TEST_CASE("a reference with another signature is an error at its own line") {
  const auto task = small_task();
  task->reference = *KernelSource::parse("void reference(const float* x, double* y) {}\n",
                                         Language::cpp, "reference.cpp");
  const TempDir cache;
  auto compiler = std::move(*CpuCompiler::create(task, {.cache_dir = cache.path(), .cpus = {}}));
  const auto compiled = compiler->compile_reference();
  REQUIRE(!compiled);
  CHECK(compiled.error().code == ErrorCode::bad_input);
  CHECK(compiled.error().file == "reference.cpp");
}

TEST_CASE("the version names compiler and flags") {
  CHECK(shared_compiler().version().find(" -O3 -march=native") != std::string::npos);
}
