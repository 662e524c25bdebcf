// What error messages need to be helpful: "did you mean …", and safe quotes of outside text.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace kernatlas {

// Levenshtein distance, not regarding case: insertions, deletions and replacements cost 1 each.
// O(|a| · |b|) time, O(|b|) memory.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

// The name nearest to `word`, or empty text when none is near enough to be a plausible slip (at
// most a third of the longer one's letters differ, and always at least one may). Ties go to the
// earlier name.
[[nodiscard]] std::string_view nearest(std::string_view word, std::span<const std::string> names);

// A sentence for Error::hint: "did you mean BLOCK?", or "known names: A, B, C" (the first
// 12), or "no names are known here".
[[nodiscard]] std::string suggest(std::string_view word, std::span<const std::string> names);

// `text` in double quotes, cut to about `limit` bytes (an ellipsis tells). Control characters
// become
// '?': bytes from outside must not steer a terminal.
[[nodiscard]] std::string quoted(std::string_view text, std::size_t limit = 80);

}  // namespace kernatlas
