#include "operators/tunables/move_option.h"

#include "operators/tunables/compile_options.h"
#include "operators/tunables/search_space.h"

namespace kernatlas {
namespace {

class MoveOption final : public Operator {
 public:
  std::string_view name() const override { return "move_option"; }
  std::string_view summary() const override { return "one compile option of an elite changed"; }
  ParentRequest parents() const override { return {.count = 1, .selector = {}}; }

 protected:
  std::optional<Proposal> do_propose(const Surroundings& around, Rng& rng) override {
    if (around.parents.empty()) return std::nullopt;
    const Parent& parent = around.parents.front();
    const SearchSpace* space = space_of(around, *parent.candidate.source);
    if (space == nullptr || !space->valid(parent.candidate.assignment)) return std::nullopt;
    const std::vector<Tunable>& options = space->options();
    std::uint64_t moves = 0;
    for (const Tunable& option : options) moves += option.values.size() - 1;
    if (moves == 0) return std::nullopt;
    CompileOptions values = written_out(options, parent.candidate.options);
    std::uint64_t pick = uniform_below(rng, moves);
    std::size_t i = 0;
    for (; pick >= options[i].values.size() - 1; ++i) pick -= options[i].values.size() - 1;
    values[i] = other_value(options[i], values[i], pick);
    return Proposal{
        {space->source(), parent.candidate.assignment, shortened(options, std::move(values))},
        {parent.ticket}};
  }

 private:
  // Number `pick` of the option's values without `now`.
  static std::int64_t other_value(const Tunable& option, std::int64_t now, std::uint64_t pick) {
    for (const std::int64_t value : option.values) {
      if (value != now && pick-- == 0) return value;
    }
    return now;
  }
};

}  // namespace

std::unique_ptr<Operator> make_move_option() {
  return std::make_unique<MoveOption>();
}

}  // namespace kernatlas
