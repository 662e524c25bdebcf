#include "kernel/toml_reader.h"

#include <doctest/doctest.h>

using namespace kernatlas;

namespace {
using Kind = TomlValue::Kind;
using Strings = std::vector<std::string>;

TomlValue parse(std::string_view text) {
  auto value = parse_toml(text, "f.toml");
  REQUIRE(value);
  return *value;
}
}  // namespace

TEST_CASE("tables keep the order and the lines of the text") {
  const auto root =
      parse("z = 1\na = 'text'\n[m]\ny = [1,\n 2.5]\nx = {q = true, b = 1979-05-27}\n");
  REQUIRE(root.entries.size() == 3);
  CHECK(root.entries[0].key == "z");
  CHECK(root.entries[1].key == "a");
  CHECK(root.entries[1].value.string == "text");
  CHECK(root.entries[1].value.line == 2);
  const TomlValue* m = root.find("m");
  REQUIRE(m != nullptr);
  CHECK(m->line == 3);
  REQUIRE(m->entries.size() == 2);
  CHECK(m->entries[0].key == "y");
  REQUIRE(m->entries[0].value.items.size() == 2);
  CHECK(m->entries[0].value.items[0].integer == 1);
  CHECK(m->entries[0].value.items[1].number == 2.5);
  CHECK(m->entries[0].value.items[1].line == 5);
  const TomlValue* x = m->find("x");
  REQUIRE(x != nullptr);
  CHECK(x->entries[0].key == "q");
  CHECK(x->entries[0].value.boolean);
  CHECK(x->entries[1].value.kind == Kind::date);
  CHECK(x->entries[1].value.kind_name() == "a date");
  CHECK(root.find("none") == nullptr);
}

TEST_CASE("lines start where the caller says") {
  CHECK(parse_toml("\na = 1", "f", 10)->entries[0].value.line == 11);
  const auto broken = parse_toml("\n\na = = 1", "f.cu", 10);
  REQUIRE_FALSE(broken);
  CHECK(broken.error().file == "f.cu");
  CHECK(broken.error().line == 12);
  CHECK(broken.error().message.find("this is not TOML") == 0);
}

TEST_CASE("nesting is bounded") {
  const auto deep = parse_toml("a = " + std::string(100000, '['), "f");
  REQUIRE_FALSE(deep);
  CHECK(deep.error().line == 1);
}

TEST_CASE("fields are read by type") {
  const auto root = parse(
      "s='x'\ni=3\nn=2.5\nb=true\nl=['p','q']\nm=[1,2.5]\ne=['A+1',4]\n[t]\n[[r]]\n[[r]]\nk=1\n");
  TomlReader reader("f.toml");
  const TomlFields fields(reader, root, "it", {"s", "i", "n", "b", "l", "m", "e", "t", "r"});
  CHECK(fields.string("s") == "x");
  CHECK(fields.number("i") == 3);
  CHECK(fields.number("n") == 2.5);
  CHECK(fields.boolean("b"));
  CHECK(fields.strings("l") == Strings{"p", "q"});
  CHECK(fields.numbers("m") == std::vector<double>{1, 2.5});
  CHECK(fields.expressions("e") == Strings{"A+1", "4"});
  CHECK(fields.expression("s") == "x");
  CHECK(fields.expression("i") == "3");
  CHECK(fields.table("t") != nullptr);
  CHECK(fields.tables("r").size() == 2);
  CHECK(fields.tables("absent").empty());
  CHECK(fields.has("s"));
  CHECK_FALSE(fields.has("absent"));
  CHECK(fields.line("n") == 3);
  CHECK(fields.line("absent") == 1);
  CHECK_FALSE(reader.error());
}

TEST_CASE("every reader complains about absence and wrong types") {
  const auto root = parse("\ns='x'\ni=3\na=[1]\nd=[1979-05-27]\n");
  const auto complaint = [&](auto read) {
    TomlReader reader("f.toml");
    const TomlFields fields(reader, root, "[t]", {"s", "i", "a", "d"});
    read(fields);
    REQUIRE(reader.error());
    CHECK(reader.error()->file == "f.toml");
    return reader.error()->text();
  };
  using F = const TomlFields&;
  CHECK(complaint([](F f) { (void)f.string("q"); }) == "f.toml:1: \"q\" is missing in [t]");
  CHECK(complaint([](F f) { (void)f.table("q"); }) == "f.toml:1: \"q\" is missing in [t]");
  CHECK(complaint([](F f) { (void)f.numbers("q"); }) == "f.toml:1: \"q\" is missing in [t]");
  CHECK(complaint([](F f) { (void)f.string("i"); }) ==
        "f.toml:3: \"i\" of [t] is an integer; expected a string in quotes");
  CHECK(complaint([](F f) { (void)f.number("s"); }).find("expected a number") != std::string::npos);
  CHECK(complaint([](F f) { (void)f.boolean("s"); }).find("true or false") != std::string::npos);
  CHECK(complaint([](F f) { (void)f.strings("s"); }).find("an array of strings") !=
        std::string::npos);
  CHECK(complaint([](F f) {
          (void)f.strings("a");
        }).find("contains an integer; expected strings") != std::string::npos);
  CHECK(complaint([](F f) { (void)f.numbers("d"); }).find("contains a date; expected numbers") !=
        std::string::npos);
  CHECK(complaint([](F f) { (void)f.expression("a"); }).find("an integer, or an expression") !=
        std::string::npos);
  CHECK(complaint([](F f) { (void)f.expressions("d"); }).find("contains a date") !=
        std::string::npos);
  CHECK(complaint([](F f) { (void)f.table("i"); }).find("a table: [i]") != std::string::npos);
  CHECK(complaint([](F f) { (void)f.tables("i"); }).find("[[i]], in double brackets") !=
        std::string::npos);
  CHECK(complaint([](F f) { (void)f.tables("a"); }).find("[[a]], in double brackets") !=
        std::string::npos);
  CHECK(complaint([](F f) { f.complain("i", "odd", "even", "add one"); }) ==
        "f.toml:3: odd; expected even\n  hint: add one");
}

TEST_CASE("unknown keys are complaints with a hint") {
  const auto root = parse("kernal = 'x'");
  TomlReader reader("f.toml");
  const TomlFields fields(reader, root, "[[launch]]", {"kernel", "grid"});
  REQUIRE(reader.error());
  CHECK(reader.error()->text() ==
        "f.toml:1: unknown key \"kernal\" in [[launch]]; expected \"kernel\" or \"grid\"\n"
        "  hint: did you mean \"kernel\"?");
  TomlReader other("f.toml");
  const TomlFields misplaced(other, root, "[[launch]]", {"grid"}, {"kernal"});
  CHECK(other.error()->hint.find("above the first [table]") != std::string::npos);
}

TEST_CASE("the first complaint stays") {
  TomlReader reader("f");
  reader.complain(3, "first");
  reader.complain(1, "second");
  reader.complain(1, Error{.message = "third"});
  CHECK(reader.error()->text() == "f:3: first");
  TomlReader other("f");
  other.complain(7, Error{.message = "bad", .file = "elsewhere", .line = 1, .hint = "h"});
  CHECK(other.error()->text() == "f:7: bad\n  hint: h");
}
