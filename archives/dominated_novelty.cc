#include "archives/dominated_novelty.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "archives/id_map.h"
#include "archives/measure_space.h"

namespace kernatlas::archives {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A fitter entry: ordered by distance, then id, so that lists do not depend on their history.
struct Neighbour {
  double distance = 0;
  std::uint64_t id = 0;
  friend auto operator<=>(const Neighbour&, const Neighbour&) = default;
};

// The nearest fitter entries of one entry, at most `limit`, ascending.
struct Fitter {
  std::vector<Neighbour> nearest;
  double score = kInfinity;

  void insert(const Neighbour& neighbour, std::size_t limit) {
    if (nearest.size() == limit) {
      if (!(neighbour < nearest.back())) return;
      nearest.pop_back();
    }
    nearest.insert(std::upper_bound(nearest.begin(), nearest.end(), neighbour), neighbour);
  }
  [[nodiscard]] bool holds(std::uint64_t id) const {
    return std::any_of(nearest.begin(), nearest.end(),
                       [id](const Neighbour& each) { return each.id == id; });
  }
  void rate() {
    double sum = 0;
    for (const Neighbour& each : nearest) sum += each.distance;
    score = nearest.empty() ? kInfinity : sum / static_cast<double>(nearest.size());
  }
  // What the score would be with one more neighbour.
  [[nodiscard]] double score_with(const Neighbour& neighbour, std::size_t limit) const {
    if (nearest.size() == limit && !(neighbour < nearest.back())) return score;
    double sum = 0;
    std::size_t taken = 0;
    bool inserted = false;
    const std::size_t count = std::min(nearest.size() + 1, limit);
    for (std::size_t i = 0; taken < count; ++taken) {
      if (!inserted && (i == nearest.size() || neighbour < nearest[i])) {
        sum += neighbour.distance;
        inserted = true;
      } else {
        sum += nearest[i++].distance;
      }
    }
    return sum / static_cast<double>(count);
  }
};

class DominatedNovelty final : public Archive {
 public:
  explicit DominatedNovelty(const ArchiveSpec& spec)
      : Archive(spec, 0),
        space_(spec.axes),
        capacity_(static_cast<std::size_t>(spec.options.at("capacity"))),
        neighbours_(static_cast<std::size_t>(spec.options.at("neighbours"))) {
    if (spec.axes.empty()) {
      throw std::invalid_argument("dominated-novelty: at least one axis is needed");
    }
    if (spec.acceptance != "strict") {
      throw std::invalid_argument("dominated-novelty: the only rule is \"strict\"");
    }
  }

  Traits traits() const override {
    return {.elitist = false, .cells_by_measures = false, .order_free = OrderFree::nothing};
  }
  std::optional<std::size_t> cell_of(std::span<const double> measures) const override;
  const Elite* champion(std::size_t cell) const override {
    return cell < elites_.size() ? &elites_[cell] : nullptr;
  }
  std::span<const Elite> members(std::size_t cell) const override {
    if (cell >= elites_.size()) return {};
    return {&elites_[cell], 1};
  }
  std::span<const std::size_t> occupied() const override { return occupied_; }
  const Elite* find(std::uint64_t id) const override {
    const std::size_t slot = slots_.find(id);
    return slot == IdMap::kNone ? nullptr : &elites_[slot];
  }
  std::vector<std::string> cell_text(std::size_t cell) const override {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < axes().size(); ++i) {
      const double measure = elites_.at(cell).entry.measures[i];
      texts.push_back(space_.categorical(i) ? axes()[i].bin_text(axes()[i].locate(measure)->index)
                                            : fmt::format("{:.6g}", measure));
    }
    return texts;
  }

 private:
  AddOutcome do_add(Entry&& entry, std::span<const Bin> bins,
                    const std::optional<Evidence>& evidence) override;
  std::string do_restore(std::vector<Elite> elites, const std::vector<double>& extra) override;

