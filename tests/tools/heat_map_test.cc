#include "tools/heat_map.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "archives/grid.h"

using namespace kernatlas;
using archives::Axis;

namespace {

std::unique_ptr<archives::Archive> grid(std::vector<Axis> axes) {
  return archives::make_grid(std::move(axes), archives::strict_acceptance());
}

void add(archives::Archive& archive, std::uint64_t id, double speedup,
         std::vector<double> measures) {
  const double fitness = std::log2(speedup);
  archive.add({.id = id,
               .objective = fitness,
               .low = fitness,
               .high = fitness,
               .measures = std::move(measures)});
}

std::size_t lines(const std::string& text) {
  return std::count(text.begin(), text.end(), '\n');
}

}  // namespace

TEST_CASE("an empty archive is said to be empty") {
  const auto archive = grid({Axis::categorical("memory", {"scalar", "vector"})});
  CHECK(heat_map(*archive, Palette::plain).find("no elite") != std::string::npos);
}

TEST_CASE("every cell shows its champion's speed-up in its place") {
  const auto archive = grid(
      {Axis::categorical("memory", {"scalar", "vector"}), Axis::linear("size", "B", 0, 30, 3)});
  add(*archive, 1, 3.4, {1, 15});
  add(*archive, 2, 12, {0, 29});
  CHECK(heat_map(*archive, Palette::plain) ==
        "  memory (rows)\n"
        "  scalar     .     .  12.0 \n"
        "  vector     .  3.40     . \n"
        "          < 10 [10,   ≥ 20   size\n");
}

TEST_CASE("a single elite and equal elites have no range to divide by") {
  const auto archive = grid({Axis::categorical("memory", {"scalar", "vector"})});
  add(*archive, 1, 2, {0});
  CHECK(heat_map(*archive, Palette::colour).find("2.00") != std::string::npos);
  CHECK(heat_map(*archive, Palette::colour).find("\x1b[") != std::string::npos);
  CHECK(heat_map(*archive, Palette::plain).find('\x1b') == std::string::npos);
  add(*archive, 2, 2, {1});
  CHECK(heat_map(*archive, Palette::colour).find("nan") == std::string::npos);
}

TEST_CASE("further axes make panels, only where there is an elite, and not too many") {
  const auto archive = grid({Axis::categorical("a", {"x", "y"}), Axis::categorical("b", {"x", "y"}),
                             Axis::linear("c", "", 0, 10, 10)});
  for (int i = 0; i < 5; ++i) add(*archive, i + 1, 1 + i, {0, 0, 2.0 * i + 0.5});
  const std::string all = heat_map(*archive, Palette::plain);
  CHECK(lines(all) == 5 * 4);
  CHECK(heat_map(*archive, Palette::plain, 2).find("3 more panels") != std::string::npos);
}
