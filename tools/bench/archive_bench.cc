// What archives cost and what they find. archive_pyribs.py runs this program in turns with pyribs.
//
//   kernatlas-bench-archive                                 our own figures, a JSON object a line
//   kernatlas-bench-archive rate KIND PREFILL ADDS SEED     adds per second
//   kernatlas-bench-archive qd DOMAIN EMITTER BATCHES SEED  "evaluations qd_score" a line
//   kernatlas-bench-archive curves IN.json OUT.svg          draws what archive_pyribs.py collected
//
// Entries have two measures in [0, 1] and stand for solutions of ten numbers, which are kept in a
// table of their own for as long as the archive keeps their entry.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numbers>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "archives/centroids.h"
#include "archives/drawing/curves.h"
#include "archives/id_map.h"
#include "archives/measure_space.h"
#include "archives/nearest.h"
#include "archives/random.h"
#include "archives/registry.h"
#include "archives/selector.h"

namespace kernatlas::archives {
namespace {

constexpr std::size_t kSolution = 10;
constexpr std::size_t kCentroids = 10000;

// Time on a processor, not on the clock: a machine that does other things as well delays a program
// but does not change what it costs.
double seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

std::unique_ptr<Archive> must(ArchiveOrError archive) {
  if (!archive) throw std::runtime_error(archive.error());
  return std::move(*archive);
}

std::vector<double> uniform(std::size_t count, std::uint64_t seed) {
  Random rng(seed);
  std::vector<double> numbers(count);
  for (double& number : numbers) number = fraction(rng);
  return numbers;
}

// The settings that archive_pyribs.py gives to pyribs.
std::unique_ptr<Archive> make_archive(const std::string& kind, double depth = 1) {
  ArchiveSpec spec{.kind = kind,
                   .axes = {Axis::linear("x", "", 0, 1, 100), Axis::linear("y", "", 0, 1, 100)}};
  if (kind == "dominated-novelty") {
    spec.options = {{"capacity", 1000}, {"neighbours", 5}};
  } else {
    spec.options = {{"depth", depth}};
  }
  if (kind == "cvt") spec.points = uniform(2 * kCentroids, 7);
  return must(builtin_kinds().make(spec));
}

// Candidates as a search has them: a solution, an objective, two measures.
struct Candidates {
  std::vector<std::array<double, kSolution>> solutions;
  std::vector<double> objectives;
  std::vector<std::array<double, 2>> measures;

  Candidates(std::size_t count, std::uint64_t seed)
      : solutions(count), objectives(count), measures(count) {
    Random rng(seed);
    for (std::size_t i = 0; i < count; ++i) {
      for (double& x : solutions[i]) x = fraction(rng);
      objectives[i] = fraction(rng);
      measures[i] = {fraction(rng), fraction(rng)};
    }
  }
};

// An archive and the solutions its entries stand for.
class Records {
 public:
  explicit Records(std::unique_ptr<Archive> archive) : archive_(std::move(archive)) {}

  void add_all(const Candidates& candidates) {
    for (std::size_t i = 0; i < candidates.objectives.size(); ++i) {
      const std::uint64_t id = next_++;
      const double objective = candidates.objectives[i];
      Entry entry{.id = id,
                  .objective = objective,
                  .low = objective,
                  .high = objective,
                  .measures = {candidates.measures[i].begin(), candidates.measures[i].end()}};
      const AddOutcome outcome = archive_->add(std::move(entry));
      for (const std::uint64_t dropped : outcome.dropped) {
        free_.push_back(rows_.find(dropped));
        rows_.erase(dropped);
      }
      if (outcome.kept) store(id, candidates.solutions[i]);
    }
  }
  [[nodiscard]] const Archive& archive() const { return *archive_; }

 private:
  std::unique_ptr<Archive> archive_;
  void store(std::uint64_t id, const std::array<double, kSolution>& solution) {
    if (free_.empty()) {
      free_.push_back(solutions_.size());
      solutions_.emplace_back();
    }
    solutions_[free_.back()] = solution;
    rows_.set(id, free_.back());
    free_.pop_back();
  }

