// The operator of docs/adding-an-operator.md: it compiles, works, and the page shows it.
#include "operators/operator.h"
#include "operators/tunables/compile_options.h"
#include "operators/tunables/search_space.h"
#include "tests/operators/fixtures.h"
#include "tests/support/doc_code.h"

namespace kernatlas {

// [header]
// mirror_tunable: a parent with one tunable moved to the opposite end of its list of values.
[[nodiscard]] std::unique_ptr<Operator> make_mirror_tunable();
// [end]

// [source]
namespace {

class MirrorTunable final : public Operator {
 public:
  std::string_view name() const override { return "mirror_tunable"; }
  std::string_view summary() const override { return "one tunable of an elite mirrored"; }
  ParentRequest parents() const override { return {.count = 1, .selector = {}}; }

 protected:
  std::optional<Proposal> do_propose(const Surroundings& around, Rng& rng) override {
    if (around.parents.empty()) return std::nullopt;
    const Parent& parent = around.parents.front();
    const SearchSpace* space = space_of(around, *parent.candidate.source);
    if (space == nullptr || parent.candidate.assignment.empty()) return std::nullopt;

    Assignment wanted = parent.candidate.assignment;
    const std::size_t which = uniform_below(rng, wanted.size());
    const auto& values = space->source()->tunables()[which].values;
    const auto here = std::find(values.begin(), values.end(), wanted[which]) - values.begin();
    wanted[which] = values[values.size() - 1 - static_cast<std::size_t>(here)];

    std::optional<Assignment> valid = space->repair(wanted, rng);
    if (!valid || *valid == parent.candidate.assignment) return std::nullopt;
    return Proposal{
        {space->source(), *std::move(valid), inherited(space->options(), parent.candidate.options)},
        {parent.ticket}};
  }
};

}  // namespace

std::unique_ptr<Operator> make_mirror_tunable() {
  return std::make_unique<MirrorTunable>();
}
// [end]

}  // namespace kernatlas

using namespace kernatlas;

// [test]
TEST_CASE("mirror_tunable goes to the other end, and no further than the constraints allow") {
  testing::World world({testing::source_of("A = [1, 2, 4, 8, 16]", R"(c = "A < 10")")});
  world.offer(0, 7, {1});
  Rng rng(1);
  const auto proposal = make_mirror_tunable()->propose(world.around(), rng);
  REQUIRE(proposal.has_value());
  CHECK(proposal->candidate.assignment == Assignment{8});
  CHECK(proposal->parents == std::vector<std::uint64_t>{7});
  world.parents().clear();
  CHECK_FALSE(make_mirror_tunable()->propose(world.around(), rng).has_value());
}
// [end]

TEST_CASE("the new operator can be registered") {
  OperatorRegistry registry = default_operators();
  // [registration]
  registry.add(make_mirror_tunable());
  // [end]
  CHECK(registry.find("mirror_tunable")->summary() == "one tunable of an elite mirrored");
}

TEST_CASE("docs/adding-an-operator.md shows this code") {
  testing::check_doc_code("docs/adding-an-operator.md",
                          "tests/operators/adding_an_operator_test.cc");
}
