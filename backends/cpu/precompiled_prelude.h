// The prelude on disk, plain and precompiled: one folder per compiler and set of flags, shared by
// every process that uses the same cache folder. A precompiled prelude saves half a second a
// compilation and takes 50 MB with g++, so only the most recently used few are kept.
#pragma once

#include <filesystem>
#include <future>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "backends/cpu/toolchain.h"
#include "kernel/hash.h"
#include "kernel/result.h"

namespace kernatlas {

struct PreludeFiles {
  std::filesystem::path folder;      // to be made readable for the compiler
  std::vector<std::string> include;  // flags that include it
};

// Thread-safe.
class PrecompiledPrelude {
 public:
  PrecompiledPrelude(std::filesystem::path folder, std::filesystem::path work_dir,
                     std::vector<int> cpus);

  // Precompiles on first use (a second or two; other callers wait for it). When that fails the
  // plain text is used: slower, same result. Error io: the text cannot be written either.
  [[nodiscard]] Result<PreludeFiles> prepare(const CxxCompiler& compiler,
                                             const std::vector<std::string>& flags);
  // The plain text only, for flags that are used once.
  [[nodiscard]] Result<PreludeFiles> plain();
  // Forgets what prepare() remembers: another process may have evicted files.
  void forget();

 private:
  using Prepared = std::shared_future<Result<PreludeFiles>>;
  [[nodiscard]] Result<PreludeFiles> build(const CxxCompiler& compiler,
                                           const std::vector<std::string>& flags) const;
  [[nodiscard]] Result<std::filesystem::path> write_text(const std::string& name) const;
  [[nodiscard]] bool precompile(const CxxCompiler& compiler, const std::vector<std::string>& flags,
                                const std::filesystem::path& header,
                                const std::filesystem::path& target) const;
  void evict_old() const;

  std::filesystem::path folder_;
  std::filesystem::path work_dir_;
  std::vector<int> cpus_;
  std::mutex mutex_;
  std::map<Hash128, Prepared> prepared_;
};

}  // namespace kernatlas
