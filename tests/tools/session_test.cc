#include "tools/session.h"

#include <doctest/doctest.h>

#include "tests/support/temp_dir.h"
#include "tools/run_directory.h"

using namespace kernatlas;

TEST_CASE("bench settings survive their JSON form") {
  BenchSettings settings;
  settings.backend = "recorded";
  settings.threads = 3;
  settings.devices = 7;
  settings.warm = true;
  settings.require = {"landlock"};
  settings.parameters = {{"noise", "0.03"}};
  const auto again = BenchSettings::from_json(settings.to_json());
  REQUIRE(again);
  CHECK(again->to_json() == settings.to_json());
  CHECK(again->parameters.at("noise") == "0.03");
}

TEST_CASE("damaged settings are an error, not an exception") {
  for (const char* text : {"", "[]", "{\"threads\": \"two\"}", "{\"parameters\": [1]}", "\xff"}) {
    CAPTURE(text);
    CHECK_FALSE(BenchSettings::from_json(text));
  }
}

TEST_CASE("compile options survive their JSON form") {
  const std::vector<Tunable> tunables{{"opt", {0, 1}, {"O3", "O2"}}, {"unroll", {0, 1}, {}}};
  const auto again = tunables_from_json(tunables_to_json(tunables));
  REQUIRE(again);
  REQUIRE(again->size() == 2);
  CHECK((*again)[0].labels == tunables[0].labels);
  CHECK((*again)[1].values == tunables[1].values);
  CHECK_FALSE(tunables_from_json("[{\"name\": 1}]"));
  CHECK_FALSE(tunables_from_json("nothing"));
}

TEST_CASE("a task that is not there is an error that says where to look") {
  const auto task = find_task("no-such-task", {});
  REQUIRE_FALSE(task);
  CHECK(task.error().code == ErrorCode::bad_input);
  CHECK(task.error().hint.find("tasks list") != std::string::npos);
  const auto table = find_task("table.csv", {});
  REQUIRE_FALSE(table);
  CHECK(table.error().hint.find("recorded") != std::string::npos);
}

TEST_CASE("an unknown backend or parameter is named together with the known ones") {
  const BackendRegistry backends = default_backends();
  const auto task = std::make_shared<Task>();
  BenchSettings settings;
  settings.backend = "abacus";
  auto bench = open_bench(backends, task, settings, 0, false);
  REQUIRE_FALSE(bench);
  CHECK(bench.error().expected.find("recorded") != std::string::npos);
  settings.backend = "recorded";
  settings.parameters["colour"] = "red";
  bench = open_bench(backends, task, settings, 0, false);
  REQUIRE_FALSE(bench);
  CHECK(bench.error().message.find("colour") != std::string::npos);
  CHECK(bench.error().expected.find("noise") != std::string::npos);
}
