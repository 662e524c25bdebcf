#include "kernel/task.h"

#include <doctest/doctest.h>

#include <filesystem>

#include "kernel/kernel_source.h"
#include "tests/kernel/rmsnorm_task.h"
#include "tests/support/temp_dir.h"

using namespace kernatlas;
using testing::kKernelText;
using testing::kTaskText;
using testing::with;
namespace fs = std::filesystem;

namespace {

const std::string kBaseline =
    "[[baseline]]\nname = \"plain\"\nbackend = \"cpu\"\nsource = \"baselines/plain.cpp\"\n"
    "include_dirs = [\"include\", \"/usr/include/eigen3\"]\n";

// A complete task in a folder of its own.
struct Folder {
  testing::TempDir dir;
  Folder() {
    write("task.toml", kTaskText + kBaseline);
    write("reference.cpp", testing::kReferenceText);
    write("baselines/plain.cpp", kKernelText);
    write("seeds/b.cpp", kKernelText);
    write("seeds/a.cpp", kKernelText + "// another\n");
    write("seeds/README.md", "not a seed");
  }
  void write(const std::string& name, const std::string& text) { dir.write("norm/" + name, text); }
  [[nodiscard]] fs::path path() const { return dir.path() / "norm"; }
  [[nodiscard]] std::shared_ptr<const Task> load() const {
    auto task = load_task(path());
    if (!task) FAIL(task.error().text());
    return *task;
  }
  [[nodiscard]] Error problem() const {
    auto task = load_task(path());
    REQUIRE_FALSE(task);
    return task.error();
  }
};

}  // namespace

TEST_CASE("a folder becomes a task") {
  const Folder folder;
  const auto task = folder.load();
  CHECK(task->name == "norm");
  CHECK(task->folder == folder.path());
  CHECK(task->recorded_table.empty());
  REQUIRE(task->reference);
  CHECK(task->reference->text() == testing::kReferenceText);
  REQUIRE(task->baselines.size() == 1);
  CHECK(task->baselines[0].source->text() == kKernelText);
  CHECK(task->baselines[0].include_dirs ==
        std::vector<std::string>{(folder.path() / "include").string(), "/usr/include/eigen3"});
  REQUIRE(task->seeds.size() == 2);
  CHECK(task->seeds[0]->file() == (folder.path() / "seeds/a.cpp").string());
  CHECK(task->seeds[1]->text() == kKernelText);
}

TEST_CASE("the name is the folder's, however it is written") {
  const Folder folder;
  CHECK(load_task(folder.path() / "").value()->name == "norm");
  CHECK(load_task(folder.path() / ".").value()->name == "norm");
  CHECK(load_task(folder.path() / "seeds" / "..").value()->name == "norm");
}

TEST_CASE("the hash covers every file used, and only contents") {
  const Folder folder;
  const Folder copy;
  const Hash128 hash = folder.load()->hash;
  CHECK(copy.load()->hash == hash);
  const auto changes = [&](const std::string& name, const std::string& text) {
    Folder changed;
    changed.write(name, text);
    return !(changed.load()->hash == hash);
  };
  CHECK(changes("task.toml", kTaskText + kBaseline + "# a comment\n"));
  CHECK(changes("reference.cpp", testing::kReferenceText + "\n"));
  CHECK(changes("baselines/plain.cpp", kKernelText + "\n"));
  CHECK(changes("seeds/a.cpp", kKernelText + "\n"));
  CHECK(changes("seeds/c.cpp", kKernelText));
  CHECK_FALSE(changes("seeds/README.md", "other"));
  CHECK_FALSE(changes("unused.cpp", "int x;"));
  const Folder renamed;
  fs::rename(renamed.path() / "seeds/a.cpp", renamed.path() / "seeds/a0.cpp");
  CHECK_FALSE(renamed.load()->hash == hash);
}

TEST_CASE("a task without seeds or baselines loads") {
  const Folder folder;
  folder.dir.write("norm/task.toml", kTaskText);
  fs::remove_all(folder.path() / "seeds");
  const auto task = folder.load();
  CHECK(task->seeds.empty());
  CHECK(task->baselines.empty());
}

TEST_CASE("a recorded task has its table and nothing else") {
  Folder folder;
  folder.write("task.toml", "summary = \"s\"\nrecorded = \"t.csv\"\n");
  folder.write("t.csv", "A,status\n1,measured\n");
  const auto task = folder.load();
  CHECK(task->recorded_table == folder.path() / "t.csv");
  CHECK_FALSE(task->reference);
  CHECK(task->seeds.empty());
  const Hash128 hash = task->hash;
  folder.write("t.csv", "A,status\n2,measured\n");
  CHECK_FALSE(folder.load()->hash == hash);
  fs::remove(folder.path() / "t.csv");
  CHECK(folder.problem().line == 2);
}

