#include "backends/cpu/launcher_source.h"

#include <doctest/doctest.h>

#include "tests/backends/cpu/cpu_test_support.h"

using namespace kernatlas;
using namespace kernatlas::testing;

namespace {

LauncherSource source_of(const KernelSourcePtr& source) {
  const auto task = small_task();
  const auto plan =
      plan_launches(*task, task->workloads[0], *source, candidate_of(source).assignment);
  const std::string problem = plan ? "" : plan.error().text();
  REQUIRE_MESSAGE(plan, problem);
  return make_launcher_source(*task, *source, *plan);
}

bool contains(const LauncherSource& source, const std::string& text) {
  return source.text.find(text) != std::string::npos;
}

}  // namespace

TEST_CASE("launchers come before macros, macros before the candidate's text") {
  const std::string body = "extern \"C\" void k(const float*, const float*, float*, Block) {}";
  const LauncherSource made = source_of(one_launch(body));
  CHECK(made.launches == std::vector<std::string>{"kernatlas_launch_0"});
  CHECK(made.file == "kernel.cpp");
  const auto launcher = made.text.find("kernatlas_launch_0");
  const auto macro = made.text.find("#define ROWS 64\n");
  const auto text = made.text.find("#line 1 \"kernel.cpp\"\n/*kernatlas");
  REQUIRE(text != std::string::npos);
  CHECK(launcher < macro);
  CHECK(macro < text);
  CHECK(contains(made, "#define COLS 1000\n"));
  CHECK(made.text.ends_with(body + "\n"));            // nothing of ours follows
  CHECK(contains(made, "#line 2 \"kernel.cpp\"\n"));  // the [[launch]]
}

TEST_CASE("buffers are numbered inputs, outputs, workspaces; integers are literals") {
  const LauncherSource made = source_of(cpp_source(
      "/*kernatlas\n[tune]\nMODE = [\"a\", \"b\"]\nSHIFT = [-3]\n[workspace]\np = \"8\"\nq = "
      "\"8\"\n"
      "[[launch]]\nkernel = \"f\"\nargs = [\"q\", \"y\", \"w\", \"p\", \"COLS - 1001\"]\n"
      "[[launch]]\nkernel = \"g\"\ngrid = [\"2\", \"ROWS\"]\nargs = [\"y\"]\n*/\n"));
  CHECK(contains(made,
                 "f(Workspace{buffers[4]}, static_cast<float*>(buffers[2]), "
                 "static_cast<const float*>(buffers[1]), Workspace{buffers[3]}, "
                 "std::int64_t{-1}, at)"));
  CHECK(contains(made, "g(static_cast<float*>(buffers[2]), at)"));
  CHECK(contains(made, "Block{i % std::int64_t{2}, i / std::int64_t{2}, 0}"));
  CHECK(contains(made, "#define SHIFT (-3)\n"));
  CHECK(contains(made, "#define MODE 0\n"));
  CHECK(contains(made, "#define MODE_b 1\n"));
  CHECK(made.launches.size() == 2);
}

TEST_CASE("types follow the task") {
  const auto task = small_task();
  task->inputs[0].type = DType::bf16;
  task->inputs[1].in_place = true;
  task->outputs[0].type = DType::i64;
  const auto source = one_launch("");
  const auto plan = plan_launches(*task, task->workloads[0], *source, {});
  REQUIRE(plan);
  const LauncherSource made = make_launcher_source(*task, *source, *plan);
  CHECK(contains(made,
                 "k(static_cast<const std::uint16_t*>(buffers[0]), "
                 "static_cast<float*>(buffers[1]), static_cast<std::int64_t*>(buffers[2]), "
                 "at)"));
}

TEST_CASE("file names cannot leave their quotes or their folder") {
  const auto named = [](const std::string& file) {
    return source_of(cpp_source(with_launch(""), file)).file;
  };
  CHECK(named("/some/where/soft max.cpp") == "soft max.cpp");
  CHECK(named("a\"\n#define x.cpp") == "a__#define x.cpp");
  CHECK(named("back\\slash.cpp") == "back_slash.cpp");
  CHECK(named("..") == "kernel.cpp");
  CHECK(named("") == "kernel.cpp");
  CHECK(named(std::string(1000, 'x') + ".cpp") == "kernel.cpp");
}

TEST_CASE("the reference takes every input and output, floats as double") {
  const auto task = small_task();
  task->inputs[1].type = DType::u8;
  const auto reference = KernelSource::parse("void reference() {}", Language::cpp, "reference.cpp");
  REQUIRE(reference);
  const LauncherSource made = make_reference_source(*task, task->workloads[1], **reference);
  CHECK(contains(made, "void reference(const double*, const std::int64_t*, double*);"));
  CHECK(contains(made, "#define ROWS 7\n"));
  CHECK(made.launches == std::vector<std::string>{"kernatlas_launch_0"});
}
