#include "engine/adaptation/operator_mix.h"

#include <algorithm>

namespace kernatlas {

namespace {

double reward_of(Verdict::Kind verdict, double gain) {
  switch (verdict) {
    case Verdict::Kind::opened:
      return OperatorMix::kOpened;
    case Verdict::Kind::improved:
      return OperatorMix::kImproved + std::clamp(gain, 0.0, OperatorMix::kMaxGainReward);
    default:
      return 0;
  }
}

}  // namespace

OperatorMix::OperatorMix(const std::vector<std::pair<std::string, double>>& operators, bool adapt)
    : adapt_(adapt) {
  for (const auto& [name, weight] : operators) arms_.push_back({.name = name, .base = weight});
}

void OperatorMix::learn(std::size_t arm, Verdict::Kind verdict, double gain, double cost_s) {
  if (arm >= arms_.size()) return;
  ++arms_[arm].settled;
  if (!adapt_) return;
  for (Arm& each : arms_) {
    each.reward *= kDiscount;
    each.seconds *= kDiscount;
  }
  const double reward = reward_of(verdict, gain);
  const double seconds = std::max(cost_s, 1e-6);
  arms_[arm].reward += reward;
  arms_[arm].seconds += seconds;
  reward_ = reward_ * kDiscount + reward;
  seconds_ = seconds_ * kDiscount + seconds;
  count_ = count_ * kDiscount + 1;
  update_factors();
}

void OperatorMix::update_factors() {
  const double mean_reward = reward_ / count_;
  const double mean_seconds = seconds_ / count_;
  for (Arm& arm : arms_) {
    if (reward_ <= 0) {
      arm.factor = 1;
      continue;
    }
    const double rate = (arm.reward + kPrior * mean_reward) / (arm.seconds + kPrior * mean_seconds);
    arm.factor = std::clamp(rate * mean_seconds / mean_reward, 1 / kSpread, kSpread);
  }
}

std::size_t OperatorMix::choose(Rng& rng, const std::vector<bool>& allowed) const {
  double total = 0;
  std::size_t last = arms_.size();
  for (std::size_t i = 0; i < arms_.size(); ++i) {
    if (!allowed[i] || arms_[i].weight() <= 0) continue;
    total += arms_[i].weight();
    last = i;
  }
  if (last == arms_.size()) return last;
  double left = uniform01(rng) * total;
  for (std::size_t i = 0; i < last; ++i) {
    if (!allowed[i] || arms_[i].weight() <= 0) continue;
    left -= arms_[i].weight();
    if (left < 0) return i;
  }
  return last;
}

}  // namespace kernatlas