  const double* place(std::size_t slot) const {
    return places_.data() + slot * space_.dimensions();
  }
  double distance(std::size_t a, std::size_t b) const {
    return std::sqrt(space_.squared(place(a), place(b)));
  }
  std::size_t nearest_slot(const double* place) const;
  std::size_t loser(const Entry& entry, const Fitter& entrys) const;
  bool is_better(const Entry& entry, std::size_t slot) const {
    if (entry.objective != objectives_[slot]) return entry.objective > objectives_[slot];
    return better(entry, elites_[slot].entry);
  }
  void append(Entry&& entry, Fitter&& own);
  void replace(std::size_t slot, Entry&& entry, Fitter&& own);
  void meet(std::size_t slot, std::size_t other);
  Fitter fitter_than(std::size_t slot) const;
  void measure_distances(const double* place);

  MeasureSpace space_;
  std::size_t capacity_;
  std::size_t neighbours_;
  std::vector<Elite> elites_;
  std::vector<double> objectives_;  // of elites_, close together
  std::vector<double> places_;
  std::vector<Fitter> fitter_;
  std::vector<std::size_t> occupied_;
  IdMap slots_;
  std::vector<double> place_;      // of the entry being added
  std::vector<double> distances_;  // from it to every slot
};

std::optional<std::size_t> DominatedNovelty::cell_of(std::span<const double> measures) const {
  if (!bins_of(measures)) return std::nullopt;
  std::vector<double> place(space_.dimensions());
  space_.scale(measures, place.data());
  return nearest_slot(place.data());
}

std::size_t DominatedNovelty::nearest_slot(const double* place) const {
  std::pair<double, std::size_t> best(kInfinity, 0);
  for (std::size_t slot = 0; slot < elites_.size(); ++slot) {
    best = std::min(best, {space_.squared(place, this->place(slot)), slot});
  }
  return best.second;
}

void DominatedNovelty::measure_distances(const double* place) {
  distances_.resize(elites_.size());
  for (std::size_t slot = 0; slot < elites_.size(); ++slot) {
    distances_[slot] = std::sqrt(space_.squared(place, this->place(slot)));
  }
}

AddOutcome DominatedNovelty::do_add(Entry&& entry, std::span<const Bin>,
                                    const std::optional<Evidence>&) {
  AddOutcome outcome;
  if (const std::size_t slot = slots_.find(entry.id); slot != IdMap::kNone) {
    outcome.cell = slot;
    outcome.kept = true;
    return outcome;
  }
  place_.resize(space_.dimensions());
  space_.scale(entry.measures, place_.data());
  measure_distances(place_.data());
  Fitter own;
  for (std::size_t slot = 0; slot < elites_.size(); ++slot) {
    if (!is_better(entry, slot)) {
      own.insert({distances_[slot], elites_[slot].entry.id}, neighbours_);
    }
  }
  own.rate();
  const double objective = entry.objective;
  outcome.kept = true;
  if (elites_.size() < capacity_) {
    outcome.status = AddStatus::opened;
    outcome.cell = elites_.size();
    append(std::move(entry), std::move(own));
    champion_changed(std::nullopt, objective);
    return outcome;
  }
  const std::size_t slot = loser(entry, own);
  if (slot == elites_.size()) {
    outcome.kept = false;
    outcome.cell = nearest_slot(place_.data());
    return outcome;
  }
  const std::uint64_t former = elites_[slot].entry.id;
  const double former_objective = objectives_[slot];
  outcome.status = AddStatus::improved;
  outcome.cell = slot;
  outcome.gain = objective - former_objective;
  outcome.displaced = former;
  outcome.dropped = {former};
  replace(slot, std::move(entry), std::move(own));
  champion_changed(former_objective, objective);
  return outcome;
}

// The slot with the lowest score if the entry joined; the number of slots for the entry itself.
std::size_t DominatedNovelty::loser(const Entry& entry, const Fitter& entrys) const {
  std::size_t lowest = elites_.size();
  double lowest_score = entrys.score;
  const Entry* lowest_entry = &entry;
  for (std::size_t slot = 0; slot < elites_.size(); ++slot) {
    double score = fitter_[slot].score;
    if (is_better(entry, slot)) {
      score = fitter_[slot].score_with({distances_[slot], entry.id}, neighbours_);
    }
    if (score > lowest_score) continue;
    if (score < lowest_score || better(*lowest_entry, elites_[slot].entry)) {
      lowest = slot;
      lowest_score = score;
      lowest_entry = &elites_[slot].entry;
    }
  }
  return lowest;
}

