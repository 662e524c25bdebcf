#include "backends/cpu/cpu_backend.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "backends/cpu/cpu_bench.h"
#include "backends/cpu/cpu_lab.h"
#include "backends/cpu/scratch_dir.h"
#include "backends/cpu/toolchain.h"
#include "backends/worker/sandbox.h"

namespace kernatlas {

namespace {

using State = Check::State;

std::string mebibytes(std::size_t bytes) {
  return bytes < (1u << 20) ? fmt::format("{} KiB", bytes >> 10)
                            : fmt::format("{} MiB", bytes >> 20);
}

Result<Toolchain> find_toolchain() {
  std::error_code ignored;
  const ScratchDir work(std::filesystem::temp_directory_path(ignored));
  return Toolchain::find(work.path());
}

void add_compilers(std::vector<Check>& checks) {
  const auto toolchain = find_toolchain();
  if (!toolchain) {
    checks.push_back({State::missing, "C++ compiler", toolchain.error().text()});
    return;
  }
  for (const CxxCompiler& compiler : toolchain->compilers()) {
    checks.push_back({State::on, compiler.is_clang ? "clang++" : "g++", compiler.version});
  }
}

void add_machine(std::vector<Check>& checks) {
  const CpuMachine machine = CpuMachine::probe();
  checks.push_back({State::on, "CPU", machine.model});
  checks.push_back(
      {State::on, "CPUs",
       fmt::format("{} online, {} usable here", machine.cores, machine.allowed_cpus.size())});
  checks.push_back({State::on, "caches",
                    fmt::format("L1d {}, L2 {}, last level {}", mebibytes(machine.l1d_bytes),
                                mebibytes(machine.l2_bytes), mebibytes(machine.llc_bytes))});
  checks.push_back({State::on, "memory", mebibytes(machine.memory_bytes)});
  const auto readable = [&](const char* name, const std::string& value) {
    checks.push_back({value.empty() ? State::unsupported : State::on, name,
                      value.empty() ? "cannot be read here" : value});
  };
  readable("frequency governor", machine.governor);
  readable("turbo", machine.turbo);
  std::string paranoid;
  std::ifstream("/proc/sys/kernel/perf_event_paranoid") >> paranoid;
  readable("perf events", paranoid.empty() ? "" : "perf_event_paranoid = " + paranoid);
}

// Libraries that baselines link; where their development files lie on Debian.
void add_libraries(std::vector<Check>& checks) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const bool eigen = fs::exists("/usr/include/eigen3/Eigen/Core", ignored);
  checks.push_back({eigen ? State::on : State::missing, "Eigen",
                    eigen ? "/usr/include/eigen3" : "for library baselines: libeigen3-dev"});
  bool openblas = false;
  for (const char* file : {"/usr/lib/x86_64-linux-gnu/libopenblas.so", "/usr/lib/libopenblas.so",
                           "/usr/lib/aarch64-linux-gnu/libopenblas.so"}) {
    openblas |= fs::exists(file, ignored);
  }
  checks.push_back({openblas ? State::on : State::missing, "OpenBLAS",
                    openblas ? "found" : "for library baselines: libopenblas-dev"});
}

class CpuBackend : public Backend {
 public:
  [[nodiscard]] std::string name() const override { return "cpu"; }
  [[nodiscard]] std::vector<Language> languages() const override { return {Language::cpp}; }
  [[nodiscard]] std::optional<Error> unavailable() const override {
    const auto toolchain = find_toolchain();
    if (!toolchain) return toolchain.error();
    return std::nullopt;
  }
  [[nodiscard]] std::vector<Check> diagnose() const override {
    std::vector<Check> checks;
    add_compilers(checks);
    add_machine(checks);
    for (Check& check : probe_sandbox()) {
      check.name = "sandbox " + check.name;
      checks.push_back(std::move(check));
    }
    add_libraries(checks);
    return checks;
  }
  [[nodiscard]] std::map<std::string, std::string> parameters() const override {
    return CpuParameters::describe();
  }
  [[nodiscard]] Result<std::unique_ptr<Bench>> open(std::shared_ptr<const Task> task,
                                                    const BenchOptions& options) const override {
    return CpuBench::open(std::move(task), options);
  }
};

}  // namespace

std::unique_ptr<Backend> make_cpu_backend() {
  return std::make_unique<CpuBackend>();
}

}  // namespace kernatlas
