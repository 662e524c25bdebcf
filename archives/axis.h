// Axis: one dimension of an archive's map, cutting a measure into bins with exact boundaries.
//
// Numeric axes hold their boundaries as numbers and look bins up by binary search: no scaling
// arithmetic, so no epsilon, and ranges of any width (1e-6 s, 1e12 bytes) behave alike.
// Bin i of a numeric axis is [edge i, edge i+1); the last bin includes its upper edge.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kernatlas::archives {

enum class Scale {
  linear,       // equal widths
  log2,         // equal ratios; boundaries must be positive
  quantile,     // boundaries frozen from observed values
  categorical,  // labels; measures are label positions
};
[[nodiscard]] std::string_view name(Scale scale);
[[nodiscard]] std::optional<Scale> parse_scale(std::string_view text);

// What happens to a number outside the boundaries.
enum class OutOfRange {
  clip,    // counted, put into the edge bin
  reject,  // counted, the entry is refused
};

// Where a value fell.
struct Bin {
  std::size_t index = 0;
  enum class Where { inside, below, above } where = Where::inside;
};

class Axis {
 public:
  // `bins` equal steps from low to high (on a log2 scale: equal ratios).
  // Throws std::invalid_argument when bins = 0, low >= high, not finite, or log2 with low <= 0.
  [[nodiscard]] static Axis linear(std::string name, std::string unit, double low, double high,
                                   std::size_t bins, OutOfRange policy = OutOfRange::clip);
  [[nodiscard]] static Axis log2(std::string name, std::string unit, double low, double high,
                                 std::size_t bins, OutOfRange policy = OutOfRange::clip);
  // Boundaries as given: finite, strictly ascending, at least two; positive on a log2 scale.
  [[nodiscard]] static Axis edges(std::string name, std::string unit, Scale scale,
                                  std::vector<double> boundaries,
                                  OutOfRange policy = OutOfRange::clip);
  // Frozen quantiles of `samples` (interpolated between order statistics; what is not finite is
  // left out, and at least one must remain): at most `bins` bins, equal neighbours merge. Samples
  // that are all the same make one bin around that value.
  [[nodiscard]] static Axis quantile(std::string name, std::string unit,
                                     std::vector<double> samples, std::size_t bins,
                                     OutOfRange policy = OutOfRange::clip);
  // Labels: at least one, all different.
  [[nodiscard]] static Axis categorical(std::string name, std::vector<std::string> labels);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::string& unit() const { return unit_; }
  [[nodiscard]] Scale scale() const { return scale_; }
  [[nodiscard]] OutOfRange policy() const { return policy_; }
  // A version that changes when the meaning of the measure changes; part of an archive's identity.
  [[nodiscard]] int version() const { return version_; }
  void set_version(int version) { version_ = version; }
  [[nodiscard]] std::size_t bins() const;
  [[nodiscard]] const std::vector<double>& boundaries() const { return boundaries_; }
  [[nodiscard]] const std::vector<std::string>& labels() const { return labels_; }

  // O(1) on equally spaced boundaries, else O(log bins). Nothing for NaN, and for a categorical
  // position that is not a label's. Outside the boundaries: the edge bin and the side, whatever the
  // policy; the archive applies the policy.
  [[nodiscard]] std::optional<Bin> locate(double value) const;
  // A numeric axis stretched to [0, 1]: along the measure, its logarithm (log2), or from boundary
  // to boundary alike (quantile); what is outside is at the edge. Distances between measures of
  // different axes are meant in this space. A categorical axis has no such order: its label
  // positions are returned as they are.
  [[nodiscard]] double scaled(double value) const;
  // The measure at a place in [0, 1].
  [[nodiscard]] double unscaled(double place) const;
  // Position of a label; nothing when unknown.
  [[nodiscard]] std::optional<double> position(std::string_view label) const;
  // "[128, 256)", the last one "[256, 512]"; the label. An edge bin that also holds what lies
  // beyond it says so: "< 256", "≥ 256", "any".
  [[nodiscard]] std::string bin_text(std::size_t bin) const;

  friend bool operator==(const Axis&, const Axis&) = default;

 private:
  Axis() = default;
  std::string name_;
  std::string unit_;
  int version_ = 1;
  Scale scale_ = Scale::linear;
  OutOfRange policy_ = OutOfRange::clip;
  std::vector<double> boundaries_;
  std::vector<std::string> labels_;
  double bins_per_unit_ =
      0;  // of a linear axis: a first guess of the bin, which boundaries correct
};

}  // namespace kernatlas::archives
