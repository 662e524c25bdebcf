#include "kernel/suggest.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace kernatlas {
namespace {

constexpr std::size_t kMaxListed = 12;

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (lower(a[i]) == lower(b[j]) ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

std::string_view nearest(std::string_view word, std::span<const std::string> names) {
  // Nobody types a name this long by mistake, and the table would be large.
  constexpr std::size_t kMaxLength = 128;
  std::string_view best;
  std::size_t best_distance = word.size() + 1;
  for (const std::string& name : names) {
    if (word.size() > kMaxLength || name.size() > kMaxLength) continue;
    const std::size_t distance = edit_distance(word, name);
    const std::size_t longer = std::max(word.size(), name.size());
    const std::size_t allowed = std::max<std::size_t>(1, longer / 3);
    if (distance > allowed || distance >= longer || distance >= best_distance) continue;
    best = name;
    best_distance = distance;
  }
  return best;
}

std::string suggest(std::string_view word, std::span<const std::string> names) {
  if (const std::string_view near = nearest(word, names); !near.empty()) {
    return "did you mean " + std::string(near) + "?";
  }
  if (names.empty()) return "no names are known here";
  std::string text = "known names: ";
  for (std::size_t i = 0; i < names.size() && i < kMaxListed; ++i) {
    if (i > 0) text += ", ";
    text += names[i];
  }
  if (names.size() > kMaxListed) text += ", …";
  return text;
}

std::string quoted(std::string_view text, std::size_t limit) {
  std::size_t length = std::min(text.size(), limit);
  // Not in the middle of a letter of several UTF-8 bytes.
  const auto continues = [&](std::size_t i) {
    return i < text.size() && (static_cast<unsigned char>(text[i]) & 0xc0) == 0x80;
  };
  while (length > 0 && continues(length)) --length;
  std::string out = "\"";
  for (const char c : text.substr(0, length)) {
    const bool control = static_cast<unsigned char>(c) < ' ' || c == 0x7f;
    out += control ? '?' : c;
  }
  if (length < text.size()) out += "…";
  return out + '"';
}

}  // namespace kernatlas
