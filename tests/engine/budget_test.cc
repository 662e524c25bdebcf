#include "engine/search/budget.h"

#include <doctest/doctest.h>

using namespace kernatlas;

TEST_CASE("a budget's limits are read with their units") {
  const auto budget = Budget::parse("200e, 5m ,3.50usd");
  REQUIRE(budget);
  CHECK(budget->evaluations == 200u);
  CHECK(budget->seconds == 300.0);
  CHECK(budget->usd == 3.5);
  CHECK(Budget::parse("90s")->seconds == 90.0);
  CHECK(Budget::parse("2h")->seconds == 7200.0);
  CHECK(Budget::parse("1e6e")->evaluations == 1000000u);
  CHECK_FALSE(Budget::parse("90s")->evaluations.has_value());
}

TEST_CASE("text() gives the same budget when parsed") {
  for (const char* text : {"200e", "0.25s", "1.5h,7e", "3.1usd", "unlimited", "12e,1m,0.01usd"}) {
    CAPTURE(text);
    const Budget budget = Budget::parse(text).value();
    const Budget again = Budget::parse(budget.text()).value();
    CHECK(again.evaluations == budget.evaluations);
    CHECK(again.seconds == budget.seconds);
    CHECK(again.usd == budget.usd);
  }
  CHECK(Budget::parse("unlimited")->text() == "unlimited");
}

TEST_CASE("what is no budget is refused with what would be one") {
  for (const char* text : {"", "200", "e", "-5e", "0e", "1.5e", "nane", "infs", "5 minutes", "5m,",
                           ",5m", "1e300e", "200e200e", "3eur"}) {
    CAPTURE(text);
    const auto budget = Budget::parse(text);
    REQUIRE_FALSE(budget);
    CHECK(budget.error().code == ErrorCode::bad_input);
    CHECK(budget.error().text().find("200e") != std::string::npos);
  }
}

TEST_CASE("a limit given twice is refused") {
  CHECK_FALSE(Budget::parse("5m,300s"));
  CHECK_FALSE(Budget::parse("1e,2e"));
  CHECK(Budget::parse("1usd,2usd").error().message.find("2usd") != std::string::npos);
}
