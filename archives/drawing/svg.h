// Svg: a picture as a text of SVG 1.1, made shape by shape.
//
// The text is a function of the calls alone: no time, no locale, no addresses; coordinates have two
// digits after the point. Whatever bytes a name or a tooltip contains, the text is well-formed XML:
// what XML cannot hold (control characters, broken UTF-8) becomes U+FFFD.
//
// Ownership: an Svg owns its document. Thread safety: one thread at a time.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kernatlas::archives {

struct Point {
  double x = 0;
  double y = 0;
};
using Polygon = std::vector<Point>;

struct Box {
  double x = 0;
  double y = 0;
  double width = 0;
  double height = 0;
};

// What is empty or negative is inherited from the group around.
struct Style {
  std::string fill = {};
  std::string stroke = {};
  double stroke_width = -1;
  double opacity = -1;
  std::string dashes = {};
};

enum class Anchor { start, middle, end };

struct TextStyle {
  double size = 12;
  Anchor anchor = Anchor::start;
  double degrees = 0;  // clockwise, around the anchor
  std::string fill = {};
  bool bold = false;
  bool halo = false;  // a white rim, readable over lines
};

class Svg {
 public:
  // A white page that scales with its place. `title` is what a browser shows for the whole.
  Svg(double width, double height, std::string_view title);
  ~Svg();
  Svg(const Svg&) = delete;
  Svg& operator=(const Svg&) = delete;

  // Shapes belong to the group begun last. `name` becomes the group's class, `about` (may be empty)
  // its data-about attribute.
  void begin(std::string_view name, const Style& style = {}, std::string_view about = {});
  void end();

  // `tooltip`: what a browser shows under the pointer; empty for none.
  void rect(const Box& box, const Style& style = {}, std::string_view tooltip = {});
  void line(Point from, Point to, const Style& style = {});
  void polyline(std::span<const Point> points, const Style& style = {},
                std::string_view tooltip = {});
  // Closed polygons as one shape.
  void polygons(std::span<const Polygon> polygons, const Style& style = {},
                std::string_view tooltip = {});
  void dot(Point centre, double radius, const Style& style = {});
  // The baseline of the text goes through `at`.
  void text(Point at, std::string_view text, const TextStyle& style = {},
            std::string_view tooltip = {});
  // A fill for `Style::fill` ("url(#id)") that runs from the first colour at the bottom of a shape
  // to the last one at its top.
  void gradient(std::string_view id, std::span<const std::string> colours);

  [[nodiscard]] std::string str() const;

 private:
  struct Document;
  std::unique_ptr<Document> document_;
};

// "12.5"; never "-0", never an exponent. What is not finite or absurdly far away is brought back to
// the nearest place that a viewer can handle: a damaged number must not damage the whole picture.
[[nodiscard]] std::string coordinate(double value);

// About how wide a text is: fonts differ from machine to machine, so a little too wide.
[[nodiscard]] double text_width(std::string_view text, double size);
// The text, or as much of it as fits with "…" at its end.
[[nodiscard]] std::string shortened(std::string_view text, double size, double width);

}  // namespace kernatlas::archives
