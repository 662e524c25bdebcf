#include "backends/timing/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kernatlas {

namespace {

// The largest j with P(Binomial(n, 1/2) < j) ≤ 0.025; 0 when even j = 1 is too likely.
std::size_t interval_rank(std::size_t n) {
  if (n > 1000) {  // normal approximation, far beyond any timing loop
    const double count = static_cast<double>(n);
    return static_cast<std::size_t>(std::max(0.0, count / 2 - 0.98 * std::sqrt(count)));
  }
  double term = std::pow(0.5, static_cast<double>(n));
  double sum = 0;
  std::size_t j = 0;
  while (j < n && sum + term <= 0.025) {
    sum += term;
    term *= static_cast<double>(n - j) / static_cast<double>(j + 1);
    ++j;
  }
  return j;
}

}  // namespace

double Summary::relative_half_width() const {
  if (!(median > 0)) return std::numeric_limits<double>::infinity();
  return std::max(interval.high - median, median - interval.low) / median;
}

double quantile(std::span<const double> sorted, double share) {
  if (sorted.empty()) return std::numeric_limits<double>::quiet_NaN();
  const double position = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (position - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return quantile(values, 0.5);
}

Interval median_interval(std::span<const double> sorted) {
  const std::size_t rank = interval_rank(sorted.size());
  if (rank == 0) return {};
  return {.low = sorted[rank - 1], .high = sorted[sorted.size() - rank]};
}

bool is_bimodal(std::span<const double> sorted, double gap) {
  const std::size_t n = sorted.size();
  if (n < 10) return false;
  // Shifted by the first sample: sums of squares of large numbers would lose the small variance.
  std::vector<double> sum(n + 1);
  std::vector<double> square(n + 1);
  for (std::size_t i = 0; i < n; ++i) {
    const double x = sorted[i] - sorted[0];
    sum[i + 1] = sum[i] + x;
    square[i + 1] = square[i] + x * x;
  }
  const auto least = static_cast<std::size_t>(std::ceil(0.15 * static_cast<double>(n)));
  double best = -1;
  std::size_t cut = 0;
  for (std::size_t k = least; k + least <= n; ++k) {
    const auto low = static_cast<double>(k);
    const auto high = static_cast<double>(n - k);
    const double difference = sum[k] / low - (sum[n] - sum[k]) / high;
    const double between = low * high * difference * difference;
    if (between > best) {
      best = between;
      cut = k;
    }
  }
  const auto low = static_cast<double>(cut);
  const auto high = static_cast<double>(n - cut);
  const double mean_low = sum[cut] / low;
  const double mean_high = (sum[n] - sum[cut]) / high;
  const double variance_low = std::max(0.0, square[cut] / low - mean_low * mean_low);
  const double variance_high =
      std::max(0.0, (square[n] - square[cut]) / high - mean_high * mean_high);
  const double distance = mean_high - mean_low;
  const double spread = std::sqrt((variance_low + variance_high) / 2);
  return distance > gap * (sorted[0] + mean_low) && distance > 4 * spread;
}

Summary summarize(std::span<const double> samples) {
  std::vector<double> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  Summary summary;
  summary.samples = sorted.size();
  if (sorted.empty()) return summary;
  summary.median = quantile(sorted, 0.5);
  summary.interval = median_interval(sorted);
  summary.lower_quartile = quantile(sorted, 0.25);
  summary.upper_quartile = quantile(sorted, 0.75);
  summary.minimum = sorted.front();
  summary.maximum = sorted.back();
  const double fence = summary.upper_quartile + 3 * summary.iqr();
  summary.outliers = static_cast<std::size_t>(
      sorted.end() - std::upper_bound(sorted.begin(), sorted.end(), fence));
  summary.bimodal = is_bimodal(sorted);
  return summary;
}

}  // namespace kernatlas