// Scores of those who are less fit than the newcomer in `slot` know of it from now on.
void DominatedNovelty::meet(std::size_t slot, std::size_t other) {
  const Entry& newcomer = elites_[slot].entry;
  if (!is_better(newcomer, other)) return;
  fitter_[other].insert({distances_[other], newcomer.id}, neighbours_);
  fitter_[other].rate();
}

void DominatedNovelty::append(Entry&& entry, Fitter&& own) {
  const std::size_t slot = elites_.size();
  slots_.set(entry.id, slot);
  occupied_.push_back(slot);
  objectives_.push_back(entry.objective);
  places_.insert(places_.end(), place_.begin(), place_.end());
  fitter_.push_back(std::move(own));
  elites_.push_back({std::move(entry), slot, 0});
  for (std::size_t other = 0; other < slot; ++other) meet(slot, other);
}

// Those that had the former entry among their neighbours have to look for another one.
void DominatedNovelty::replace(std::size_t slot, Entry&& entry, Fitter&& own) {
  const std::uint64_t former = elites_[slot].entry.id;
  slots_.erase(former);
  slots_.set(entry.id, slot);
  objectives_[slot] = entry.objective;
  std::copy(place_.begin(), place_.end(),
            places_.begin() + static_cast<std::ptrdiff_t>(slot * space_.dimensions()));
  fitter_[slot] = std::move(own);
  elites_[slot].entry = std::move(entry);
  for (std::size_t other = 0; other < elites_.size(); ++other) {
    if (fitter_[other].holds(former)) {
      fitter_[other] = fitter_than(other);
    } else if (other != slot) {
      meet(slot, other);
    }
  }
}

Fitter DominatedNovelty::fitter_than(std::size_t slot) const {
  Fitter fitter;
  for (std::size_t other = 0; other < elites_.size(); ++other) {
    if (other == slot || is_better(elites_[slot].entry, other)) continue;
    fitter.insert({distance(slot, other), elites_[other].entry.id}, neighbours_);
  }
  fitter.rate();
  return fitter;
}

std::string DominatedNovelty::do_restore(std::vector<Elite> elites,
                                         const std::vector<double>& extra) {
  if (!extra.empty()) return fmt::format("{} extra numbers, this kind has none", extra.size());
  if (elites.size() > capacity_) {
    return fmt::format("{} entries, room for {}", elites.size(), capacity_);
  }
  for (std::size_t slot = 0; slot < elites.size(); ++slot) {
    const Elite& elite = elites[slot];
    if (elite.cell != slot || elite.rank != 0) {
      return fmt::format("entry {}: slot {} and rank {}, expected {} and 0", elite.entry.id,
                         elite.cell, elite.rank, slot);
    }
    slots_.set(elite.entry.id, slot);
    occupied_.push_back(slot);
    objectives_.push_back(elite.entry.objective);
    place_.resize(space_.dimensions());
    space_.scale(elite.entry.measures, place_.data());
    places_.insert(places_.end(), place_.begin(), place_.end());
  }
  elites_ = std::move(elites);
  for (std::size_t slot = 0; slot < elites_.size(); ++slot) fitter_.push_back(fitter_than(slot));
  return {};
}

}  // namespace

Kind dominated_novelty_kind() {
  return {
      .name = "dominated-novelty",
      .description = "no cells: what is good, or unlike everything better",
      .options = {{.name = "capacity",
                   .standard = 1024,
                   .least = 1,
                   .most = 32768,
                   .meaning = "entries stored"},
                  {.name = "neighbours",
                   .standard = 3,
                   .least = 1,
                   .most = 64,
                   .meaning = "nearest fitter entries that a score is the mean over"}},
      .factory = [](const ArchiveSpec& spec) { return std::make_unique<DominatedNovelty>(spec); }};
}

}  // namespace kernatlas::archives
