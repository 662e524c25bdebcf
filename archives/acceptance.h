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

// Contract of decide(): a function of its arguments only. `evidence`, where present, names the
// champion at hand (the archive drops what names another). Both intervals contain their objective;
// a missing interval is the point low = high = objective, and every rule works with it. A rule
// other than interleaved_acceptance() needs no evidence and heeds none.
class Acceptance {
 public:
  virtual ~Acceptance() = default;
  [[nodiscard]] virtual std::string_view name() const = 0;
  // The rule's only number, 0 where it has none; name and number are what a spec records.
  [[nodiscard]] virtual double min_gain() const { return 0; }
  [[nodiscard]] virtual Decision decide(const Entry& challenger, const Entry& champion,
                                        const std::optional<Evidence>& evidence) const = 0;
  // True only when decide() without evidence would keep the champion for these two objectives
  // alone, whatever else is known: lets an archive reject without looking the champion up.
  [[nodiscard]] virtual bool surely_keeps(double /*challenger*/, double /*champion*/) const {
    return false;
  }
};

// Replaces when the challenger is better(): right for exact objectives.
[[nodiscard]] std::unique_ptr<Acceptance> strict_acceptance();
// Replaces only when the challenger's interval lies wholly above the champion's. Between two
// points that is the objective alone, so a tie keeps whoever came first.
[[nodiscard]] std::unique_ptr<Acceptance> interval_acceptance();
// Believes an interleaved re-measurement only. `min_gain` (≥ 0, finite, else
// std::invalid_argument) is both the smallest gain worth a replacement and the margin of doubt:
//   challenger's objective < champion's − min_gain: keep, not worth a re-run; otherwise
//   without evidence: need_evidence;
//   with evidence: replace when it is conclusive and its gain ≥ min_gain, else keep.
// The margin lets a challenger in whose single timing came out slightly below a champion that was
// lucky; within it the two cannot be told apart without a paired measurement. Evidence outweighs
// the objectives: with it the margin is not looked at.
[[nodiscard]] std::unique_ptr<Acceptance> interleaved_acceptance(double min_gain);
// By name: "strict", "interval", "interleaved"; null when unknown. Throws as the rule's own maker.
[[nodiscard]] std::unique_ptr<Acceptance> make_acceptance(std::string_view name, double min_gain);

}  // namespace kernatlas::archives
