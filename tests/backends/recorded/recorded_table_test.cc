#include "backends/recorded/recorded_table.h"

#include <doctest/doctest.h>

#include "backends/recorded/gzip.h"
#include "kernel/rng.h"
#include "tests/support/temp_dir.h"

using namespace kernatlas;

namespace {

Result<RecordedTable> parse(const std::string& text) {
  return RecordedTable::parse(text, "t.csv");
}

// The block of the page that starts with "```" and `info`.
std::string block(const std::string& info) {
  const std::string page =
      testing::read_file(testing::source_dir() / "docs/formats/recorded-csv.md");
  const std::size_t start = page.find("```" + info + "\n");
  REQUIRE(start != std::string::npos);
  const std::size_t from = start + info.size() + 4;
  return page.substr(from, page.find("```", from) - from);
}

}  // namespace

TEST_CASE("the page's example means what the page says") {
  const auto table = parse(block("csv example"));
  REQUIRE(table);
  REQUIRE(table->tunables().size() == 3);
  CHECK(table->tunables()[0].name == "BLOCK");
  CHECK(table->tunables()[0].values == std::vector<std::int64_t>{128, 256, 512});
  CHECK(table->tunables()[1].values == std::vector<std::int64_t>{1, 4});
  CHECK(table->tunables()[2].labels == std::vector<std::string>{"rows", "columns"});
  CHECK(table->tunables()[2].values == std::vector<std::int64_t>{0, 1});
  REQUIRE(table->dims().size() == 2);
  CHECK(table->dims()[1].first == "N");
  CHECK(table->dims()[1].second == 4096);
  REQUIRE(table->constraints().size() == 1);
  CHECK(table->constraints()[0].name == "fits");
  CHECK(table->constraints()[0].text == "BLOCK * VEC <= 1024");
  CHECK(table->constraints()[0].line == 2);
  CHECK(table->baseline_ms() == 0.512);
  CHECK(table->best_ms() == 0.475);

  const auto row = table->find({256, 4, 1});
  REQUIRE(row);
  CHECK(table->rows()[*row].kind == OutcomeKind::launch_error);
  CHECK(table->rows()[*row].compile_ms == 425);
  const RecordedRow& first = table->rows()[table->find({128, 1, 0}).value()];
  CHECK(first.median_ms == 0.95);
  CHECK(first.runs == 32);
  CHECK(first.benchmark_ms == doctest::Approx(31.2));
  CHECK(first.overhead_ms == doctest::Approx(5.5));
  CHECK(table->rows()[table->find({512, 4, 0}).value()].kind == OutcomeKind::compile_error);
  CHECK_FALSE(table->find({512, 1, 0}));
  CHECK_FALSE(table->find({128, 1}));
  CHECK_FALSE(table->find({128, 1, 0, 0}));
}

TEST_CASE("the page's error is the one that is given") {
  testing::TempDir dir;
  const auto table =
      RecordedTable::parse("A,status,median_ms\n1,measured,3\n2,measured,12 ms\n", "table.csv");
  REQUIRE_FALSE(table);
  CHECK(table.error().text() + "\n" == block("text error"));
}

TEST_CASE("every row is found again, and nothing else is") {
  std::string text = "A,B,status,median_ms\n";
  for (int a = 0; a < 40; ++a) {
    for (int b = -20; b < 20; ++b) {
      if ((a * 7 + b) % 3 == 0) continue;
      text += std::to_string(a) + "," + std::to_string(b) + ",measured," +
              std::to_string(1 + a * 100 + b + 20) + "\n";
    }
  }
  const auto table = parse(text);
  REQUIRE(table);
  for (int a = 0; a < 40; ++a) {
    for (int b = -20; b < 20; ++b) {
      const auto row = table->find({a, b});
      REQUIRE(row.has_value() == ((a * 7 + b) % 3 != 0));
      if (!row) continue;
      CHECK(table->rows()[*row].median_ms == 1 + a * 100 + b + 20);
      CHECK(table->assignment(*row) == Assignment{a, b});
    }
  }
}

TEST_CASE("the baseline is the median of the measured medians") {
  CHECK(parse("A,status,median_ms\n1,measured,3\n2,measured,1\n3,measured,8\n")->baseline_ms() ==
        3);
  CHECK(parse("A,status,median_ms\n1,measured,3\n2,measured,1\n")->baseline_ms() == 2);
  CHECK(parse("A,status,median_ms\n1,measured,3\n2,crashed,\n3,invalid,999\n")->baseline_ms() == 3);
}

