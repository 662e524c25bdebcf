#include "backends/cpu/diagnostics.h"

#include <algorithm>
#include <cctype>
#include <initializer_list>

namespace kernatlas {

namespace {

constexpr std::size_t kMessageLimit = 300;
constexpr std::string_view kCut = "[cut]\n";

bool contains_any(std::string_view text, std::initializer_list<std::string_view> needles) {
  return std::any_of(needles.begin(), needles.end(), [&](std::string_view needle) {
    return text.find(needle) != std::string_view::npos;
  });
}

void remove_all(std::string& text, std::string_view needle) {
  if (needle.empty()) return;
  for (std::size_t at = text.find(needle); at != std::string::npos; at = text.find(needle, at)) {
    text.erase(at, needle.size());
  }
}

// g++ names its intermediate files at random: "ccaB3xY9.s".
void rename_temporaries(std::string& text) {
  constexpr std::size_t kLength = 8;
  const auto is_name = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
  for (std::size_t at = text.find(".s"); at != std::string::npos; at = text.find(".s", at + 1)) {
    if (at < kLength || text.compare(at - kLength, 2, "cc") != 0) continue;
    if (at > kLength && is_name(text[at - kLength - 1])) continue;
    const auto first = text.begin() + static_cast<std::ptrdiff_t>(at - kLength);
    const auto last = text.begin() + static_cast<std::ptrdiff_t>(at);
    if (std::all_of(first, last, is_name)) text.replace(at - kLength, kLength, "assembly");
  }
}

// At most `limit` bytes, not ending inside a UTF-8 sequence.
std::string_view clipped(std::string_view text, std::size_t limit) {
  if (text.size() <= limit) return text;
  while (limit > 0 && (static_cast<unsigned char>(text[limit]) & 0xc0) == 0x80) --limit;
  return text.substr(0, limit);
}

}  // namespace

std::string tidy_log(std::string_view raw, const std::vector<std::string>& paths,
                     std::size_t limit) {
  std::string text(raw);
  for (const std::string& path : paths) remove_all(text, path);
  std::erase(text, '\0');
  rename_temporaries(text);
  if (text.size() <= limit) return text;
  const std::size_t room = limit > kCut.size() ? limit - kCut.size() : 0;
  const std::size_t end = text.rfind('\n', room);
  if (end != std::string::npos && end < room) {
    text.resize(end + 1);
  } else {
    text = std::string(clipped(text, room));
  }
  return text.append(kCut.substr(0, std::min(kCut.size(), limit)));
}

std::string first_error(std::string_view log) {
  std::string_view first;
  while (!log.empty()) {
    const std::size_t end = log.find('\n');
    const std::string_view line = log.substr(0, end);
    // The assembler writes it with a capital.
    if (contains_any(line, {"error: ", "Error: "}))
      return std::string(clipped(line, kMessageLimit));
    if (first.empty()) first = line;
    if (end == std::string_view::npos) break;
    log.remove_prefix(end + 1);
  }
  return std::string(clipped(first, kMessageLimit));
}

bool ran_out_of_memory(std::string_view log) {
  return contains_any(log,
                      {": out of memory", "virtual memory exhausted", "memory exhausted",
                       "Cannot allocate memory", "std::bad_alloc", "LLVM ERROR: out of memory"});
}

bool was_killed(std::string_view log) {
  return contains_any(log, {"Killed signal terminated program"});
}

bool ran_out_of_time(std::string_view log) {
  return contains_any(log, {"CPU time limit exceeded"});
}

bool wrote_too_much(std::string_view log) {
  return contains_any(log, {"File size limit exceeded", "File too large"});
}

std::vector<std::string> parse_dependencies(std::string_view rule) {
  std::vector<std::string> files;
  const std::size_t colon = rule.find(": ");
  if (colon == std::string_view::npos) return files;
  std::string current;
  const auto flush = [&] {
    if (!current.empty()) files.push_back(std::move(current));
    current.clear();
  };
  for (std::size_t i = colon + 1; i < rule.size(); ++i) {
    const char c = rule[i];
    const char next = i + 1 < rule.size() ? rule[i + 1] : '\0';
    if (c == '\\' && next == '\n') {
      ++i;
      flush();
    } else if (c == '\\' && (next == ' ' || next == '#' || next == '\\')) {
      current += next;
      ++i;
    } else if (c == '$' && next == '$') {
      current += c;
      ++i;
    } else if (c == ' ' || c == '\n') {
      flush();
    } else {
      current += c;
    }
  }
  flush();
  return files;
}

}  // namespace kernatlas
