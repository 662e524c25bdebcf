#include "engine/adaptation/operator_mix.h"

#include <doctest/doctest.h>

#include <cmath>
#include <map>

using namespace kernatlas;
using Kind = Verdict::Kind;

namespace {

std::map<std::size_t, int> draw(const OperatorMix& mix, std::vector<bool> allowed, int count) {
  Rng rng = stream(5, 0, 0);
  std::map<std::size_t, int> drawn;
  for (int i = 0; i < count; ++i) ++drawn[mix.choose(rng, allowed)];
  return drawn;
}

}  // namespace

TEST_CASE("operators are drawn in proportion to their weights") {
  const OperatorMix mix({{"a", 1}, {"b", 3}, {"c", 0}}, true);
  const auto drawn = draw(mix, {true, true, true}, 8000);
  CHECK(drawn.at(0) == doctest::Approx(2000).epsilon(0.1));
  CHECK(drawn.at(1) == doctest::Approx(6000).epsilon(0.1));
  CHECK_FALSE(drawn.contains(2));
}

TEST_CASE("only allowed operators are drawn") {
  const OperatorMix mix({{"a", 1}, {"b", 3}, {"c", 0}}, true);
  CHECK(draw(mix, {true, false, true}, 100).at(0) == 100);
  CHECK(draw(mix, {false, false, true}, 10).at(3) == 10);  // nothing but a weight of 0: none
  CHECK(draw(mix, {false, false, false}, 10).at(3) == 10);
}

TEST_CASE("who earns more per second is drawn more, within bounds") {
  OperatorMix mix({{"good", 1}, {"bad", 1}}, true);
  for (int i = 0; i < 300; ++i) {
    mix.learn(0, Kind::opened, 0, 0.01);
    mix.learn(1, Kind::rejected, 0, 0.01);
  }
  CHECK(mix.arms()[0].factor > 1.5);
  CHECK(mix.arms()[1].factor == doctest::Approx(1 / OperatorMix::kSpread).epsilon(0.3));
  CHECK(mix.arms()[1].factor >= 1 / OperatorMix::kSpread);
  CHECK(mix.arms()[0].factor <= OperatorMix::kSpread);
  CHECK(mix.arms()[0].settled == 300);
}

TEST_CASE("opened is worth more than improved, improved more than rejected, and gain counts") {
  const auto factor = [](Kind kind, double gain) {
    OperatorMix mix({{"a", 1}, {"b", 1}}, true);
    for (int i = 0; i < 50; ++i) {
      mix.learn(0, kind, gain, 0.01);
      mix.learn(1, Kind::improved, 0.1, 0.01);
    }
    return mix.arms()[0].factor;
  };
  CHECK(factor(Kind::opened, 0) > factor(Kind::improved, 0.3));
  CHECK(factor(Kind::improved, 0.3) > factor(Kind::improved, 0.0));
  CHECK(factor(Kind::improved, 0.0) > factor(Kind::rejected, 0.0));
  CHECK(factor(Kind::rejected, 0.0) == factor(Kind::none, 0.0));
  CHECK(factor(Kind::improved, 5.0) == factor(Kind::improved, OperatorMix::kMaxGainReward));
}

TEST_CASE("the same reward in less time is worth more") {
  OperatorMix mix({{"fast", 1}, {"slow", 1}}, true);
  for (int i = 0; i < 100; ++i) {
    mix.learn(0, Kind::improved, 0, 0.001);
    mix.learn(1, Kind::improved, 0, 0.1);
  }
  CHECK(mix.arms()[0].factor > 2 * mix.arms()[1].factor);
}

TEST_CASE("old merit fades") {
  OperatorMix mix({{"was good", 1}, {"is good", 1}}, true);
  for (int i = 0; i < 200; ++i) mix.learn(0, Kind::opened, 0, 0.01);
  for (int i = 0; i < 2000; ++i) {
    mix.learn(0, Kind::rejected, 0, 0.01);
    mix.learn(1, Kind::improved, 0, 0.01);
  }
  CHECK(mix.arms()[1].factor > mix.arms()[0].factor);
}

TEST_CASE("without reward, or when told not to adapt, all weights stay as they were") {
  OperatorMix poor({{"a", 1}, {"b", 2}}, true);
  OperatorMix fixed({{"a", 1}, {"b", 2}}, false);
  for (int i = 0; i < 50; ++i) {
    poor.learn(0, Kind::rejected, 0, 0.5);
    fixed.learn(0, Kind::opened, 0, 0.5);
  }
  CHECK(poor.arms()[0].weight() == 1);
  CHECK(poor.arms()[1].weight() == 2);
  CHECK(fixed.arms()[0].weight() == 1);
  CHECK(fixed.arms()[0].settled == 50);
  fixed.learn(7, Kind::opened, 0, 1);  // an operator of an older policy: ignored
  CHECK(fixed.arms().size() == 2);
}

TEST_CASE("replaying the same settlements gives the same weights, bit for bit") {
  OperatorMix one({{"a", 1}, {"b", 2}, {"c", 3}}, true);
  OperatorMix two({{"a", 1}, {"b", 2}, {"c", 3}}, true);
  Rng rng = stream(11, 0, 0);
  for (int i = 0; i < 500; ++i) {
    const std::size_t arm = uniform_below(rng, 3);
    const auto kind = static_cast<Kind>(uniform_below(rng, 4));
    const double gain = uniform01(rng);
    const double cost = uniform01(rng);
    one.learn(arm, kind, gain, cost);
    two.learn(arm, kind, gain, cost);
  }
  for (std::size_t arm = 0; arm < 3; ++arm) CHECK(one.arms()[arm].factor == two.arms()[arm].factor);
}
