#include "backends/cpu/toolchain.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "backends/worker/command.h"

namespace kernatlas {

namespace fs = std::filesystem;

namespace {

// Output of a compiler's query; empty when it fails.
std::string ask(const fs::path& work_dir, std::vector<std::string> argv) {
  CommandRequest request;
  request.argv = std::move(argv);
  request.work_dir = work_dir;
  request.trusted = true;
  const auto result = run_command(request);
  return result && result->ok() ? result->output : std::string();
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

// The directories the compiler lists between its two marks, except those that mix the standard
// headers with those of other libraries.
std::vector<fs::path> include_roots(const fs::path& work_dir, const std::string& program) {
  std::istringstream lines(ask(work_dir, {program, "-E", "-x", "c++", "-v", "/dev/null"}));
  std::vector<fs::path> roots;
  bool listing = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("End of search list")) break;
    if (listing) {
      const fs::path path = fs::path(line.substr(line.find_first_not_of(' '))).lexically_normal();
      if (path != "/usr/include" && path != "/usr/local/include") roots.push_back(path);
    }
    if (line.starts_with("#include <...>")) listing = true;
  }
  for (const char* of_kernel : {"/usr/include/linux", "/usr/include/asm-generic"}) {
    roots.emplace_back(of_kernel);
  }
  return roots;
}

void add_compiler(std::vector<CxxCompiler>& compilers, const fs::path& work_dir,
                  const char* program, bool is_clang) {
  const std::string version =
      first_line(ask(work_dir, {program, is_clang ? "-dumpversion" : "-dumpfullversion"}));
  if (version.empty()) return;
  CxxCompiler compiler;
  compiler.label = is_clang ? "clangxx" : "gxx";
  compiler.program = program;
  compiler.version = fmt::format("{} {}", program, version);
  compiler.is_clang = is_clang;
  compiler.runtime = first_line(ask(work_dir, {program, "-print-libgcc-file-name"}));
  std::error_code error;
  if (!fs::is_regular_file(compiler.runtime, error)) compiler.runtime.clear();
  const std::string vector_math =
      first_line(ask(work_dir, {program, "-print-file-name=libmvec.so.1"}));
  compiler.has_vector_math = vector_math.find('/') != std::string::npos;
  compiler.include_roots = include_roots(work_dir, program);
  compilers.push_back(std::move(compiler));
}

struct Processor {
  std::string text;  // model and features
  bool has_avx512 = false;
};

Processor read_processor() {
  Processor processor;
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line) && !line.empty();) {
    if (line.starts_with("model name") || line.starts_with("flags") ||
        line.starts_with("cpu family") || line.starts_with("model\t")) {
      processor.text += line + "\n";
    }
    if (line.starts_with("flags")) {
      processor.has_avx512 =
          line.find(" avx512f") != std::string::npos && line.find(" avx512vl") != std::string::npos;
    }
  }
  return processor;
}

Tunable choice(std::string name, std::vector<std::string> labels) {
  Tunable tunable;
  tunable.name = std::move(name);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    tunable.values.push_back(static_cast<std::int64_t>(i));
  }
  tunable.labels = std::move(labels);
  return tunable;
}

std::vector<Tunable> option_space(const std::vector<CxxCompiler>& compilers, bool has_avx512) {
  std::vector<std::string> names;
  for (const CxxCompiler& compiler : compilers) names.push_back(compiler.label);
  std::vector<Tunable> options = {choice("compiler", std::move(names)), choice("opt", {"O3", "O2"}),
                                  choice("fast_math", {"off", "reassociate", "full"}),
                                  choice("unroll", {"off", "on"})};
  // Which of the two a compiler prefers of its own accord depends on the processor it knows.
  if (has_avx512) options.push_back(choice("vector_width", {"native", "256", "512"}));
  return options;
}

}  // namespace

Result<Toolchain> Toolchain::find(const fs::path& work_dir) {
  Toolchain toolchain;
  add_compiler(toolchain.compilers_, work_dir, "g++", false);
  add_compiler(toolchain.compilers_, work_dir, "clang++", true);
  if (toolchain.compilers_.empty()) {
    return fail({.code = ErrorCode::unavailable,
                 .message = "no C++ compiler can be run",
                 .file = {},
                 .expected = "g++ (12 or newer) or clang++ (14 or newer) in PATH",
                 .hint = "apt-get install g++"});
  }
  const Processor processor = read_processor();
  toolchain.options_ = option_space(toolchain.compilers_, processor.has_avx512);
  toolchain.identity_ = processor.text;
  for (const CxxCompiler& compiler : toolchain.compilers_) {
    toolchain.identity_ += compiler.version + "\n";
  }
  return toolchain;
}

std::string Toolchain::problem_with(const CompileOptions& options) const {
  if (options.empty()) return {};
  if (options.size() != options_.size()) {
    return fmt::format("{} compile options, expected {}", options.size(), options_.size());
  }
  for (std::size_t i = 0; i < options.size(); ++i) {
    const auto& values = options_[i].values;
    if (std::find(values.begin(), values.end(), options[i]) == values.end()) {
      return fmt::format("compile option {} has no value {}", options_[i].name, options[i]);
    }
  }
  return {};
}

std::string_view Toolchain::label(const CompileOptions& options, std::string_view name) const {
  for (std::size_t i = 0; i < options_.size(); ++i) {
    if (options_[i].name != name) continue;
    return options_[i].labels[options.empty() ? 0 : static_cast<std::size_t>(options[i])];
  }
  return {};
}

const CxxCompiler& Toolchain::compiler_of(const CompileOptions& options) const {
  const std::string_view wanted = label(options, "compiler");
  for (const CxxCompiler& compiler : compilers_) {
    if (compiler.label == wanted) return compiler;
  }
  return compilers_.front();
}

std::vector<std::string> Toolchain::prelude_flags(const CompileOptions& options) const {
  std::vector<std::string> flags = {
      "-std=c++20",      "-march=native",      "-DNDEBUG",          "-fPIC",
      "-fno-math-errno", "-fno-trapping-math", "-ffp-contract=fast"};
  const std::string_view math = label(options, "fast_math");
  if (math == "reassociate") {
    flags.insert(flags.end(), {"-fassociative-math", "-fno-signed-zeros", "-freciprocal-math"});
  } else if (math == "full") {
    flags.emplace_back("-ffast-math");
  }
  const std::string_view width = label(options, "vector_width");
  if (width == "256" || width == "512") {
    flags.push_back(fmt::format("-mprefer-vector-width={}", width));
  }
  return flags;
}

std::vector<std::string> Toolchain::code_flags(const CompileOptions& options) const {
  std::vector<std::string> flags = prelude_flags(options);
  const CxxCompiler& compiler = compiler_of(options);
  flags.push_back(label(options, "opt") == "O2" ? "-O2" : "-O3");
  if (label(options, "unroll") == "on") flags.emplace_back("-funroll-loops");
  const bool vector_math = compiler.is_clang && compiler.has_vector_math;
  if (vector_math && label(options, "fast_math") == "full") flags.emplace_back("-fveclib=libmvec");
  return flags;
}

std::string Toolchain::default_text() const {
  return compilers_.front().version + " -O3 -march=native";
}

}  // namespace kernatlas
