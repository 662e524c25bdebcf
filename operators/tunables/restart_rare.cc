#include "operators/tunables/restart_rare.h"

#include <algorithm>
#include <numeric>

#include "operators/tunables/compile_options.h"
#include "operators/tunables/search_space.h"

namespace kernatlas {
namespace {

constexpr int kTries = 4;

class RestartRare final : public Operator {
 public:
  std::string_view name() const override { return "restart_rare"; }
  std::string_view summary() const override {
    return "several tunables of an elite from a sparse part of the map drawn anew";
  }
  ParentRequest parents() const override { return {.count = 1, .selector = "rarity"}; }

 protected:
  std::optional<Proposal> do_propose(const Surroundings& around, Rng& rng) override {
    if (around.parents.empty()) return std::nullopt;
    const Parent& parent = around.parents.front();
    const SearchSpace* space = space_of(around, *parent.candidate.source);
    if (space == nullptr || space->empty()) return std::nullopt;
    const Assignment& from = parent.candidate.assignment;
    for (int i = 0; i < kTries; ++i) {
      auto moved = space->repair(redrawn(space->source()->tunables(), from, rng), rng);
      if (!moved || *moved == from) continue;
      return Proposal{{space->source(), *std::move(moved),
                       inherited(space->options(), parent.candidate.options)},
                      {parent.ticket}};
    }
    return std::nullopt;
  }

 private:
  static Assignment redrawn(const std::vector<Tunable>& tunables, Assignment assignment, Rng& rng) {
    const std::uint64_t count = tunables.size();
    const std::uint64_t most = std::max<std::uint64_t>(2, count / 2);
    const std::uint64_t wanted = std::min(count, 2 + uniform_below(rng, most - 1));
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::uint64_t i = 0; i < wanted; ++i) {
      std::swap(order[i], order[i + uniform_below(rng, count - i)]);
      const auto& values = tunables[order[i]].values;
      assignment[order[i]] = values[uniform_below(rng, values.size())];
    }
    return assignment;
  }
};

}  // namespace

std::unique_ptr<Operator> make_restart_rare() {
  return std::make_unique<RestartRare>();
}

}  // namespace kernatlas
