#include "tools/paths.h"

#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

namespace kernatlas {

namespace fs = std::filesystem;

fs::path program_dir() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  return error ? fs::current_path() : program.parent_path();
}

fs::path cache_dir() {
  const auto variable = [](const char* name) -> fs::path {
    const char* value = std::getenv(name);
    return value != nullptr ? value : "";
  };
  if (const fs::path own = variable("KERNATLAS_CACHE"); !own.empty()) return own;
  if (const fs::path xdg = variable("XDG_CACHE_HOME"); !xdg.empty()) return xdg / "kernatlas";
  if (const fs::path home = variable("HOME"); !home.empty()) return home / ".cache" / "kernatlas";
  return fs::temp_directory_path() / fmt::format("kernatlas-{}", getuid());
}

fs::path fresh_run_dir(const std::string& task) {
  std::error_code ignored;
  fs::path dir = task + ".krun";
  for (int i = 2; fs::exists(dir, ignored); ++i) dir = fmt::format("{}-{}.krun", task, i);
  return dir;
}

Result<std::string> read_text(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::error_code error;
  const auto size = fs::file_size(file, error);
  if (!in || error) {
    return fail({.message = "cannot be read", .file = file.string(), .expected = "a regular file"});
  }
  if (size > (1u << 20)) {
    return fail({.message = "is too large", .file = file.string(), .expected = "at most 1 MiB"});
  }
  return std::string(std::istreambuf_iterator<char>(in), {});
}

Result<void> write_text(const fs::path& file, const std::string& text) {
  const fs::path temporary = file.string() + fmt::format(".{}.tmp", getpid());
  {
    std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
    out << text;
    out.flush();
    if (!out) {
      std::error_code ignored;
      fs::remove(temporary, ignored);
      return fail({.code = ErrorCode::io,
                   .message = fmt::format("cannot be written: {}", std::strerror(errno)),
                   .file = file.string()});
    }
  }
  std::error_code error;
  fs::rename(temporary, file, error);
  if (error)
    return fail({.code = ErrorCode::io, .message = error.message(), .file = file.string()});
  return {};
}

}  // namespace kernatlas
