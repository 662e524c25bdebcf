// Colours for objectives: the cubehelix scheme of Green, "A colour scheme for the display of
// astronomical intensity images", Bulletin of the Astronomical Society of India 39, 2011. Its
// perceived brightness changes evenly, so it reads alike in print, in grey and for colour-blind
// eyes.
//
// Pure functions of their arguments; total: every number has a colour.
#pragma once

#include <optional>
#include <string>

#include "archives/archive.h"

namespace kernatlas::archives {

// Each part in [0, 1].
struct Colour {
  double red = 0;
  double green = 0;
  double blue = 0;
};

// The published formula with gamma 1: `lightness` from 0 (black) to 1 (white), start colour (1 red,
// 2 green, 3 blue), rotations of the hue on the way, and hue (0: grey). Clipped to what a screen
// can show.
[[nodiscard]] Colour cubehelix(double lightness, double start, double rotations, double hue);
// Brightness as an eye sees it, in [0, 1]; the weights are the formula's.
[[nodiscard]] double brightness(const Colour& colour);
// "#1f2e3d".
[[nodiscard]] std::string hex(const Colour& colour);

// From worst (0, pale) to best (1, dark): an empty cell, which is white, is never mistaken for one
// that holds something.
[[nodiscard]] Colour shade(double place);
// Colour of the line `index` of `count`: different in hue and in brightness.
[[nodiscard]] Colour line_colour(std::size_t index, std::size_t count);

// Which colour an objective has. With the same ends, equal objectives have equal colours in every
// picture: frames of a film.
class ColourScale {
 public:
  // Ends that are equal, the wrong way round or not finite are moved apart around what is left.
  ColourScale(double low, double high);
  // From the worst to the best champion; an end that is given is taken as it is.
  [[nodiscard]] static ColourScale of(const Archive& archive, std::optional<double> low,
                                      std::optional<double> high);

  [[nodiscard]] double low() const { return low_; }
  [[nodiscard]] double high() const { return high_; }
  // In [0, 1]; beyond an end it is that end. 0 for NaN.
  [[nodiscard]] double place(double objective) const;
  [[nodiscard]] Colour colour(double objective) const { return shade(place(objective)); }

 private:
  double low_;
  double high_;
};

}  // namespace kernatlas::archives
