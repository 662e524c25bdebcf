#include <doctest/doctest.h>

#include "kernel/kernel_source.h"
#include "kernel/task_toml.h"
#include "tests/kernel/rmsnorm_task.h"

using namespace kernatlas;
using testing::kKernelText;
using testing::with;

namespace {

Result<void> check(const std::string& text, Language language = Language::cpp) {
  const auto source = KernelSource::parse(text, language, "k.src");
  if (!source) FAIL(source.error().text());
  return (*source)->check_against(parse_task(testing::kTaskText, "task.toml").value().task);
}

}  // namespace

TEST_CASE("a source that fits its task") {
  CHECK(check(kKernelText));
  CHECK(check(with(kKernelText, "BLOCK <= COLS", "ORDER == ORDER_columns or BLOCK <= COLS")));
  CHECK(check(with(kKernelText, "\"COLS + ORDER\"", "7")));
}

TEST_CASE("a recorded source needs no launches") {
  CHECK(check("[tune]\nA = [1, 2]\n[constraint]\nc = 'A <= ROWS'\n", Language::recorded));
  CHECK_FALSE(check("[constraint]\nc = 'A <= ROWS'\n", Language::recorded));
}

TEST_CASE("what does not fit is named with its line") {
  struct Bad {
    std::string from;
    std::string to;
    int line;
    std::string piece;
  };
  const std::vector<Bad> bad = {
      {"BLOCK =", "ROWS =", 3, "the tunable ROWS has the name of a dim of the task"},
      {"BLOCK =", "x =", 3, "the tunable x has the name of an input of the task"},
      {"BLOCK =", "y =", 3, "the tunable y has the name of an output of the task"},
      {"partial =", "weight =", 8, "the workspace weight has the name of an input"},
      {"\"norm\"", "\"ROWS\"", 9, "the kernel ROWS has the name of a dim"},
      {"BLOCK <= COLS", "BLOCK <= COL", 6, "unknown name COL in \"BLOCK <= COL\", the constraint"},
      {"BLOCK <= COLS", "BLOCK <= x", 6, "x is a buffer: only \"args\" may name it"},
      {"BLOCK <= COLS", "ORDER == ORDER_row", 6, "did you mean ORDER_rows?"},
      {"4 * ROWS", "4 * ROW", 8, "the workspace partial"},
      {"\"ROWS\"]", "\"RWOS\"]", 9, "unknown name RWOS in \"RWOS\", grid of the launch of norm"},
      {"\"ROWS\"]", "\"partial\"]", 9, "partial is a buffer"},
      {"\"weight\"", "\"wieght\"", 9, "did you mean weight?"},
      {"\"weight\"", "\"2 * weight\"", 9, "weight is a buffer"},
      {"COLS + ORDER", "COLS + OTHER", 9, "unknown name OTHER"},
      {"\"y\"", "\"x\"", 9, "no launch gets the output y"},
  };
  for (const Bad& item : bad) {
    CAPTURE(item.to);
    const auto fits = check(with(kKernelText, item.from, item.to));
    REQUIRE_FALSE(fits);
    CHECK(fits.error().file == "k.src");
    CHECK(fits.error().line == item.line);
    CHECK_MESSAGE(fits.error().text().find(item.piece) != std::string::npos, fits.error().text());
  }
}

TEST_CASE("labels may not hide names of the task") {
  const auto source = KernelSource::parse(kKernelText, Language::cpp, "k").value();
  Task named;
  named.dims = {"ROWS", "COLS", "ORDER_rows"};
  const auto fits = source->check_against(named);
  REQUIRE_FALSE(fits);
  CHECK(fits.error().message.find("the label ORDER_rows has the name of a dim") == 0);
}

TEST_CASE("block and shared are checked too") {
  const std::string cuda =
      with(kKernelText, "args =", "block = ['BLOCK']\nshared = '4 * BLOCK'\nargs =");
  CHECK(check(cuda, Language::cuda));
  CHECK(check(with(cuda, "'BLOCK'", "'BLOK'"), Language::cuda).error().message.find("block of") !=
        std::string::npos);
  CHECK(check(with(cuda, "4 * BLOCK'", "4 * BLOK'"), Language::cuda)
            .error()
            .message.find("shared of") != std::string::npos);
}

TEST_CASE("kernels need a launch") {
  for (const char* text : {"int x;", "/*kernatlas\n[tune]\nA = [1]\n*/\n"}) {
    const auto fits = check(text);
    REQUIRE_FALSE(fits);
    CHECK(fits.error().line == 1);
    CHECK(fits.error().message == "the source has no [[launch]]");
    CHECK(fits.error().hint.find("/*kernatlas") != std::string::npos);
  }
}
