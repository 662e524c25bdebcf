#include "archives/atlas_file.h"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include "tests/archives/atlas_sample.h"
#include "tests/support/temp_dir.h"

using namespace kernatlas::archives;
using namespace kernatlas::archives::testing;
using kernatlas::testing::read_file;
using kernatlas::testing::TempDir;
namespace fs = std::filesystem;

namespace {

std::size_t files_in(const fs::path& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

}  // namespace

TEST_CASE("without commit the old file stays and nothing else is left") {
  const TempDir dir;
  const auto file = dir.write("a.atlas", "old");
  {
    const auto saved = SavedFile::create(file);
    REQUIRE(saved.has_value());
    REQUIRE((*saved)->write(std::string(3 << 20, 'n')).has_value());
    CHECK(read_file(file) == "old");
  }
  CHECK(read_file(file) == "old");
  CHECK(files_in(dir.path()) == 1);
}

TEST_CASE("two savers of one file: the second is told so, and the file is whole") {
  const TempDir dir;
  const auto file = dir.path() / "a.atlas";
  auto first = SavedFile::create(file);
  REQUIRE(first.has_value());
  const auto second = SavedFile::create(file);
  REQUIRE_FALSE(second.has_value());
  CHECK(second.error().kind == AtlasError::Kind::busy);
  REQUIRE((*first)->write("whole").has_value());
  REQUIRE((*first)->commit().has_value());
  CHECK(read_file(file) == "whole");
  first->reset();
  CHECK(SavedFile::create(file).has_value());
}

TEST_CASE("places that cannot be written give an error, not a file") {
  const TempDir dir;
  const auto missing = SavedFile::create(dir.path() / "none" / "a.atlas");
  REQUIRE_FALSE(missing.has_value());
  CHECK(missing.error().kind == AtlasError::Kind::bad_input);
  fs::create_directory(dir.path() / "folder");
  const auto saved = SavedFile::create(dir.path() / "folder");
  REQUIRE(saved.has_value());
  CHECK_FALSE((*saved)->commit().has_value());
  CHECK(fs::is_directory(dir.path() / "folder"));
  CHECK_FALSE(SavedFile::create("/dev/full/a").has_value());
  CHECK_FALSE(FileSource::open(dir.path()).has_value());
  CHECK_FALSE(FileSource::open("/dev/zero").has_value());
  mkfifo((dir.path() / "pipe").c_str(), 0600);
  CHECK_FALSE(FileSource::open(dir.path() / "pipe").has_value());
}

TEST_CASE("a save killed at any moment leaves the old or the new file, and the next save works") {
  const TempDir dir;
  const auto file = dir.path() / "a.atlas";
  const Atlas old_atlas = sample_atlas(1, 50);
  const Atlas new_atlas = sample_atlas(2, 3000);
  const std::string old_bytes = bytes_of(old_atlas);
  const std::string new_bytes = bytes_of(new_atlas);
  REQUIRE(save_atlas(file, old_atlas).has_value());
  int kept_old = 0;
  int changed = 0;
  for (int round = 0; round < 60; ++round) {
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      for (;;) {
        if (!save_atlas(file, new_atlas) || !save_atlas(file, old_atlas)) _exit(1);
      }
    }
    usleep(static_cast<useconds_t>(200 + 311 * round));
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    REQUIRE(WIFSIGNALED(status));
    const std::string now = read_file(file);
    CHECK((now == old_bytes || now == new_bytes));
    (now == old_bytes ? kept_old : changed) += 1;
    CHECK(load_atlas(file).has_value());
  }
  CAPTURE(kept_old);
  CAPTURE(changed);
  CHECK(save_atlas(file, new_atlas).has_value());
  CHECK(read_file(file) == new_bytes);
  CHECK(files_in(dir.path()) == 1);
}
