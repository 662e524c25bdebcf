// Whole files into memory, bounded, with errors a person can act on.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "kernel/result.h"

namespace kernatlas {

// Any bytes. Errors: missing, not a regular file, longer than `limit`, unreadable.
[[nodiscard]] Result<std::string> read_bytes(const std::filesystem::path& file, std::size_t limit);

// Where text stops being UTF-8 (RFC 3629) without NUL, as a 1-based line; nothing when it is fine.
[[nodiscard]] std::optional<int> first_bad_line(std::string_view text);

// 1-based line of the character at `offset`.
[[nodiscard]] int line_at(std::string_view text, std::size_t offset);

}  // namespace kernatlas
