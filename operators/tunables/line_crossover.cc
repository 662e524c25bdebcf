#include "operators/tunables/line_crossover.h"

#include <algorithm>
#include <cmath>

#include "operators/tunables/compile_options.h"
#include "operators/tunables/search_space.h"

namespace kernatlas {
namespace {

// In positions of the value lists: about one tunable in five moves by the first alone, and the
// second reaches as far from a as b is in about one proposal of seven.
constexpr double kIso = 0.4;
constexpr double kLine = 0.7;
constexpr int kTries = 4;

// Mean 0, variance 1, bell-shaped: the sum of four uniforms. Unlike std::normal_distribution and
// the logarithm, the same bits everywhere.
double bell(Rng& rng) {
  const double sum = uniform01(rng) + uniform01(rng) + uniform01(rng) + uniform01(rng);
  constexpr double kScale = 1.7320508075688772;  // variance of the sum: 4 / 12
  return (sum - 2) * kScale;
}

std::int64_t position(const Tunable& tunable, std::int64_t value) {
  const auto& values = tunable.values;
  return std::find(values.begin(), values.end(), value) - values.begin();
}

Assignment between(const std::vector<Tunable>& tunables, const Assignment& a, const Assignment& b,
                   Rng& rng) {
  Assignment child(a.size());
  const double along = kLine * bell(rng);
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (tunables[i].is_choice()) {
      child[i] = uniform_below(rng, 2) == 0 ? a[i] : b[i];
      continue;
    }
    const auto from = static_cast<double>(position(tunables[i], a[i]));
    const auto to = static_cast<double>(position(tunables[i], b[i]));
    const double wanted = std::round(from + kIso * bell(rng) + along * (to - from));
    const auto last = static_cast<double>(tunables[i].values.size() - 1);
    child[i] = tunables[i].values[static_cast<std::size_t>(std::clamp(wanted, 0.0, last))];
  }
  return child;
}

class LineCrossover final : public Operator {
 public:
  std::string_view name() const override { return "line_crossover"; }
  std::string_view summary() const override {
    return "near the line through two elites of the same source";
  }
  ParentRequest parents() const override {
    return {.count = 2, .same_source = true, .selector = {}};
  }

 protected:
  std::optional<Proposal> do_propose(const Surroundings& around, Rng& rng) override {
    if (around.parents.size() < 2) return std::nullopt;
    const Candidate& a = around.parents[0].candidate;
    const Candidate& b = around.parents[1].candidate;
    if (a.source->hash() != b.source->hash()) return std::nullopt;
    const SearchSpace* space = space_of(around, *a.source);
    if (space == nullptr || space->empty()) return std::nullopt;
    for (int i = 0; i < kTries; ++i) {
      const auto wanted = between(space->source()->tunables(), a.assignment, b.assignment, rng);
      Candidate child{space->source(), *space->repair(wanted, rng),
                      mixed_options(*space, a, b, rng)};
      if (same(*space, child, a) || same(*space, child, b)) continue;
      return Proposal{std::move(child), {around.parents[0].ticket, around.parents[1].ticket}};
    }
    return std::nullopt;
  }

 private:
  static CompileOptions mixed_options(const SearchSpace& space, const Candidate& a,
                                      const Candidate& b, Rng& rng) {
    CompileOptions options = written_out(space.options(), a.options);
    const CompileOptions other = written_out(space.options(), b.options);
    for (std::size_t i = 0; i < options.size(); ++i) {
      if (uniform_below(rng, 2) == 0) options[i] = other[i];
    }
    return shortened(space.options(), std::move(options));
  }

  static bool same(const SearchSpace& space, const Candidate& child, const Candidate& parent) {
    return child.assignment == parent.assignment &&
           child.options == inherited(space.options(), parent.options);
  }
};

}  // namespace

std::unique_ptr<Operator> make_line_crossover() {
  return std::make_unique<LineCrossover>();
}

}  // namespace kernatlas
