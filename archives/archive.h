// Archive: keeps the best entry of every kind. The interface all archive kinds share.
//
// Archives know nothing of kernels: they see the numbers of archives/entry.h.
//
// Invariants, whatever the kind:
//  1. A champion is never displaced by an entry with a lower objective, unless evidence says so
//     (kinds whose traits say `elitist`).
//  2. add() either changes the archive or says why it did not; it never throws for bad numbers.
//  3. opened + improved + rejected + contested + refused = calls of add().
//  4. An id is stored at most once in the whole archive.
//  5. Replaying the same entries with the same evidence in the same order gives the same archive.
//  6. With the strict rule, what the traits' `order_free` names (ids all different) does not depend
//     on the order of the entries.
//  7. state() and ArchiveKinds::restore() are inverse to each other, to the last bit.
//
// Without evidence the QD score and the best objective of an elitist kind never fall; evidence may
// hand a cell to an entry with the lower (but less lucky) objective, and then they may.
//
// Adding an id again: a champion's own id changes nothing; a runner-up's is judged afresh with the
// new numbers, which replace the old ones; an id stored in another cell is refused.
//
// Thread safety: const methods from many threads, as long as nobody calls a method that is not
// const. archives/shared_archive.h holds a lock around an archive that is read while it grows.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "archives/acceptance.h"
#include "archives/axis.h"
#include "archives/entry.h"
#include "archives/spec.h"

namespace kernatlas::archives {

enum class AddStatus {
  rejected,   // the champion of its cell stays
  improved,   // became the champion of an occupied cell
  opened,     // became the champion of an empty cell
  contested,  // looks better, but the rule wants evidence first; nothing changed
  refused,    // a measure is NaN, unknown, missing or out of a range that rejects; the objective is
              // not finite; the id is stored in another cell; or the kind's own reason
};
[[nodiscard]] std::string_view name(AddStatus status);

struct AddOutcome {
  AddStatus status = AddStatus::rejected;
  std::size_t cell = 0;  // meaningless when refused
  // Objective minus what had to be beaten, the displaced champion's; 0 unless improved. A soft
  // archive measures from the cell's threshold instead.
  double gain = 0;
  bool kept = false;  // stored after this call, as champion or as a runner-up
  std::optional<std::uint64_t> displaced = {};  // former champion, when improved
  std::optional<std::uint64_t> incumbent = {};  // whom to compare against, when contested
  std::vector<std::uint64_t> dropped = {};  // ids that are no longer stored because of this call
  std::string reason = {};                  // when refused
};

// What does not depend on the order in which entries came, under the strict rule.
enum class OrderFree { nothing, champions, members };

// What a kind promises; fixed for an archive's life.
struct Traits {
  bool elitist = true;            // a cell's champion never gets worse without evidence
  bool cells_by_measures = true;  // equal measures always mean the same cell
  OrderFree order_free = OrderFree::members;
};

// Sees every add after it was settled; what a result archive is made of.
class Watcher {
 public:
  virtual ~Watcher() = default;
  virtual void seen(const Entry& entry, const std::optional<Evidence>& evidence,
                    const AddOutcome& outcome) = 0;
};

class Archive {
 public:
  virtual ~Archive() = default;
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;

  // Stable kind name, part of the portable format: "grid", …
  [[nodiscard]] const std::string& kind() const { return spec_.kind; }
  [[nodiscard]] const ArchiveSpec& spec() const { return spec_; }
  [[nodiscard]] const std::vector<Axis>& axes() const { return spec_.axes; }
  [[nodiscard]] double floor() const { return spec_.floor; }
  [[nodiscard]] const Stats& stats() const { return stats_; }
  [[nodiscard]] virtual Traits traits() const { return {}; }

  // `evidence`, where present, is the result of an interleaved comparison against the incumbent it
  // names; it is ignored when that incumbent is no longer the champion (the answer may then be
  // `contested` again, with the new incumbent). O(axes + depth) for a grid, else see the kind;
  // when evidence dethrones the best champion of all, once O(occupied). Pointers and spans got
  // before are invalid after.
  AddOutcome add(Entry entry, const std::optional<Evidence>& evidence = std::nullopt);

