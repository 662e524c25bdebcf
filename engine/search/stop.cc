#include "engine/search/stop.h"

#include <cmath>

namespace kernatlas {

namespace {

class StopOnBudget final : public StopCondition {
 public:
  explicit StopOnBudget(const Budget& budget) : budget_(budget) {}
  std::optional<std::string> check(const Progress& progress) const override {
    const Spent& spent = progress.spent;
    if ((budget_.evaluations && spent.proposed >= *budget_.evaluations) ||
        (budget_.seconds && spent.seconds >= *budget_.seconds) ||
        (budget_.usd && spent.usd >= *budget_.usd)) {
      return "budget";
    }
    return std::nullopt;
  }

 private:
  Budget budget_;
};

class StopAtSpeedup final : public StopCondition {
 public:
  explicit StopAtSpeedup(double speedup) : fitness_(std::log2(speedup)) {}
  std::optional<std::string> check(const Progress& progress) const override {
    // NaN before the first elite: never at least anything.
    if (progress.best_fitness >= fitness_) return "target";
    return std::nullopt;
  }

 private:
  double fitness_;
};

class StopOnStagnation final : public StopCondition {
 public:
  explicit StopOnStagnation(std::uint64_t evaluations) : evaluations_(evaluations) {}
  std::optional<std::string> check(const Progress& progress) const override {
    if (progress.evaluations_since_gain >= evaluations_) return "stagnation";
    return std::nullopt;
  }

 private:
  std::uint64_t evaluations_;
};

class StopWhenExhausted final : public StopCondition {
 public:
  explicit StopWhenExhausted(std::uint64_t duplicates) : duplicates_(duplicates) {}
  std::optional<std::string> check(const Progress& progress) const override {
    if (progress.consecutive_duplicates >= duplicates_) return "exhausted";
    return std::nullopt;
  }

 private:
  std::uint64_t duplicates_;
};

class AnyOf final : public StopCondition {
 public:
  explicit AnyOf(std::vector<std::unique_ptr<StopCondition>> conditions)
      : conditions_(std::move(conditions)) {}
  std::optional<std::string> check(const Progress& progress) const override {
    for (const auto& condition : conditions_) {
      if (auto reason = condition->check(progress)) return reason;
    }
    return std::nullopt;
  }

 private:
  std::vector<std::unique_ptr<StopCondition>> conditions_;
};

}  // namespace

std::unique_ptr<StopCondition> stop_on_budget(const Budget& budget) {
  return std::make_unique<StopOnBudget>(budget);
}
std::unique_ptr<StopCondition> stop_at_speedup(double speedup) {
  return std::make_unique<StopAtSpeedup>(speedup);
}
std::unique_ptr<StopCondition> stop_on_stagnation(std::uint64_t evaluations) {
  return std::make_unique<StopOnStagnation>(evaluations);
}
std::unique_ptr<StopCondition> stop_when_exhausted(std::uint64_t duplicates) {
  return std::make_unique<StopWhenExhausted>(duplicates);
}
std::unique_ptr<StopCondition> any_of(std::vector<std::unique_ptr<StopCondition>> conditions) {
  return std::make_unique<AnyOf>(std::move(conditions));
}

}  // namespace kernatlas
