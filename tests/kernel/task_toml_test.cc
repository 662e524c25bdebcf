#include "kernel/task_toml.h"

#include <doctest/doctest.h>

#include "tests/kernel/rmsnorm_task.h"

using namespace kernatlas;
using testing::kTaskText;
using testing::with;

namespace {
using Strings = std::vector<std::string>;

TaskDraft parse(const std::string& text) {
  auto draft = parse_task(text, "task.toml");
  if (!draft) FAIL(draft.error().text());
  return std::move(*draft);
}
}  // namespace

TEST_CASE("a whole task is read") {
  const TaskDraft draft = parse(kTaskText);
  const Task& task = draft.task;
  CHECK(task.summary == "row norms");
  CHECK(task.tags == Strings{"reduction"});
  CHECK(task.dims == Strings{"ROWS", "COLS"});
  REQUIRE(task.workloads.size() == 2);
  CHECK(task.workloads[0].name == "small");
  CHECK(task.workloads[0].role == WorkloadRole::search);
  CHECK(task.workloads[0].dims == Dims{8, 64});
  CHECK(task.workloads[1].role == WorkloadRole::holdout);
  CHECK(task.workloads[1].dims == Dims{3, 13});
  REQUIRE(task.inputs.size() == 2);
  CHECK(task.inputs[0].type == DType::f32);
  CHECK(task.inputs[0].elements({8, 64}) == 512);
  REQUIRE(task.inputs[0].fills.size() == 2);
  CHECK(task.inputs[0].fills[1].kind == FillKind::wide);
  CHECK(task.inputs[1].type == DType::f16);
  REQUIRE(task.inputs[1].fills.size() == 1);
  CHECK(task.inputs[1].fills[0].kind == FillKind::normal);
  CHECK_FALSE(task.inputs[0].in_place);
  REQUIRE(task.outputs.size() == 1);
  CHECK(task.outputs[0].name == "y");
  REQUIRE(task.outputs[0].reduction);
  CHECK(task.outputs[0].reduction->evaluate(Dims{8, 64}) == 64);
  CHECK_FALSE(task.outputs[0].tolerance);
  REQUIRE(draft.reference);
  CHECK(draft.reference->path == "reference.cpp");
  CHECK(draft.reference->line == 29);
  CHECK_FALSE(draft.recorded);
  CHECK(draft.baselines.empty());
}

TEST_CASE("optional parts") {
  const TaskDraft draft = parse(kTaskText + R"toml(
[[input]]
name = "state"
type = "i32"
shape = []
in_place = true
[[input]]
name = "index"
type = "i64"
shape = ["ROWS * 2", 3]
fill = "indices(COLS - 1)"
[[output]]
name = "flag"
type = "bool"
shape = [1]
tolerance = 1e-3
[[baseline]]
name = "library"
backend = "cpu"
source = "baselines/x.cpp"
libraries = ["openblas", "stdc++"]
include_dirs = ["/usr/include/eigen3", "more"]
[[axis]]
feature = "code_bytes"
unit = "bytes"
scale = "log2"
edges = [64, 128.5, 1e6]
[[axis]]
feature = "tune.ORDER"
scale = "categorical"
labels = ["rows", "columns"]
)toml");
  const Task& task = draft.task;
  CHECK(task.inputs[2].in_place);
  CHECK(task.inputs[2].fills[0].kind == FillKind::integers);
  CHECK(task.inputs[2].elements({8, 64}) == 1);
  CHECK(task.inputs[3].fills[0].kind == FillKind::indices);
  CHECK(task.inputs[3].fills[0].bound == "COLS - 1");
  CHECK(task.inputs[3].elements({8, 64}) == 48);
  CHECK(task.outputs[1].tolerance == 1e-3);
  REQUIRE(task.baselines.size() == 1);
  CHECK(task.baselines[0].backend == "cpu");
  CHECK(task.baselines[0].libraries == Strings{"openblas", "stdc++"});
  CHECK(task.baselines[0].include_dirs == Strings{"/usr/include/eigen3", "more"});
  CHECK(draft.baselines[0].path == "baselines/x.cpp");
  REQUIRE(task.axes.size() == 2);
  CHECK(task.axes[0].unit == "bytes");
  CHECK(task.axes[0].edges == std::vector<double>{64, 128.5, 1e6});
  CHECK(task.axes[1].labels == Strings{"rows", "columns"});
  REQUIRE(draft.axis_lines.size() == 2);
  CHECK(draft.axis_lines[1] == draft.axis_lines[0] + 5);
}

