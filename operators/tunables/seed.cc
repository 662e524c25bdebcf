#include "operators/tunables/seed.h"

#include <algorithm>

#include "operators/tunables/search_space.h"

namespace kernatlas {
namespace {

class Seed final : public Operator {
 public:
  std::string_view name() const override { return "seed"; }
  std::string_view summary() const override {
    return "each seed kernel with its first valid assignment";
  }

 protected:
  std::optional<Proposal> do_propose(const Surroundings& around, Rng&) override {
    if (around.ticket >= around.spaces.size()) return std::nullopt;
    std::uint64_t seeds_before = 0;
    for (const SearchSpace* space : around.spaces) {
      if (space->empty() || !is_seed(around.task, *space->source())) continue;
      if (seeds_before++ < around.ticket) continue;
      return Proposal{{space->source(), *space->first(), {}}, {}};
    }
    return std::nullopt;
  }

 private:
  static bool is_seed(const Task& task, const KernelSource& source) {
    return std::any_of(task.seeds.begin(), task.seeds.end(),
                       [&](const auto& seed) { return seed->hash() == source.hash(); });
  }
};

}  // namespace

std::unique_ptr<Operator> make_seed() {
  return std::make_unique<Seed>();
}

}  // namespace kernatlas
