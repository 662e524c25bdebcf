// CellArchive: what the kinds with fixed cells share — storage by cell, the home of every id,
// neighbours, restoring. A kind adds the rule by which entries of one cell compete.
//
// Invariants:
//  1. Memory grows with occupied cells, not with the number of cells (beyond 65,536 of them).
//  2. A cell once opened stays occupied; member 0 is its champion.
//  3. The order of cells() is the order of opening.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "archives/archive.h"
#include "archives/cell_index.h"
#include "archives/cell_positions.h"
#include "archives/id_map.h"

namespace kernatlas::archives {

class CellArchive : public Archive {
 public:
  [[nodiscard]] std::optional<std::size_t> cell_of(std::span<const double> measures) const override;
  [[nodiscard]] const Elite* champion(std::size_t cell) const override;
  [[nodiscard]] std::span<const Elite> members(std::size_t cell) const override;
  [[nodiscard]] std::span<const std::size_t> occupied() const override { return occupied_; }
  [[nodiscard]] const Elite* find(std::uint64_t id) const override;
  [[nodiscard]] std::size_t occupied_neighbours(std::size_t cell) const override;
  [[nodiscard]] std::vector<std::string> cell_text(std::size_t cell) const override {
    return index_->text(cell);
  }

 protected:
  using Members = std::vector<Elite>;

  CellArchive(ArchiveSpec spec, std::unique_ptr<CellIndex> index,
              std::unique_ptr<Acceptance> rule = nullptr);

  // Decides about an entry for an empty cell; the answer's cell is set. Opens it by default.
  virtual void enter(Entry&& entry, AddOutcome& outcome);
  // Decides about an entry for an occupied cell whose champion has another id.
  virtual void compete(Members& members, Entry&& entry, const std::optional<Evidence>& evidence,
                       AddOutcome& outcome) = 0;
  // True when an entry that is not stored would surely be rejected by this occupied cell and not
  // kept: spares looking at the members.
  [[nodiscard]] virtual bool hopeless(std::size_t /*position*/, double /*objective*/) const {
    return false;
  }
  // Why the kind cannot take such an entry at all; empty when it can.
  [[nodiscard]] virtual std::string objection(const Entry&) const { return {}; }
  // Why these cannot be the members of one cell; empty when they can.
  [[nodiscard]] virtual std::string check_members(std::span<const Elite> members) const = 0;
  // Called when all members are in place.
  [[nodiscard]] virtual std::string restore_extra(const std::vector<double>& extra);

  // The answer to an entry that the rule wants evidence about.
  void contest(const Members& members, std::uint64_t id, AddOutcome& outcome) const;
  // Position of an occupied cell in the order of opening.
  [[nodiscard]] std::size_t position(std::size_t cell) const { return position_.find(cell); }

  // The only ways in which kinds change what is stored; they keep the home of each id.
  void open(std::size_t cell, Entry&& entry);
  // Makes `entry` the champion and says so in the answer, but not what became of the former one,
  // which is returned and no longer stored.
  Entry crown(Members& members, Entry&& entry, AddOutcome& outcome);
  void insert(Members& members, std::size_t rank, Entry&& entry);
  void erase(Members& members, std::size_t rank);
  // Takes a runner-up of that id out; false when there is none.
  bool take_out(Members& members, std::uint64_t id);

 private:
  static constexpr std::uint64_t kEveryId = ~std::uint64_t{0};  // the largest id was stored

  [[nodiscard]] AddOutcome do_add(Entry&& entry, std::span<const Bin> bins,
                                  const std::optional<Evidence>& evidence) final;
  [[nodiscard]] std::string do_restore(std::vector<Elite> elites,
                                       const std::vector<double>& extra) final;
  [[nodiscard]] const Members* members_at(std::size_t cell) const;
  [[nodiscard]] std::size_t home_of(std::uint64_t id) const {
    return id >= fresh_id_ && fresh_id_ != kEveryId ? IdMap::kNone : home_.find(id);
  }
  void settle_in(std::uint64_t id, std::size_t position) {
    home_.set(id, position);
    if (id >= fresh_id_) fresh_id_ = id == kEveryId ? kEveryId : id + 1;
  }

  std::unique_ptr<CellIndex> index_;
  CellPositions position_;  // of a cell in occupied_ and members_
  std::vector<std::size_t> occupied_;
  std::vector<Members> members_;
  IdMap home_;  // of every stored id: the position of its cell
  // Above every id that was ever stored. Tickets grow, so most entries need no look-up in home_.
  std::uint64_t fresh_id_ = 0;
};

}  // namespace kernatlas::archives
