#include "backends/cpu/precompiled_prelude.h"

#include <algorithm>
#include <fstream>
#include <system_error>

#include "backends/cpu/object_cache.h"
#include "backends/cpu/prelude_text.h"
#include "backends/cpu/scratch_dir.h"
#include "backends/worker/command.h"

namespace kernatlas {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kKept = 8;
constexpr std::size_t kLargestFile = 512u << 20;

bool holds(const fs::path& file, std::string_view content) {
  std::ifstream in(file, std::ios::binary);
  return in && std::string(std::istreambuf_iterator<char>(in), {}) == content;
}

}  // namespace

PrecompiledPrelude::PrecompiledPrelude(fs::path folder, fs::path work_dir, std::vector<int> cpus)
    : folder_(std::move(folder)), work_dir_(std::move(work_dir)), cpus_(std::move(cpus)) {}

Result<fs::path> PrecompiledPrelude::write_text(const std::string& name) const {
  const fs::path header = folder_ / name / "prelude.h";
  std::error_code error;
  fs::create_directories(header.parent_path(), error);
  // Written only once: clang compares the header's time with the one it precompiled.
  if (holds(header, prelude_text()) || write_atomically(header, prelude_text())) return header;
  return fail({.code = ErrorCode::io,
               .message = "cannot write the kernel prelude",
               .file = header.string(),
               .expected = {},
               .hint = "is the disk full, or the cache folder read-only?"});
}

Result<PreludeFiles> PrecompiledPrelude::plain() {
  auto header = write_text("plain");
  if (!header) return fail(header.error());
  return PreludeFiles{header->parent_path(), {"-include", header->string()}};
}

Result<PreludeFiles> PrecompiledPrelude::prepare(const CxxCompiler& compiler,
                                                 const std::vector<std::string>& flags) {
  std::string text(prelude_text());
  text += compiler.version;
  for (const std::string& flag : flags) text += "\n" + flag;
  const Hash128 key = hash128(text);
  std::promise<Result<PreludeFiles>> promise;
  Prepared prepared;
  bool mine = false;
  {
    const std::lock_guard lock(mutex_);
    const auto found = prepared_.find(key);
    mine = found == prepared_.end();
    prepared = mine ? promise.get_future().share() : found->second;
    if (mine) prepared_.emplace(key, prepared);
  }
  if (mine) {
    std::vector<std::string> all = flags;
    all.push_back(key.hex());
    promise.set_value(build(compiler, all));
  }
  return prepared.get();
}

// The last of `flags` is the folder's name.
Result<PreludeFiles> PrecompiledPrelude::build(const CxxCompiler& compiler,
                                               const std::vector<std::string>& flags) const {
  auto header = write_text(flags.back());
  if (!header) return fail(header.error());
  const fs::path folder = header->parent_path();
  const fs::path target = folder / (compiler.is_clang ? "prelude.pch" : "prelude.h.gch");
  std::error_code error;
  const bool exists = fs::is_regular_file(target, error);
  const std::vector<std::string> code(flags.begin(), flags.end() - 1);
  const bool precompiled = exists || precompile(compiler, code, *header, target);
  fs::last_write_time(folder, fs::file_time_type::clock::now(), error);
  if (!exists) evict_old();
  if (precompiled && compiler.is_clang) {
    return PreludeFiles{folder, {"-include-pch", target.string()}};
  }
  // g++ finds the precompiled form beside the header by itself.
  return PreludeFiles{folder, {"-include", header->string()}};
}

bool PrecompiledPrelude::precompile(const CxxCompiler& compiler,
                                    const std::vector<std::string>& flags, const fs::path& header,
                                    const fs::path& target) const {
  const ScratchDir scratch(work_dir_);
  CommandRequest request;
  request.argv = {compiler.program};
  request.argv.insert(request.argv.end(), flags.begin(), flags.end());
  request.argv.insert(request.argv.end(),
                      {"-O3", "-w", "-x", "c++-header", header.string(), "-o", "prelude.out"});
  request.work_dir = scratch.path();
  request.readable = {header.parent_path()};
  request.timeout_s = 120;
  request.file_bytes = kLargestFile;
  request.cpus = cpus_;
  const auto result = run_command(request);
  if (!result || !result->ok()) return false;
  std::error_code error;
  const fs::path made = scratch.path() / "prelude.out";
  fs::permissions(made, fs::perms::owner_read | fs::perms::group_read | fs::perms::others_read,
                  fs::perm_options::add, error);
  fs::rename(made, target, error);
  return !error;
}

// Oldest folders beyond the number kept. A compilation under way that loses its prelude is done
// again (unit_builder.cc).
void PrecompiledPrelude::evict_old() const {
  std::vector<std::pair<fs::file_time_type, fs::path>> folders;
  std::error_code error;
  for (fs::directory_iterator it(folder_, error), end; !error && it != end; it.increment(error)) {
    std::error_code gone;
    const auto time = it->last_write_time(gone);
    if (!gone) folders.emplace_back(time, it->path());
  }
  std::sort(folders.begin(), folders.end());
  for (std::size_t i = 0; i + kKept < folders.size(); ++i) {
    fs::remove_all(folders[i].second, error);
  }
}

void PrecompiledPrelude::forget() {
  const std::lock_guard lock(mutex_);
  prepared_.clear();
}

}  // namespace kernatlas
