// Archive: keeps the best entry of every kind. The interface all archive kinds share.
//
// An entry is a number the archive does not interpret (the caller's ticket), an objective (larger
// is better), an interval around it, and one measure per axis. Archives know nothing of kernels.
//
// Invariants, whatever the kind:
//  1. A champion is never displaced by an entry with a lower objective, unless evidence says so.
//  2. add() either changes the archive or says why it did not; it never throws for bad numbers.
//  3. opened + improved + rejected + contested + refused = calls of add().
//  4. Replaying the same entries with the same evidence in the same order gives the same archive.
//  5. With the strict rule and distinct objectives, the champions do not depend on the order.
//
// Thread safety: const methods from many threads, as long as nobody calls add().
#pragma once

#include <cstdint>
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
  double low = 0;        // interval of the objective; low <= objective <= high
  double high = 0;
  std::vector<double> measures;  // one per axis
  double size = 0;               // tie-break: smaller wins (bytes of code); then the smaller id
};

enum class AddStatus {
  rejected,   // the champion of its cell stays
  improved,   // became the champion of an occupied cell
  opened,     // became the champion of an empty cell
  contested,  // looks better, but the rule wants evidence first; nothing changed
  refused,    // a measure is NaN, unknown or out of range, or the objective is not finite
};
[[nodiscard]] std::string_view name(AddStatus status);

struct AddOutcome {
  AddStatus status = AddStatus::rejected;
  std::size_t cell = 0;  // meaningless when refused
  double gain = 0;       // objective minus the displaced champion's; 0 unless improved
  bool kept = false;     // stored at all, as champion or as a runner-up
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
  double best = 0;      // best objective now in the archive; NaN when empty
  double mean = 0;      // mean objective of the champions; NaN when empty
  std::uint64_t opened = 0, improved = 0, rejected = 0, contested = 0, refused = 0;
  std::vector<std::uint64_t> below;  // per axis: entries clipped or rejected below the range
  std::vector<std::uint64_t> above;  // per axis: the same above
};

class Archive {
 public:
  virtual ~Archive() = default;
  // Stable kind name, part of the portable format: "grid", …
  [[nodiscard]] virtual std::string_view kind() const = 0;

  // `evidence`, where present, is the result of an interleaved comparison against the incumbent it
  // names; it is ignored when that incumbent is no longer the champion. O(axes · log bins + depth).
  AddOutcome add(const Entry& entry, const std::optional<Evidence>& evidence = std::nullopt);

  // The cell these measures fall into; nothing when they would be refused.
  [[nodiscard]] virtual std::optional<std::size_t> cell_of(
      std::span<const double> measures) const = 0;
  [[nodiscard]] virtual const Elite* champion(std::size_t cell) const = 0;
  // Champion first, then runners-up by falling objective.
  [[nodiscard]] virtual std::span<const Elite> members(std::size_t cell) const = 0;
  // Occupied cells in the order in which they were opened: stable under replay.
  [[nodiscard]] virtual std::span<const std::size_t> occupied() const = 0;
  [[nodiscard]] virtual const std::vector<Axis>& axes() const = 0;
  // Human name of a cell: one bin text per axis.
  [[nodiscard]] virtual std::vector<std::string> cell_text(std::size_t cell) const = 0;
  [[nodiscard]] const Stats& stats() const { return stats_; }
  [[nodiscard]] double floor() const { return floor_; }

 protected:
  // `floor`: QD score counts objective above it. A fixed floor keeps the score monotone.
  explicit Archive(double floor) : floor_(floor) {}
  [[nodiscard]] virtual AddOutcome do_add(const Entry& entry,
                                          const std::optional<Evidence>& evidence) = 0;
  Stats stats_;

 private:
  double floor_;
};

}  // namespace kernatlas::archives