  // Adds all of them, as if one after the other, and answers for each what came of it in the end:
  // of many entries into one new cell one is `opened` and the rest are `rejected`; `gain` and
  // `displaced` compare with the champion before the batch. Status counters follow these answers.
  // With the strict rule the archive, the answers and the counters are the same in any order.
  std::vector<AddOutcome> add_batch(std::vector<Entry> entries);

  // The cell these measures fall into; nothing when they would be refused.
  [[nodiscard]] virtual std::optional<std::size_t> cell_of(
      std::span<const double> measures) const = 0;
  [[nodiscard]] virtual const Elite* champion(std::size_t cell) const = 0;
  // Champion first, then runners-up by falling objective.
  [[nodiscard]] virtual std::span<const Elite> members(std::size_t cell) const = 0;
  // Occupied cells in the order in which they were opened: stable under replay.
  [[nodiscard]] virtual std::span<const std::size_t> occupied() const = 0;
  // The stored entry of that id; null when it is not stored.
  [[nodiscard]] virtual const Elite* find(std::uint64_t id) const = 0;
  // How many cells one step away from an occupied cell are occupied; kinds without a neighbourhood
  // say 0. What a step is, the kind says.
  [[nodiscard]] virtual std::size_t occupied_neighbours(std::size_t) const { return 0; }
  // Human name of a cell: one bin text per axis.
  [[nodiscard]] virtual std::vector<std::string> cell_text(std::size_t cell) const = 0;

  // A copy of everything; O(stored).
  [[nodiscard]] ArchiveState state() const;

  // From now on `watcher` sees every add; null for nobody. Not owned: it must outlive the archive's
  // last add or be taken away before. Not part of the state.
  void watch(Watcher* watcher) { watcher_ = watcher; }

 protected:
  // `cells`: 0 when the kind has no fixed number. `rule`: null makes the one that the spec names.
  // Throws std::invalid_argument for a floor that is not finite or an unknown rule.
  Archive(ArchiveSpec spec, std::size_t cells, std::unique_ptr<Acceptance> rule = nullptr);

  // Called with entries that have one acceptable measure per axis, a finite objective and an
  // interval around it; `bins` says where they fell. Answers every status but keeps no count of
  // them; reports each change of a cell's champion through champion_changed().
  [[nodiscard]] virtual AddOutcome do_add(Entry&& entry, std::span<const Bin> bins,
                                          const std::optional<Evidence>& evidence) = 0;
  // Takes over the elites and extra numbers of a state into an archive that is still empty; an
  // error text when they cannot be this archive's. The elites have acceptable numbers and distinct
  // ids; cells and ranks are the kind's to check.
  [[nodiscard]] virtual std::string do_restore(std::vector<Elite> elites,
                                               const std::vector<double>& extra) = 0;
  [[nodiscard]] virtual std::vector<double> extra() const { return {}; }

  // Objectives of a cell's champion before and after; nothing for an empty cell. Call it when
  // occupied() and champion() already show the change.
  void champion_changed(std::optional<double> before, std::optional<double> after);
  // The rule's decision, with evidence about anyone but this champion left out.
  [[nodiscard]] Decision judge(const Entry& challenger, const Entry& champion,
                               const std::optional<Evidence>& evidence) const;
  [[nodiscard]] const Acceptance& rule() const { return *rule_; }
  // Where measures fall, one bin per axis; nothing when they would be refused.
  [[nodiscard]] std::optional<std::vector<Bin>> bins_of(std::span<const double> measures) const;

 private:
  friend class ArchiveKinds;
  struct Incumbent {
    std::uint64_t id = 0;
    double objective = 0;
  };
  [[nodiscard]] std::string restore(const ArchiveState& state);
  [[nodiscard]] std::string restore_counters(const Stats& stored);
  AddOutcome settle(Entry&& entry, const std::optional<Evidence>& evidence);
  void conclude(AddOutcome& outcome, std::uint64_t id, double objective,
                const std::optional<Incumbent>* before) const;
  [[nodiscard]] std::string locate(std::span<const double> measures);
  void count(AddStatus status);
  void recount();

  ArchiveSpec spec_;
  std::unique_ptr<Acceptance> rule_;
  Stats stats_;
  std::vector<Bin> bins_;        // of the entry being added
  double former_objective_ = 0;  // of the champion displaced last
  Watcher* watcher_ = nullptr;
};

}  // namespace kernatlas::archives
