#include "archives/operations/diff.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "archives/operations/identity.h"

namespace kernatlas::archives {
namespace {

struct Champion {
  double objective = 0;
  std::string key;
  std::string identity;
};

std::map<std::size_t, Champion> champions_of(const Atlas& atlas) {
  std::map<std::size_t, Champion> champions;
  for (std::size_t i = 0; i < atlas.state.elites.size(); ++i) {
    const Elite& elite = atlas.state.elites[i];
    if (elite.rank != 0) continue;
    champions[elite.cell] = {elite.entry.objective, atlas.records[i].key,
                             identity_of(elite.entry, atlas.records[i], atlas.blobs)};
  }
  return champions;
}

std::set<std::string> identities_of(const Atlas& atlas) {
  std::set<std::string> identities;
  for (std::size_t i = 0; i < atlas.state.elites.size(); ++i) {
    identities.insert(identity_of(atlas.state.elites[i].entry, atlas.records[i], atlas.blobs));
  }
  return identities;
}

void count_keys(const Atlas& before, const Atlas& after, Difference& difference) {
  const auto old_keys = identities_of(before);
  const auto new_keys = identities_of(after);
  for (const std::string& key : old_keys) difference.shared_keys += new_keys.contains(key) ? 1 : 0;
  difference.only_before = old_keys.size() - difference.shared_keys;
  difference.only_after = new_keys.size() - difference.shared_keys;
}

void note(Difference& difference, CellChange change) {
  if (change.opened()) {
    ++difference.opened;
  } else if (change.lost()) {
    ++difference.lost;
  } else {
    difference.better += change.gain() > 0 ? 1 : 0;
    difference.worse += change.gain() < 0 ? 1 : 0;
  }
  difference.changes.push_back(std::move(change));
}

bool more_telling(const CellChange& a, const CellChange& b) {
  const auto size = [](const CellChange& change) {
    if (change.opened() || change.lost()) return std::numeric_limits<double>::infinity();
    return std::abs(change.gain());
  };
  if (size(a) != size(b)) return size(a) > size(b);
  return a.cell < b.cell;
}

}  // namespace

Expected<Difference> diff(const Atlas& before, const Atlas& after, const ArchiveKinds& kinds) {
  Difference difference;
  const ArchiveSpec& a = before.state.spec;
  const ArchiveSpec& b = after.state.spec;
  difference.same_subject = before.subject == after.subject;
  difference.same_contract = before.contract == after.contract;
  difference.same_cells = a.kind == b.kind && a.axes == b.axes && a.points == b.points;
  difference.before = before.state.counters;
  difference.after = after.state.counters;
  count_keys(before, after, difference);
  if (!difference.same_cells) return difference;
  const auto archive = kinds.make(a);
  if (!archive) return fail({.message = "the archive cannot be made: " + archive.error()});
  // Where a cell is just a place in a list, its number says nothing.
  difference.same_cells = (*archive)->traits().cells_by_measures;
  if (!difference.same_cells) return difference;
  auto old_champions = champions_of(before);
  for (const auto& [cell, now] : champions_of(after)) {
    const auto old = old_champions.find(cell);
    CellChange change{.cell = cell, .after = now.objective, .key_after = now.key};
    if (old != old_champions.end()) {
      change.before = old->second.objective;
      change.key_before = old->second.key;
      const bool same = old->second.identity == now.identity;
      old_champions.erase(old);
      if (same) {
        ++difference.same_champions;
        continue;
      }
    }
    note(difference, std::move(change));
  }
  for (const auto& [cell, old] : old_champions) {
    note(difference, {.cell = cell, .before = old.objective, .key_before = old.key});
  }
  std::sort(difference.changes.begin(), difference.changes.end(), more_telling);
  for (CellChange& change : difference.changes) change.text = (*archive)->cell_text(change.cell);
  return difference;
}

}  // namespace kernatlas::archives
