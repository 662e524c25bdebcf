#include "kernel/text_file.h"

#include <doctest/doctest.h>

#include <filesystem>

#include "tests/support/temp_dir.h"

using namespace kernatlas;

TEST_CASE("UTF-8 is told from other bytes") {
  CHECK_FALSE(first_bad_line(""));
  CHECK_FALSE(first_bad_line("plain\ntext\r\n"));
  CHECK_FALSE(first_bad_line("é € 😀 \xed\x9f\xbf \xee\x80\x80 \xf4\x8f\xbf\xbf"));
  using namespace std::string_view_literals;
  for (const std::string_view bad :
       {"\0"sv, "\x80"sv, "\xc0\xaf"sv, "\xc1\xbf"sv, "\xc3"sv, "\xc3("sv, "\xe0\x80\x80"sv,
        "\xed\xa0\x80"sv, "\xe2\x82"sv, "\xf0\x80\x80\x80"sv, "\xf4\x90\x80\x80"sv,
        "\xf0\x9f\x98"sv, "\xff"sv, "\xf8\x88\x80\x80\x80"sv}) {
    CAPTURE(static_cast<int>(static_cast<unsigned char>(bad.front())));
    CHECK(first_bad_line(bad) == 1);
    CHECK(first_bad_line("a\nb\n" + std::string(bad)) == 3);
  }
}

TEST_CASE("lines are counted from 1") {
  CHECK(line_at("a\nb\nc", 0) == 1);
  CHECK(line_at("a\nb\nc", 1) == 1);
  CHECK(line_at("a\nb\nc", 2) == 2);
  CHECK(line_at("a\nb\nc", 99) == 3);
}

TEST_CASE("files are read whole or refused with a reason") {
  const testing::TempDir dir;
  const auto file = dir.write("a.bin", std::string("a\0b", 3));
  CHECK(read_bytes(file, 3).value() == std::string("a\0b", 3));
  CHECK(read_bytes(dir.write("empty", ""), 3).value().empty());

  const auto large = read_bytes(file, 2);
  REQUIRE_FALSE(large);
  CHECK(large.error().message == "the file has 3 bytes");
  CHECK(large.error().expected == "at most 2");
  CHECK(read_bytes(dir.path() / "none", 9).error().message == "there is no such file");
  CHECK(read_bytes(dir.path(), 9).error().message == "this is not a file");
  CHECK(read_bytes(dir.path(), 9).error().file == dir.path().string());
}

TEST_CASE("a file without read permission is an input/output error") {
  const testing::TempDir dir;
  const auto file = dir.write("secret", "x");
  std::filesystem::permissions(file, std::filesystem::perms::none);
  const auto bytes = read_bytes(file, 9);
  // The superuser may read it all the same.
  if (bytes) {
    CHECK(*bytes == "x");
  } else {
    CHECK(bytes.error().code == ErrorCode::io);
  }
}