TEST_CASE("every type has a default fill") {
  for (const char* type :
       {"f64", "f32", "f16", "bf16", "f8_e4m3", "f8_e5m2", "i8", "u8", "i32", "i64", "bool"}) {
    CAPTURE(type);
    const auto draft =
        parse(with(kTaskText, "type = \"f16\"", "type = \"" + std::string(type) + "\""));
    const Tensor& weight = draft.task.inputs[1];
    CHECK(name(weight.type) == type);
    REQUIRE(weight.fills.size() == 1);
    CHECK(weight.fills[0].kind == (is_float(weight.type) ? FillKind::normal : FillKind::integers));
  }
}

TEST_CASE("a recorded task is its table") {
  const TaskDraft draft = parse("recorded = \"tables/a.csv.gz\"\n");
  REQUIRE(draft.recorded);
  CHECK(draft.recorded->path == "tables/a.csv.gz");
  CHECK(draft.task.recorded_table == "tables/a.csv.gz");
  CHECK(draft.task.workloads.empty());
  CHECK(parse("summary = 's'\ntags = ['t']\nrecorded = 'a.csv'").task.summary == "s");
}

namespace {
struct Bad {
  std::string from;
  std::string to;
  int line;
  std::string piece;
};

void check_bad(const std::string& text, int line, const std::string& piece) {
  const auto draft = parse_task(text, "dir/task.toml");
  REQUIRE_FALSE(draft);
  CHECK(draft.error().code == ErrorCode::bad_input);
  CHECK(draft.error().file == "dir/task.toml");
  CHECK(draft.error().line == line);
  CHECK_FALSE(draft.error().message.empty());
  CHECK_MESSAGE(draft.error().text().find(piece) != std::string::npos, draft.error().text());
}
}  // namespace

