#include "backends/cpu/diagnostics.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace kernatlas;
using Files = std::vector<std::string>;

TEST_CASE("paths and random names of ours disappear") {
  CHECK(tidy_log("/tmp/w-1/k.cpp:3:1: error: x in /tmp/w-1/k.cpp\n", {"/tmp/w-1/"}, 1000) ==
        "k.cpp:3:1: error: x in k.cpp\n");
  CHECK(tidy_log("ccaB3xY9.s:12: Error: no such instruction\n", {}, 1000) ==
        "assembly.s:12: Error: no such instruction\n");
  // Only whole names of that form.
  CHECK(tidy_log("accaB3xY9.s cc.s ccaB3x.s dcaB3xY9.s", {}, 1000) ==
        "accaB3xY9.s cc.s ccaB3x.s dcaB3xY9.s");
  CHECK(tidy_log(".s", {}, 1000) == ".s");
  CHECK(tidy_log(std::string("a\0b", 3), {""}, 1000) == "ab");
}

TEST_CASE("a long log is cut at a line's end and says so") {
  std::string log;
  for (int i = 0; i < 100; ++i) log += "line " + std::to_string(i) + "\n";
  const std::string cut = tidy_log(log, {}, 200);
  CHECK(cut.size() <= 200);
  CHECK(cut.ends_with("\n[cut]\n"));
  CHECK(cut.starts_with("line 0\nline 1\n"));
  CHECK(tidy_log(std::string(500, 'x'), {}, 100).size() <= 100);
  CHECK(tidy_log("12345", {}, 3).size() <= 3);
  // Not within a character of several bytes.
  std::string umlauts;
  for (int i = 0; i < 100; ++i) umlauts += "ü";
  for (std::size_t limit = 20; limit < 24; ++limit) {
    const std::string text = tidy_log(umlauts, {}, limit);
    CHECK(text.size() <= limit);
    CHECK((text.size() - 6) % 2 == 0);
  }
}

TEST_CASE("the message is the first error") {
  CHECK(first_error("In file included from a:\nk.cpp:1:2: error: one\nk.cpp:2:2: error: two\n") ==
        "k.cpp:1:2: error: one");
  CHECK(first_error("assembly.s: Assembler messages:\nassembly.s:9: Error: bad\n") ==
        "assembly.s:9: Error: bad");
  CHECK(first_error("k.cpp:1:2: fatal error: x.h: No such file\n") ==
        "k.cpp:1:2: fatal error: x.h: No such file");
  CHECK(first_error("\nsomething else\nmore") == "something else");
  CHECK(first_error("") == "");
  CHECK(first_error(std::string(1000, 'e')).size() == 300);
}

TEST_CASE("limits are recognised in the tools' own words") {
  CHECK(
      ran_out_of_memory("cc1plus: out of memory allocating 65536 bytes after a total of 1 bytes"));
  CHECK(ran_out_of_memory("virtual memory exhausted: Cannot allocate memory"));
  CHECK(was_killed("g++: fatal error: Killed signal terminated program cc1plus"));
  CHECK(ran_out_of_memory("LLVM ERROR: out of memory"));
  CHECK_FALSE(ran_out_of_memory("k.cpp:1:2: error: no member named 'memory'"));
  CHECK(ran_out_of_time("g++: fatal error: CPU time limit exceeded signal terminated program"));
  CHECK(
      wrote_too_much("Fatal error: can't write 32 bytes to section .data of u.o: File too large"));
  CHECK_FALSE(wrote_too_much("k.cpp:1: error: large"));
  CHECK_FALSE(was_killed("k.cpp:1: error: Killed"));
}

TEST_CASE("dependencies are read as make would read them") {
  CHECK(parse_dependencies("unit.o: a.cc /usr/include/x.h \\\n  dir/b.h\n") ==
        Files{"a.cc", "/usr/include/x.h", "dir/b.h"});
  CHECK(parse_dependencies("unit.o: with\\ space.h cash$$.h hash\\#.h\n") ==
        Files{"with space.h", "cash$.h", "hash#.h"});
  CHECK(parse_dependencies("unit.o:").empty());
  CHECK(parse_dependencies("").empty());
  CHECK(parse_dependencies("unit.o: \\") == Files{"\\"});
}
