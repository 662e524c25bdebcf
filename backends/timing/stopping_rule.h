// StoppingRule: when a kernel has been timed enough.
//
// Samples are added until the 95 % interval of the median is narrow, the time budget is spent, or
// the kernel is clearly slower than what it has to beat (racing). It holds no clock: the caller
// says how much time has passed, so that simulated clocks test it. One rule serves one workload of
// one evaluation. Not thread-safe.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "backends/timing/statistics.h"

namespace kernatlas {

struct StoppingOptions {
  std::size_t min_samples = 20;  // never fewer, but for racing and the hard limit
  std::size_t max_samples = 300;
  double half_width = 0.005;  // precise: interval at most this wide on each side
  double budget_s = 0.1;      // enough time, precise or not, once min_samples are there
  double hard_limit_s = 10;   // give up below min_samples, with at least 6
  // Racing: cut when the whole interval lies above cut_ratio × this; infinite: no racing.
  double incumbent = std::numeric_limits<double>::infinity();
  double cut_ratio = 1.3;
  // Noise verdict.
  double outlier_share = 0.10;
  double noisy_half_width = 0.02;
};

enum class StopReason { not_yet, precise, out_of_time, enough_samples, cut };

class StoppingRule {
 public:
  explicit StoppingRule(StoppingOptions options) : options_(options) {}

  void add(double sample) { samples_.push_back(sample); }
  // O(n log n): ask once per batch of samples.
  [[nodiscard]] StopReason decide(double elapsed_s) const;

  // Why the samples are not to be trusted as they are; empty when they are fine: many outliers, two
  // modes, or an interval that is still wide.
  [[nodiscard]] std::string noise() const;

  [[nodiscard]] const std::vector<double>& samples() const { return samples_; }
  [[nodiscard]] Summary summary() const { return summarize(samples_); }
  void restart() { samples_.clear(); }

 private:
  StoppingOptions options_;
  std::vector<double> samples_;
};

}  // namespace kernatlas
