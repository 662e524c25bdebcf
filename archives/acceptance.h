// Acceptance: decides whether a challenger replaces the champion of its cell.
//
// Timings are noisy; a strict ">" keeps whoever was luckiest. The rule is an object, so an archive
// can be strict (exact objectives), ask for separate intervals, or ask for an interleaved
// re-measurement.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

namespace kernatlas::archives {

struct Entry;

// Outcome of an interleaved comparison of a challenger with the incumbent of that id.
struct Evidence {
  std::uint64_t incumbent = 0;
  double gain = 0;          // in objective units, from the paired measurement
  bool conclusive = false;  // the challenger really is better
};

enum class Decision { keep_champion, replace, need_evidence };

class Acceptance {
 public:
  virtual ~Acceptance() = default;
  [[nodiscard]] virtual std::string_view name() const = 0;
  [[nodiscard]] virtual Decision decide(const Entry& challenger, const Entry& champion,
                                        const std::optional<Evidence>& evidence) const = 0;
};

// Larger objective wins; ties by smaller size, then by smaller id.
[[nodiscard]] std::unique_ptr<Acceptance> strict_acceptance();
// Replaces only when the challenger's interval lies wholly above the champion's.
[[nodiscard]] std::unique_ptr<Acceptance> interval_acceptance();
// Clearly slower: keep. Otherwise wants conclusive interleaved evidence with gain ≥ min_gain.
// A challenger whose objective is within `margin` below the champion's is not worth the re-run.
[[nodiscard]] std::unique_ptr<Acceptance> interleaved_acceptance(double min_gain);

}  // namespace kernatlas::archives