  std::vector<std::array<double, kSolution>> solutions_;
  IdMap rows_;                     // of the ids that the archive stores
  std::vector<std::size_t> free_;  // rows to be used again
  std::uint64_t next_ = 0;
};

double rate(const std::string& kind, std::size_t prefill, std::size_t adds, std::uint64_t seed,
            double depth = 1) {
  Records records(make_archive(kind, depth));
  records.add_all(Candidates(prefill, seed));
  const Candidates candidates(adds, seed + 1000);
  const double start = seconds();
  records.add_all(candidates);
  return static_cast<double>(adds) / (seconds() - start);
}

void print(const std::string& name, double value, const char* unit, const std::string& reference,
           double reference_value, int runs) {
  const nlohmann::ordered_json line{{"name", name},
                                    {"value", value},
                                    {"unit", unit},
                                    {"reference", reference},
                                    {"reference_value", reference_value},
                                    {"ratio", value / reference_value},
                                    {"runs", runs}};
  fmt::print("{}\n", line.dump());
  std::fflush(stdout);
}

// Nanoseconds an add takes on the last tenth of 1e3 … 1e7 adds to one archive.
void bench_cost_curve() {
  constexpr std::size_t kChunk = 1000;
  Records records(make_archive("grid", 3));
  std::size_t done = 0;
  double first = 0;
  for (const std::size_t total : {1000, 10000, 100000, 1000000, 10000000}) {
    std::vector<double> chunks;
    while (done < total) {
      const Candidates candidates(kChunk, done + 1);
      const double start = seconds();
      records.add_all(candidates);
      const double nanoseconds = (seconds() - start) / kChunk * 1e9;
      done += kChunk;
      if (done > total / 10 * 9) chunks.push_back(nanoseconds);
    }
    const double cost = median(chunks);
    if (first == 0) first = cost;
    print(fmt::format("cost of an add after {} adds, grid of depth 3", total), cost, "ns",
          "after 1000 adds", first, static_cast<int>(chunks.size()));
  }
}

double searches_per_second(const Nearest& nearest, const std::vector<double>& places,
                           std::size_t dimensions) {
  std::size_t sum = 0;
  const double start = seconds();
  for (std::size_t i = 0; i < places.size(); i += dimensions) {
    sum += nearest.nearest(places.data() + i);
  }
  const double spent = seconds() - start;
  if (sum == ~std::size_t{0}) throw std::runtime_error("unreachable");
  return static_cast<double>(places.size() / dimensions) / spent;
}

// Where the k-d tree wins over brute force: what quickest_nearest() decides by.
void bench_nearest() {
  for (const std::size_t dimensions : {2, 4, 6, 8, 12}) {
    std::vector<Axis> axes;
    for (std::size_t i = 0; i < dimensions; ++i) {
      axes.push_back(Axis::linear(fmt::format("x{}", i), "", 0, 1, 10));
    }
    const MeasureSpace space(axes);
    for (const std::size_t count : {32, 128, 1000, 10000, 100000}) {
      const auto points = uniform(count * dimensions, count);
      const auto places = uniform(std::max<std::size_t>(20, 2000000 / count) * dimensions, 3);
      const auto tree = tree_nearest(space, points);
      const auto brute = brute_force_nearest(space, points);
      std::vector<double> quick, plain;
      for (int round = 0; round < 3; ++round) {
        quick.push_back(searches_per_second(*tree, places, dimensions));
        plain.push_back(searches_per_second(*brute, places, dimensions));
      }
      print(fmt::format("k-d tree, {} centroids on {} axes", count, dimensions), median(quick),
            "1/s", "brute force", median(plain), 3);
    }
  }
}

void bench_kinds() {
  const double reference = rate("grid", 20000, 10000, 1);
  for (const char* kind : {"cvt", "dominated-novelty"}) {
    print(fmt::format("single adds, {}", kind), rate(kind, 20000, 10000, 1), "1/s", "grid",
          reference, 1);
  }
  print("single adds, grid of depth 3", rate("grid", 20000, 10000, 1, 3), "1/s", "grid of depth 1",
        reference, 1);
}

// ------------------------------------------------------------------ quality-diversity benchmarks

constexpr std::size_t kBatch = 100;

struct Domain {
  std::size_t dimensions;
  double bound;  // of every parameter
  double sigma;  // of the Gaussian emitter
  Axis x, y;
};

Domain domain_of(const std::string& name) {
  if (name == "arm") {
    return {12, std::numbers::pi, 0.1, Axis::linear("x", "", -12, 12, 50),
            Axis::linear("y", "", -12, 12, 50)};
  }
  const double reach = 10 * 5.12;
  return {20, 10.24, 0.5, Axis::linear("x", "", -reach, reach, 50),
          Axis::linear("y", "", -reach, reach, 50)};
}

// Objective 0 … 100, measures; the same formulas as in archive_pyribs.py.
Entry evaluate(const std::string& name, const std::vector<double>& solution) {
  const std::size_t n = solution.size();
  double x = 0, y = 0, objective = 0;
  if (name == "arm") {
    double angle = 0, mean = 0, variance = 0;
    for (const double joint : solution) {
      angle += joint;
      x += std::cos(angle);
      y += std::sin(angle);
      mean += joint / static_cast<double>(n);
    }
    for (const double joint : solution) {
      variance += (joint - mean) * (joint - mean) / static_cast<double>(n);
    }
    objective = std::max(0.0, 100 * (1 - std::sqrt(variance) / std::numbers::pi));
  } else {
    constexpr double kShift = 5.12 * 0.4;
    const bool rastrigin = name == "rastrigin";
    double value = 0, worst = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double d = solution[i] - kShift, far = -10.24 - kShift;
      value += d * d;
      worst += far * far;
      if (rastrigin) value += 10 * (1 - std::cos(2 * std::numbers::pi * d));
      if (rastrigin) worst += 20;
      const double folded = std::abs(solution[i]) <= 5.12 ? solution[i] : 5.12 * 5.12 / solution[i];
      (i < n / 2 ? x : y) += folded;
    }
    objective = std::max(0.0, 100 * (1 - value / worst));
  }
  return {.objective = objective, .low = objective, .high = objective, .measures = {x, y}};
}

void qd(const std::string& name, const std::string& emitter, std::size_t batches,
        std::uint64_t seed) {
  const Domain domain = domain_of(name);
  const auto archive = must(builtin_kinds().make(
      {.kind = "grid", .axes = {domain.x, domain.y}, .floor = 0, .options = {{"depth", 1}}}));
  Random rng(seed);
  std::normal_distribution<double> normal;
  const auto selector = uniform_selector();
  std::vector<std::vector<double>> solutions;
  const auto parent = [&] {
    const Elite* elite = selector->select(*archive, rng);
    return elite == nullptr ? std::vector<double>(domain.dimensions) : solutions[elite->entry.id];
  };
  for (std::size_t batch = 1; batch <= batches; ++batch) {
    std::vector<Entry> entries;
    for (std::size_t i = 0; i < kBatch; ++i) {
      std::vector<double> solution = parent();
      if (emitter == "gaussian") {
        for (double& x : solution) x += domain.sigma * normal(rng);
      } else {
        const std::vector<double> other = parent();
        const double line = 0.2 * normal(rng);
        for (std::size_t k = 0; k < solution.size(); ++k) {
          solution[k] += line * (other[k] - solution[k]) + 0.02 * domain.bound * normal(rng);
        }
      }
      for (double& x : solution) x = std::clamp(x, -domain.bound, domain.bound);
      Entry entry = evaluate(name, solution);
      entry.id = solutions.size();
      solutions.push_back(std::move(solution));
      entries.push_back(std::move(entry));
    }
    archive->add_batch(std::move(entries));
    if (batch % (batches / 20) == 0) {
      fmt::print("{} {:.17g}\n", batch * kBatch, archive->stats().qd_score);
    }
  }
}

Curve curve_of(const nlohmann::json& panel, const std::string& side) {
  std::vector<Curve> seeds;
  for (const auto& values : panel.at(side)) {
    Curve& curve = seeds.emplace_back();
    for (std::size_t i = 0; i < values.size(); ++i) {
      curve.points.push_back({.at = panel.at("evaluations").at(i), .value = values.at(i)});
    }
  }
  return median_curve(side, seeds, Band::min_max);
}

void draw(const std::string& from, const std::string& to) {
  std::ifstream in(from);
  std::vector<CurvePanel> panels;
  for (const auto& panel : nlohmann::json::parse(in)) {
    panels.push_back(
        {.title = fmt::format("QD score, {}, {}", panel.at("domain").get<std::string>(),
                              panel.at("emitter").get<std::string>()),
         .curves = {curve_of(panel, "ours"), curve_of(panel, "pyribs")}});
  }
  const auto picture = draw_curves(panels);
  if (!picture) throw std::runtime_error(picture.error());
  std::ofstream(to, std::ios::binary) << *picture;
}

int run(const std::vector<std::string>& arguments) {
  const auto number = [&](std::size_t i) {
    return std::strtoull(arguments.at(i).c_str(), nullptr, 10);
  };
  if (arguments.empty()) {
    bench_kinds();
    bench_cost_curve();
    bench_nearest();
  } else if (arguments[0] == "rate") {
    fmt::print("{}\n", rate(arguments.at(1), number(2), number(3), number(4)));
  } else if (arguments[0] == "qd") {
    qd(arguments.at(1), arguments.at(2), number(3), number(4));
  } else if (arguments[0] == "curves") {
    draw(arguments.at(1), arguments.at(2));
  } else {
    throw std::runtime_error("unknown: " + arguments[0]);
  }
  return 0;
}

}  // namespace
}  // namespace kernatlas::archives

int main(int argc, char** argv) {
  try {
    return kernatlas::archives::run({argv + 1, argv + argc});
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "kernatlas-bench-archive: %s\n", problem.what());
    return 1;
  }
}
