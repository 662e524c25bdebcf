// Finds the front matter of a kernel source: the TOML in its first comment
// (docs/formats/kernel-source.md).
#pragma once

#include <string>
#include <string_view>

#include "kernel/kernel_source.h"
#include "kernel/result.h"

namespace kernatlas {

struct FrontMatter {
  bool present = false;
  std::string toml{};  // line for line as in the source, without comment marks
  int first_line = 1;  // of the source, where `toml` begins
  int body_line = 1;   // the first line after it
};

// cpp, cuda, opencl, ptx: a /*kernatlas … */ comment. python, triton: a """kernatlas … """
// docstring, or lines of # comments from #kernatlas to #end. recorded: the whole text.
// Only white space may come before it (and a #! line in Python). Errors: not closed, not first.
[[nodiscard]] Result<FrontMatter> find_front_matter(std::string_view text, Language language,
                                                    const std::string& file);

}  // namespace kernatlas
