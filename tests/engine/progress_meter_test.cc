#include "engine/search/progress_meter.h"

#include <doctest/doctest.h>

#include <cmath>
#include <thread>

using namespace kernatlas;

TEST_CASE("time goes on from what earlier sessions took") {
  ProgressMeter meter;
  meter.start(100);
  const double first = meter.seconds();
  CHECK(first >= 100);
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  CHECK(meter.seconds() > first);
}

TEST_CASE("a rate needs two looks, and an estimate needs a rate or a time limit") {
  ProgressMeter meter;
  meter.start(0);
  Spent spent{.evaluations = 50, .proposed = 50, .seconds = 10, .usd = 2};
  CHECK(meter.evaluations_per_s() == 0);
  CHECK(std::isnan(meter.eta_s(Budget::parse("100e").value(), spent)));
  CHECK(std::isnan(meter.eta_s(Budget{}, spent)));
  CHECK(meter.eta_s(Budget::parse("60s").value(), spent) == doctest::Approx(50));
  CHECK(meter.eta_s(Budget::parse("6usd").value(), spent) == doctest::Approx(20));
  CHECK(meter.eta_s(Budget::parse("1usd").value(), spent) == 0);

  meter.settled(10);
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  meter.settled(50);
  const double rate = meter.evaluations_per_s();
  CHECK(rate > 0);
  CHECK(rate <= 40 / 0.005);
  CHECK(meter.eta_s(Budget::parse("100e").value(), spent) == doctest::Approx(50 / rate));
  CHECK(meter.eta_s(Budget::parse("50e").value(), spent) == 0);
  CHECK(meter.eta_s(Budget::parse("40e").value(), spent) == 0);  // lowered below what was spent
  // Whichever comes first.
  CHECK(meter.eta_s(Budget::parse("1e15e,11s").value(), spent) == doctest::Approx(1));
}

TEST_CASE("only the recent past counts") {
  ProgressMeter meter;
  meter.start(0);
  meter.settled(1000000);  // a resumed run starts here, not at nothing
  std::this_thread::sleep_for(std::chrono::milliseconds(3));
  meter.settled(1000003);
  CHECK(meter.evaluations_per_s() <= 3 / 0.003);
}