TEST_CASE("spaces, CRLF, empty lines and unknown columns do no harm") {
  const auto table =
      parse("\r\nA , B,status,cv,median_ms\r\n 1, 2 ,measured,x,3\r\n\r\n1,3,failed,,\r\n");
  REQUIRE(table);
  CHECK(table->rows().size() == 2);
  CHECK(table->rows()[1].kind == OutcomeKind::crashed);
  CHECK(table->find({1, 2}) == 0u);
}

TEST_CASE("a column with one word in it is a choice") {
  const auto table = parse("A,status,median_ms\n1,measured,3\n1.5,measured,4\n-2,measured,5\n");
  REQUIRE(table);
  CHECK(table->tunables()[0].labels == std::vector<std::string>{"1", "1.5", "-2"});
  CHECK(table->find({2}) == 2u);
}

TEST_CASE("what is wrong is said with its line") {
  const struct {
    const char* text;
    int line;
    const char* says;
  } cases[] = {
      {"", 0, "empty"},
      {"\n\n", 2, "empty"},
      {"A,B\n", 1, "status"},
      {"status,median_ms\n", 1, "no tunable"},
      {"A,status\n", 1, "median_ms"},
      {"median_ms,status\n", 1, "median_ms"},
      {"A,A,status,median_ms\n", 1, "twice"},
      {"A,status,median_ms,median_ms\n", 1, "twice"},
      {"A-B,status,median_ms\n", 1, "A-B"},
      {"A,status,median_ms\n", 1, "no rows"},
      {"A,status,median_ms\n1,measured\n", 2, "2 fields"},
      {"A,status,median_ms\n1,measured,2,3\n", 2, "4 fields"},
      {"A,status,median_ms\n1,measured,\n", 2, "median_ms"},
      {"A,status,median_ms\n1,measured,0\n", 2, "median_ms is 0"},
      {"A,status,median_ms\n1,measured,-1\n", 2, "-1"},
      {"A,status,median_ms\n1,measured,nan\n", 2, "nan"},
      {"A,status,median_ms\n1,measured,inf\n", 2, "inf"},
      {"A,status,median_ms\n1,measured,1e999\n", 2, "1e999"},
      {"A,status,median_ms\n1,melted,1\n", 2, "melted"},
      {"A,status,median_ms\n1,device_lost,1\n", 2, "device_lost"},
      {"A,status,median_ms\n,measured,1\n", 2, "column \"A\""},
      {"A,status,median_ms\n\"1\",measured,1\n", 2, "column \"A\""},
      {"A,status,median_ms,runs\n1,measured,1,many\n", 2, "many"},
      {"A,status,median_ms\n1,crashed,\n", 0, "measured"},
      {"A,status,median_ms\n1,measured,2\n2,measured,2\n1,measured,3\n", 4, "line 2"},
      {"A,status,median_ms\n1,measured,2\n# late\n", 3, "comment"},
      {"# constraint: fits\nA,status,median_ms\n1,measured,2\n", 1, "without ="},
      {"# constraint: 1x = \"A\"\n", 1, "1x"},
      {"# constraint: x = A\n", 1, "double quotes"},
      {"# constraint: x = \"A\" \"\n", 1, "double quotes"},
      {"# constraint: x = \"\n", 1, "double quotes"},
      {"# constraint: x = \"1\"\n# constraint: x = \"1\"\n", 2, "twice"},
      {"#\n# constraint: x = \"A + \"\nA,status,median_ms\n1,measured,2\n", 2, "constraint x"},
      {"# constraint: x = \"B > 1\"\nA,status,median_ms\n1,measured,2\n", 1, "B"},
      {"# dims: M\n", 1, "\"M\""},
      {"# dims: M=x\n", 1, "M=x"},
      {"# dims: M=1 M=2\n", 1, "twice"},
      {"# dims: 9=1\n", 1, "9"},
      {"# dims: A=1\nA,status,median_ms\n1,measured,2\n", 2, "dim and a tunable"},
  };
  for (const auto& each : cases) {
    CAPTURE(each.text);
    const auto table = parse(each.text);
    REQUIRE_FALSE(table);
    CHECK(table.error().code == ErrorCode::bad_input);
    CHECK(table.error().file == "t.csv");
    CHECK(table.error().line == each.line);
    CHECK(table.error().text().find(each.says) != std::string::npos);
  }
}

TEST_CASE("too many tunables are refused") {
  std::string header;
  for (int i = 0; i < 65; ++i) header += "A" + std::to_string(i) + ",";
  CHECK(parse(header + "status,median_ms\n").error().message.find("65") != std::string::npos);
}

TEST_CASE("a missing file is said to be missing") {
  const auto table = RecordedTable::load("/nowhere/t.csv");
  REQUIRE_FALSE(table);
  CHECK(table.error().file.find("/nowhere/t.csv") != std::string::npos);
}
