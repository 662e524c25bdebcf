// The plain values of an archive: what is added, what is stored, what is counted.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

namespace kernatlas::archives {

// A number the archive does not interpret (the caller's ticket), an objective (larger is better),
// an interval around it, and one measure per axis.
struct Entry {
  std::uint64_t id = 0;
  double objective = 0;  // finite
  // Interval of the objective, low <= objective <= high. One that is not finite or does not contain
  // the objective counts as missing and is stored as low = high = objective.
  double low = 0;
  double high = 0;
  std::vector<double> measures;    // one per axis
  double size = 0;                 // tie-break: smaller wins (bytes of code); then the smaller id
  std::vector<double> costs = {};  // smaller is better; only some kinds look at them
  std::uint64_t samples = 1;       // how many measurements the objective rests on

  friend bool operator==(const Entry&, const Entry&) = default;
};

// Total order of entries: larger objective, then smaller size, then smaller id.
[[nodiscard]] bool better(const Entry& a, const Entry& b);

// A champion or runner-up and where it lives.
struct Elite {
  Entry entry;
  std::size_t cell = 0;
  std::size_t rank = 0;  // 0 is the champion of its cell

  friend bool operator==(const Elite&, const Elite&) = default;
};

struct Stats {
  std::size_t cells = 0;  // 0 when the kind has no fixed number of cells
  std::size_t occupied = 0;
  double coverage = 0;  // occupied / cells, a fraction; NaN when cells is 0
  double qd_score = 0;  // sum over champions of max(0, objective - floor)
  double sum = 0;       // of the champions' objectives
  double best = std::numeric_limits<double>::quiet_NaN();  // best champion's; NaN when empty
  double mean = std::numeric_limits<double>::quiet_NaN();  // of the champions; NaN when empty
  std::uint64_t opened = 0, improved = 0, rejected = 0, contested = 0, refused = 0;
  std::vector<std::uint64_t> below;  // per axis: entries clipped or rejected below the range
  std::vector<std::uint64_t> above;  // per axis: the same above
  std::vector<std::uint64_t> first;  // per axis: entries in the first bin, clipped ones included
  std::vector<std::uint64_t> last;   // per axis: the same in the last bin

  [[nodiscard]] std::uint64_t adds() const {
    return opened + improved + rejected + contested + refused;
  }
  // Largest share of the entries not refused that fell into one edge bin of this axis; 0 before the
  // first. Near 1 on an axis of many bins means that its range does not fit what is measured.
  [[nodiscard]] double edge_share(std::size_t axis) const;
};

}  // namespace kernatlas::archives
