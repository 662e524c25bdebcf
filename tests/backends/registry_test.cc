#include <doctest/doctest.h>

#include "backends/backend.h"
#include "backends/recorded/recorded_backend.h"

using namespace kernatlas;

TEST_CASE("backends are found by name") {
  const BackendRegistry registry = default_backends();
  REQUIRE(registry.find("recorded") != nullptr);
  CHECK(registry.find("recorded")->name() == "recorded");
  CHECK(registry.find("abacus") == nullptr);
  CHECK(registry.all().size() >= 1);
  for (const Backend* backend : registry.all()) CHECK(registry.find(backend->name()) == backend);
}

TEST_CASE("a contract names everything that a time depends on") {
  DeviceInfo info;
  CHECK(info.contract_text().empty());
  info.model = "model";
  info.compiler = "compiler 1";
  info.conditions = "threads=1 cache=cold";
  info.index = 3;  // which of several equal devices does not matter
  CHECK(info.contract_text() == "model; compiler 1; threads=1 cache=cold");
}
