#include "engine/store/run_lock.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <utility>

#include "tests/support/temp_dir.h"

using kernatlas::ErrorCode;
using kernatlas::store::RunLock;
using kernatlas::testing::TempDir;

TEST_CASE("a second owner is told who the first is") {
  const TempDir dir;
  auto first = RunLock::acquire(dir.path());
  REQUIRE(first);
  auto second = RunLock::acquire(dir.path());
  REQUIRE_FALSE(second);
  CHECK(second.error().code == ErrorCode::locked);
  const std::string process = "process " + std::to_string(getpid()) + " on host ";
  CHECK(second.error().message.find(process) != std::string::npos);
  CHECK(second.error().message.find("run_lock_test, since 20") != std::string::npos);
  CHECK_FALSE(second.error().hint.empty());
}

TEST_CASE("a lock lives as long as its object, moves included") {
  const TempDir dir;
  {
    auto first = RunLock::acquire(dir.path());
    REQUIRE(first);
    RunLock moved = *std::move(first);
    CHECK_FALSE(RunLock::acquire(dir.path()));
    auto elsewhere = RunLock::acquire(dir.path().parent_path() / dir.path().filename());
    CHECK_FALSE(elsewhere);
  }
  CHECK(RunLock::acquire(dir.path()));
}

TEST_CASE("what a dead process left is no obstacle, and is replaced") {
  const TempDir dir;
  dir.write("lock",
            "process 1 on host elsewhere, kernatlas, since the flood" + std::string(400, 'x'));
  auto lock = RunLock::acquire(dir.path());
  REQUIRE(lock);
  CHECK(kernatlas::testing::read_file(dir.path() / "lock") ==
        kernatlas::store::process_text() + "\n");
}

TEST_CASE("an unreadable note does not spoil the message") {
  const TempDir dir;
  auto lock = RunLock::acquire(dir.path());
  REQUIRE(lock);
  dir.write("lock", std::string("\x01\x1b[31m\nsecond line", 17));
  auto second = RunLock::acquire(dir.path());
  REQUIRE_FALSE(second);
  CHECK(second.error().message == "the run is being written by ??[31m");
  dir.write("lock", "");
  CHECK(RunLock::acquire(dir.path()).error().message ==
        "the run is being written by another process");
}

TEST_CASE("a lock file that cannot be made is an error with the cause") {
  const TempDir dir;
  dir.write("file", "");
  auto lock = RunLock::acquire(dir.path() / "file");
  REQUIRE_FALSE(lock);
  CHECK(lock.error().code == ErrorCode::io);
  CHECK(lock.error().message.find("Not a directory") != std::string::npos);
  std::filesystem::create_symlink(dir.path() / "file", dir.path() / "lock");
  CHECK_FALSE(RunLock::acquire(dir.path()));  // never follow a link somebody planted
}
