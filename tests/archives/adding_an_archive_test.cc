// The archive kind of docs/adding-an-archive.md: it compiles, conforms, and the page shows it.
#include "archives/archive.h"
#include "tests/archives/conformance.h"
#include "tests/support/doc_code.h"

using namespace kernatlas::archives;

// [header]
// One cell: the best entry of all, whatever its measures. What a map is compared with.
[[nodiscard]] std::unique_ptr<Archive> make_single(std::vector<Axis> axes,
                                                   std::unique_ptr<Acceptance> acceptance,
                                                   double floor);
// [end]

// [source]
namespace {

class Single final : public Archive {
 public:
  Single(std::vector<Axis> axes, std::unique_ptr<Acceptance> acceptance, double floor)
      : Archive(floor, 1, axes.size()), axes_(std::move(axes)), acceptance_(std::move(acceptance)) {
    if (!acceptance_) throw std::invalid_argument("single: an acceptance rule is needed");
  }

  std::string_view kind() const override { return "single"; }
  std::optional<std::size_t> cell_of(std::span<const double> measures) const override {
    return refusal(axes_, measures).empty() ? std::optional<std::size_t>(0) : std::nullopt;
  }
  const Elite* champion(std::size_t cell) const override {
    return cell == 0 && !members_.empty() ? members_.data() : nullptr;
  }
  std::span<const Elite> members(std::size_t cell) const override {
    return cell == 0 ? std::span<const Elite>(members_) : std::span<const Elite>();
  }
  std::span<const std::size_t> occupied() const override { return occupied_; }
  const std::vector<Axis>& axes() const override { return axes_; }
  std::vector<std::string> cell_text(std::size_t) const override { return {"any"}; }

 private:
  AddOutcome do_add(const Entry& entry, const std::optional<Evidence>& evidence) override;

  std::vector<Axis> axes_;
  std::unique_ptr<Acceptance> acceptance_;
  std::vector<Elite> members_;         // none or one
  std::vector<std::size_t> occupied_;  // none or cell 0
};

AddOutcome Single::do_add(const Entry& entry, const std::optional<Evidence>& evidence) {
  AddOutcome outcome;
  if (members_.empty()) {
    members_.push_back({entry, 0, 0});
    occupied_.push_back(0);
    champion_changed(std::nullopt, entry.objective);
    outcome.status = AddStatus::opened;
    outcome.kept = true;
    return outcome;
  }
  const Entry& champion = members_.front().entry;
  outcome.kept = champion.id == entry.id;
  if (outcome.kept) return outcome;
  const Decision decision = judge(*acceptance_, entry, champion, evidence);
  if (decision == Decision::need_evidence) {
    outcome.status = AddStatus::contested;
    outcome.incumbent = champion.id;
  } else if (decision == Decision::replace) {
    const double before = champion.objective;
    outcome.status = AddStatus::improved;
    outcome.gain = entry.objective - before;
    outcome.kept = true;
    outcome.displaced = champion.id;
    members_.front().entry = entry;
    champion_changed(before, entry.objective);
  }
  return outcome;
}

}  // namespace

std::unique_ptr<Archive> make_single(std::vector<Axis> axes, std::unique_ptr<Acceptance> acceptance,
                                     double floor) {
  return std::make_unique<Single>(std::move(axes), std::move(acceptance), floor);
}
// [end]

namespace {
using conformance::check_conformance;

conformance::Maker single() {
  return [](std::vector<Axis> axes, std::unique_ptr<Acceptance> acceptance) {
    return make_single(std::move(axes), std::move(acceptance), conformance::kFloor);
  };
}
}  // namespace

// [test]
TEST_CASE("single conforms") {
  check_conformance(single());
}
// [end]

TEST_CASE("docs/adding-an-archive.md shows this code") {
  kernatlas::testing::check_doc_code("docs/adding-an-archive.md",
                                     "tests/archives/adding_an_archive_test.cc");
}
