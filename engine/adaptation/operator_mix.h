// OperatorMix: how likely each operator is to make the next proposal.
//
// A weight is the policy's own weight times a factor that follows what the operator earned lately:
// reward per second, relative to the average of all. Reward: opened kOpened, improved kImproved
// plus its gain (capped), anything else nothing; seconds are those the evaluation took, so an
// operator that proposes what does not compile pays for it. Both sums are discounted at every
// settlement, so that old merit fades, and smoothed by kPrior imaginary average settlements, so
// that one lucky proposal does not decide. The factor stays within [1/kSpread, kSpread]: nobody
// starves.
//
// Depends on nothing but the calls made: replaying the settlements gives the same weights.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/store/run_database.h"
#include "kernel/rng.h"

namespace kernatlas {

class OperatorMix {
 public:
  static constexpr double kOpened = 1.0;
  static constexpr double kImproved = 0.5;
  static constexpr double kMaxGainReward = 0.5;
  static constexpr double kDiscount = 0.995;
  static constexpr double kPrior = 10;
  static constexpr double kSpread = 4;

  // Everything known about one operator's weight.
  struct Arm {
    std::string name;
    double base = 0;    // the policy's weight
    double reward = 0;  // discounted sums
    double seconds = 0;
    double factor = 1;          // within [1/kSpread, kSpread]
    std::uint64_t settled = 0;  // all told
    [[nodiscard]] double weight() const { return base * factor; }
  };

  // `adapt` false: factors stay 1.
  OperatorMix(const std::vector<std::pair<std::string, double>>& operators, bool adapt);

  // One settlement of arm `arm`. O(arms).
  void learn(std::size_t arm, Verdict::Kind verdict, double gain, double cost_s);
  // An arm among those with `allowed[arm]`, in proportion to weight; at least one must be allowed
  // and have a weight above 0, else arms().size() is returned. One number from `rng`.
  [[nodiscard]] std::size_t choose(Rng& rng, const std::vector<bool>& allowed) const;

  [[nodiscard]] std::span<const Arm> arms() const { return arms_; }

 private:
  void update_factors();

  std::vector<Arm> arms_;
  bool adapt_;
  double reward_ = 0;  // discounted sums over all arms
  double seconds_ = 0;
  double count_ = 0;
};

}  // namespace kernatlas
