#include "archives/operations/merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <unordered_set>

#include "archives/operations/fill.h"
#include "archives/operations/identity.h"

namespace kernatlas::archives {
namespace {

constexpr std::uint64_t kUnmoved = std::numeric_limits<std::uint64_t>::max();

// A measured thing and where it lies.
struct Native {
  const Atlas* atlas = nullptr;
  std::size_t index = 0;
  double cap = 0;
  [[nodiscard]] const Entry& entry() const { return atlas->state.elites[index].entry; }
  [[nodiscard]] const AtlasRecord& record() const { return atlas->records[index]; }
};

// Which of two measurements of one thing stands: more samples, then the narrower interval, then the
// more modest. The rest only makes the order total.
bool stands_before(const Native& a, const Native& b) {
  const auto key = [](const Native& native) {
    const Entry& entry = native.entry();
    return std::tuple(-static_cast<double>(entry.samples), entry.high - entry.low, entry.objective,
                      entry.low, entry.size);
  };
  if (key(a) != key(b)) return key(a) < key(b);
  if (a.entry().measures != b.entry().measures) return a.entry().measures < b.entry().measures;
  if (a.entry().costs != b.entry().costs) return a.entry().costs < b.entry().costs;
  return unpack(a.record().payload, a.atlas->blobs) < unpack(b.record().payload, b.atlas->blobs);
}

std::string largest_contract(std::span<const Atlas> inputs) {
  std::map<std::string, std::size_t> elites;
  for (const Atlas& atlas : inputs) elites[atlas.contract] += atlas.state.elites.size();
  return std::max_element(elites.begin(), elites.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; })
      ->first;
}

Expected<void> check_subjects(std::span<const Atlas> inputs) {
  if (inputs.empty()) return fail({.message = "there is nothing to merge"});
  for (const Atlas& atlas : inputs) {
    if (atlas.subject == inputs.front().subject) continue;
    return fail({.message = fmt::format("archives of \"{}\" and of \"{}\" do not mix",
                                        inputs.front().subject, atlas.subject),
                 .expected = "one subject"});
  }
  return {};
}

std::string difference(const ArchiveSpec& a, const ArchiveSpec& b) {
  if (a.kind != b.kind) return fmt::format("kind {} and kind {}", a.kind, b.kind);
  if (a.axes != b.axes) return "their axes";
  if (a.points != b.points) return "their centroids";
  if (a.acceptance != b.acceptance || a.min_gain != b.min_gain) return "their acceptance rules";
  if (a.floor != b.floor) return fmt::format("floors {} and {}", a.floor, b.floor);
  for (const auto& [name, value] : a.options) {
    const auto other = b.options.find(name);
    if (other == b.options.end() || other->second != value) return "their option " + name;
  }
  return a.options.size() == b.options.size() ? "" : "their options";
}

class Merger {
 public:
  Merger(std::span<const Atlas> inputs, const ArchiveKinds& kinds, std::string contract)
      : inputs_(inputs), kinds_(kinds) {
    merged_.atlas.contract = std::move(contract);
    merged_.atlas.subject = inputs.front().subject;
  }

  Expected<Merged> run() {
    const ArchiveSpec* spec = nullptr;
    for (const Atlas& atlas : inputs_) {
      provenance_.insert(atlas.provenance.begin(), atlas.provenance.end());
      merged_.read += atlas.state.elites.size();
      if (atlas.contract != merged_.atlas.contract) {
        merged_.foreign += atlas.state.elites.size();
        continue;
      }
      if (spec == nullptr) spec = &atlas.state.spec;
      if (const std::string what = difference(*spec, atlas.state.spec); !what.empty()) {
        return fail({.message = "the archives differ: " + what,
                     .expected = "archives of one contract that are alike",
                     .hint = "re-bin one of them under the other's axes and rules first"});
      }
      merge_context(atlas, spec == &atlas.state.spec);
      add_natives(atlas);
    }
    if (spec == nullptr) {
      return fail(
          {.message = fmt::format("no archive was measured under \"{}\"", merged_.atlas.contract),
           .hint = "start a run from the archives instead: it measures them again"});
    }
    if (auto filled = fill_from_natives(*spec); !filled) return fail(filled.error());
    const bool any = std::any_of(inputs_.begin(), inputs_.end(), [&](const Atlas& atlas) {
      return !atlas.proposals.empty() || atlas.contract != merged_.atlas.contract;
    });
    if (any) add_proposals();
    merged_.atlas.provenance.assign(provenance_.begin(), provenance_.end());
    return std::move(merged_);
  }

 private:
  // What they all say alike. (Everything that any of them says would have no place for
  // contradictions.)
  void merge_context(const Atlas& atlas, bool first) {
    if (first) {
      merged_.atlas.context = atlas.context;
      return;
    }
    std::erase_if(merged_.atlas.context, [&](const auto& fact) {
      const auto found = atlas.context.find(fact.first);
      return found == atlas.context.end() || found->second != fact.second;
    });
  }

