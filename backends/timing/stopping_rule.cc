#include "backends/timing/stopping_rule.h"

#include <fmt/format.h>

namespace kernatlas {

namespace {
// Fewer samples have no 95 % interval at all.
constexpr std::size_t kFewest = 6;
}  // namespace

StopReason StoppingRule::decide(double elapsed_s) const {
  if (samples_.size() < kFewest) return StopReason::not_yet;
  const Summary now = summary();
  if (now.interval.low > options_.cut_ratio * options_.incumbent) return StopReason::cut;
  if (samples_.size() < options_.min_samples) {
    return elapsed_s >= options_.hard_limit_s ? StopReason::out_of_time : StopReason::not_yet;
  }
  if (now.relative_half_width() <= options_.half_width) return StopReason::precise;
  if (samples_.size() >= options_.max_samples) return StopReason::enough_samples;
  return elapsed_s >= options_.budget_s ? StopReason::out_of_time : StopReason::not_yet;
}

std::string StoppingRule::noise() const {
  const Summary now = summary();
  if (now.samples < kFewest) return fmt::format("only {} samples", now.samples);
  const auto share = static_cast<double>(now.outliers) / static_cast<double>(now.samples);
  if (share > options_.outlier_share) {
    return fmt::format("{} of {} samples are outliers", now.outliers, now.samples);
  }
  if (now.bimodal) return "the samples have two modes";
  if (now.relative_half_width() > options_.noisy_half_width) {
    return fmt::format("the median is known to {:.1f} % only", 100 * now.relative_half_width());
  }
  return {};
}

}  // namespace kernatlas
