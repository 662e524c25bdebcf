#include "engine/search/progress_meter.h"

#include <algorithm>
#include <limits>

namespace kernatlas {

namespace {

double seconds_between(ProgressMeter::Clock::time_point from, ProgressMeter::Clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

}  // namespace

void ProgressMeter::start(double earlier_s) {
  start_ = Clock::now();
  earlier_s_ = earlier_s;
  count_ = 0;
}

double ProgressMeter::seconds() const {
  return earlier_s_ + seconds_between(start_, Clock::now());
}

void ProgressMeter::settled(std::uint64_t evaluations) {
  now_ = {Clock::now(), evaluations};
  if (count_ != 0 && now_.when - marks_[newest_].when < kMarkInterval) return;
  newest_ = (newest_ + 1) % kMarks;
  marks_[newest_] = now_;
  count_ = std::min(count_ + 1, kMarks);
}

double ProgressMeter::evaluations_per_s() const {
  if (count_ == 0) return 0;
  const Mark& oldest = marks_[(newest_ + kMarks + 1 - count_) % kMarks];
  const double seconds = seconds_between(oldest.when, now_.when);
  if (seconds <= 0) return 0;
  return static_cast<double>(now_.evaluations - oldest.evaluations) / seconds;
}

double ProgressMeter::eta_s(const Budget& budget, const Spent& spent) const {
  double eta = std::numeric_limits<double>::infinity();
  if (budget.seconds) eta = std::min(eta, std::max(0.0, *budget.seconds - spent.seconds));
  const double rate = evaluations_per_s();
  if (budget.evaluations && rate > 0) {
    const std::uint64_t left =
        *budget.evaluations - std::min(*budget.evaluations, spent.evaluations);
    eta = std::min(eta, static_cast<double>(left) / rate);
  }
  if (budget.usd && spent.usd > 0 && spent.seconds > 0) {
    const double usd_per_s = spent.usd / spent.seconds;
    eta = std::min(eta, std::max(0.0, *budget.usd - spent.usd) / usd_per_s);
  }
  return eta == std::numeric_limits<double>::infinity() ? std::numeric_limits<double>::quiet_NaN()
                                                        : eta;
}

}  // namespace kernatlas
