#include "kernel/launch_plan.h"

#include <doctest/doctest.h>

#include "kernel/task_toml.h"
#include "tests/kernel/rmsnorm_task.h"

using namespace kernatlas;
using testing::kKernelText;
using testing::with;

namespace {

Task task() {
  return parse_task(testing::kTaskText, "task.toml").value().task;
}

KernelSourcePtr parse(const std::string& text, Language language = Language::cpp) {
  auto source = KernelSource::parse(text, language, "k.src");
  if (!source) FAIL(source.error().text());
  return *source;
}

std::string problem(const std::string& text, const Assignment& assignment,
                    Language language = Language::cpp) {
  const Task t = task();
  const auto plan = plan_launches(t, t.workloads[0], *parse(text, language), assignment);
  REQUIRE_FALSE(plan);
  CHECK(plan.error().code == ErrorCode::bad_input);
  CHECK(plan.error().file == "k.src");
  return std::to_string(plan.error().line) + " " + plan.error().text();
}

bool contains(const std::string& text, const std::string& piece) {
  const bool found = text.find(piece) != std::string::npos;
  if (!found) MESSAGE(text);
  return found;
}

using Macros = std::vector<std::pair<std::string, std::int64_t>>;
using Three = std::array<std::int64_t, 3>;

}  // namespace

TEST_CASE("a plan has every expression evaluated") {
  const Task t = task();
  const auto plan = plan_launches(t, t.workloads[0], *parse(kKernelText), {16, 1});
  REQUIRE(plan);
  CHECK(plan->macros == Macros{{"ROWS", 8},
                               {"COLS", 64},
                               {"BLOCK", 16},
                               {"ORDER", 1},
                               {"ORDER_rows", 0},
                               {"ORDER_columns", 1}});
  CHECK(plan->workspace_bytes == std::vector<std::int64_t>{32});
  REQUIRE(plan->launches.size() == 1);
  const Launch& launch = plan->launches[0];
  CHECK(launch.kernel == "norm");
  CHECK(launch.grid == Three{4, 8, 1});
  CHECK(launch.block == Three{1, 1, 1});
  CHECK(launch.shared_bytes == 0);
  REQUIRE(launch.arguments.size() == 5);
  using Kind = Argument::Kind;
  CHECK(launch.arguments[0].kind == Kind::input);
  CHECK(launch.arguments[0].index == 0);
  CHECK(launch.arguments[1].kind == Kind::input);
  CHECK(launch.arguments[1].index == 1);
  CHECK(launch.arguments[2].kind == Kind::workspace);
  CHECK(launch.arguments[2].index == 0);
  CHECK(launch.arguments[3].kind == Kind::output);
  CHECK(launch.arguments[3].index == 0);
  CHECK(launch.arguments[4].kind == Kind::integer);
  CHECK(launch.arguments[4].value == 65);
}

TEST_CASE("a plan is of one workload") {
  const Task t = task();
  const auto plan = plan_launches(t, t.workloads[1], *parse(kKernelText), {4, 0});
  REQUIRE(plan);
  CHECK(plan->launches[0].grid == Three{4, 3, 1});
  CHECK(plan->workspace_bytes[0] == 12);
}

TEST_CASE("blocks and shared memory") {
  const std::string cuda =
      with(kKernelText, "args =", "block = ['BLOCK', 2]\nshared = '4 * BLOCK'\nargs =");
  const Task t = task();
  const auto plan = plan_launches(t, t.workloads[0], *parse(cuda, Language::cuda), {8, 0});
  REQUIRE(plan);
  CHECK(plan->launches[0].block == Three{8, 2, 1});
  CHECK(plan->launches[0].shared_bytes == 32);
  CHECK(contains(problem(with(cuda, "'BLOCK', 2", "'BLOCK - 8'"), {8, 0}, Language::cuda),
                 "9 k.src:9: the block of norm is BLOCK - 8 = 0"));
  CHECK(contains(problem(with(cuda, "'4 * BLOCK'", "'-BLOCK'"), {8, 0}, Language::cuda),
                 "the shared memory of norm is -8 bytes; expected 0 to"));
  CHECK(contains(problem(with(cuda, "'4 * BLOCK'", "'1 / (BLOCK - 8)'"), {8, 0}, Language::cuda),
                 "9 k.src:9: \"1 / (BLOCK - 8)\""));
}

