#include "operators/tunables/random_assignment.h"

#include <algorithm>

#include "operators/tunables/compile_options.h"
#include "operators/tunables/search_space.h"

namespace kernatlas {
namespace {

class RandomAssignment final : public Operator {
 public:
  std::string_view name() const override { return "random_assignment"; }
  std::string_view summary() const override { return "a random valid assignment of any source"; }

 protected:
  std::optional<Proposal> do_propose(const Surroundings& around, Rng& rng) override {
    const auto usable = [](const SearchSpace* space) { return !space->empty(); };
    const auto count = std::count_if(around.spaces.begin(), around.spaces.end(), usable);
    if (count == 0) return std::nullopt;
    std::uint64_t skip = uniform_below(rng, static_cast<std::uint64_t>(count));
    const auto chosen =
        std::find_if(around.spaces.begin(), around.spaces.end(),
                     [&](const SearchSpace* space) { return usable(space) && skip-- == 0; });
    const SearchSpace& space = **chosen;
    Proposal proposal{{space.source(), *space.sample(rng), {}}, {}};
    if (uniform_below(rng, 4) == 0) {
      proposal.candidate.options = random_options(space.options(), rng);
    }
    return proposal;
  }
};

}  // namespace

std::unique_ptr<Operator> make_random_assignment() {
  return std::make_unique<RandomAssignment>();
}

}  // namespace kernatlas
