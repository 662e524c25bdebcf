// Statistics of repeated timings: order statistics only, because timings have long tails and no
// normal distribution. Pure functions; O(n log n).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "kernel/outcome.h"

namespace kernatlas {

struct Summary {
  std::size_t samples = 0;
  double median = 0;
  Interval interval;  // 95 % confidence interval of the median; infinite below 6 samples
  double lower_quartile = 0;
  double upper_quartile = 0;
  double minimum = 0;
  double maximum = 0;
  std::size_t outliers = 0;  // above upper quartile + 3 · interquartile range
  bool bimodal = false;      // two separate modes, their centres more than 5 % apart
  [[nodiscard]] double iqr() const { return upper_quartile - lower_quartile; }
  // Larger side of the interval, relative to the median.
  [[nodiscard]] double relative_half_width() const;
};

[[nodiscard]] Summary summarize(std::span<const double> samples);

// Of values in any order; the mean of the two middle ones for an even number. NaN when empty.
[[nodiscard]] double median(std::vector<double> values);

// Quantile by linear interpolation between order statistics (Hyndman and Fan 1996, type 7).
[[nodiscard]] double quantile(std::span<const double> sorted, double share);

// 95 % interval of the median from order statistics: x(j) … x(n+1-j) with the largest j for which
// P(Binomial(n, 1/2) < j) ≤ 2.5 % (David and Nagaraja, "Order Statistics", section 7.1).
[[nodiscard]] Interval median_interval(std::span<const double> sorted);

// Two modes: the split of the sorted samples that explains most of their variance (Otsu 1979), each
// side with at least 15 % of the samples, centres `gap` apart relative to the lower one, and well
// separated (Ashman's D above 4; one normal distribution cut in half has 2.6, a uniform one 3.5).
[[nodiscard]] bool is_bimodal(std::span<const double> sorted, double gap = 0.05);

}  // namespace kernatlas
