#include "backends/recorded/recorded_task.h"

#include <doctest/doctest.h>

#include "kernel/launch_plan.h"
#include "tests/support/gzip_text.h"
#include "tests/support/temp_dir.h"

using namespace kernatlas;

namespace {

constexpr const char* kTable =
    "# dims: N=1000\n"
    "# constraint: small = \"A * B <= N / 10\"\n"
    "A,MODE,B,status,median_ms\n"
    "1,fast,5,measured,3\n"
    "16,slow,5,measured,4\n"
    "2,fast,7,crashed,\n"
    "4,fast,5,measured,2\n";

}  // namespace

TEST_CASE("a table makes a task: tunables, constraints, dims and axes") {
  testing::TempDir dir;
  const auto loaded = load_recorded_task(dir.write("space-X1.csv.gz", testing::gzip_text(kTable)));
  REQUIRE(loaded);
  const Task& task = **loaded;
  CHECK(task.name == "space-X1");
  CHECK(task.dims == std::vector<std::string>{"N"});
  REQUIRE(task.workloads.size() == 1);
  CHECK(task.workloads[0].dims == Dims{1000});
  CHECK(task.workloads[0].role == WorkloadRole::search);
  REQUIRE(task.seeds.size() == 1);
  const KernelSource& source = *task.seeds[0];
  CHECK(source.language() == Language::recorded);
  REQUIRE(source.tunables().size() == 3);
  CHECK(source.tunables()[0].values == std::vector<std::int64_t>{1, 2, 4, 16});
  CHECK(source.tunables()[1].labels == std::vector<std::string>{"fast", "slow"});
  CHECK(is_valid(task, source, {16, 0, 5}));
  CHECK_FALSE(is_valid(task, source, {16, 0, 7}));  // 112 > 100
  CHECK(task.axes.size() == 2);
  CHECK(task.axes[0].feature == "tune.A");
  CHECK(task.axes[0].scale == "log2");
  CHECK(task.axes[0].edges == std::vector<double>{1, 2, 4, 16, 32});
  CHECK(task.axes[1].feature == "tune.MODE");
  CHECK(task.axes[1].scale == "categorical");
  CHECK(task.axes[1].labels == std::vector<std::string>{"fast", "slow"});
}

TEST_CASE("axes have at most sixteen bins, and narrow or negative values are linear") {
  std::string text = "A,B,C,status,median_ms\n";
  for (int i = 0; i < 40; ++i) {
    text += std::to_string(i * 3) + "," + std::to_string(i % 20 - 4) + ",1,measured,1\n";
  }
  const auto table = RecordedTable::parse(text, "t.csv");
  REQUIRE(table);
  const auto axes = recorded_axes(*table);
  REQUIRE(axes.size() == 2);
  CHECK(axes[0].feature == "tune.A");
  CHECK(axes[0].scale == "linear");
  CHECK(axes[0].edges.size() == kAxisBins + 1);
  CHECK(axes[0].edges.front() == 0);
  CHECK(axes[0].edges.back() == 118);
  CHECK(std::is_sorted(axes[0].edges.begin(), axes[0].edges.end()));
  CHECK(axes[1].feature == "tune.B");
  CHECK(axes[1].edges.front() == -4);
  CHECK(recorded_axes(*RecordedTable::parse("A,status,median_ms\n1,measured,2\n", "t")).size() ==
        1);
}

TEST_CASE("a task folder that names a table is completed from it") {
  testing::TempDir dir;
  dir.write("space/table.csv", kTable);
  dir.write("space/task.toml",
            "summary = \"told\"\ntags = [\"tagged\"]\nrecorded = \"table.csv\"\n");
  const auto folder = load_task(dir.path() / "space");
  REQUIRE(folder);
  CHECK((*folder)->seeds.empty());
  const auto task = complete_recorded_task(*folder);
  REQUIRE(task);
  CHECK((*task)->name == "space");
  CHECK((*task)->summary == "told");
  CHECK((*task)->seeds.size() == 1);
  CHECK((*task)->axes.size() == 2);
  CHECK((*task)->hash == (*folder)->hash);
  CHECK(complete_recorded_task(*task).value() == *task);  // nothing left to do
}

TEST_CASE("a table's errors are the task's") {
  testing::TempDir dir;
  const auto task = load_recorded_task(dir.write("t.csv", "A,status,median_ms\n1,measured,x\n"));
  REQUIRE_FALSE(task);
  CHECK(task.error().line == 2);
}
