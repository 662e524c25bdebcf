#include "tools/text_diff.h"

#include <git2.h>

#include <memory>

namespace kernatlas {

namespace {

struct LibGit {
  LibGit() { git_libgit2_init(); }
  ~LibGit() { git_libgit2_shutdown(); }
  LibGit(const LibGit&) = delete;
  LibGit& operator=(const LibGit&) = delete;
};

struct PatchDeleter {
  void operator()(git_patch* patch) const { git_patch_free(patch); }
};

}  // namespace

std::string text_diff(std::string_view before, std::string_view after, std::string_view before_name,
                      std::string_view after_name, unsigned context) {
  if (before == after) return {};
  const LibGit library;
  git_diff_options options{};
  git_diff_options_init(&options, GIT_DIFF_OPTIONS_VERSION);
  options.context_lines = context;
  const std::string old_name(before_name);
  const std::string new_name(after_name);
  git_patch* raw = nullptr;
  if (git_patch_from_buffers(&raw, before.data(), before.size(), old_name.c_str(), after.data(),
                             after.size(), new_name.c_str(), &options) != 0) {
    return {};
  }
  const std::unique_ptr<git_patch, PatchDeleter> patch(raw);
  git_buf buffer = GIT_BUF_INIT;
  std::string out;
  if (git_patch_to_buf(&buffer, patch.get()) == 0) out.assign(buffer.ptr, buffer.size);
  git_buf_dispose(&buffer);
  return out;
}

}  // namespace kernatlas
