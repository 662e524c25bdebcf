#include "tools/progress.h"

#include <fmt/core.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace kernatlas {

namespace {

using Clock = std::chrono::steady_clock;

class ProgressPrinter final : public SearchObserver {
 public:
  ProgressPrinter(ProgressStyle style, Budget budget)
      : style_(style),
        budget_(std::move(budget)),
        interval_(style == ProgressStyle::live   ? std::chrono::milliseconds(500)
                  : style == ProgressStyle::json ? std::chrono::milliseconds(1000)
                                                 : std::chrono::milliseconds(10000)) {}

  ~ProgressPrinter() override {
    if (style_ == ProgressStyle::live && printed_) fmt::print(stderr, "\n");
  }

  void settled(const SettledRow&, const SearchStatus& status) override {
    const bool new_best = status.best_ticket != best_;
    best_ = status.best_ticket;
    const auto now = Clock::now();
    const bool due = !printed_ || now - last_ >= interval_;
    // A new best is worth a line of its own, but not thousands a second.
    if (!due && !(new_best && now - last_ >= std::chrono::milliseconds(500))) return;
    last_ = now;
    printed_ = true;
    print(status);
  }

 private:
  void print(const SearchStatus& status) const {
    switch (style_) {
      case ProgressStyle::live:
        fmt::print(stderr, "\r\x1b[K{}", progress_text(status, budget_));
        std::fflush(stderr);
        break;
      case ProgressStyle::lines:
        fmt::print(stderr, "{}\n", progress_text(status, budget_));
        break;
      case ProgressStyle::json:
        fmt::print("{}\n", progress_json(status));
        std::fflush(stdout);
        break;
    }
  }

  ProgressStyle style_;
  Budget budget_;
  std::chrono::milliseconds interval_;
  Clock::time_point last_{};
  std::optional<std::uint64_t> best_;
  bool printed_ = false;
};

}  // namespace

std::string duration_text(double seconds) {
  if (!std::isfinite(seconds) || seconds < 0 || seconds > 1e9) return "?";
  const auto total = static_cast<long>(std::llround(seconds));
  const long hours = total / 3600;
  const long minutes = total / 60 % 60;
  if (hours > 0) return fmt::format("{}:{:02}:{:02}", hours, minutes, total % 60);
  return fmt::format("{}:{:02}", minutes, total % 60);
}

std::string progress_text(const SearchStatus& status, const Budget& budget) {
  std::string out = budget.evaluations
                        ? fmt::format("{}/{}", status.spent.evaluations, *budget.evaluations)
                        : fmt::format("{}", status.spent.evaluations);
  out += fmt::format("  {:.1f}/s", status.evaluations_per_s);
  for (std::size_t i = 0; i < status.outcomes.size(); ++i) {
    const auto kind = static_cast<OutcomeKind>(i);
    if (kind != OutcomeKind::measured && status.outcomes[i] > 0) {
      out += fmt::format("  {} {}", name(kind), status.outcomes[i]);
    }
  }
  if (status.duplicates > 0) out += fmt::format("  duplicates {}", status.duplicates);
  out += status.archive.cells > 0
             ? fmt::format("  cells {}/{}", status.archive.occupied, status.archive.cells)
             : fmt::format("  elites {}", status.archive.occupied);
  if (status.best_ticket) {
    out += fmt::format("  best {:.2f}x [{:.2f}, {:.2f}]", std::exp2(status.best_fitness),
                       std::exp2(status.best_interval.low), std::exp2(status.best_interval.high));
  }
  if (status.spent.usd > 0) out += fmt::format("  ${:.2f}", status.spent.usd);
  out += "  ETA " + duration_text(status.eta_s);
  return out;
}

std::string progress_json(const SearchStatus& status) {
  nlohmann::ordered_json outcomes = nlohmann::ordered_json::object();
  for (std::size_t i = 0; i < status.outcomes.size(); ++i) {
    if (status.outcomes[i] > 0) {
      outcomes[std::string(name(static_cast<OutcomeKind>(i)))] = status.outcomes[i];
    }
  }
  nlohmann::ordered_json json = {
      {"event", "progress"},
      {"evaluations", status.spent.evaluations},
      {"duplicates", status.duplicates},
      {"outcomes", outcomes},
      {"seconds", status.spent.seconds},
      {"usd", status.spent.usd},
      {"evaluations_per_s", status.evaluations_per_s},
      {"occupied", status.archive.occupied},
      {"cells", status.archive.cells},
      {"qd_score", status.archive.qd_score},
      {"in_flight", status.in_flight},
  };
  if (status.best_ticket) {
    json["best"] = {{"ticket", *status.best_ticket},
                    {"fitness", status.best_fitness},
                    {"speedup", std::exp2(status.best_fitness)}};
  }
  if (std::isfinite(status.eta_s)) json["eta_s"] = status.eta_s;
  return json.dump();
}

std::unique_ptr<SearchObserver> make_progress(ProgressStyle style, Budget budget) {
  return std::make_unique<ProgressPrinter>(style, std::move(budget));
}

}  // namespace kernatlas
