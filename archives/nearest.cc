#include "archives/nearest.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

namespace kernatlas::archives {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

using Candidate = std::pair<double, std::size_t>;  // squared distance, index

// The `limit` smallest candidates so far, ascending.
class Closest {
 public:
  explicit Closest(std::size_t limit) : limit_(limit) {}
  [[nodiscard]] double bound() const {
    return found_.size() < limit_ ? kInfinity : found_.back().first;
  }
  void offer(double distance, std::size_t index) {
    const Candidate candidate(distance, index);
    if (found_.size() == limit_) {
      if (!(candidate < found_.back())) return;
      found_.pop_back();
    }
    found_.insert(std::upper_bound(found_.begin(), found_.end(), candidate), candidate);
  }
  [[nodiscard]] std::vector<std::size_t> indices() const {
    std::vector<std::size_t> indices;
    for (const Candidate& candidate : found_) indices.push_back(candidate.second);
    return indices;
  }

 private:
  std::size_t limit_;
  std::vector<Candidate> found_;
};

// The same, for one: what every add asks for, without a store.
class ClosestOne {
 public:
  [[nodiscard]] double bound() const { return best_.first; }
  void offer(double distance, std::size_t index) {
    best_ = std::min(best_, Candidate(distance, index));
  }
  [[nodiscard]] std::size_t index() const { return best_.second; }

 private:
  Candidate best_{kInfinity, std::numeric_limits<std::size_t>::max()};
};

class BruteForce final : public Nearest {
 public:
  BruteForce(const MeasureSpace& space, const std::vector<double>& points)
      : space_(space), count_(points.size() / space.dimensions()), columns_(points.size()) {
    for (std::size_t i = 0; i < count_; ++i) {
      for (std::size_t axis = 0; axis < space.dimensions(); ++axis) {
        columns_[axis * count_ + i] = points[i * space.dimensions() + axis];
      }
    }
  }

  std::size_t nearest(const double* place) const override {
    ClosestOne closest;
    search(place, closest);
    return closest.index();
  }
  std::vector<std::size_t> nearest(const double* place, std::size_t count) const override {
    Closest closest(std::min(count, count_));
    if (count > 0) search(place, closest);
    return closest.indices();
  }

 private:
  static constexpr std::size_t kBlock = 64;

  template <typename Found>
  void search(const double* place, Found& found) const {
    std::array<double, kBlock> sums;
    for (std::size_t begin = 0; begin < count_; begin += kBlock) {
      const std::size_t size = std::min(kBlock, count_ - begin);
      sums.fill(0);
      for (std::size_t axis = 0; axis < space_.dimensions(); ++axis) {
        add_axis(axis, begin, size, place[axis], sums.data());
      }
      for (std::size_t i = 0; i < size; ++i) {
        if (sums[i] <= found.bound()) found.offer(sums[i], begin + i);
      }
    }
  }

  void add_axis(std::size_t axis, std::size_t begin, std::size_t size, double place,
                double* sums) const {
    const double* column = columns_.data() + axis * count_ + begin;
    if (space_.categorical(axis)) {
      for (std::size_t i = 0; i < size; ++i) sums[i] += static_cast<double>(column[i] != place);
    } else {
      for (std::size_t i = 0; i < size; ++i) {
        sums[i] += (place - column[i]) * (place - column[i]);
      }
    }
  }

  MeasureSpace space_;
  std::size_t count_;
  std::vector<double> columns_;  // all points' first numbers, then all second ones, …
};

class Tree final : public Nearest {
 public:
  Tree(const MeasureSpace& space, const std::vector<double>& points)
      : space_(space), order_(points.size() / space.dimensions()) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    build(points, 0, order_.size());
    for (const std::size_t index : order_) {
      const auto row = points.begin() + static_cast<std::ptrdiff_t>(index * space.dimensions());
      rows_.insert(rows_.end(), row, row + static_cast<std::ptrdiff_t>(space.dimensions()));
    }
  }

  std::size_t nearest(const double* place) const override {
    ClosestOne closest;
    visit(0, place, closest);
    return closest.index();
  }
  std::vector<std::size_t> nearest(const double* place, std::size_t count) const override {
    Closest closest(std::min(count, order_.size()));
    if (count > 0) visit(0, place, closest);
    return closest.indices();
  }

 private:
  static constexpr std::size_t kLeaf = 8;

  // A leaf holds the points [begin, end) of order_; an inner node's first child follows it.
  struct Node {
    std::uint32_t begin = 0, end = 0;
    std::uint32_t second = 0;  // 0: a leaf
    std::uint32_t axis = 0;
    double low = 0;   // greatest place of the first child on the axis
    double high = 0;  // smallest place of the second child
  };

