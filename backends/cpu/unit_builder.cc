#include "backends/cpu/unit_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <system_error>
#include <thread>

#include "backends/cpu/diagnostics.h"
#include "backends/cpu/prelude_text.h"
#include "backends/cpu/scratch_dir.h"
#include "backends/worker/command.h"

namespace kernatlas {

namespace fs = std::filesystem;

namespace {

constexpr const char* kUnit = "kernatlas_unit.cc";
constexpr double kTimeout = 20;          // a candidate's compilation, seconds
constexpr double kTrustedTimeout = 300;  // heavy template libraries
constexpr double kStarvedFactor = 4;     // more time, once, on an overloaded machine
constexpr std::size_t kMemory = 2ull << 30;
constexpr std::size_t kTrustedMemory = 6ull << 30;

// Beside the flags that decide about the code: no run-time support a kernel has no use for, nothing
// that differs between machines, one section per function so that unused copies go away.
constexpr std::initializer_list<const char*> kFixedFlags = {
    "-fvisibility=hidden",          "-fno-stack-protector",
    "-fcf-protection=none",         "-fno-asynchronous-unwind-tables",
    "-ffunction-sections",          "-fdiagnostics-color=never",
    "-ftemplate-backtrace-limit=3", "-U_FORTIFY_SOURCE"};
constexpr std::initializer_list<const char*> kCandidateFlags = {"-fno-exceptions", "-fno-rtti",
                                                                "-fno-threadsafe-statics"};

template <typename Range>
void append(std::vector<std::string>& to, const Range& from) {
  to.insert(to.end(), from.begin(), from.end());
}

std::optional<std::string> read_whole(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(in), {});
}

bool write_whole(const fs::path& file, std::string_view text) {
  std::ofstream out(file, std::ios::binary);
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
  out.close();
  return bool(out);
}

UnitFailure machine_failure(std::string message) {
  return {OutcomeKind::device_lost, Stage::compile, std::move(message), {}};
}

// More runnable processes than the processors can serve: wall time says nothing about a candidate.
bool machine_is_overloaded() {
  double load = 0;
  return ::getloadavg(&load, 1) == 1 && load > 2.0 * std::thread::hardware_concurrency();
}

// What a folder of headers holds, so that an upgraded library is compiled again.
std::string folder_fingerprint(const std::string& folder) {
  constexpr std::size_t kMaxFiles = 20000;
  std::vector<std::string> lines;
  std::error_code error;
  for (fs::recursive_directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    std::error_code gone;
    if (!it->is_regular_file(gone) || lines.size() >= kMaxFiles) continue;
    const auto time = it->last_write_time(gone).time_since_epoch().count();
    lines.push_back(fmt::format("{} {} {}\n", it->path().string(), time, it->file_size(gone)));
  }
  std::sort(lines.begin(), lines.end());
  return fmt::format("{}", fmt::join(lines, ""));
}

UnitFailure failure_of(const CommandResult& result, std::string log, double timeout_s) {
  UnitFailure failure;
  failure.message = first_error(log);
  const bool killed = result.signal == SIGKILL || was_killed(log);
  if (killed && !result.timed_out) {
    // Limits of ours end a compiler in other ways: this was the machine, short of memory perhaps.
    return machine_failure("the compiler was killed from outside");
  }
  if (result.timed_out || result.signal == SIGXCPU || ran_out_of_time(log)) {
    failure.kind = OutcomeKind::timed_out;
    failure.message = fmt::format("compilation took longer than {:.0f} s", timeout_s);
  } else if (ran_out_of_memory(log)) {
    failure.kind = OutcomeKind::out_of_memory;
    failure.message = "compilation needed more memory than it may have";
  } else if (result.signal == SIGXFSZ || wrote_too_much(log)) {
    failure.kind = OutcomeKind::resource_limit;
    failure.message = "the compiled object is larger than allowed";
  } else if (result.signal != 0) {
    failure.message = fmt::format("the compiler died of signal {}", result.signal);
  } else if (failure.message.empty()) {
    failure.message = fmt::format("the compiler failed with exit code {}", result.exit_code);
  }
  failure.detail = std::move(log);
  return failure;
}

}  // namespace

UnitBuilder::UnitBuilder(const Toolchain& toolchain, const fs::path& folder,
                         std::size_t cache_bytes, std::vector<int> cpus)
    : toolchain_(toolchain),
      folder_(folder),
      cpus_(cpus),
      cache_(cache_bytes == 0 ? fs::path() : folder / "objects", cache_bytes),
      prelude_(folder / "preludes", folder, std::move(cpus)) {}

