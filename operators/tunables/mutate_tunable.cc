#include "operators/tunables/mutate_tunable.h"

#include "operators/tunables/compile_options.h"
#include "operators/tunables/search_space.h"

namespace kernatlas {
namespace {

class MutateTunable final : public Operator {
 public:
  std::string_view name() const override { return "mutate_tunable"; }
  std::string_view summary() const override { return "one tunable of an elite changed"; }
  ParentRequest parents() const override { return {.count = 1, .selector = {}}; }

 protected:
  std::optional<Proposal> do_propose(const Surroundings& around, Rng& rng) override {
    if (around.parents.empty()) return std::nullopt;
    const Parent& parent = around.parents.front();
    const SearchSpace* space = space_of(around, *parent.candidate.source);
    if (space == nullptr) return std::nullopt;
    const bool adjacent = uniform_below(rng, 4) != 0;
    const Assignment& from = parent.candidate.assignment;
    auto moved = space->random_neighbour(from, adjacent, rng);
    if (!moved) moved = space->random_neighbour(from, !adjacent, rng);
    if (!moved) return std::nullopt;
    return Proposal{
        {space->source(), *std::move(moved), inherited(space->options(), parent.candidate.options)},
        {parent.ticket}};
  }
};

}  // namespace

std::unique_ptr<Operator> make_mutate_tunable() {
  return std::make_unique<MutateTunable>();
}

}  // namespace kernatlas
