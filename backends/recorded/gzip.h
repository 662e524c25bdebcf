// gzip files into memory, bounded.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "kernel/result.h"

namespace kernatlas {

// By the two magic bytes.
[[nodiscard]] bool is_gzip(std::string_view bytes);
// Errors: damaged, cut short, or longer than `limit` when decompressed.
[[nodiscard]] Result<std::string> gunzip(std::string_view bytes, std::size_t limit,
                                         const std::string& file);

}  // namespace kernatlas
