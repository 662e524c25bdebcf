#include "kernel/kernel_source.h"

#include <doctest/doctest.h>

#include "tests/kernel/rmsnorm_task.h"
#include "tests/support/temp_dir.h"

using namespace kernatlas;
using testing::kKernelText;
using testing::with;

namespace {

using Strings = std::vector<std::string>;
using Values = std::vector<std::int64_t>;

KernelSourcePtr parse(std::string text, Language language = Language::cpp) {
  auto source = KernelSource::parse(std::move(text), language, "k");
  if (!source) FAIL(source.error().text());
  return *source;
}

// A source of these front matter lines; the comment opens on line 1, so the first one is line 2.
std::string front(const std::string& lines) {
  return "/*kernatlas\n" + lines + "\n*/\nint x;\n";
}

}  // namespace

TEST_CASE("a whole source is read") {
  const auto source = parse(kKernelText);
  CHECK(source->text() == kKernelText);
  CHECK(source->language() == Language::cpp);
  CHECK(source->file() == "k");
  CHECK(source->body_line() == 14);
  REQUIRE(source->tunables().size() == 2);
  CHECK(source->tunables()[0].name == "BLOCK");
  CHECK(source->tunables()[0].values == Values{4, 8, 16});
  CHECK(source->tunables()[0].line == 3);
  CHECK_FALSE(source->tunables()[0].is_choice());
  CHECK(source->tunables()[1].values == Values{0, 1});
  CHECK(source->tunables()[1].labels == Strings{"rows", "columns"});
  CHECK(source->tunables()[1].label_names() == Strings{"ORDER_rows", "ORDER_columns"});
  REQUIRE(source->constraints().size() == 1);
  CHECK(source->constraints()[0].name == "fits");
  CHECK(source->constraints()[0].text == "BLOCK <= COLS");
  CHECK(source->constraints()[0].line == 6);
  REQUIRE(source->workspaces().size() == 1);
  CHECK(source->workspaces()[0].bytes == "4 * ROWS");
  CHECK_FALSE(source->workspaces()[0].zeroed);
  REQUIRE(source->launches().size() == 1);
  const LaunchSpec& launch = source->launches()[0];
  CHECK(launch.kernel == "norm");
  CHECK(launch.grid == Strings{"ceil_div(COLS, BLOCK)", "ROWS"});
  CHECK(launch.block.empty());
  CHECK(launch.args == Strings{"x", "weight", "partial", "y", "COLS + ORDER"});
  CHECK(launch.line == 9);
}

TEST_CASE("values have texts") {
  const auto source = parse(kKernelText);
  CHECK(source->tunables()[0].value_text(8) == "8");
  CHECK(source->tunables()[1].value_text(1) == "columns");
  CHECK(source->tunables()[1].value_text(2) == "2");
  CHECK(source->tunables()[1].value_text(-1) == "-1");
}

TEST_CASE("tunables keep the declared order") {
  const auto source = parse(front("[tune]\nZ = [1]\nA = [3, -2]\nM = ['q']"));
  REQUIRE(source->tunables().size() == 3);
  CHECK(source->tunables()[0].name == "Z");
  CHECK(source->tunables()[1].name == "A");
  CHECK(source->tunables()[1].values == Values{3, -2});
  CHECK(source->tunables()[2].name == "M");
}

TEST_CASE("GPU launches have blocks and shared memory") {
  const auto source = parse(front("[workspace]\nw = {bytes = 64, zeroed = true}\n[[launch]]\n"
                                  "kernel = 'k'\nblock = ['BLOCK', 2]\nshared = 1024\nargs = []"),
                            Language::cuda);
  CHECK(source->workspaces()[0].bytes == "64");
  CHECK(source->workspaces()[0].zeroed);
  CHECK(source->launches()[0].grid.empty());
  CHECK(source->launches()[0].block == Strings{"BLOCK", "2"});
  CHECK(source->launches()[0].shared == "1024");
}

TEST_CASE("a source without front matter declares nothing") {
  const auto source = parse(testing::kReferenceText);
  CHECK(source->tunables().empty());
  CHECK(source->launches().empty());
  CHECK(source->body_line() == 1);
}

TEST_CASE("identity is language and text, not the file") {
  const auto hash = [](const char* text, Language language, const char* file) {
    return KernelSource::parse(text, language, file).value()->hash();
  };
  CHECK(hash("int x;", Language::cpp, "a") == hash("int x;", Language::cpp, "b"));
  CHECK_FALSE(hash("int x;", Language::cpp, "a") == hash("int y;", Language::cpp, "a"));
  CHECK_FALSE(hash("int x;", Language::cpp, "a") == hash("int x;", Language::cuda, "a"));
}

