#include "archives/cvt.h"

#include <cmath>

#include "archives/centroids.h"
#include "archives/measure_space.h"
#include "tests/archives/kinds.h"

using namespace kernatlas::archives;
using testing::entry;
using testing::make;
using testing::refusal;

namespace {

ArchiveSpec spec_of(std::vector<Axis> axes, std::vector<double> points) {
  return {.kind = "cvt", .axes = std::move(axes), .points = std::move(points)};
}

std::vector<Axis> mixed_axes() {
  return {Axis::linear("share", "", 0, 1, 4), Axis::log2("bytes", "B", 1, 1024, 4),
          Axis::categorical("kind", {"a", "b", "c"})};
}

}  // namespace

TEST_CASE("cells are numbered as the centroids given, ties go to the lower one") {
  const auto archive = make(spec_of({Axis::linear("x", "", 0, 1, 4)}, {0.75, 0.25, 0.25}));
  CHECK(archive->stats().cells == 3);
  CHECK(archive->cell_of(std::vector<double>{0.9}).value() == 0);
  CHECK(archive->cell_of(std::vector<double>{0.1}).value() == 1);
  CHECK(archive->cell_of(std::vector<double>{0.5}).value() == 0);
  CHECK(archive->cell_text(1) == std::vector<std::string>{"near 0.25"});
}

TEST_CASE("a log2 axis is measured in octaves, a label is a whole axis away") {
  const auto archive = make(spec_of(mixed_axes(), {0.5, 4, 0, 0.5, 256, 0, 0.5, 256, 1}));
  // 64 is 4 octaves above 4 and 2 below 256, though nearer to 4 as a plain number.
  CHECK(archive->cell_of(std::vector<double>{0.5, 64, 0}).value() == 1);
  CHECK(archive->cell_of(std::vector<double>{0.5, 16, 0}).value() == 0);
  // Label b: 0.6 of an axis from cell 2's place, against 1 for the wrong label.
  CHECK(archive->cell_of(std::vector<double>{0.5, 4, 1}).value() == 2);
  CHECK(archive->cell_text(2) == std::vector<std::string>{"near 0.5", "near 256", "b"});
}

TEST_CASE("what is out of range is at the edge, or refused where the axis says so") {
  const std::vector<double> points{0.1, 0.9};
  const auto clip = make(spec_of({Axis::linear("x", "", 0, 1, 4)}, points));
  CHECK(clip->cell_of(std::vector<double>{INFINITY}).value() == 1);
  CHECK(clip->add(entry(1, 1, {-5})).cell == 0);
  CHECK(clip->stats().below[0] == 1);
  const auto reject = make(spec_of({Axis::linear("x", "", 0, 1, 4, OutOfRange::reject)}, points));
  CHECK_FALSE(reject->cell_of(std::vector<double>{1.5}).has_value());
  CHECK(reject->add(entry(1, 1, {1.5})).status == AddStatus::refused);
}

TEST_CASE("neighbours are the centroids nearest by") {
  const auto archive = make(spec_of({Axis::linear("x", "", 0, 1, 4)}, {0.1, 0.2, 0.5, 0.9, 0.95}));
  for (const double x : {0.1, 0.5, 0.9}) {
    archive->add(entry(static_cast<std::uint64_t>(x * 10), 1, {x}));
  }
  CHECK(archive->occupied_neighbours(2) == 1);  // 0.2 and 0.1
  CHECK(archive->occupied_neighbours(0) == 1);  // 0.2 and 0.5
  CHECK(archive->occupied_neighbours(1) == 0);  // nobody lives there
  archive->add(entry(20, 1, {0.2}));
  CHECK(archive->occupied_neighbours(2) == 2);
}

TEST_CASE("impossible centroids are refused") {
  CHECK(refusal(spec_of({Axis::linear("x", "", 0, 1, 4)}, {})).find("centroids") !=
        std::string::npos);
  CHECK_FALSE(refusal(spec_of(mixed_axes(), {0.5, 4, 0, 0.5})).empty());
  CHECK(refusal(spec_of(mixed_axes(), {0.5, 4, 7})).find("kind") != std::string::npos);
  CHECK(refusal(spec_of(mixed_axes(), {NAN, 4, 0})).find("share") != std::string::npos);
  CHECK_FALSE(refusal(spec_of({}, {1})).empty());
  const Axis x = Axis::linear("x", "", 0, 1, 4);
  CHECK_FALSE(refusal(spec_of({x, x}, {0.1, 0.2})).empty());
}

TEST_CASE("more axes than a small buffer holds") {
  std::vector<Axis> axes;
  std::vector<double> points;
  for (int i = 0; i < 40; ++i) {
    axes.push_back(Axis::linear("x" + std::to_string(i), "", 0, 1, 2));
    points.push_back(0.25);
  }
  for (int i = 0; i < 40; ++i) points.push_back(0.75);
  const auto archive = make(spec_of(axes, points));
  CHECK(archive->cell_of(std::vector<double>(40, 0.9)).value() == 1);
  CHECK(archive->cell_of(std::vector<double>(40, 0.4)).value() == 0);
}

TEST_CASE("centroids are the same at any number of threads, differ by seed, and spread") {
  const CentroidRequest request{.count = 64, .samples = 4096, .iterations = 20, .seed = 3};
  CentroidRequest one = request, four = request, other = request;
  one.threads = 1;
  four.threads = 4;
  other.seed = 4;
  const auto points = make_centroids(mixed_axes(), one);
  CHECK(points.size() == 64 * 3);
  CHECK(points == make_centroids(mixed_axes(), four));
  CHECK(points != make_centroids(mixed_axes(), other));
  // Lloyd's iterations bring every sample nearer to its centroid.
  const auto mean_distance = [&](const std::vector<double>& centroids) {
    const auto archive = make(spec_of(mixed_axes(), centroids));
    const MeasureSpace space(mixed_axes());
    const auto samples =
        make_centroids(mixed_axes(), {.count = 2000, .samples = 2000, .iterations = 0, .seed = 99});
    double sum = 0;
    for (std::size_t i = 0; i < samples.size(); i += 3) {
      const std::vector<double> sample(samples.begin() + static_cast<std::ptrdiff_t>(i),
                                       samples.begin() + static_cast<std::ptrdiff_t>(i + 3));
      const std::size_t cell = archive->cell_of(sample).value();
      double a[3], b[3];
      space.scale(sample, a);
      space.scale({centroids.data() + cell * 3, 3}, b);
      sum += space.squared(a, b);
    }
    return sum;
  };
  CentroidRequest unmoved = one;
  unmoved.iterations = 0;
  CHECK(mean_distance(points) < 0.8 * mean_distance(make_centroids(mixed_axes(), unmoved)));
}

TEST_CASE("impossible requests for centroids") {
  CHECK_THROWS_AS(static_cast<void>(make_centroids({}, {})), std::invalid_argument);
  CHECK_THROWS_AS(static_cast<void>(make_centroids(mixed_axes(), {.count = 0})),
                  std::invalid_argument);
  CHECK_THROWS_AS(static_cast<void>(make_centroids(mixed_axes(), {.count = 10, .samples = 9})),
                  std::invalid_argument);
  CHECK(make_centroids({Axis::categorical("only", {"one"})}, {.count = 2, .samples = 2}) ==
        std::vector<double>{0, 0});
}
