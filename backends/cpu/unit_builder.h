// UnitBuilder: one translation unit to one shared object, by compiler and linker in sandboxed
// processes, through the cache. docs/cpu-backend.md lists the flags and says why.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "backends/cpu/launcher_source.h"
#include "backends/cpu/object_cache.h"
#include "backends/cpu/precompiled_prelude.h"
#include "backends/cpu/toolchain.h"
#include "kernel/outcome.h"

namespace kernatlas {

struct UnitRequest {
  LauncherSource unit;
  std::string candidate_text;  // shown by the compiler in its diagnostics
  CompileOptions options;
  bool trusted = false;                   // baselines, references
  std::vector<std::string> libraries;     // trusted only
  std::vector<std::string> include_dirs;  // trusted only
};

struct UnitFailure {
  OutcomeKind kind = OutcomeKind::compile_error;
  Stage stage = Stage::compile;
  std::string message;
  std::string detail;
};

struct UnitObject {
  CachedObject object;
  bool cached = false;
};

// Thread-safe.
class UnitBuilder {
 public:
  // `folder` holds objects/, preludes/ and scratch folders. `cache_bytes` 0: objects are not kept.
  UnitBuilder(const Toolchain& toolchain, const std::filesystem::path& folder,
              std::size_t cache_bytes, std::vector<int> cpus);

  [[nodiscard]] tl::expected<UnitObject, UnitFailure> build(const UnitRequest& request);

 private:
  using Step = tl::expected<std::string, UnitFailure>;  // the log
  [[nodiscard]] Hash128 key_of(const UnitRequest& request) const;
  [[nodiscard]] Result<PreludeFiles> prelude_for(const UnitRequest& request);
  [[nodiscard]] tl::expected<CachedObject, UnitFailure> make(const UnitRequest& request,
                                                             const PreludeFiles& prelude,
                                                             double timeout_s);
  [[nodiscard]] Step compile(const UnitRequest& request, const PreludeFiles& prelude,
                             const std::filesystem::path& dir, double timeout_s) const;
  [[nodiscard]] Step link(const UnitRequest& request, const std::filesystem::path& dir,
                          double timeout_s) const;
  [[nodiscard]] Step run(const UnitRequest& request, std::vector<std::string> argv,
                         const std::filesystem::path& dir, const std::filesystem::path& prelude,
                         double timeout_s) const;
  [[nodiscard]] std::string forbidden_include(const UnitRequest& request,
                                              const std::filesystem::path& dir) const;

  const Toolchain& toolchain_;
  std::filesystem::path folder_;
  std::vector<int> cpus_;
  ObjectCache cache_;
  PrecompiledPrelude prelude_;
};

}  // namespace kernatlas
