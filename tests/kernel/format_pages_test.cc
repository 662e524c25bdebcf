// The examples of docs/formats/task.md and docs/formats/kernel-source.md are read as a user would
// use them.
#include <doctest/doctest.h>

#include <sstream>

#include "kernel/kernel_source.h"
#include "kernel/launch_plan.h"
#include "kernel/task.h"
#include "kernel/task_toml.h"
#include "tests/support/temp_dir.h"

using namespace kernatlas;

namespace {

struct Example {
  std::string language;  // after the fence: "toml", "cpp", "" …
  std::string text;
  int line = 0;
};

std::vector<Example> examples(const std::string& page) {
  const std::string text = testing::read_file(testing::source_dir() / "docs/formats" / page);
  REQUIRE_FALSE(text.empty());
  std::istringstream in(text);
  std::vector<Example> out;
  bool inside = false;
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.rfind("```", 0) == 0) {
      if (!inside) out.push_back({line.substr(3), "", number});
      inside = !inside;
    } else if (inside) {
      out.back().text += line + "\n";
    }
  }
  CHECK_FALSE(inside);
  return out;
}

std::vector<Example> in_language(const std::vector<Example>& all, const std::string& language) {
  std::vector<Example> out;
  for (const Example& example : all) {
    if (example.language == language) out.push_back(example);
  }
  return out;
}

Task rmsnorm() {
  const auto complete = in_language(examples("task.md"), "toml").front();
  auto draft = parse_task(complete.text, "task.md");
  if (!draft) FAIL(draft.error().text());
  return std::move(draft->task);
}

}  // namespace

TEST_CASE("task.md: the first example is complete, the others may be added to it or stand alone") {
  const auto all = in_language(examples("task.md"), "toml");
  REQUIRE(all.size() >= 5);
  for (const Example& example : all) {
    CAPTURE(example.line);
    const bool alone = example.text.rfind("summary", 0) == 0;
    const auto draft =
        parse_task(alone ? example.text : all.front().text + example.text, "task.md");
    CHECK_MESSAGE(draft.has_value(), (draft ? "" : draft.error().text()));
  }
}

TEST_CASE("task.md and kernel-source.md: the folder they describe loads") {
  const auto task_page = examples("task.md");
  const auto sources = in_language(examples("kernel-source.md"), "cpp");
  REQUIRE(sources.size() == 1);
  const testing::TempDir dir;
  dir.write("task.toml", in_language(task_page, "toml").front().text);
  dir.write("reference.cpp", in_language(task_page, "cpp").front().text);
  dir.write("baselines/plain.cpp", sources.front().text);
  dir.write("seeds/two_launches.cpp", sources.front().text);
  const auto task = load_task(dir.path());
  if (!task) FAIL(task.error().text());
  REQUIRE((*task)->seeds.size() == 1);
  const KernelSource& seed = *(*task)->seeds.front();
  CHECK(is_valid(**task, seed, {4, 8, 1}));
  for (const Workload& workload : (*task)->workloads) {
    const auto plan = plan_launches(**task, workload, seed, {4, 8, 1});
    REQUIRE(plan);
    CHECK(plan->launches.size() == 2);
    CHECK(plan->launches[1].grid[0] == workload.dims[0]);
  }
}

TEST_CASE("kernel-source.md: fragments of front matter are read") {
  const auto all = in_language(examples("kernel-source.md"), "toml");
  REQUIRE(all.size() >= 3);
  for (const Example& example : all) {
    CAPTURE(example.line);
    const auto source = KernelSource::parse(example.text, Language::recorded, "kernel-source.md");
    if (!source) FAIL(source.error().text());
    CHECK((*source)->check_against(rmsnorm()));
  }
}

TEST_CASE("kernel-source.md: the CUDA example fits the task") {
  const auto all = in_language(examples("kernel-source.md"), "cuda");
  REQUIRE(all.size() == 1);
  const auto source = KernelSource::parse(all.front().text, Language::cuda, "kernel-source.md");
  if (!source) FAIL(source.error().text());
  CHECK((*source)->check_against(rmsnorm()));
  CHECK((*source)->launches().front().block == std::vector<std::string>{"BLOCK"});
}

TEST_CASE("kernel-source.md: the error it shows is the one a user gets") {
  const auto shown = in_language(examples("kernel-source.md"), "");
  REQUIRE(shown.size() == 1);
  const auto source =
      KernelSource::parse("/*kernatlas\n[tune]\nA = [1]\n\n[[launch]]\nargs = []\nkernal = 'k'\n*/",
                          Language::cpp, "seeds/a.cpp");
  REQUIRE_FALSE(source);
  CHECK(source.error().text() + "\n" == shown.front().text);
}