  void build(const std::vector<double>& points, std::size_t begin, std::size_t end);
  [[nodiscard]] std::pair<std::size_t, double> widest(const std::vector<double>& points,
                                                      std::size_t begin, std::size_t end) const;

  template <typename Found>
  void visit(std::size_t at, const double* place, Found& found) const {
    const Node& node = nodes_[at];
    if (node.second == 0) {
      const double* row = rows_.data() + node.begin * space_.dimensions();
      for (std::size_t i = node.begin; i < node.end; ++i, row += space_.dimensions()) {
        const double distance = space_.squared(place, row);
        if (distance <= found.bound()) found.offer(distance, order_[i]);
      }
      return;
    }
    // One term of a sum of squares is never above the sum, whatever the rounding: skipping by it is
    // exact. Equal distances are looked into, for the lower index.
    const double x = place[node.axis];
    const double to_first = x > node.low ? (x - node.low) * (x - node.low) : 0;
    const double to_second = x < node.high ? (node.high - x) * (node.high - x) : 0;
    if (to_first <= to_second) {
      visit(at + 1, place, found);
      if (to_second <= found.bound()) visit(node.second, place, found);
    } else {
      visit(node.second, place, found);
      if (to_first <= found.bound()) visit(at + 1, place, found);
    }
  }

  MeasureSpace space_;
  std::vector<std::size_t> order_;
  std::vector<double> rows_;  // points in the order of order_
  std::vector<Node> nodes_;
};

// The numeric axis along which the points spread most, and that spread.
std::pair<std::size_t, double> Tree::widest(const std::vector<double>& points, std::size_t begin,
                                            std::size_t end) const {
  std::pair<std::size_t, double> best(0, 0);
  for (std::size_t axis = 0; axis < space_.dimensions(); ++axis) {
    if (space_.categorical(axis)) continue;
    double low = kInfinity, high = -kInfinity;
    for (std::size_t i = begin; i < end; ++i) {
      const double place = points[order_[i] * space_.dimensions() + axis];
      low = std::min(low, place);
      high = std::max(high, place);
    }
    if (high - low > best.second) best = {axis, high - low};
  }
  return best;
}

// Halving by number bounds the depth by log2 of the points, whatever the points are.
void Tree::build(const std::vector<double>& points, std::size_t begin, std::size_t end) {
  const std::size_t at = nodes_.size();
  nodes_.push_back(
      {.begin = static_cast<std::uint32_t>(begin), .end = static_cast<std::uint32_t>(end)});
  if (end - begin <= kLeaf) return;
  const auto [axis, spread] = widest(points, begin, end);
  if (spread == 0) return;
  const auto place = [&, axis = axis](std::size_t index) {
    return points[index * space_.dimensions() + axis];
  };
  const std::size_t middle = begin + (end - begin) / 2;
  const auto at_position = [this](std::size_t i) {
    return order_.begin() + static_cast<std::ptrdiff_t>(i);
  };
  std::nth_element(at_position(begin), at_position(middle), at_position(end),
                   [&](std::size_t a, std::size_t b) {
                     return std::pair(place(a), a) < std::pair(place(b), b);
                   });
  double low = -kInfinity;
  for (std::size_t i = begin; i < middle; ++i) low = std::max(low, place(order_[i]));
  nodes_[at].axis = static_cast<std::uint32_t>(axis);
  nodes_[at].low = low;
  nodes_[at].high = place(order_[middle]);
  build(points, begin, middle);
  nodes_[at].second = static_cast<std::uint32_t>(nodes_.size());
  build(points, middle, end);
}

}  // namespace

std::unique_ptr<Nearest> brute_force_nearest(const MeasureSpace& space,
                                             const std::vector<double>& points) {
  return std::make_unique<BruteForce>(space, points);
}

std::unique_ptr<Nearest> tree_nearest(const MeasureSpace& space,
                                      const std::vector<double>& points) {
  return std::make_unique<Tree>(space, points);
}

std::unique_ptr<Nearest> quickest_nearest(const MeasureSpace& space,
                                          const std::vector<double>& points) {
  // The tree wins from 32 points on two axes, four times as many for every two axes more; beyond
  // eight axes it visits nearly all leaves and never does.
  const std::size_t axes = space.dimensions();
  const bool tree = axes <= 8 && points.size() / axes >= std::size_t{8} << axes;
  return tree ? tree_nearest(space, points) : brute_force_nearest(space, points);
}

}  // namespace kernatlas::archives