  void add_natives(const Atlas& atlas) {
    const std::vector<double> caps = caps_of(atlas.state);
    for (std::size_t i = 0; i < atlas.state.elites.size(); ++i) {
      const Native native{&atlas, i, caps[i]};
      if (const std::string& key = native.record().key; !key.empty()) {
        natives_.emplace_back(key, native);
        continue;
      }
      unnamed_.push_back(identity_of(native.entry(), native.record(), atlas.blobs));
      natives_.emplace_back(unnamed_.back(), native);
    }
  }

  // One of each identity, in the order of identities.
  void settle_natives() {
    std::sort(natives_.begin(), natives_.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    std::size_t last = 0;
    for (std::size_t i = 1; i < natives_.size(); ++i) {
      if (natives_[i].first != natives_[last].first) {
        if (++last != i) natives_[last] = std::move(natives_[i]);
        continue;
      }
      ++merged_.duplicates;
      Native& stands = natives_[last].second;
      const Native& other = natives_[i].second;
      const double cap = std::min(stands.cap, other.cap);
      if (stands_before(other, stands)) stands = other;
      stands.cap = cap;
    }
    if (!natives_.empty()) natives_.resize(last + 1);
  }

  Expected<void> fill_from_natives(const ArchiveSpec& spec) {
    settle_natives();
    std::vector<Filling> fillings;
    fillings.reserve(natives_.size());
    for (const auto& [key, native] : natives_) {
      fillings.push_back({native.entry(), native.cap});
      fillings.back().entry.id = fillings.size() - 1;
    }
    auto filled = fill(spec, std::move(fillings), kinds_);
    if (!filled) return fail(filled.error());
    Atlas& atlas = merged_.atlas;
    atlas.state = std::move(filled->state);
    give_ids();
    return {};
  }

  // Ids without gaps, in the order of keys among those that stayed: merging again gives the same.
  void give_ids() {
    Atlas& atlas = merged_.atlas;
    std::vector<std::uint64_t> ids(natives_.size(), 0);
    for (const Elite& elite : atlas.state.elites) ids[elite.entry.id] = 1;
    std::uint64_t next = 0;
    for (std::uint64_t& id : ids) id = id == 0 ? 0 : next++;
    atlas.records.reserve(atlas.state.elites.size());
    std::map<const Atlas*, std::vector<std::uint64_t>> tables;
    for (Elite& elite : atlas.state.elites) {
      const Native& native = natives_[elite.entry.id].second;
      elite.entry.id = ids[elite.entry.id];
      std::vector<std::uint64_t>& table = tables[native.atlas];
      table.resize(native.atlas->blobs.size(), kUnmoved);
      Payload payload = renumber(native.record().payload, [&](std::uint64_t number) {
        // Looking a text up costs its length: once is enough.
        if (table[number] == kUnmoved)
          table[number] = atlas.blobs.add(native.atlas->blobs.at(number));
        return table[number];
      });
      atlas.records.push_back({native.record().key, std::move(payload)});
    }
  }

  struct Offer {
    std::string key;
    std::string origin;
    PayloadMap payload;
    friend auto operator<=>(const Offer&, const Offer&) = default;
  };

  void offer(const std::string& key, const std::string& origin, const Payload& payload,
             const BlobTable& blobs) {
    if (present_.contains(key)) return;
    Offer made{key, origin, unpack(payload, blobs)};
    // Without a key nothing says that two are one, except that they are the same to the last byte.
    std::string name = key.empty() ? identity_of(made.payload) : key;
    const auto [place, added] = offers_.emplace(std::move(name), made);
    if (!added && made < place->second) place->second = std::move(made);
  }

  void add_proposals() {
    for (const AtlasRecord& record : merged_.atlas.records) {
      if (!record.key.empty()) present_.insert(record.key);
    }
    for (const Atlas& atlas : inputs_) {
      for (const AtlasProposal& each : atlas.proposals) {
        offer(each.key, each.origin, each.payload, atlas.blobs);
      }
      if (atlas.contract == merged_.atlas.contract) continue;
      for (const AtlasRecord& record : atlas.records) {
        offer(record.key, atlas.contract, record.payload, atlas.blobs);
      }
    }
    for (auto& [name, each] : offers_) {
      merged_.atlas.proposals.push_back(
          {each.key, each.origin, pack(each.payload, merged_.atlas.blobs)});
    }
  }

  std::span<const Atlas> inputs_;
  const ArchiveKinds& kinds_;
  Merged merged_;
  std::vector<std::pair<std::string_view, Native>> natives_;  // by identity, once settled
  std::deque<std::string> unnamed_;                           // identities of those without a key
  std::map<std::string, Offer> offers_;
  std::unordered_set<std::string> present_;  // keys of the result's elites
  std::set<Facts> provenance_;
};

}  // namespace

Expected<Merged> merge(std::span<const Atlas> inputs, const ArchiveKinds& kinds,
                       const MergeOptions& options) {
  if (auto fine = check_subjects(inputs); !fine) return fail(fine.error());
  return Merger(inputs, kinds, options.contract.value_or(largest_contract(inputs))).run();
}

}  // namespace kernatlas::archives
