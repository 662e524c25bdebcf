#include "archives/centroids.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <random>
#include <stdexcept>
#include <thread>

#include "archives/measure_space.h"
#include "archives/nearest.h"
#include "archives/random.h"

namespace kernatlas::archives {
namespace {

constexpr std::size_t kChunk = 1024;

std::vector<double> uniform_samples(const MeasureSpace& space, std::size_t count,
                                    std::uint64_t seed) {
  std::mt19937_64 rng(seed);
  std::vector<double> samples(count * space.dimensions());
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const std::size_t axis = i % space.dimensions();
    const double share = fraction(rng);
    const auto labels = static_cast<double>(space.axes()[axis].bins());
    samples[i] = space.categorical(axis) ? std::min(std::floor(share * labels), labels - 1) : share;
  }
  return samples;
}

// The centroid nearest to each sample; true when any differs from before. Threads take chunks in
// any order; which sample goes where does not depend on it.
bool assign(const MeasureSpace& space, const std::vector<double>& samples, const Nearest& nearest,
            std::size_t threads, std::vector<std::size_t>& owner) {
  std::atomic<std::size_t> next = 0;
  std::atomic<bool> changed = false;
  const auto work = [&] {
    for (;;) {
      const std::size_t begin = next.fetch_add(kChunk);
      if (begin >= owner.size()) return;
      bool mine = false;
      for (std::size_t i = begin; i < std::min(begin + kChunk, owner.size()); ++i) {
        const std::size_t found = nearest.nearest(samples.data() + i * space.dimensions());
        mine |= found != owner[i];
        owner[i] = found;
      }
      if (mine) changed = true;
    }
  };
  std::vector<std::jthread> team;
  for (std::size_t i = 1; i < threads; ++i) team.emplace_back(work);
  work();
  team.clear();
  return changed;
}

// Sums run over the samples in order, on one thread: floating-point addition is not associative.
void move_to_means(const MeasureSpace& space, const std::vector<double>& samples,
                   const std::vector<std::size_t>& owner, std::vector<double>& centroids) {
  const std::size_t width = space.dimensions();
  const std::size_t count = centroids.size() / width;
  std::vector<std::size_t> size(count);
  for (const std::size_t centroid : owner) ++size[centroid];
  for (std::size_t axis = 0; axis < width; ++axis) {
    const std::size_t bins = space.categorical(axis) ? space.axes()[axis].bins() : 1;
    std::vector<double> sums(count * bins);
    for (std::size_t i = 0; i < owner.size(); ++i) {
      const double place = samples[i * width + axis];
      if (bins == 1) {
        sums[owner[i]] += space.categorical(axis) ? 0 : place;
      } else {
        sums[owner[i] * bins + static_cast<std::size_t>(place)] += 1;
      }
    }
    for (std::size_t i = 0; i < count; ++i) {
      if (size[i] == 0) continue;
      const auto first = sums.begin() + static_cast<std::ptrdiff_t>(i * bins);
      const auto most = std::max_element(first, first + static_cast<std::ptrdiff_t>(bins));
      centroids[i * width + axis] = space.categorical(axis) ? static_cast<double>(most - first)
                                                            : *first / static_cast<double>(size[i]);
    }
  }
}

}  // namespace

std::vector<double> make_centroids(const std::vector<Axis>& axes, const CentroidRequest& request) {
  if (axes.empty() || request.count == 0 || request.samples < request.count) {
    throw std::invalid_argument(
        "make_centroids: needs axes, a count, and no fewer samples than centroids");
  }
  const MeasureSpace space(axes);
  const std::size_t width = space.dimensions();
  const std::size_t threads = request.threads > 0
                                  ? request.threads
                                  : std::max<std::size_t>(std::thread::hardware_concurrency(), 1);
  const std::vector<double> samples = uniform_samples(space, request.samples, request.seed);
  std::vector<double> centroids(
      samples.begin(), samples.begin() + static_cast<std::ptrdiff_t>(request.count * width));
  std::vector<std::size_t> owner(request.samples, request.count);
  for (std::size_t i = 0; i < request.iterations; ++i) {
    const auto nearest = quickest_nearest(space, centroids);
    if (!assign(space, samples, *nearest, threads, owner)) break;
    move_to_means(space, samples, owner, centroids);
  }
  std::vector<double> points(centroids.size());
  for (std::size_t i = 0; i < request.count; ++i) {
    space.unscale({centroids.data() + i * width, width}, points.data() + i * width);
  }
  return points;
}

}  // namespace kernatlas::archives
