#include "backends/cpu/object_cache.h"

#include <doctest/doctest.h>

#include <fstream>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/temp_dir.h"

using namespace kernatlas;
namespace fs = std::filesystem;

namespace {

Hash128 key(int i) {
  return hash128("key " + std::to_string(i));
}

std::vector<fs::path> files_of(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& item : fs::directory_iterator(folder)) files.push_back(item.path());
  return files;
}

}  // namespace

TEST_CASE("what was put comes back, byte for byte, also from another instance") {
  const testing::TempDir dir;
  ObjectCache cache(dir.path(), 1 << 20);
  const CachedObject object{std::string("\0\x7f image\n", 9), "warning: unused"};
  CHECK_FALSE(cache.get(key(1)));
  cache.put(key(1), object);
  ObjectCache other(dir.path(), 1 << 20);
  const auto found = other.get(key(1));
  REQUIRE(found);
  CHECK(found->image == object.image);
  CHECK(found->log == object.log);
  CHECK_FALSE(other.get(key(2)));
}

TEST_CASE("an empty object and an empty log are entries, too") {
  const testing::TempDir dir;
  ObjectCache cache(dir.path(), 1 << 20);
  cache.put(key(1), {});
  REQUIRE(cache.get(key(1)));
  CHECK(cache.get(key(1))->image.empty());
}

TEST_CASE("every flipped byte, every cut and every wrong name makes an entry absent") {
  const testing::TempDir dir;
  ObjectCache cache(dir.path(), 1 << 20);
  cache.put(key(1), {"some image bytes", "log"});
  const fs::path file = files_of(dir.path()).at(0);
  const std::string good = testing::read_file(file);
  const auto rewrite = [&](const fs::path& target, const std::string& content) {
    std::ofstream(target, std::ios::binary | std::ios::trunc) << content;
  };
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 0x20);
    rewrite(file, bad);
    CAPTURE(i);
    CHECK_FALSE(cache.get(key(1)));
    rewrite(file, good.substr(0, i));
    CHECK_FALSE(cache.get(key(1)));
  }
  rewrite(file, good + "more");
  CHECK_FALSE(cache.get(key(1)));
  // A good entry under another key's name.
  rewrite(file.parent_path() / (key(2).hex() + ".object"), good);
  CHECK_FALSE(cache.get(key(2)));
  // And it is replaced.
  cache.put(key(1), {"new", ""});
  CHECK(cache.get(key(1))->image == "new");
}

TEST_CASE("the least recently used go when the bound is passed") {
  const testing::TempDir dir;
  ObjectCache cache(dir.path(), 10000);
  const std::string image(1500, 'x');
  const auto old = fs::file_time_type::clock::now() - std::chrono::hours(2);
  for (int i = 0; i < 6; ++i) {
    cache.put(key(i), {image, ""});
    // Ages that any file system tells apart.
    fs::last_write_time(dir.path() / (key(i).hex() + ".object"), old + std::chrono::minutes(i));
  }
  CHECK(cache.get(key(0)));  // used just now
  cache.put(key(6), {image, ""});
  CHECK(cache.bytes() <= 10000);
  CHECK(cache.get(key(0)));
  CHECK_FALSE(cache.get(key(1)));
  CHECK(cache.get(key(5)));
  CHECK(cache.get(key(6)));
}

TEST_CASE("an entry larger than the bound is not kept, and evicts nothing") {
  const testing::TempDir dir;
  ObjectCache cache(dir.path(), 1000);
  cache.put(key(1), {"small", ""});
  cache.put(key(2), {std::string(5000, 'x'), ""});
  CHECK(cache.get(key(1)));
  CHECK_FALSE(cache.get(key(2)));
}

TEST_CASE("a folder that cannot be made, and none at all, only mean misses") {
  const testing::TempDir dir;
  const fs::path file = dir.write("file", "not a folder");
  ObjectCache blocked(file / "cache", 1000);
  blocked.put(key(1), {"image", ""});
  CHECK_FALSE(blocked.get(key(1)));
  CHECK(blocked.bytes() == 0);
  ObjectCache none({}, 1000);
  none.put(key(1), {"image", ""});
  CHECK_FALSE(none.get(key(1)));
}

TEST_CASE("what a crash left behind goes after a while; files of others stay") {
  const testing::TempDir dir;
  const fs::path stale = dir.write("tmp-1-2-3", "half");
  const fs::path fresh = dir.write("tmp-4-5-6", "half");
  const fs::path foreign = dir.write("notes.txt", "mine");
  fs::last_write_time(stale, fs::file_time_type::clock::now() - std::chrono::hours(5));
  const ObjectCache cache(dir.path(), 1000);
  CHECK(cache.bytes() == 0);
  CHECK_FALSE(fs::exists(stale));
  CHECK(fs::exists(fresh));
  CHECK(fs::exists(foreign));
}

TEST_CASE("threads that put and get at once see whole entries only") {
  const testing::TempDir dir;
  ObjectCache a(dir.path(), 40000);
  ObjectCache b(dir.path(), 40000);
  std::atomic<int> wrong{0};
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        ObjectCache& cache = t % 2 == 0 ? a : b;
        for (int i = 0; i < 150; ++i) {
          const int which = (i * 7 + t) % 40;
          const std::string image(1000 + static_cast<std::size_t>(which), static_cast<char>(which));
          if (const auto found = cache.get(key(which)); found && found->image != image) ++wrong;
          cache.put(key(which), {image, ""});
        }
      });
    }
  }
  CHECK(wrong == 0);
  CHECK(a.bytes() <= 2 * 40000);
  for (const fs::path& file : files_of(dir.path())) CHECK(file.extension() == ".object");
}

TEST_CASE("unique names are unique") {
  std::set<std::string> names;
  for (int i = 0; i < 100; ++i) CHECK(names.insert(unique_name("p-")).second);
}