TEST_CASE("languages have names and endings") {
  CHECK(name(Language::cpp) == "cpp");
  CHECK(name(Language::opencl) == "opencl");
  CHECK(name(Language::recorded) == "recorded");
  CHECK(language_of("a/b.cpp") == Language::cpp);
  CHECK(language_of("b.cu") == Language::cuda);
  CHECK(language_of("b.ptx") == Language::ptx);
  CHECK(language_of("b.cl") == Language::opencl);
  CHECK(language_of("b.spv") == Language::spirv);
  CHECK(language_of("b.py") == Language::python);
  CHECK_FALSE(language_of("b.txt"));
  CHECK_FALSE(language_of("cpp"));
}

TEST_CASE("files are loaded by their ending") {
  const testing::TempDir dir;
  const auto file = dir.write("a.cpp", kKernelText);
  const auto source = KernelSource::load(file);
  REQUIRE(source);
  CHECK((*source)->file() == file.string());
  CHECK((*source)->hash() == parse(kKernelText)->hash());
  CHECK(KernelSource::load(dir.path() / "none.cpp").error().message == "there is no such file");
  CHECK(KernelSource::load(dir.write("a.txt", "")).error().message.find("\".txt\"") !=
        std::string::npos);
  CHECK(KernelSource::load(dir.write("big.cpp", std::string(KernelSource::kMaxBytes + 1, ' ')))
            .error()
            .expected == "at most 1048576");
}

namespace {
struct Bad {
  std::string text;
  int line;
  std::string piece;
  Language language = Language::cpp;
};
std::string many(int count, const std::string& before, const std::string& after) {
  std::string out;
  for (int i = 0; i < count; ++i) out += before + std::to_string(i) + after;
  return out;
}
}  // namespace

