#include "backends/timing/interleaving.h"

#include <algorithm>
#include <cmath>

#include "backends/timing/statistics.h"

namespace kernatlas {

std::vector<bool> abba_order(std::size_t pairs, bool flipped) {
  std::vector<bool> challenger_first(pairs);
  for (std::size_t i = 0; i < pairs; ++i) challenger_first[i] = (i % 2 == 0) != flipped;
  return challenger_first;
}

Comparison::Finding decide(std::span<const double> log2_gains, const InterleavingOptions& options) {
  using Finding = Comparison::Finding;
  const std::size_t pairs = log2_gains.size();
  const bool finite = std::all_of(log2_gains.begin(), log2_gains.end(),
                                  [](double gain) { return std::isfinite(gain); });
  if (pairs == 0 || pairs < options.min_pairs || !finite) return Finding::ambiguous;
  const auto faster = static_cast<std::size_t>(
      std::count_if(log2_gains.begin(), log2_gains.end(), [](double gain) { return gain > 0; }));
  const auto slower = static_cast<std::size_t>(
      std::count_if(log2_gains.begin(), log2_gains.end(), [](double gain) { return gain < 0; }));
  const auto needed =
      static_cast<std::size_t>(std::ceil(options.agreement * static_cast<double>(pairs) - 1e-9));
  const double threshold = -std::log2(1 - options.min_gain);
  const double gain = median({log2_gains.begin(), log2_gains.end()});
  if (gain > threshold && faster >= needed) return Finding::faster;
  if (gain < -threshold && slower >= needed) return Finding::slower;
  return Finding::ambiguous;
}

}  // namespace kernatlas
