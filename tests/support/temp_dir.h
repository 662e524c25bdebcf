// TempDir: a fresh directory, removed with everything in it at the end of the scope.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace kernatlas::testing {

class TempDir {
 public:
  TempDir();
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  // Writes a file below it, making folders as needed; returns its path.
  std::filesystem::path write(const std::string& name, std::string_view content) const;

 private:
  std::filesystem::path path_;
};

// The project's source folder, and the folder of the built programs (from CTest's environment).
[[nodiscard]] std::filesystem::path source_dir();
[[nodiscard]] std::filesystem::path bin_dir();
[[nodiscard]] std::string read_file(const std::filesystem::path& file);

}  // namespace kernatlas::testing
