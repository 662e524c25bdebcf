// The dependency rule of docs/architecture.md, checked on every include of every source file.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "tests/support/temp_dir.h"

namespace fs = std::filesystem;

namespace {

const std::map<std::string, std::set<std::string>> kMayUse = {
    {"kernel", {"kernel"}},
    {"archives", {"archives"}},
    {"operators", {"operators", "kernel"}},
    {"backends", {"backends", "kernel"}},
    {"engine", {"engine", "kernel", "archives", "operators", "backends"}},
    {"tools", {"tools", "engine", "kernel", "archives", "operators", "backends"}},
};

// Every include of one of our folders in `folder` that the rule forbids, as "file: include".
std::vector<std::string> violations(const fs::path& root, const std::string& folder) {
  static const std::regex include(R"re(^\s*#\s*include\s*"([a-z_]+)/.*)re");
  std::vector<std::string> found;
  for (const auto& item : fs::recursive_directory_iterator(root / folder)) {
    const std::string ending = item.path().extension().string();
    if (ending != ".h" && ending != ".cc") continue;
    std::ifstream in(item.path());
    std::smatch match;
    for (std::string line; std::getline(in, line);) {
      if (!std::regex_match(line, match, include)) continue;
      if (!kMayUse.at(folder).contains(match[1])) {
        found.push_back(item.path().string() + ": " + line);
      }
    }
  }
  return found;
}

}  // namespace

TEST_CASE("no folder includes what the dependency rule forbids") {
  for (const auto& rule : kMayUse) {
    const std::string& folder = rule.first;
    CAPTURE(folder);
    CHECK(violations(kernatlas::testing::source_dir(), folder) == std::vector<std::string>{});
  }
}

TEST_CASE("the check sees a wrong include") {
  kernatlas::testing::TempDir dir;
  dir.write("archives/bad.h", "#include \"kernel/task.h\"\n");
  CHECK(violations(dir.path(), "archives").size() == 1);
}
