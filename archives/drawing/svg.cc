#include "archives/drawing/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <pugixml.hpp>
#include <sstream>

namespace kernatlas::archives {
namespace {

constexpr const char* kFonts =
    "Inter, 'Helvetica Neue', Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif";
constexpr const char* kInk = "#222222";
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

// Length of the well-formed UTF-8 character at the front that XML 1.0 may hold; 0 when there is
// none.
std::size_t character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t lead = byte(0);
  if (lead < 0x80) return lead >= 0x20 && lead != 0x7F ? 1 : lead == '\n' || lead == '\t' ? 1 : 0;
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return 0;
  std::uint32_t code = lead & (0xFFu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
    code = code << 6 | (byte(i) & 0x3Fu);
  }
  constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  const bool valid = code >= kLeast[length] && code <= 0x10FFFF && !surrogate;
  return valid && code != 0xFFFE && code != 0xFFFF ? length : 0;
}

std::string clean(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = character(text);
    out += length > 0 ? text.substr(0, length) : kReplacement;
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

void set(pugi::xml_node node, const char* name, const std::string& value) {
  node.append_attribute(name).set_value(value.c_str());
}

void set(pugi::xml_node node, const char* name, double value) {
  set(node, name, coordinate(value));
}

void set(pugi::xml_node node, const Style& style) {
  if (!style.fill.empty()) set(node, "fill", style.fill);
  if (!style.stroke.empty()) set(node, "stroke", style.stroke);
  if (style.stroke_width >= 0) set(node, "stroke-width", style.stroke_width);
  if (style.opacity >= 0) set(node, "opacity", style.opacity);
  if (!style.dashes.empty()) set(node, "stroke-dasharray", style.dashes);
}

void set_tooltip(pugi::xml_node node, std::string_view tooltip) {
  if (tooltip.empty()) return;
  node.append_child("title").text().set(clean(tooltip).c_str());
}

std::string joined(std::span<const Point> points) {
  std::string out;
  for (const Point& point : points) {
    if (!out.empty()) out += ' ';
    out += coordinate(point.x) + ',' + coordinate(point.y);
  }
  return out;
}

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char each) {
    return (static_cast<std::uint8_t>(each) & 0xC0) != 0x80;
  }));
}

}  // namespace

struct Svg::Document {
  pugi::xml_document xml;
  pugi::xml_node open;  // the group begun last
};

Svg::Svg(double width, double height, std::string_view title)
    : document_(std::make_unique<Document>()) {
  pugi::xml_node root = document_->xml.append_child("svg");
  set(root, "xmlns", "http://www.w3.org/2000/svg");
  set(root, "viewBox", fmt::format("0 0 {} {}", coordinate(width), coordinate(height)));
  set(root, "width", width);
  set(root, "height", height);
  set(root, "font-family", kFonts);
  set(root, "fill", kInk);
  set(root, "role", "img");
  document_->open = root;
  set_tooltip(root, title);
  rect({0, 0, width, height}, {.fill = "#ffffff"});
}

Svg::~Svg() = default;

void Svg::begin(std::string_view name, const Style& style, std::string_view about) {
  pugi::xml_node group = document_->open.append_child("g");
  set(group, "class", std::string(name));
  if (!about.empty()) set(group, "data-about", clean(about));
  set(group, style);
  document_->open = group;
}

void Svg::end() {
  document_->open = document_->open.parent();
}

void Svg::rect(const Box& box, const Style& style, std::string_view tooltip) {
  pugi::xml_node node = document_->open.append_child("rect");
  set(node, "x", box.x);
  set(node, "y", box.y);
  set(node, "width", box.width);
  set(node, "height", box.height);
  set(node, style);
  set_tooltip(node, tooltip);
}

void Svg::line(Point from, Point to, const Style& style) {
  pugi::xml_node node = document_->open.append_child("line");
  set(node, "x1", from.x);
  set(node, "y1", from.y);
  set(node, "x2", to.x);
  set(node, "y2", to.y);
  set(node, style);
}

void Svg::polyline(std::span<const Point> points, const Style& style, std::string_view tooltip) {
  pugi::xml_node node = document_->open.append_child("polyline");
  set(node, "points", joined(points));
  set(node, style);
  set_tooltip(node, tooltip);
}

void Svg::polygons(std::span<const Polygon> polygons, const Style& style,
                   std::string_view tooltip) {
  std::string data;
  for (const Polygon& polygon : polygons) data += "M" + joined(polygon) + "Z";
  pugi::xml_node node = document_->open.append_child("path");
  set(node, "d", data);
  set(node, style);
  set_tooltip(node, tooltip);
}

void Svg::dot(Point centre, double radius, const Style& style) {
  pugi::xml_node node = document_->open.append_child("circle");
  set(node, "cx", centre.x);
  set(node, "cy", centre.y);
  set(node, "r", radius);
  set(node, style);
}

void Svg::text(Point at, std::string_view text, const TextStyle& style, std::string_view tooltip) {
  pugi::xml_node node = document_->open.append_child("text");
  set(node, "x", at.x);
  set(node, "y", at.y);
  set(node, "font-size", style.size);
  if (style.anchor != Anchor::start) {
    set(node, "text-anchor", style.anchor == Anchor::middle ? "middle" : "end");
  }
  if (style.bold) set(node, "font-weight", "bold");
  if (style.halo) {
    set(node, "stroke", "#ffffff");
    set(node, "stroke-width", 3);
    set(node, "stroke-linejoin", "round");
    set(node, "paint-order", "stroke");
  }
  if (!style.fill.empty()) set(node, "fill", style.fill);
  if (style.degrees != 0) {
    set(node, "transform",
        fmt::format("rotate({} {} {})", coordinate(style.degrees), coordinate(at.x),
                    coordinate(at.y)));
  }
  set_tooltip(node, tooltip);
  node.append_child(pugi::node_pcdata).set_value(clean(text).c_str());
}

void Svg::gradient(std::string_view id, std::span<const std::string> colours) {
  pugi::xml_node node = document_->open.append_child("defs").append_child("linearGradient");
  set(node, "id", std::string(id));
  for (const auto& [name, value] : {std::pair{"x1", 0.0}, {"y1", 1.0}, {"x2", 0.0}, {"y2", 0.0}}) {
    set(node, name, value);
  }
  for (std::size_t i = 0; i < colours.size(); ++i) {
    const double offset = static_cast<double>(i) / static_cast<double>(colours.size() - 1);
    pugi::xml_node stop = node.append_child("stop");
    set(stop, "offset", fmt::format("{:.4f}", offset));
    set(stop, "stop-color", colours[i]);
  }
}

std::string Svg::str() const {
  std::ostringstream out;
  document_->xml.save(out, " ", pugi::format_indent, pugi::encoding_utf8);
  return out.str();
}

std::string coordinate(double value) {
  constexpr double kFar = 1e6;
  if (!(value > -kFar)) value = std::isnan(value) ? 0 : -kFar;
  std::string text = fmt::format("{:.2f}", std::min(value, kFar));
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

double text_width(std::string_view text, double size) {
  constexpr double kEm = 0.6;
  return kEm * size * static_cast<double>(characters(text));
}

std::string shortened(std::string_view text, double size, double width) {
  if (text_width(text, size) <= width) return std::string(text);
  std::string out;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::string_view next = rest.substr(0, std::max<std::size_t>(character(rest), 1));
    if (text_width(out, size) + text_width("m…", size) > width) break;
    out += next;
    rest.remove_prefix(next.size());
  }
  return out + "…";
}

}  // namespace kernatlas::archives
