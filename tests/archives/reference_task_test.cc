// A small reference task with frozen curves (reference_curves.txt): whoever changes how an archive
// accepts, counts or selects sees it here. Only +, −, × and comparisons, so every platform must
// give the same digits.
//
// Task: eight parameters in [0, 1]; the measures are the means of the first and of the second four;
// the objective is the negative squared distance to 0.7, weighted 1 … 8. Search: 100 random points,
// then a parent by the selector, a partner, and x + (partner − x) · line + noise, both from sums of
// uniforms.
#include <fmt/format.h>

#include <array>
#include <fstream>
#include <random>
#include <sstream>

#include "archives/centroids.h"
#include "archives/random.h"
#include "archives/selector.h"
#include "tests/archives/kinds.h"
#include "tests/support/temp_dir.h"

using namespace kernatlas::archives;

namespace {

using Genome = std::array<double, 8>;

// Mean 0, variance 1/3: nearly normal, and the same everywhere.
double bell(Random& rng) {
  return fraction(rng) + fraction(rng) + fraction(rng) + fraction(rng) - 2;
}

Entry evaluate(std::uint64_t id, const Genome& genome) {
  double first = 0, second = 0, objective = 0;
  for (std::size_t i = 0; i < genome.size(); ++i) {
    (i < 4 ? first : second) += genome[i] * 0.25;
    objective -= static_cast<double>(i + 1) * (genome[i] - 0.7) * (genome[i] - 0.7);
  }
  return testing::entry(id, objective, {first, second}, {first, second});
}

std::string curve(const std::string& kind, const std::string& selector_name) {
  ArchiveSpec spec{
      .kind = kind,
      .axes = {Axis::linear("first", "", 0, 1, 16), Axis::linear("second", "", 0, 1, 16)}};
  if (kind == "cvt") {
    // A lattice: centroids from Lloyd's iterations have a test of their own.
    for (double x = 0.0625; x < 1; x += 0.125) {
      for (double y = 0.0625; y < 1; y += 0.125) spec.points.insert(spec.points.end(), {x, y});
    }
  }
  if (kind == "dominated-novelty") spec.options["capacity"] = 100;
  const auto archive = testing::make(spec);
  const auto selector = make_selector(selector_name);
  Random rng(2024);
  std::vector<Genome> genomes;
  std::string text;
  for (std::uint64_t id = 0; id < 5000; ++id) {
    Genome genome{};
    std::size_t parent_cell = 0;
    if (id < 100) {
      for (double& x : genome) x = fraction(rng);
    } else {
      const Elite* parent = selector->select(*archive, rng);
      parent_cell = parent->cell;
      const Genome& here = genomes[parent->entry.id];
      const Genome& there = genomes[uniform_selector()->select(*archive, rng)->entry.id];
      const double line = 0.3 * bell(rng);
      for (std::size_t i = 0; i < genome.size(); ++i) {
        genome[i] = here[i] + line * (there[i] - here[i]) + 0.02 * bell(rng);
        genome[i] = std::min(1.0, std::max(0.0, genome[i]));
      }
    }
    genomes.push_back(genome);
    const AddOutcome outcome = archive->add(evaluate(id, genome));
    if (id >= 100) selector->learn({.parent_cell = parent_cell, .outcome = outcome});
    if (id + 1 == 100 || id + 1 == 1000 || id + 1 == 5000) {
      const Stats& stats = archive->stats();
      text += fmt::format("{} {} {} {} {:.12g} {:.12g} {}\n", kind, selector_name, id + 1,
                          stats.occupied, stats.qd_score, stats.best, stats.improved);
    }
  }
  return text;
}

std::string all_curves() {
  std::string text = "# kind selector evaluations occupied qd_score best improved\n";
  for (const std::string& kind : builtin_kinds().names()) text += curve(kind, "uniform");
  for (const char* selector : {"rank", "rarity", "curiosity", "improvement", "noise", "novelty"}) {
    text += curve("grid", selector);
  }
  return text;
}

}  // namespace

TEST_CASE("the reference task follows its frozen curves") {
  const std::string found = all_curves();
  const std::string file = "tests/archives/reference_curves.txt";
  CHECK_MESSAGE(found == kernatlas::testing::read_file(kernatlas::testing::source_dir() / file),
                "new curves, if the change is meant, for " << file << ":\n"
                                                           << found);
}
