// Archive: keeps the best entry of every kind. The interface all archive kinds share.
//
// An entry is a number the archive does not interpret (the caller's ticket), an objective (larger
// is better), an interval around it, and one measure per axis. Archives know nothing of kernels.
//
// Invariants, whatever the kind:
//  1. A champion is never displaced by an entry with a lower objective, unless evidence says so.
//  2. add() either changes the archive or says why it did not; it never throws for bad numbers.
//  3. opened + improved + rejected + contested + refused = calls of add().
//  4. An id is stored at most once in the whole archive.
//  5. Replaying the same entries with the same evidence in the same order gives the same archive.
//  6. With the strict rule, champions and runners-up (ids all different) do not depend on the
//  order.
//
// Without evidence the QD score and the best objective never fall; evidence may hand a cell to an
// entry with the lower (but less lucky) objective, and then they may.
//
// Adding an id again: a champion's own id changes nothing; a runner-up's is judged afresh with the
// new numbers, which replace the old ones; an id stored in another cell is refused.
//
// Thread safety: const methods from many threads, as long as nobody calls add().
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "archives/acceptance.h"
#include "archives/axis.h"

namespace kernatlas::archives {

struct Entry {
  std::uint64_t id = 0;
  double objective = 0;  // finite
  // Interval of the objective, low <= objective <= high. One that is not finite or does not contain
  // the objective counts as missing and is stored as low = high = objective.
  double low = 0;
  double high = 0;
  std::vector<double> measures;  // one per axis
  double size = 0;               // tie-break: smaller wins (bytes of code); then the smaller id
};

enum class AddStatus {
  rejected,   // the champion of its cell stays
  improved,   // became the champion of an occupied cell
  opened,     // became the champion of an empty cell
  contested,  // looks better, but the rule wants evidence first; nothing changed
  refused,    // a measure is NaN, unknown, missing or out of a range that rejects; the objective is
              // not finite; or the id is stored in another cell
};
[[nodiscard]] std::string_view name(AddStatus status);

struct AddOutcome {
  AddStatus status = AddStatus::rejected;
  std::size_t cell = 0;  // meaningless when refused
  double gain = 0;       // objective minus the displaced champion's; 0 unless improved
  bool kept = false;     // stored after this call, as champion or as a runner-up
  std::optional<std::uint64_t> displaced;  // former champion, when improved
  std::optional<std::uint64_t> incumbent;  // whom to compare against, when contested
  std::string reason;                      // when refused
};

// A champion or runner-up and where it lives.
struct Elite {
  Entry entry;
  std::size_t cell = 0;
  std::size_t rank = 0;  // 0 is the champion of its cell
};

struct Stats {
  std::size_t cells = 0;  // 0 when the kind has no fixed number of cells
  std::size_t occupied = 0;
  double coverage = 0;  // occupied / cells, a fraction; NaN when cells is 0
  double qd_score = 0;  // sum over champions of max(0, objective - floor)
  double best = std::numeric_limits<double>::quiet_NaN();  // best champion's; NaN when empty
  double mean = std::numeric_limits<double>::quiet_NaN();  // of the champions; NaN when empty
  std::uint64_t opened = 0, improved = 0, rejected = 0, contested = 0, refused = 0;
  std::vector<std::uint64_t> below;  // per axis: entries clipped or rejected below the range
  std::vector<std::uint64_t> above;  // per axis: the same above
  std::vector<std::uint64_t> first;  // per axis: entries in the first bin, clipped ones included
  std::vector<std::uint64_t> last;   // per axis: the same in the last bin

  [[nodiscard]] std::uint64_t adds() const {
    return opened + improved + rejected + contested + refused;
  }
  // Largest share of the entries not refused that fell into one edge bin of this axis; 0 before the
  // first. Near 1 on an axis of many bins means that its range does not fit what is measured.
  [[nodiscard]] double edge_share(std::size_t axis) const;
};

class Archive {
 public:
  virtual ~Archive() = default;
  // Stable kind name, part of the portable format: "grid", …
  [[nodiscard]] virtual std::string_view kind() const = 0;

  // `evidence`, where present, is the result of an interleaved comparison against the incumbent it
  // names; it is ignored when that incumbent is no longer the champion (the answer may then be
  // `contested` again, with the new incumbent). O(axes · log bins + depth); when evidence dethrones
  // the best champion of all, once O(occupied). Pointers and spans got before are invalid after.
  AddOutcome add(Entry entry, const std::optional<Evidence>& evidence = std::nullopt);

  // The cell these measures fall into; nothing when they would be refused.
  [[nodiscard]] virtual std::optional<std::size_t> cell_of(
      std::span<const double> measures) const = 0;
  [[nodiscard]] virtual const Elite* champion(std::size_t cell) const = 0;
  // Champion first, then runners-up by falling objective.
  [[nodiscard]] virtual std::span<const Elite> members(std::size_t cell) const = 0;
  // Occupied cells in the order in which they were opened: stable under replay.
  [[nodiscard]] virtual std::span<const std::size_t> occupied() const = 0;
  [[nodiscard]] virtual const std::vector<Axis>& axes() const = 0;
  // How many cells one step away from an occupied cell are occupied; kinds without a neighbourhood
  // say 0. What a step is, the kind says.
  [[nodiscard]] virtual std::size_t occupied_neighbours(std::size_t) const { return 0; }
  // Human name of a cell: one bin text per axis.
  [[nodiscard]] virtual std::vector<std::string> cell_text(std::size_t cell) const = 0;
  [[nodiscard]] const Stats& stats() const { return stats_; }
  [[nodiscard]] double floor() const { return floor_; }

 protected:
  // `floor`: QD score counts objective above it. A fixed floor keeps the score monotone. Finite,
  // else std::invalid_argument. `cells`: 0 when the kind has no fixed number.
  Archive(double floor, std::size_t cells, std::size_t axes);

  // Called with entries that have one acceptable measure per axis, a finite objective and an
  // interval around it. Answers every status but keeps no count of them; reports each change of a
  // cell's champion through champion_changed().
  [[nodiscard]] virtual AddOutcome do_add(const Entry& entry,
                                          const std::optional<Evidence>& evidence) = 0;
  // Objectives of a cell's champion before and after; nothing for an empty cell. Call it when
  // occupied() and champion() already show the change.
  void champion_changed(std::optional<double> before, std::optional<double> after);
  // The rule's decision, with evidence about anyone but this champion left out.
  [[nodiscard]] static Decision judge(const Acceptance& rule, const Entry& challenger,
                                      const Entry& champion,
                                      const std::optional<Evidence>& evidence);
  // Why these measures cannot be placed on these axes; empty when they can.
  [[nodiscard]] static std::string refusal(const std::vector<Axis>& axes,
                                           std::span<const double> measures);

 private:
  void count_bins(std::span<const double> measures, bool placed);
  void count_status(AddStatus status);
  double floor_;
  double sum_ = 0;  // of the champions' objectives
  Stats stats_;
};

}  // namespace kernatlas::archives
