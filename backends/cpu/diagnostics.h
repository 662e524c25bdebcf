// What a compiler printed, made fit for an Outcome: our own paths gone, bounded, one line picked.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kernatlas {

// Removes every occurrence of `paths` (directories, with their final slash) from the log, names the
// generated unit for what it is, and cuts to `limit` bytes at a line's end.
[[nodiscard]] std::string tidy_log(std::string_view raw, const std::vector<std::string>& paths,
                                   std::size_t limit);

// The first line that reports an error; failing that, the first line. At most 300 bytes.
[[nodiscard]] std::string first_error(std::string_view log);

// How a failed tool failed, from its words: compilers report these in their own ways.
[[nodiscard]] bool ran_out_of_memory(std::string_view log);
[[nodiscard]] bool was_killed(std::string_view log);
[[nodiscard]] bool ran_out_of_time(std::string_view log);
[[nodiscard]] bool wrote_too_much(std::string_view log);

// The prerequisites of a make rule as compilers write it with -MD.
[[nodiscard]] std::vector<std::string> parse_dependencies(std::string_view rule);

}  // namespace kernatlas