TEST_CASE("a changed line is refused with file, line and reason") {
  const std::vector<Bad> bad = {
      {"summary = ", "sumary = ", 1, "did you mean \"summary\"?"},
      {"summary = \"row norms\"\n", "", 1, "\"summary\" is missing in the task"},
      {"\"row norms\"", "3", 1, "\"summary\" of the task is an integer; expected a string"},
      {"\"row norms\"", "\"\"", 1, "one line of at most 500 characters"},
      {"\"row norms\"", "\"a\\nb\"", 1, "one line"},
      {"\"row norms\"", "\"row norms", 1, "not TOML"},
      {"tags = [\"reduction\"]", "tags = [1]", 2, "\"tags\" of the task contains an integer"},
      {"[\"ROWS\", \"COLS\"]\n\n", "\"ROWS\"\n\n", 3, "expected an array of strings"},
      {"[\"ROWS\", \"COLS\"]\n\n", "[\"ROWS\", \"ROWS\"]\n\n", 3, "is already that of a dim"},
      {"[\"ROWS\", \"COLS\"]\n\n", "[\"ROWS\", \"class\"]\n\n", 3, "is a C++ keyword"},
      {"[\"ROWS\", \"COLS\"]\n\n", "[\"ROWS\", \"2\"]\n\n", 3, "is not an identifier"},
      {"name = \"small\"\n", "", 5, "\"name\" is missing in [[workload]]"},
      {"name = \"small\"", "name = \"\"", 6, "\"name\" is not a name"},
      {"name = \"small\"", "name = \"odd\"", 9, "the name \"odd\" occurs twice"},
      {"name = \"small\"", "name = \"small\"\nrole = \"holdout\"", 5, "no search workload"},
      {"role = \"holdout\"", "role = \"hidden\"", 10, "expected \"search\" or \"holdout\""},
      {"role = \"holdout\"", "roll = \"holdout\"", 10, "did you mean \"role\"?"},
      {"role = \"holdout\"", "summary = \"late\"", 10, "above the first [table]"},
      {"ROWS = 8, COLS = 64", "ROWS = 8", 7, "\"COLS\" is missing in the dims of small"},
      {"ROWS = 8,", "ROWS = 8, DEPTH = 2,", 7, "unknown key \"DEPTH\" in the dims of small"},
      {"ROWS = 8,", "ROWS = 0,", 7, "the dim ROWS of small is no size; expected an integer from 1"},
      {"ROWS = 8,", "ROWS = -8,", 7, "an integer from 1"},
      {"ROWS = 8,", "ROWS = 8.0,", 7, "an integer from 1"},
      {"ROWS = 8,", "ROWS = 9007199254740993,", 7, "an integer from 1"},
      {"dims = { ROWS = 8, COLS = 64 }", "dims = 8", 7, "\"dims\" of [[workload]] is an integer"},
      {"dims = { ROWS = 8, COLS = 64 }\n", "", 5, "\"dims\" is missing in [[workload]]"},
      {"[[workload]]\nname = \"small\"", "[workload]\nname = \"small\"", 8, "not TOML"},
      {"name = \"x\"", "name = \"ROWS\"", 14, "is already that of a dim"},
      {"name = \"x\"", "name = \"weight\"", 19, "is already that of an input"},
      {"name = \"y\"", "name = \"x\"", 23, "is already that of an input"},
      {"name = \"x\"", "name = \"a-b\"", 14, "\"a-b\" of an input is not an identifier"},
      {"type = \"f16\"", "type = \"float16\"", 20, "the type \"float16\" is unknown"},
      {"type = \"f16\"", "type = \"f18\"", 20, "did you mean f16?"},
      {"type = \"f16\"\n", "", 18, "\"type\" is missing in [[input]]"},
      {"shape = [\"COLS\"]\n", "", 18, "\"shape\" is missing in [[input]]"},
      {"shape = [\"COLS\"]", "shape = [\"COL\"]", 21, "\"COL\" in shape"},
      {"shape = [\"COLS\"]", "shape = [\"COLS - 13\"]", 21, "for the workload odd"},
      {"shape = [\"COLS\"]", "shape = [0]", 21,
       "the size \"0\" of weight is 0; expected a positive"},
      {"shape = [\"COLS\"]", "shape = [4294967296, 4294967296]", 21, "at most 2^53 elements"},
      {"shape = [\"COLS\"]", "shape = [\"COLS / (ROWS - 8)\"]", 21, "for the workload small"},
      {"shape = [\"COLS\"]", "shape = [1,1,1,1,1,1,1,1,1]", 21, "9 sizes; expected at most 8"},
      {"shape = [\"COLS\"]", "shape = \"COLS\"", 21, "an array of integers or expressions"},
      {"fill = [\"normal\", \"wide\"]", "fill = [\"normal\", \"wild\"]", 17, ""},
      {"fill = [\"normal\", \"wide\"]", "fill = []", 17, "the list of fills is empty"},
      {"fill = [\"normal\", \"wide\"]", "fill = 3", 17, "\"fill\" of [[input]] is an integer"},
      {"fill = [\"normal\", \"wide\"]", "fill = [3]", 17,
       "\"fill\" of [[input]] contains an integer"},
      {"fill = [\"normal\", \"wide\"]", "fill = \"indices(ROWS)\"", 17, ""},
      {"type = \"f16\"\nshape = [\"COLS\"]",
       "type = \"u8\"\nshape = [\"COLS\"]\nfill = \"indices(COLS * 99)\"", 22,
       "for the workload small: fill \"indices(COLS * 99)\": the bound is 6336"},
      {"fill = [\"normal\", \"wide\"]", "in_place = 1", 17, "expected true or false"},
      {"fill = [\"normal\", \"wide\"]", "reduction = 3", 17,
       "unknown key \"reduction\" in [[input]]"},
      {"reduction = \"COLS\"", "reduction = \"DEPTH\"", 26, "\"DEPTH\" in reduction"},
      {"reduction = \"COLS\"", "reduction = \"COLS - 13\"", 26,
       "for the workload odd: 0; expected"},
      {"reduction = \"COLS\"", "reduction = true", 26, "an integer, or an expression"},
      {"reduction = \"COLS\"", "tolerance = -1", 26, "negative or not finite"},
      {"reduction = \"COLS\"", "tolerance = nan", 26, "negative or not finite"},
      {"reduction = \"COLS\"", "tolerance = \"1e-3\"", 26, "expected a number"},
      {"reduction = \"COLS\"", "fill = \"normal\"", 26, "unknown key \"fill\" in [[output]]"},
      {"[reference]\nsource = \"reference.cpp\"\n", "", 1, "the task has no [reference]"},
      {"source = \"reference.cpp\"", "", 28, "\"source\" is missing in [reference]"},
      {"[reference]\nsource =", "reference =", 28, ""},
      {"\"reference.cpp\"", "\"../reference.cpp\"", 29, "is not inside the task's folder"},
      {"\"reference.cpp\"", "\"a/../../r.cpp\"", 29, "is not inside the task's folder"},
      {"\"reference.cpp\"", "\"/etc/passwd\"", 29, "is not inside the task's folder"},
      {"\"reference.cpp\"", "\"\"", 29, "is not inside the task's folder"},
      {"\"reference.cpp\"", "\"a/\"", 29, "is not inside the task's folder"},
      {"\"reference.cpp\"", "\"a\\u0000b\"", 29, "the file \"a"},
      {"\"row norms\"", "\"\xff\"", 1, "the task file is not text"},
      {"[reference]", "[refrence]", 28, "did you mean \"reference\"?"},
  };
  CHECK(bad.size() >= 60);
  for (const Bad& item : bad) {
    CAPTURE(item.from);
    CAPTURE(item.to);
    const std::string text = with(kTaskText, item.from, item.to);
    REQUIRE_FALSE(text.empty());
    check_bad(text, item.line, item.piece);
  }
}