Hash128 UnitBuilder::key_of(const UnitRequest& request) const {
  std::string text = "unit 1\n" + toolchain_.identity();
  text += toolchain_.compiler_of(request.options).program;
  for (const std::string& flag : toolchain_.code_flags(request.options)) text += " " + flag;
  for (const char* flag : kFixedFlags) text += std::string(" ") + flag;
  text += request.trusted ? "\ntrusted\n" : "\ncandidate\n";
  for (const std::string& library : request.libraries) text += "library " + library + "\n";
  for (const std::string& folder : request.include_dirs) text += folder_fingerprint(folder);
  return combine(combine(hash128(text), hash128(prelude_text())), hash128(request.unit.text));
}

Result<PreludeFiles> UnitBuilder::prelude_for(const UnitRequest& request) {
  if (request.trusted) return prelude_.plain();
  const CxxCompiler& compiler = toolchain_.compiler_of(request.options);
  std::vector<std::string> flags = toolchain_.prelude_flags(request.options);
  append(flags, kFixedFlags);
  append(flags, kCandidateFlags);
  return prelude_.prepare(compiler, flags);
}

tl::expected<UnitObject, UnitFailure> UnitBuilder::build(const UnitRequest& request) {
  const Hash128 key = key_of(request);
  if (auto found = cache_.get(key)) return UnitObject{std::move(*found), true};
  double timeout_s = request.trusted ? kTrustedTimeout : kTimeout;
  for (bool retried = false;; retried = true) {
    const auto prelude = prelude_for(request);
    if (!prelude) return tl::unexpected(machine_failure(prelude.error().text()));
    auto made = make(request, *prelude, timeout_s);
    if (made) {
      cache_.put(key, *made);
      return UnitObject{std::move(*made), false};
    }
    // Once more where the candidate may not be to blame: another process that shares the folder has
    // evicted the prelude, or nothing got its share of the processors.
    std::error_code error;
    const bool evicted = !fs::is_regular_file(prelude->include.back(), error);
    const bool starved = made.error().kind == OutcomeKind::timed_out && machine_is_overloaded();
    const bool killed = made.error().kind == OutcomeKind::device_lost;
    if (retried || !(evicted || starved || killed)) return tl::unexpected(std::move(made.error()));
    if (evicted) prelude_.forget();
    if (starved) timeout_s *= kStarvedFactor;
  }
}

tl::expected<CachedObject, UnitFailure> UnitBuilder::make(const UnitRequest& request,
                                                          const PreludeFiles& prelude,
                                                          double timeout_s) {
  const ScratchDir scratch(folder_);
  const fs::path& dir = scratch.path();
  std::string exports = "{ global:";
  for (const std::string& symbol : request.unit.launches) exports += " " + symbol + ";";
  // g++ quotes the offending line from the file that #line names.
  const bool shown =
      request.unit.file == kUnit || write_whole(dir / request.unit.file, request.candidate_text);
  if (!shown || !write_whole(dir / kUnit, request.unit.text) ||
      !write_whole(dir / "exports.map", exports + " local: *; };\n")) {
    return tl::unexpected(machine_failure("cannot write to " + dir.string()));
  }
  auto log = compile(request, prelude, dir, timeout_s);
  if (!log) return tl::unexpected(std::move(log.error()));
  if (const std::string file = forbidden_include(request, dir); !file.empty()) {
    return tl::unexpected(UnitFailure{
        OutcomeKind::rejected, Stage::inspect,
        fmt::format("includes {}; instead: only the standard library and the intrinsics", file),
        *log});
  }
  if (auto linked = link(request, dir, timeout_s); !linked)
    return tl::unexpected(std::move(linked.error()));
  auto image = read_whole(dir / "unit.so");
  if (!image) return tl::unexpected(machine_failure("the linked object cannot be read"));
  return CachedObject{std::move(*image), std::move(*log)};
}

