#include "backends/recorded/gzip.h"

#include <doctest/doctest.h>

#include "backends/recorded/recorded_table.h"
#include "tests/support/gzip_text.h"
#include "tests/support/temp_dir.h"

using namespace kernatlas;
using kernatlas::testing::gzip_text;

TEST_CASE("compressed text comes back") {
  std::string large;
  for (int i = 0; i < 100000; ++i) large += std::to_string(i * 7919) + "\n";
  for (const std::string& text : {std::string(), std::string("a,b\n"), large}) {
    const std::string bytes = gzip_text(text);
    CHECK(is_gzip(bytes));
    const auto again = gunzip(bytes, 1 << 30, "f");
    REQUIRE(again);
    CHECK(*again == text);
  }
  CHECK_FALSE(is_gzip("A,status"));
  CHECK_FALSE(is_gzip("\x1f"));
}

TEST_CASE("damage and excess are errors, not crashes") {
  std::string text;
  for (int i = 0; i < 20000; ++i) text += std::to_string(i * 31337) + ",";
  const std::string bytes = gzip_text(text);
  for (const std::size_t cut :
       {bytes.size() - 1, bytes.size() - 37, bytes.size() / 2, std::size_t{2}}) {
    const auto result = gunzip(bytes.substr(0, cut), 1 << 30, "f.gz");
    REQUIRE_FALSE(result);
    CHECK(result.error().file == "f.gz");
  }
  std::string flipped = bytes;
  flipped[flipped.size() / 2] = static_cast<char>(flipped[flipped.size() / 2] ^ 0x55);
  CHECK_FALSE(gunzip(flipped, 1 << 30, "f"));
  CHECK_FALSE(gunzip(bytes + "tail", 1 << 30, "f"));
  const auto excess = gunzip(bytes, text.size() - 1, "f");
  REQUIRE_FALSE(excess);
  CHECK(excess.error().message.find("too long") != std::string::npos);
  CHECK(gunzip(bytes, text.size(), "f"));
}

TEST_CASE("a table is read compressed or not, whatever its name") {
  testing::TempDir dir;
  const std::string text = "A,status,median_ms\n1,measured,3\n2,measured,4\n";
  const auto plain = RecordedTable::load(dir.write("t.csv.gz", text));
  const auto packed = RecordedTable::load(dir.write("u.csv", gzip_text(text)));
  REQUIRE(plain);
  REQUIRE(packed);
  CHECK(plain->hash() == packed->hash());
  CHECK(packed->rows().size() == 2);
  CHECK_FALSE(RecordedTable::load(dir.write("v.csv.gz", gzip_text(text).substr(0, 20))));
}
