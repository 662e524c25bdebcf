// Where the program, its cache and its data are.
#pragma once

#include <filesystem>
#include <string>

#include "kernel/result.h"

namespace kernatlas {

// Folder of the running program.
[[nodiscard]] std::filesystem::path program_dir();
// $KERNATLAS_CACHE, else $XDG_CACHE_HOME/kernatlas, else ~/.cache/kernatlas, else a folder in /tmp.
[[nodiscard]] std::filesystem::path cache_dir();
// "softmax.krun", or "softmax-2.krun" … : the first name not taken.
[[nodiscard]] std::filesystem::path fresh_run_dir(const std::string& task);
// The text of a small file (≤ 1 MiB).
[[nodiscard]] Result<std::string> read_text(const std::filesystem::path& file);
// Writes by temporary file and rename.
[[nodiscard]] Result<void> write_text(const std::filesystem::path& file, const std::string& text);

}  // namespace kernatlas
