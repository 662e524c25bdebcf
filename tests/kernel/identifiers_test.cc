#include "kernel/identifiers.h"

#include <doctest/doctest.h>

using namespace kernatlas;

TEST_CASE("what is an identifier") {
  for (const char* good : {"a", "_", "A1", "_9", "BLOCK_X", "kernatlas2"})
    CHECK(is_identifier(good));
  for (const char* bad : {"", "1a", "a-b", "a b", "ä", "a.b", "a$"})
    CHECK_FALSE(is_identifier(bad));
  CHECK_FALSE(is_identifier(std::string_view("a\0b", 3)));
}

TEST_CASE("names that may not be used say why") {
  CHECK(name_problem("BLOCK") == "");
  CHECK(name_problem("_x") == "");
  CHECK(name_problem("x_") == "");
  CHECK(name_problem("2x") == "is not an identifier");
  CHECK(name_problem("") == "is not an identifier");
  for (const char* word : {"alignas", "int", "float", "requires", "reinterpret_cast", "xor_eq"}) {
    CAPTURE(word);
    CHECK(name_problem(word) == "is a C++ keyword");
  }
  CHECK(name_problem("min") == "is a function of expressions");
  CHECK(name_problem("log2") == "is a function of expressions");
  CHECK(name_problem("a__b") == "is reserved by C++");
  CHECK(name_problem("_Block") == "is reserved by C++");
  CHECK(name_problem("kernatlas_x") == "is reserved by kernatlas");
  CHECK(name_problem("KERNATLAS") == "is reserved by kernatlas");
  CHECK(name_problem(std::string(64, 'a')) == "");
  CHECK(name_problem(std::string(65, 'a')) == "is longer than 64 characters");
}

TEST_CASE("the identifiers of an expression") {
  using List = std::vector<std::string>;
  CHECK(identifiers_in("ceil_div(ROWS, 2 * B1) + ROWS and not x") == List{"ROWS", "B1", "x"});
  CHECK(identifiers_in("12 + 3abc") == List{});
  CHECK(identifiers_in("") == List{});
  CHECK(identifiers_in("µ + a") == List{"a"});
}

TEST_CASE("lists for messages") {
  CHECK(one_of(std::vector<std::string>{}) == "");
  CHECK(one_of(std::vector<std::string>{"a"}) == "\"a\"");
  CHECK(one_of(std::vector<std::string>{"a", "b", "c"}) == "\"a\", \"b\" or \"c\"");
  const std::vector<std::string> many(20, "n");
  CHECK(one_of(many).find(" or 8 more") != std::string::npos);
}

TEST_CASE("a name table tells who came first") {
  NameTable table;
  CHECK_FALSE(table.add("x", "an input"));
  CHECK_FALSE(table.add("y", "an output"));
  CHECK(table.add("x", "a tunable") == "an input");
  CHECK(table.names() == std::vector<std::string>{"x", "y"});
}
