// Readers during adds; this test runs under ThreadSanitizer too.
#include "archives/shared_archive.h"

#include <atomic>
#include <random>
#include <thread>

#include "archives/metrics.h"
#include "archives/selector.h"
#include "tests/archives/conformance.h"
#include "tests/archives/kinds.h"

using namespace kernatlas::archives;

namespace {

constexpr std::size_t kEntries = 1500;

// Everything a reader may call, and that what it sees is one consistent moment.
std::size_t look(const Archive& archive, const Selector& selector, Random& rng) {
  const Stats& stats = archive.stats();
  std::size_t faults = stats.occupied != archive.occupied().size();
  double sum = 0;
  for (const std::size_t cell : archive.occupied()) {
    const auto members = archive.members(cell);
    faults += members.empty() || archive.champion(cell) != members.data();
    for (const Elite& elite : members) faults += archive.find(elite.entry.id) != &elite;
    sum += members[0].entry.objective;
    faults += archive.cell_text(cell).empty();
    static_cast<void>(archive.occupied_neighbours(cell));
  }
  faults += std::abs(sum - stats.sum) > 1e-6;
  const Elite* picked = selector.select(archive, rng);
  faults += (picked == nullptr) != archive.occupied().empty();
  static_cast<void>(axis_entropies(archive));
  return faults;
}

void check_readers(const std::string& kind) {
  SharedArchive shared(testing::make({.kind = kind, .axes = conformance::test_axes()}));
  std::atomic<bool> done = false;
  std::atomic<std::size_t> faults = 0, looks = 0;
  std::vector<std::jthread> readers;
  for (const char* name : {"rarity", "novelty"}) {
    readers.emplace_back([&, selector = std::shared_ptr(make_selector(name))] {
      Random rng(looks + 1);
      do {
        faults +=
            shared.read([&](const Archive& archive) { return look(archive, *selector, rng); });
        ++looks;
        std::this_thread::yield();
      } while (!done);
    });
  }
  readers.emplace_back([&] {
    do {
      const ArchiveState snapshot = shared.snapshot();
      const auto copy = builtin_kinds().restore(snapshot);
      faults += !copy || copy.value()->stats().adds() > shared.stats().adds();
      std::this_thread::yield();
    } while (!done);
  });
  auto entries = conformance::random_entries(kEntries, 41);
  for (std::size_t i = 0; i + 100 < entries.size(); ++i) shared.add(entries[i]);
  shared.add_batch({entries.end() - 100, entries.end()});
  done = true;
  readers.clear();
  CHECK(faults == 0);
  CHECK(looks > 0);
  CHECK(shared.stats().adds() == kEntries);
}

}  // namespace

TEST_CASE("readers of a grid see one moment while it grows") {
  check_readers("grid");
}
TEST_CASE("readers of Pareto cells see one moment while they grow") {
  check_readers("pareto");
}
TEST_CASE("readers of a novelty archive see one moment while it grows") {
  check_readers("dominated-novelty");
}

TEST_CASE("const methods of a resting archive from many threads") {
  const auto archive = testing::make({.kind = "grid", .axes = conformance::test_axes()});
  for (const Entry& each : conformance::random_entries(500, 42)) archive->add(each);
  std::atomic<std::size_t> faults = 0;
  {
    std::vector<std::jthread> readers;
    for (std::uint64_t i = 0; i < 3; ++i) {
      readers.emplace_back([&, i] {
        Random rng(i);
        for (int k = 0; k < 20; ++k) faults += look(*archive, *rarity_selector(), rng);
      });
    }
  }
  CHECK(faults == 0);
  CHECK_THROWS_AS(SharedArchive(nullptr), std::invalid_argument);
}
