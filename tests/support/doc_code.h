// Keeps code in the documentation true: a page's code blocks must equal marked regions of a test.
//
// In the test file a region lies between the lines "// [name]" and "// [end]", indented or not; in
// the page a block
// is fenced with three back-ticks and, after the language, the name: "```cpp name".
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <string>

#include "tests/support/temp_dir.h"

namespace kernatlas::testing {

// Marked regions of a source file, by name.
[[nodiscard]] inline std::map<std::string, std::string> regions_of(const std::string& text) {
  std::map<std::string, std::string> regions;
  std::istringstream in(text);
  std::string name;
  for (std::string line; std::getline(in, line);) {
    const std::string mark = line.substr(std::min(line.find_first_not_of(' '), line.size()));
    if (mark == "// [end]") {
      name.clear();
    } else if (mark.starts_with("// [") && mark.ends_with("]")) {
      name = mark.substr(4, mark.size() - 5);
      regions[name];
    } else if (!name.empty()) {
      regions[name] += line + "\n";
    }
  }
  return regions;
}

// Named code blocks of a Markdown page.
[[nodiscard]] inline std::map<std::string, std::string> blocks_of(const std::string& text) {
  std::map<std::string, std::string> blocks;
  std::istringstream in(text);
  std::string name;
  for (std::string line; std::getline(in, line);) {
    if (line == "```") {
      name.clear();
    } else if (line.starts_with("```cpp ")) {
      name = line.substr(7);
      blocks[name];
    } else if (!name.empty()) {
      blocks[name] += line + "\n";
    }
  }
  return blocks;
}

// Checks that the page shows every region of the test file, word for word, and no other block.
inline void check_doc_code(const std::string& page, const std::string& test_file) {
  const auto blocks = blocks_of(read_file(source_dir() / page));
  const auto regions = regions_of(read_file(source_dir() / test_file));
  REQUIRE_FALSE(regions.empty());
  for (const auto& region : regions) {
    CAPTURE(region.first);
    REQUIRE(blocks.contains(region.first));
    CHECK(blocks.at(region.first) == region.second);
  }
  CHECK(blocks.size() == regions.size());
}

}  // namespace kernatlas::testing
