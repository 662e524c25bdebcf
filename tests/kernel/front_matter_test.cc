#include "kernel/front_matter.h"

#include <doctest/doctest.h>

using namespace kernatlas;

namespace {
FrontMatter find(std::string_view text, Language language) {
  auto found = find_front_matter(text, language, "file");
  REQUIRE(found);
  return *found;
}
std::string problem(std::string_view text, Language language) {
  auto found = find_front_matter(text, language, "file");
  REQUIRE_FALSE(found);
  return found.error().text();
}
}  // namespace

TEST_CASE("a comment in the languages of C") {
  for (const Language language : {Language::cpp, Language::cuda, Language::opencl, Language::ptx}) {
    const auto front = find("\n\n/*kernatlas\na = 1\n*/ int x;\nint y;\n", language);
    CHECK(front.present);
    CHECK(front.toml == "\na = 1\n");
    CHECK(front.first_line == 3);
    CHECK(front.body_line == 6);
  }
  CHECK(find("/*kernatlas*/", Language::cpp).present);
  CHECK(find("/* kernatlas a=1*/", Language::cpp).toml == " a=1");
  CHECK(find("/*kernatlas\r\na=1\r\n*/\r\n", Language::cpp).toml == "\r\na=1\r\n");
}

TEST_CASE("sources without front matter") {
  for (const char* text : {"", "int x;", "// kernatlas\n", "/* about kernatlas */",
                           "/*kernatlases*/", "/*\nkernatlas*/", "/*"}) {
    CAPTURE(text);
    CHECK_FALSE(find(text, Language::cpp).present);
    CHECK(find(text, Language::cpp).body_line == 1);
  }
  for (const char* text : {"", "import torch\n", "#!/bin/sh", "# kernatlast\n", "'''doc'''"}) {
    CAPTURE(text);
    CHECK_FALSE(find(text, Language::python).present);
  }
}

TEST_CASE("front matter must be closed and first") {
  CHECK(problem("\n/*kernatlas\na = 1\n", Language::cuda) ==
        "file:2: the front matter is not closed; expected */ after the last table");
  CHECK(problem("// licence\n/*kernatlas*/", Language::cpp)
            .find("file:2: the front matter is not the first comment") == 0);
  CHECK(problem("/* a */ int x;\n\n /* kernatlas\n*/", Language::cpp).find("file:3:") == 0);
  CHECK(problem("import x\n# kernatlas\n# end\n", Language::python).find("file:2:") == 0);
  CHECK(problem("import x\n\n\"\"\"kernatlas\n\"\"\"", Language::triton).find("file:3:") == 0);
  CHECK(problem("#kernatlas\n# a = 1\nimport x\n", Language::python)
            .find("file:3: the front matter is not closed; expected a line #end") == 0);
  CHECK(problem("#kernatlas", Language::python).find("not closed") != std::string::npos);
  CHECK(problem("\"\"\"kernatlas\n", Language::python).find("not closed") != std::string::npos);
}

TEST_CASE("comments and docstrings in Python") {
  const auto lines = find("#!/usr/bin/env python3\n# kernatlas\n# a = 1\n#b = 2\n#  end \nx = 1\n",
                          Language::triton);
  CHECK(lines.present);
  CHECK(lines.toml == "\n a = 1\nb = 2");
  CHECK(lines.first_line == 2);
  CHECK(lines.body_line == 6);
  const auto empty = find("#kernatlas\n#end", Language::python);
  CHECK(empty.toml == "");
  CHECK(empty.body_line == 3);
  for (const char* text : {"\"\"\"kernatlas\na = 1\n\"\"\"\nx", "'''kernatlas\na = 1\n'''\nx",
                           "r\"\"\"kernatlas\na = 1\n\"\"\"\nx"}) {
    CAPTURE(text);
    CHECK(find(text, Language::python).toml == "\na = 1\n");
    CHECK(find(text, Language::python).body_line == 4);
  }
}

TEST_CASE("recorded sources are all front matter, SPIR-V has none") {
  CHECK(find("a = 1", Language::recorded).toml == "a = 1");
  CHECK(find("", Language::recorded).present);
  CHECK(problem("x", Language::spirv).find("spirv module cannot carry front matter") !=
        std::string::npos);
}
