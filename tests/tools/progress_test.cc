#include "tools/progress.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

using namespace kernatlas;

namespace {

SearchStatus some_status() {
  SearchStatus status;
  status.spent.evaluations = 132;
  status.outcomes.assign(kOutcomeKinds, 0);
  status.outcomes[static_cast<std::size_t>(OutcomeKind::measured)] = 128;
  status.outcomes[static_cast<std::size_t>(OutcomeKind::compile_error)] = 4;
  status.archive.cells = 96;
  status.archive.occupied = 17;
  status.evaluations_per_s = 4.125;
  status.eta_s = 16.4;
  return status;
}

}  // namespace

TEST_CASE("durations read like a clock") {
  CHECK(duration_text(0) == "0:00");
  CHECK(duration_text(59.6) == "1:00");
  CHECK(duration_text(725) == "12:05");
  CHECK(duration_text(3 * 3600 + 7 * 60) == "3:07:00");
  CHECK(duration_text(std::numeric_limits<double>::quiet_NaN()) == "?");
  CHECK(duration_text(std::numeric_limits<double>::infinity()) == "?");
  CHECK(duration_text(-1) == "?");
}

TEST_CASE("the progress line names what happened and nothing that did not") {
  Budget budget;
  budget.evaluations = 200;
  SearchStatus status = some_status();
  const std::string before = progress_text(status, budget);
  CHECK(before.find("132/200") != std::string::npos);
  CHECK(before.find("compile_error 4") != std::string::npos);
  CHECK(before.find("crashed") == std::string::npos);
  CHECK(before.find("cells 17/96") != std::string::npos);
  CHECK(before.find("best") == std::string::npos);
  CHECK(before.find("ETA 0:16") != std::string::npos);
  status.best_ticket = 9;
  status.best_fitness = 2;
  status.best_interval = {std::log2(3.5), std::log2(4.5)};
  CHECK(progress_text(status, budget).find("best 4.00x [3.50, 4.50]") != std::string::npos);
}

TEST_CASE("the JSON line is valid and leaves out what is unknown") {
  SearchStatus status = some_status();
  status.eta_s = std::numeric_limits<double>::quiet_NaN();
  const auto json = nlohmann::json::parse(progress_json(status));
  CHECK(json["evaluations"] == 132);
  CHECK(json["outcomes"] == nlohmann::json{{"measured", 128}, {"compile_error", 4}});
  CHECK_FALSE(json.contains("eta_s"));
  CHECK_FALSE(json.contains("best"));
}