UnitBuilder::Step UnitBuilder::run(const UnitRequest& request, std::vector<std::string> argv,
                                   const fs::path& dir, const fs::path& prelude,
                                   double timeout_s) const {
  CommandRequest command;
  command.argv = std::move(argv);
  command.work_dir = dir;
  command.timeout_s = timeout_s;
  command.memory_bytes = request.trusted ? kTrustedMemory : kMemory;
  command.output_bytes = 256u << 10;
  command.cpus = cpus_;
  command.trusted = request.trusted;
  command.readable = {prelude};
  const CxxCompiler& compiler = toolchain_.compiler_of(request.options);
  if (!compiler.runtime.empty())
    command.readable.push_back(fs::path(compiler.runtime).parent_path());
  const auto result = run_command(command);
  if (!result) return tl::unexpected(machine_failure(result.error().text()));
  std::string log =
      tidy_log(result->output, {dir.string() + "/", prelude.string() + "/"}, kDetailLimit);
  if (result->ok()) return log;
  return tl::unexpected(failure_of(*result, std::move(log), timeout_s));
}

UnitBuilder::Step UnitBuilder::compile(const UnitRequest& request, const PreludeFiles& prelude,
                                       const fs::path& dir, double timeout_s) const {
  const CxxCompiler& compiler = toolchain_.compiler_of(request.options);
  std::vector<std::string> argv = {compiler.program};
  append(argv, toolchain_.code_flags(request.options));
  append(argv, kFixedFlags);
  if (!request.trusted) append(argv, kCandidateFlags);
  if (compiler.is_clang) {
    // It would quote our launcher's line where g++ quotes the front matter's.
    append(argv, std::initializer_list<const char*>{"-fno-caret-diagnostics", "-ferror-limit=10"});
  } else {
    append(argv, std::initializer_list<const char*>{"-fmax-errors=10", "-frandom-seed=kernatlas"});
  }
  append(argv, prelude.include);
  for (const std::string& folder : request.include_dirs) {
    argv.emplace_back("-isystem");
    argv.push_back(folder);
  }
  append(argv,
         std::initializer_list<const char*>{"-MD", "-MF", "unit.d", "-c", kUnit, "-o", "unit.o"});
  return run(request, std::move(argv), dir, prelude.folder, timeout_s);
}

// Candidates are linked by the linker itself: without start files there is nothing to add, not even
// the one with which g++ switches denormals off under fast math; and it is four times as quick.
// Undefined symbols are left to the inspection, which says what to use instead.
UnitBuilder::Step UnitBuilder::link(const UnitRequest& request, const fs::path& dir,
                                    double timeout_s) const {
  const CxxCompiler& compiler = toolchain_.compiler_of(request.options);
  std::vector<std::string> argv;
  if (request.trusted) {
    argv = {compiler.program,
            "-shared",
            "-o",
            "unit.so",
            "unit.o",
            "-Wl,-z,now",
            "-Wl,--version-script=exports.map",
            "-Wl,--no-undefined",
            "-Wl,--as-needed"};
    for (const std::string& library : request.libraries) argv.push_back("-l" + library);
    argv.emplace_back("-lm");
  } else {
    argv = {"ld",
            "-shared",
            "-o",
            "unit.so",
            "unit.o",
            "-z",
            "now",
            "-z",
            "relro",
            "-z",
            "separate-code",
            "-z",
            "max-page-size=4096",
            "-z",
            "noexecstack",
            "--gc-sections",
            "--hash-style=gnu",
            "--build-id=none",
            "--version-script=exports.map",
            "--as-needed"};
    if (!compiler.runtime.empty()) argv.push_back(compiler.runtime);
    append(argv, std::initializer_list<const char*>{"-lm", "-lc"});
  }
  return run(request, std::move(argv), dir, dir, timeout_s);
}

// A file that the unit included although it belongs neither to the language nor to us; empty when
// there is none. The sandbox keeps most of them away; this also covers what /usr/include offers.
std::string UnitBuilder::forbidden_include(const UnitRequest& request, const fs::path& dir) const {
  if (request.trusted) return {};
  const auto rule = read_whole(dir / "unit.d");
  if (!rule) return {};
  std::vector<fs::path> roots = toolchain_.compiler_of(request.options).include_roots;
  roots.push_back(dir);
  roots.push_back(folder_ / "preludes");
  for (const std::string& name : parse_dependencies(*rule)) {
    const fs::path path =
        (fs::path(name).is_absolute() ? fs::path(name) : dir / name).lexically_normal();
    const bool allowed =
        path.parent_path() == "/usr/include" ||
        std::any_of(roots.begin(), roots.end(), [&](const fs::path& root) {
          return std::mismatch(root.begin(), root.end(), path.begin(), path.end()).first ==
                 root.end();
        });
    if (!allowed) return path.string();
  }
  return {};
}

}  // namespace kernatlas
