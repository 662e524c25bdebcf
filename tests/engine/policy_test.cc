#include "engine/search/policy.h"

#include <doctest/doctest.h>

#include "archives/selector.h"
#include "operators/operator.h"

using namespace kernatlas;

TEST_CASE("every preset names operators and selectors that exist") {
  const OperatorRegistry operators = default_operators();
  CHECK(policies().size() >= 3);
  CHECK(policies().front().name == "map-elites");
  for (const Policy& policy : policies()) {
    CAPTURE(policy.name);
    CHECK_FALSE(policy.summary.empty());
    CHECK(archives::make_selector(policy.selector) != nullptr);
    CHECK_FALSE(policy.operators.empty());
    for (const auto& [name, weight] : policy.operators) {
      const auto& operator_name = name;
      CAPTURE(operator_name);
      CHECK(operators.find(name) != nullptr);
      CHECK(weight > 0);
    }
  }
}

TEST_CASE("a policy is found by name, and an unknown one is told the names there are") {
  for (const char* name : {"map-elites", "greedy", "random"})
    CHECK(find_policy(name)->name == name);
  const auto unknown = find_policy("gready");
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error().text().find("greedy") != std::string::npos);
}