TEST_CASE("an added part is refused with file, line and reason") {
  const std::string baseline = "[[baseline]]\nname = 'b'\nbackend = 'cpu'\nsource = 'b.cpp'\n";
  const std::string axis = "[[axis]]\nfeature = 'f'\n";
  const std::vector<std::pair<std::string, std::pair<int, std::string>>> bad = {
      {"[[baseline]]\nname = 'b'\nsource = 'b.cpp'", {1, "\"backend\" is missing"}},
      {"[[baseline]]\nname = 'b'\nbackend = 'c p'\nsource = 'b'", {3, "is no backend"}},
      {baseline + baseline, {6, "the name \"b\" occurs twice"}},
      {baseline + "librarys = []", {5, "did you mean \"libraries\"?"}},
      {baseline + "libraries = ['-Wl,x']", {5, "\"-Wl,x\" is no name of a library"}},
      {baseline + "libraries = ['a/b']", {5, "is no name of a library"}},
      {baseline + "libraries = ['']", {5, "is no name of a library"}},
      {baseline + "include_dirs = ['../x']", {5, "is no folder to include from"}},
      {baseline + "include_dirs = ['-x']", {5, "is no folder to include from"}},
      {axis + "edges = [1, 2]", {1, "\"scale\" is missing in [[axis]]"}},
      {axis + "scale = 'log10'\nedges = [1, 2]", {3, "the scale \"log10\" is unknown"}},
      {axis + "scale = 'linear'", {1, "\"edges\" is missing"}},
      {axis + "scale = 'linear'\nedges = [1]", {4, "2 to 1025 numbers, each larger"}},
      {axis + "scale = 'linear'\nedges = [2, 1]", {4, "each larger than the one before"}},
      {axis + "scale = 'linear'\nedges = [1, 1]", {4, "each larger than the one before"}},
      {axis + "scale = 'quantile'\nedges = [1, inf]", {4, "do not cut an axis"}},
      {axis + "scale = 'quantile'\nedges = [nan, 1]", {4, "do not cut an axis"}},
      {axis + "scale = 'log2'\nedges = [0, 1]", {4, "positive edges only"}},
      {axis + "scale = 'log2'\nedges = ['a']", {4, "\"edges\" of [[axis]] contains a string"}},
      {axis + "scale = 'linear'\nlabels = ['a']", {4, "only a categorical axis has labels"}},
      {axis + "scale = 'categorical'\nedges = [1, 2]", {4, "has no edges"}},
      {axis + "scale = 'categorical'\nlabels = []", {4, "1 to 1024 different texts"}},
      {axis + "scale = 'categorical'\nlabels = ['a', 'a']", {4, "different texts"}},
      {axis + "scale = 'categorical'\nlabels = ['']", {4, "none of them empty"}},
      {axis + "scale = 'linear'\nedges = [1, 2]\n" + axis, {6, "\"f\" occurs twice"}},
  };
  for (const auto& item : bad) {
    CAPTURE(item.first);
    check_bad(kTaskText + item.first, 29 + item.second.first, item.second.second);
  }
}

TEST_CASE("other malformed texts") {
  check_bad("", 1, "\"summary\" is missing in the task");
  check_bad("summary = 's'", 1, "the task has no search workload");
  check_bad("summary = 's'\n[[workload]]\nname = 'w'\n", 1, "the task has no [[output]]");
  check_bad("recorded = 3", 1, "\"recorded\" of the task is an integer");
  check_bad("recorded = '../t.csv'", 1, "is not inside the task's folder");
  check_bad("recorded = 't.csv'\ndims = []", 2, "a recorded task has no \"dims\"");
  check_bad("recorded = 't.csv'\n[[output]]\n", 2, "a recorded task has no \"output\"");
  check_bad("recorded = 't.csv'\nsummary = ''", 2, "one line");
  std::string axes = "recorded = 't.csv'\n";
  for (int i = 0; i < 9; ++i) {
    axes += "[[axis]]\nfeature = 'f" + std::to_string(i) + "'\nscale = 'linear'\nedges = [1, 2]\n";
  }
  check_bad(axes, 2, "there are 9 entries of \"axis\"; expected at most 8");
  const auto large = parse_task(std::string(kMaxTaskBytes + 1, '\n'), "t");
  REQUIRE_FALSE(large);
  CHECK(large.error().expected == "at most 1048576");
}
