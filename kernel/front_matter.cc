#include "kernel/front_matter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "kernel/text_file.h"

namespace kernatlas {

namespace {

constexpr std::string_view kMark = "kernatlas";
constexpr std::string_view kSpace = " \t\r\n\f\v";
constexpr std::string_view kBlank = " \t";

std::size_t skip(std::string_view text, std::size_t from, std::string_view what) {
  return std::min(text.find_first_not_of(what, from), text.size());
}

// Where the text after `opening` and the mark begins, when they stand at `at`; else npos.
std::size_t after_mark(std::string_view text, std::size_t at, std::string_view opening) {
  if (text.substr(at, opening.size()) != opening) return std::string_view::npos;
  const std::size_t mark = skip(text, at + opening.size(), kBlank);
  if (text.substr(mark, kMark.size()) != kMark) return std::string_view::npos;
  const std::size_t end = mark + kMark.size();
  const bool whole_word = end == text.size() ||
                          std::string_view(" \t\r\n*\"'").find(text[end]) != std::string_view::npos;
  return whole_word ? end : std::string_view::npos;
}

// A mark anywhere behind its place is a mistake worth a message, not a source without front matter.
Result<FrontMatter> absent(std::string_view text, std::string_view opening,
                           const std::string& file) {
  for (std::size_t at = text.find(opening); at != std::string_view::npos;
       at = text.find(opening, at + opening.size())) {
    if (after_mark(text, at, opening) != std::string_view::npos) {
      return fail({.message = "the front matter is not the first comment of the file",
                   .file = file,
                   .line = line_at(text, at),
                   .expected = "nothing but white space before it",
                   .hint = "move the whole comment to the top"});
    }
  }
  return FrontMatter{};
}

Result<FrontMatter> delimited(std::string_view text, std::size_t begin, std::string_view closing,
                              const std::string& file) {
  const std::size_t end = text.find(closing, begin);
  if (end == std::string_view::npos) {
    return fail({.message = "the front matter is not closed",
                 .file = file,
                 .line = line_at(text, begin),
                 .expected = fmt::format("{} after the last table", closing)});
  }
  return FrontMatter{.present = true,
                     .toml = std::string(text.substr(begin, end - begin)),
                     .first_line = line_at(text, begin),
                     .body_line = line_at(text, end) + 1};
}

// Lines of comments from "#kernatlas" to "#end"; the opening line stays as an empty one.
Result<FrontMatter> commented_lines(std::string_view text, std::size_t begin,
                                    const std::string& file) {
  FrontMatter out{.present = true, .first_line = line_at(text, begin)};
  int line = out.first_line;
  std::size_t at = std::min(text.find('\n', begin), text.size());
  while (at < text.size()) {
    ++line;
    ++at;
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view content = text.substr(at, end - at);
    at = end;
    if (content.empty() || content.front() != '#') break;
    content.remove_prefix(1);
    const std::string_view word = content.substr(skip(content, 0, kBlank));
    if (word.substr(0, word.find_last_not_of(kSpace) + 1) == "end") {
      out.body_line = line + 1;
      return out;
    }
    out.toml += '\n';
    out.toml += content;
  }
  return fail({.message = "the front matter is not closed",
               .file = file,
               .line = line,
               .expected = "a line #end after the last table, and # before every line above it"});
}

Result<FrontMatter> find_in_python(std::string_view text, std::size_t start,
                                   const std::string& file) {
  if (text.substr(start, 2) == "#!") start = skip(text, text.find('\n', start), kSpace);
  if (const std::size_t begin = after_mark(text, start, "#"); begin != std::string_view::npos) {
    return commented_lines(text, begin, file);
  }
  for (const std::string_view quotes : {"\"\"\"", "'''"}) {
    const std::size_t opening = text.substr(start, 1) == "r" ? start + 1 : start;
    const std::size_t begin = after_mark(text, opening, quotes);
    if (begin != std::string_view::npos) return delimited(text, begin, quotes, file);
  }
  for (const std::string_view opening : {"#", "\"\"\""}) {
    auto found = absent(text, opening, file);
    if (!found) return found;
  }
  return FrontMatter{};
}

}  // namespace

Result<FrontMatter> find_front_matter(std::string_view text, Language language,
                                      const std::string& file) {
  const std::size_t start = skip(text, 0, kSpace);
  switch (language) {
    case Language::cpp:
    case Language::cuda:
    case Language::ptx:
    case Language::opencl: {
      const std::size_t begin = after_mark(text, start, "/*");
      return begin == std::string_view::npos ? absent(text, "/*", file)
                                             : delimited(text, begin, "*/", file);
    }
    case Language::triton:
    case Language::python:
      return find_in_python(text, start, file);
    case Language::recorded:
      return FrontMatter{.present = true, .toml = std::string(text)};
    case Language::spirv:
      break;
  }
  return fail({.message = fmt::format("a {} module cannot carry front matter", name(language)),
               .file = file,
               .hint = "write the kernel in opencl; it is compiled to SPIR-V"});
}

}  // namespace kernatlas