TEST_CASE("missing folders and files") {
  const testing::TempDir dir;
  const auto none = load_task(dir.path() / "none");
  REQUIRE_FALSE(none);
  CHECK(none.error().message == "there is no task.toml");
  CHECK(none.error().file == (dir.path() / "none").string());
  CHECK(load_task(dir.path()).error().expected == "the folder of a task");

  const Folder folder;
  fs::remove(folder.path() / "reference.cpp");
  const Error error = folder.problem();
  CHECK(error.file == (folder.path() / "task.toml").string());
  CHECK(error.line == 29);
  CHECK(error.message == "the file reference.cpp does not exist");
}

TEST_CASE("files outside the folder are refused, links too") {
  const Folder folder;
  const auto outside = folder.dir.write("outside.cpp", testing::kReferenceText);
  fs::remove(folder.path() / "reference.cpp");
  fs::create_symlink(outside, folder.path() / "reference.cpp");
  CHECK(folder.problem().message == "reference.cpp is a link out of the folder");
  fs::remove(folder.path() / "reference.cpp");
  folder.dir.write("norm/inside.cpp", testing::kReferenceText);
  fs::create_symlink("inside.cpp", folder.path() / "reference.cpp");
  CHECK(folder.load()->reference->text() == testing::kReferenceText);
}

TEST_CASE("sources that do not fit the task") {
  struct Bad {
    std::string name;
    std::string text;
    int line;
    std::string piece;
  };
  const std::vector<Bad> bad = {
      {"reference.cpp", "int refrence;", 1, "the reference has no function \"reference\""},
      {"reference.cpp", kKernelText, 1, "the reference has front matter"},
      {"reference.cpp", "a\n\xff", 2, "the source is not text"},
      {"baselines/plain.cpp", "int x;", 1, "the source has no [[launch]]"},
      {"baselines/plain.cpp", with(kKernelText, "<= COLS", "<= COL"), 6, "unknown name COL"},
      {"seeds/a.cpp", with(kKernelText, "\"y\"", "\"z\""), 9, "unknown name z"},
      {"seeds/a.cpp", with(kKernelText, "BLOCK = [4", "BLOCK = [\"4\""), 3,
       "the label \"4\" of BLOCK"},
      {"seeds/c.cpp", "int x;", 1, "the source has no [[launch]]"},
      {"seeds/c.spv", "\x03\x02#\x07", 0, "cannot carry front matter"},
  };
  for (const Bad& item : bad) {
    CAPTURE(item.name);
    Folder folder;
    folder.write(item.name, item.text);
    const Error error = folder.problem();
    CHECK(error.file == (folder.path() / item.name).string());
    CHECK(error.line == item.line);
    CHECK_MESSAGE(error.text().find(item.piece) != std::string::npos, error.text());
  }
}

TEST_CASE("references and baselines need the ending of a source") {
  Folder folder;
  folder.write("task.toml", with(kTaskText, "reference.cpp", "reference.txt"));
  folder.write("reference.txt", testing::kReferenceText);
  CHECK(folder.problem().message == "reference.txt has not the ending of a kernel source");
  CHECK(folder.problem().line == 29);
  folder.write("task.toml", with(kTaskText, "reference.cpp", "reference.py"));
  folder.write("reference.py", "def reference(): pass\n");
  CHECK(folder.problem().message == "the reference is a python source");
}

TEST_CASE("an axis over a tunable needs it in every seed") {
  const std::string axis =
      "[[axis]]\nfeature = \"tune.BLOCK\"\nscale = \"linear\"\nedges = [0, 8, 32]\n";
  Folder folder;
  folder.write("task.toml", kTaskText + axis);
  CHECK(folder.load()->axes.size() == 1);
  folder.write("task.toml", kTaskText + with(axis, "BLOCK", "TILE"));
  const Error error = folder.problem();
  CHECK(error.line == 30);
  CHECK(error.message.find("the axis tune.TILE needs a tunable TILE, which") == 0);
}

TEST_CASE("dims by name, workloads by role") {
  const Folder folder;
  const auto task = folder.load();
  const Names names = task->names_of(task->workloads[1]);
  REQUIRE(names.find("ROWS") != nullptr);
  CHECK(*names.find("ROWS") == 3);
  CHECK(*names.find("COLS") == 13);
  CHECK(names.find("y") == nullptr);
  CHECK(task->workloads_with(WorkloadRole::search) == std::vector<std::size_t>{0});
  CHECK(task->workloads_with(WorkloadRole::holdout) == std::vector<std::size_t>{1});
}

TEST_CASE("elements say what is wrong with a size") {
  const Folder folder;
  const auto task = folder.load();
  const Tensor& x = task->inputs[0];
  CHECK(x.elements({3, 5}) == 15);
  CHECK(x.elements({0, 5}).error().message == "the size \"ROWS\" of x is 0");
  CHECK(x.elements({3, -1}).error().message == "the size \"COLS\" of x is -1");
  CHECK(x.elements({std::int64_t{1} << 40, std::int64_t{1} << 40}).error().message ==
        "x is too large");
}
