#include "kernel/suggest.h"

#include <doctest/doctest.h>

#include <vector>

using namespace kernatlas;

TEST_CASE("edit distance") {
  CHECK(edit_distance("", "") == 0);
  CHECK(edit_distance("abc", "") == 3);
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("kitten", "sitting") == 3);
  CHECK(edit_distance("BLOCK", "block") == 0);
  CHECK(edit_distance("flaw", "lawn") == 2);
}

TEST_CASE("nearest finds slips and nothing else") {
  const std::vector<std::string> names = {"BLOCK", "ROWS", "COLS", "VEC", "N"};
  CHECK(nearest("BLOK", names) == "BLOCK");
  CHECK(nearest("block", names) == "BLOCK");
  CHECK(nearest("ROW", names) == "ROWS");
  CHECK(nearest("COLZ", names) == "COLS");
  CHECK(nearest("THREADS", names).empty());
  CHECK(nearest("M", names).empty());  // one wrong letter of one is no slip
  CHECK(nearest("", names).empty());
  CHECK(nearest("n", names) == "N");
  CHECK(nearest("anything", {}).empty());
  CHECK(nearest(std::string(100000, 'x'), names).empty());
}

TEST_CASE("suggest always says something") {
  const std::vector<std::string> names = {"BLOCK", "ROWS"};
  CHECK(suggest("BLOK", names) == "did you mean BLOCK?");
  CHECK(suggest("THREADS", names) == "known names: BLOCK, ROWS");
  CHECK(suggest("THREADS", {}) == "no names are known here");
  const std::vector<std::string> many(30, "ABCDEFG");
  const std::string text = suggest("x", many);
  CHECK(text.ends_with(", …"));
  CHECK(text.size() < 200);
}

TEST_CASE("quoted text is short and harmless") {
  CHECK(quoted("abc") == "\"abc\"");
  CHECK(quoted("a\x1b[31m\n\x7f") == "\"a?[31m??\"");
  CHECK(quoted("abcdef", 3) == "\"abc…\"");
  CHECK(quoted("ab\xc3\x97"
               "d",
               3) == "\"ab…\"");
  CHECK(quoted("\xc3\x97", 2) == "\"\xc3\x97\"");
  CHECK(quoted("") == "\"\"");
}