TEST_CASE("plans that cannot be say why, where and for which values") {
  const auto replaced = [](const char* from, const char* to) {
    return with(kKernelText, from, to);
  };
  const std::string held = problem(replaced("BLOCK <= COLS", "BLOCK > COLS"), {8, 0});
  CHECK(contains(held, "6 k.src:6: the constraint fits does not hold; expected BLOCK > COLS"));
  CHECK(contains(held, "hint: with ROWS=8 COLS=64 BLOCK=8 ORDER=rows"));
  CHECK(contains(problem(replaced("BLOCK <= COLS", "1 / (BLOCK - 8)"), {8, 0}), "6 k.src:6:"));
  CHECK(contains(problem(replaced("\"ROWS\"]", "\"ROWS - 8\"]"), {8, 0}),
                 "9 k.src:9: the grid of norm is ROWS - 8 = 0; expected 1 to 2^31 - 1"));
  CHECK(contains(problem(replaced("\"ROWS\"]", "2147483648]"), {8, 0}), "expected 1 to 2^31 - 1"));
  CHECK(contains(
      problem(replaced("[\"ceil_div(COLS, BLOCK)\", \"ROWS\"]", "[2147483647, 2147483647, 2]"),
              {8, 0}),
      "expected at most 2^48 in all"));
  CHECK(contains(problem(replaced("4 * ROWS", "0 - ROWS"), {8, 0}),
                 "8 k.src:8: the workspace partial has -8 bytes; expected 0 to 16 GiB"));
  CHECK(contains(problem(replaced("4 * ROWS", "17179869185"), {8, 0}), "expected 0 to 16 GiB"));
  CHECK(contains(problem(replaced("4 * ROWS", "ROWS % (ROWS - 8)"), {8, 0}), "8 k.src:8:"));
  CHECK(contains(problem(replaced("COLS + ORDER", "COLS / ORDER"), {8, 0}),
                 "9 k.src:9: \"COLS / ORDER\""));
}

TEST_CASE("an assignment must be the source's") {
  for (const Assignment& wrong : {Assignment{}, Assignment{8}, Assignment{8, 0, 0},
                                  Assignment{5, 0}, Assignment{8, 2}, Assignment{8, -1}}) {
    CHECK(contains(problem(kKernelText, wrong), "the assignment does not belong to the source"));
    CHECK_FALSE(is_valid(task(), *parse(kKernelText), wrong));
  }
}

TEST_CASE("validity is about all workloads, hidden ones included") {
  const Task t = task();
  const auto source = parse(kKernelText);
  CHECK(is_valid(t, *source, {8, 0}));
  // 16 fits the 64 columns of the search workload, not the 13 of the holdout.
  CHECK(plan_launches(t, t.workloads[0], *source, {16, 0}));
  CHECK_FALSE(plan_launches(t, t.workloads[1], *source, {16, 0}));
  CHECK_FALSE(is_valid(t, *source, {16, 0}));
  CHECK_FALSE(is_valid(t, *parse(with(kKernelText, "BLOCK <= COLS", "1 / ORDER")), {8, 0}));
  CHECK_FALSE(is_valid(t, *parse(with(kKernelText, "BLOCK <= COLS", "UNKNOWN")), {8, 0}));
}

TEST_CASE("validity agrees with planning for every assignment") {
  const Task t = task();
  const auto source =
      parse(with(kKernelText, "BLOCK <= COLS", "COLS % BLOCK == ORDER * (COLS % 2)"));
  int valid = 0;
  for (const std::int64_t block : source->tunables()[0].values) {
    for (const std::int64_t order : source->tunables()[1].values) {
      const Assignment assignment{block, order};
      bool planned = true;
      for (const Workload& workload : t.workloads) {
        planned = planned && plan_launches(t, workload, *source, assignment).has_value();
      }
      CHECK(is_valid(t, *source, assignment) == planned);
      valid += planned ? 1 : 0;
    }
  }
  CHECK(valid == 1);  // 4, columns: 64 % 4 = 0 and 13 % 4 = 1
}

TEST_CASE("constraints hold or not without workloads too") {
  const auto source =
      parse("[tune]\nA = [1, 2, 3]\n[constraint]\nc = 'A != 2'\n", Language::recorded);
  const Task recorded;
  CHECK(is_valid(recorded, *source, {1}));
  CHECK_FALSE(is_valid(recorded, *source, {2}));
}

TEST_CASE("names and values go together") {
  const Task t = task();
  const auto source = parse(kKernelText);
  const auto names = expression_names(t, *source);
  const auto values = expression_values(t.workloads[0].dims, *source, {8, 1});
  CHECK(names ==
        std::vector<std::string>{"ROWS", "COLS", "BLOCK", "ORDER", "ORDER_rows", "ORDER_columns"});
  CHECK(values == std::vector<std::int64_t>{8, 64, 8, 1, 0, 1});
}
