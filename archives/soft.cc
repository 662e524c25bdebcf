#include "archives/soft.h"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>
#include <utility>

#include "archives/cell_archive.h"

namespace kernatlas::archives {
namespace {

class Soft final : public CellArchive {
 public:
  explicit Soft(const ArchiveSpec& spec)
      : CellArchive(spec, make_cell_index(spec)),
        rate_(spec.options.at("learning_rate")),
        least_(spec.options.at("threshold_min")) {
    if (spec.acceptance != "strict") {
      throw std::invalid_argument("soft: thresholds decide; the only rule is \"strict\"");
    }
  }

  Traits traits() const override { return {.elitist = false, .order_free = OrderFree::nothing}; }

 private:
  void enter(Entry&& entry, AddOutcome& outcome) override {
    const double objective = entry.objective;
    if (!(objective > least_)) return;
    thresholds_.push_back(moved(least_, objective));
    CellArchive::enter(std::move(entry), outcome);
    outcome.gain = objective - least_;
  }

  void compete(Members& members, Entry&& entry, const std::optional<Evidence>&,
               AddOutcome& outcome) override {
    const double objective = entry.objective;
    double& threshold = thresholds_[position(outcome.cell)];
    if (!(objective > threshold)) return;
    outcome.dropped = {crown(members, std::move(entry), outcome).id};
    outcome.gain = objective - threshold;
    threshold = moved(threshold, objective);
  }

  double moved(double threshold, double objective) const {
    return (1 - rate_) * threshold + rate_ * objective;
  }

  std::vector<double> extra() const override { return thresholds_; }

  std::string check_members(std::span<const Elite> members) const override {
    if (members.size() > 1) return "a soft archive holds one entry per cell";
    return members[0].entry.objective > least_ ? "" : "the champion is below threshold_min";
  }

  std::string restore_extra(const std::vector<double>& extra) override {
    if (extra.size() != occupied().size()) {
      return fmt::format("{} thresholds for {} cells", extra.size(), occupied().size());
    }
    for (const double threshold : extra) {
      if (!std::isfinite(threshold) || threshold < least_) {
        return fmt::format("a threshold is {}", threshold);
      }
    }
    thresholds_ = extra;
    return {};
  }

  double rate_;
  double least_;
  std::vector<double> thresholds_;  // in order of occupied()
};

}  // namespace

Kind soft_kind() {
  return {.name = "soft",
          .description = "annealed thresholds; not elitist, to be paired with a result archive",
          .options = {{.name = "learning_rate",
                       .standard = 0.1,
                       .least = 0,
                       .most = 1,
                       .whole = false,
                       .meaning = "how far a threshold moves towards an accepted objective"},
                      {.name = "threshold_min",
                       .standard = -6,
                       .least = -1e300,
                       .most = 1e300,
                       .whole = false,
                       .meaning = "what an entry must exceed to open a cell"}},
          .factory = [](const ArchiveSpec& spec) { return std::make_unique<Soft>(spec); },
          .points = true};
}

}  // namespace kernatlas::archives