TEST_CASE("malformed sources are refused with file, line and reason") {
  const std::string launch = "[[launch]]\nkernel = 'k'\nargs = ['x']\n";
  const std::vector<Bad> bad = {
      {front("[tune\nA = [1]"), 2, "not TOML"},
      {front("[tune]\nA = [1]\nA = [2]"), 4, "not TOML"},
      {front("[tune]\nA = [1, 2"), 3, "not TOML"},
      {front("[tuna]\nA = [1]"), 2, "did you mean \"tune\"?"},
      {front("tune = [1]"), 2, "\"tune\" of the front matter is an array"},
      {front("[tune]\nA = []"), 3, "the values of A are empty"},
      {front("[tune]\n\nA = 4"), 4, "the values of A are an integer"},
      {front("[tune]\nA = [1, 'x']"), 3, "the values of A contain a string"},
      {front("[tune]\nA = [1.5]"), 3, "the values of A contain a number"},
      {front("[tune]\nA = [[1]]"), 3, "the values of A contain an array"},
      {front("[tune]\nA = [true, false]"), 3, "contain a boolean; expected an array of integers"},
      {front("[tune]\nA = [1, 2,\n1]"), 4, "the values of A contain 1 twice"},
      {front("[tune]\nA = ['p', 'p']"), 3, "the values of A contain p twice"},
      {front("[tune]\nA = ['p q']"), 3, "the label \"p q\" of A is not an identifier"},
      {front("[tune]\nA = [9007199254740993]"), 3, "is too large; expected a value between -2^53"},
      {front("[tune]\nA = [-9223372036854775808]"), 3, "is too large"},
      {front("[tune]\nA = [9223372036854775808]"), 3, "not TOML"},
      {front("[tune]\nint = [1]"), 3, "the tunable name \"int\" is a C++ keyword"},
      {front("[tune]\n'a b' = [1]"), 3, "\"a b\" is not an identifier"},
      {front("[tune]\nmax = [1]"), 3, "\"max\" is a function of expressions"},
      {front("[tune]\n_A = [1]"), 3, "is reserved by C++"},
      {front("[tune]\nA = ['b_c']\nA_b = ['c']"), 4, "is already that of a label of A"},
      {front("[tune]\nA = ['b']\nA_b = [1]"), 3, "is already that of the tunable"},
      {front("[tune]\n" + many(65, "T", " = [1]\n")), 2, "there are 65 tunables; expected at most"},
      {front("[tune]\nA = [" + many(4097, "", ",") + "]"), 3, "there are 4097 values of A"},
      {front("[constraint]\nc = true"), 3, "\"c\" of [constraint] is a boolean"},
      {front("[constraint]\nc = 'A +'"), 3, ""},
      {front("[constraint]\nc = '(A'"), 3, ""},
      {front("[constraint]\nc = ''"), 3, ""},
      {front("[constraint]\nfor = '1'"), 3, "the constraint name \"for\" is a C++ keyword"},
      {front("[constraint]\n" + many(257, "c", " = 1\n")), 2, "there are 257 constraints"},
      {front("[workspace]\nw = 1.5"), 3, "\"w\" of [workspace] is a number"},
      {front("[workspace]\nw = { byte = 4 }"), 3, "did you mean \"bytes\"?"},
      {front("[workspace]\nw = { zeroed = true }"), 3, "\"bytes\" is missing in the workspace w"},
      {front("[workspace]\nw = { bytes = 4, zeroed = 1 }"), 3, "expected true or false"},
      {front("[workspace]\nw = '4 *'"), 3, ""},
      {front("[tune]\nA = [1]\n[workspace]\nA = 4"), 5, "is already that of the tunable"},
      {front("[workspace]\n" + many(65, "w", " = 1\n")), 2, "there are 65 workspaces"},
      {front("[launch]\nkernel = 'k'\nargs = []"), 2, "[[launch]], in double brackets"},
      {front("launch = [1]"), 2, "[[launch]], in double brackets"},
      {front("[[launch]]\nargs = []"), 2, "\"kernel\" is missing in [[launch]]"},
      {front("[[launch]]\nkernel = 'k'"), 2, "\"args\" is missing in [[launch]]"},
      {front("[[launch]]\nkernel = 3\nargs = []"), 3, "\"kernel\" of [[launch]] is an integer"},
      {front("[[launch]]\nkernel = 'a-b'\nargs = []"), 3, "\"a-b\" is not the name of a function"},
      {front("[[launch]]\nkernal = 'k'\nargs = []"), 3, "did you mean \"kernel\"?"},
      {front(launch + "grid = 'ROWS'"), 5, "\"grid\" of [[launch]] is a string"},
      {front(launch + "grid = []"), 5, "\"grid\" has 0 sizes; expected one to three"},
      {front(launch + "grid = [1, 2, 3, 4]"), 5, "\"grid\" has 4 sizes"},
      {front(launch + "grid = [1.5]"), 5, "\"grid\" of [[launch]] contains a number"},
      {front(launch + "grid = ['R **']"), 5, ""},
      {front(launch + "block = [32]"), 5, "\"block\" has no meaning in a cpp source"},
      {front(launch + "shared = 32"), 5, "\"shared\" has no meaning in a cpp source"},
      {front(launch), 2, "\"block\" is missing in [[launch]]", Language::cuda},
      {front(launch + "block = [1]\nshared = 'x +'"), 6, "", Language::cuda},
      {"#kernatlas\n# [[launch]]\n# kernel = 'k'\n# args = []\n# block = [1]\n#end\n", 5,
       "\"block\" has no meaning in a python source; expected", Language::python},
      {front("[[launch]]\nkernel = 'k'\nargs = 'x'"), 4, "\"args\" of [[launch]] is a string"},
      {front("[[launch]]\nkernel = 'k'\nargs = ['x y']"), 4, ""},
      {front("[[launch]]\nkernel = 'k'\nargs = [" + many(257, "'a", "',") + "]"), 4,
       "there are 257 arguments"},
      {front("[tune]\nk = [1]\n" + launch), 5, "the kernel k has the name of a tunable"},
      {front(many(65, "[[launch]]\nargs = []\nkernel = 'k", "'\n")), 2, "there are 65 launches"},
      {front("kernel = 'k'"), 2, "unknown key \"kernel\" in the front matter"},
      {"\n\n/*kernatlas\n[tune]", 3, "the front matter is not closed"},
      {"int x;\n/*kernatlas\n*/", 2, "the front matter is not the first comment"},
      {"int x;\n\xff", 2, "the source is not text; expected UTF-8"},
      {std::string("a\nb\0", 4), 2, "the source is not text"},
      {"\x03\x02#\x07", 0, "cannot carry front matter", Language::spirv},
      {"[tune]\nA = 1", 2, "the values of A are an integer", Language::recorded},
      {std::string(KernelSource::kMaxBytes + 1, ' '), 0, "the source has 1048577 bytes"},
  };
  CHECK(bad.size() >= 60);
  for (const Bad& item : bad) {
    CAPTURE(item.text.substr(0, 200));
    const auto source = KernelSource::parse(item.text, item.language, "bad.src");
    REQUIRE_FALSE(source);
    const Error& error = source.error();
    CHECK(error.code == ErrorCode::bad_input);
    CHECK(error.file == "bad.src");
    CHECK(error.line == item.line);
    CHECK_FALSE(error.message.empty());
    CHECK_MESSAGE(error.text().find(item.piece) != std::string::npos, error.text());
  }
}

TEST_CASE("limits are inclusive") {
  CHECK(parse(front("[tune]\n" + many(64, "T", " = [1]\n")))->tunables().size() == 64);
  CHECK(parse(front("[tune]\nA = [" + many(4096, "", ",") + "]"))->tunables()[0].values.size() ==
        4096);
  CHECK(parse(front(many(64, "[[launch]]\nargs = []\nkernel = 'k", "'\n")))->launches().size() ==
        64);
  const std::string largest = front("[tune]\nA = [9007199254740992, -9007199254740992]");
  CHECK(parse(largest)->tunables()[0].values.size() == 2);
  CHECK(parse(std::string(KernelSource::kMaxBytes, ' '))->launches().empty());
}

TEST_CASE("Windows line endings change no line number") {
  const auto source =
      KernelSource::parse("/*kernatlas\r\n[tune]\r\nA = 1\r\n*/\r\n", Language::cpp, "k");
  REQUIRE_FALSE(source);
  CHECK(source.error().line == 3);
}
