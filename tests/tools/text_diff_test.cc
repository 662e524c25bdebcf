#include "tools/text_diff.h"

#include <doctest/doctest.h>

using kernatlas::text_diff;

TEST_CASE("equal texts have no difference") {
  CHECK(text_diff("a\n", "a\n", "x", "y").empty());
}

TEST_CASE("a changed line shows both sides under both names") {
  const std::string diff = text_diff("one\ntwo\nthree\n", "one\n2\nthree\n", "parent", "candidate");
  CHECK(diff.find("parent") != std::string::npos);
  CHECK(diff.find("candidate") != std::string::npos);
  CHECK(diff.find("\n-two\n+2\n") != std::string::npos);
  CHECK(diff.find("\n one\n") != std::string::npos);
}

TEST_CASE("text that is not UTF-8 or has no last line break survives") {
  CHECK(text_diff("a\xff", "b\xff", "x", "y").find("+b\xff") != std::string::npos);
  CHECK_FALSE(text_diff("", "new", "x", "y").empty());
}
