// The archive kind of docs/adding-an-archive.md: it compiles, conforms, and the page shows it.
#include "archives/archive.h"
#include "archives/registry.h"
#include "tests/archives/conformance.h"
#include "tests/support/doc_code.h"

using namespace kernatlas::archives;

// [header]
// Kind "single": one cell, the best entry of all, whatever its measures. What a map is compared
// with. One add costs O(axes).
[[nodiscard]] Kind single_kind();
// [end]

// [source]
namespace {

class Single final : public Archive {
 public:
  explicit Single(const ArchiveSpec& spec) : Archive(spec, 1) {}

  std::optional<std::size_t> cell_of(std::span<const double> measures) const override {
    return bins_of(measures) ? std::optional<std::size_t>(0) : std::nullopt;
  }
  const Elite* champion(std::size_t cell) const override {
    return cell == 0 && !members_.empty() ? members_.data() : nullptr;
  }
  std::span<const Elite> members(std::size_t cell) const override {
    return cell == 0 ? std::span<const Elite>(members_) : std::span<const Elite>();
  }
  std::span<const std::size_t> occupied() const override { return occupied_; }
  const Elite* find(std::uint64_t id) const override {
    return !members_.empty() && members_[0].entry.id == id ? members_.data() : nullptr;
  }
  std::vector<std::string> cell_text(std::size_t) const override { return {"any"}; }

 private:
  AddOutcome do_add(Entry&& entry, std::span<const Bin> bins,
                    const std::optional<Evidence>& evidence) override;
  std::string do_restore(std::vector<Elite> elites, const std::vector<double>& extra) override;

  std::vector<Elite> members_;         // none or one
  std::vector<std::size_t> occupied_;  // none or cell 0
};

AddOutcome Single::do_add(Entry&& entry, std::span<const Bin>,
                          const std::optional<Evidence>& evidence) {
  AddOutcome outcome;
  const double objective = entry.objective;
  if (members_.empty()) {
    members_.push_back({std::move(entry), 0, 0});
    occupied_.push_back(0);
    champion_changed(std::nullopt, objective);
    outcome.status = AddStatus::opened;
    outcome.kept = true;
    return outcome;
  }
  const Entry& champion = members_.front().entry;
  outcome.kept = champion.id == entry.id;
  if (outcome.kept) return outcome;
  const Decision decision = judge(entry, champion, evidence);
  if (decision == Decision::need_evidence) {
    outcome.status = AddStatus::contested;
    outcome.incumbent = champion.id;
  } else if (decision == Decision::replace) {
    const double before = champion.objective;
    outcome.status = AddStatus::improved;
    outcome.gain = objective - before;
    outcome.kept = true;
    outcome.displaced = champion.id;
    outcome.dropped = {champion.id};
    members_.front().entry = std::move(entry);
    champion_changed(before, objective);
  }
  return outcome;
}

std::string Single::do_restore(std::vector<Elite> elites, const std::vector<double>& extra) {
  if (elites.size() > 1 || !extra.empty()) return "single: more than one entry";
  for (const Elite& elite : elites) {
    if (elite.cell != 0 || elite.rank != 0) return "single: there is only one cell";
    occupied_.push_back(0);
  }
  members_ = std::move(elites);
  return {};
}

}  // namespace

Kind single_kind() {
  return {.name = "single",
          .description = "the best entry of all, without a map",
          .options = {},
          .factory = [](const ArchiveSpec& spec) { return std::make_unique<Single>(spec); }};
}
// [end]

namespace {
using conformance::check_conformance;
}  // namespace

// [test]
TEST_CASE("single conforms") {
  ArchiveKinds kinds = builtin_kinds();
  kinds.add(single_kind());
  check_conformance({.kinds = kinds, .spec = {.kind = "single"}});
}
// [end]

TEST_CASE("docs/adding-an-archive.md shows this code") {
  kernatlas::testing::check_doc_code("docs/adding-an-archive.md",
                                     "tests/archives/adding_an_archive_test.cc");
}
