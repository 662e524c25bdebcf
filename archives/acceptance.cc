#include "archives/acceptance.h"

#include <cmath>
#include <stdexcept>

#include "archives/entry.h"

namespace kernatlas::archives {
namespace {

class Strict final : public Acceptance {
 public:
  std::string_view name() const override { return "strict"; }
  Decision decide(const Entry& challenger, const Entry& champion,
                  const std::optional<Evidence>&) const override {
    return better(challenger, champion) ? Decision::replace : Decision::keep_champion;
  }
  bool surely_keeps(double challenger, double champion) const override {
    return challenger < champion;
  }
};

class Separate final : public Acceptance {
 public:
  std::string_view name() const override { return "interval"; }
  Decision decide(const Entry& challenger, const Entry& champion,
                  const std::optional<Evidence>&) const override {
    return challenger.low > champion.high ? Decision::replace : Decision::keep_champion;
  }
  bool surely_keeps(double challenger, double champion) const override {
    return challenger < champion;
  }
};

class Interleaved final : public Acceptance {
 public:
  explicit Interleaved(double min_gain) : min_gain_(min_gain) {
    if (!(std::isfinite(min_gain) && min_gain >= 0)) {
      throw std::invalid_argument(
          "interleaved_acceptance: min_gain must be finite and not negative");
    }
  }
  std::string_view name() const override { return "interleaved"; }
  double min_gain() const override { return min_gain_; }
  Decision decide(const Entry& challenger, const Entry& champion,
                  const std::optional<Evidence>& evidence) const override {
    if (evidence && evidence->incumbent == champion.id) {
      const bool won = evidence->conclusive && evidence->gain >= min_gain_;
      return won ? Decision::replace : Decision::keep_champion;
    }
    const bool clearly_lower = challenger.objective < champion.objective - min_gain_;
    return clearly_lower ? Decision::keep_champion : Decision::need_evidence;
  }
  bool surely_keeps(double challenger, double champion) const override {
    return challenger < champion - min_gain_;
  }

 private:
  double min_gain_;
};

}  // namespace

std::unique_ptr<Acceptance> strict_acceptance() {
  return std::make_unique<Strict>();
}
std::unique_ptr<Acceptance> interval_acceptance() {
  return std::make_unique<Separate>();
}
std::unique_ptr<Acceptance> interleaved_acceptance(double min_gain) {
  return std::make_unique<Interleaved>(min_gain);
}

std::unique_ptr<Acceptance> make_acceptance(std::string_view name, double min_gain) {
  if (name == "strict") return strict_acceptance();
  if (name == "interval") return interval_acceptance();
  if (name == "interleaved") return interleaved_acceptance(min_gain);
  return nullptr;
}

}  // namespace kernatlas::archives
