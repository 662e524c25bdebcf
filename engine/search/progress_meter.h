// ProgressMeter: what a run has spent, how fast it goes, and how long it has left.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>

#include "engine/search/budget.h"

namespace kernatlas {

// Thread safety: none.
class ProgressMeter {
 public:
  using Clock = std::chrono::steady_clock;

  // Starts the clock; `earlier_s` is the active time of earlier sessions.
  void start(double earlier_s);
  // Active time over all sessions, seconds.
  [[nodiscard]] double seconds() const;
  // Tells how many evaluations are settled now. Cheap: looks at the clock and little else.
  void settled(std::uint64_t evaluations);
  // Over the last few seconds (from the start when younger); 0 before anything is known.
  [[nodiscard]] double evaluations_per_s() const;
  // Until the first limit is reached at the present rate; NaN when unknown.
  [[nodiscard]] double eta_s(const Budget& budget, const Spent& spent) const;

 private:
  struct Mark {
    Clock::time_point when;
    std::uint64_t evaluations = 0;
  };
  static constexpr std::size_t kMarks = 32;
  static constexpr std::chrono::milliseconds kMarkInterval{250};

  Clock::time_point start_ = Clock::now();
  double earlier_s_ = 0;
  std::array<Mark, kMarks> marks_{};  // a ring
  std::size_t newest_ = 0;
  std::size_t count_ = 0;
  Mark now_;
};

}  // namespace kernatlas
