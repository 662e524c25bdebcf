#include "archives/atlas_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <stdexcept>

#include "archives/atlas_pack.h"

namespace kernatlas::archives {
namespace {

constexpr std::string_view kWriter = "kernatlas";

void pack_texts(Packer& packer, const std::vector<std::string>& texts) {
  packer.array(texts.size());
  for (const std::string& text : texts) packer.text(text);
}

void pack_facts(Packer& packer, const Facts& facts) {
  packer.map(facts.size());
  for (const auto& [name, text] : facts) {
    packer.text(name);
    packer.text(text);
  }
}

void pack_axis(Packer& packer, const Axis& axis) {
  const bool categorical = axis.scale() == Scale::categorical;
  packer.map(categorical ? 5 : 6);
  packer.text("name");
  packer.text(axis.name());
  packer.text("unit");
  packer.text(axis.unit());
  packer.text("version");
  packer.signed_integer(axis.version());
  packer.text("scale");
  packer.text(name(axis.scale()));
  if (categorical) {
    packer.text("labels");
    pack_texts(packer, axis.labels());
    return;
  }
  packer.text("out_of_range");
  packer.text(axis.policy() == OutOfRange::clip ? "clip" : "reject");
  packer.text("edges");
  packer.array(axis.boundaries().size());
  for (const double edge : axis.boundaries()) packer.number(edge);
}

struct Counter {
  const char* name;
  std::uint64_t Stats::*member;
};
constexpr Counter kCounters[] = {{"opened", &Stats::opened},
                                 {"improved", &Stats::improved},
                                 {"rejected", &Stats::rejected},
                                 {"contested", &Stats::contested},
                                 {"refused", &Stats::refused}};
struct Figure {
  const char* name;
  double Stats::*member;
};
constexpr Figure kFigures[] = {{"coverage", &Stats::coverage},
                               {"qd_score", &Stats::qd_score},
                               {"sum", &Stats::sum},
                               {"best", &Stats::best},
                               {"mean", &Stats::mean}};
struct Tally {
  const char* name;
  std::vector<std::uint64_t> Stats::*member;
};
constexpr Tally kTallies[] = {{"below", &Stats::below},
                              {"above", &Stats::above},
                              {"first", &Stats::first},
                              {"last", &Stats::last}};

void pack_stats(Packer& packer, const Stats& stats) {
  packer.map(2 + std::size(kCounters) + std::size(kFigures) + std::size(kTallies));
  packer.text("cells");
  packer.integer(stats.cells);
  packer.text("occupied");
  packer.integer(stats.occupied);
  for (const Counter& each : kCounters) {
    packer.text(each.name);
    packer.integer(stats.*each.member);
  }
  for (const Figure& each : kFigures) {
    packer.text(each.name);
    packer.number(stats.*each.member);
  }
  for (const Tally& each : kTallies) {
    packer.text(each.name);
    packer.array((stats.*each.member).size());
    for (const std::uint64_t count : stats.*each.member) packer.integer(count);
  }
}

// What `read` does for each key of a map; keys it does not know (it returns false) are skipped.
template <typename Read>
void each_pair(Values& values, const Read& read) {
  const std::size_t count = values.map();
  for (std::size_t i = 0; i < count && values.ok(); ++i) {
    const std::string key(values.text());
    if (!read(key)) values.skip();
  }
}

std::vector<std::string> read_texts(Values& values) {
  std::vector<std::string> texts;
  const std::size_t count = values.array();
  for (std::size_t i = 0; i < count && values.ok(); ++i) texts.emplace_back(values.text());
  return texts;
}

template <typename T, typename Get>
std::vector<T> read_list(Values& values, const Get& get) {
  std::vector<T> list;
  const std::size_t count = values.array();
  for (std::size_t i = 0; i < count && values.ok(); ++i) list.push_back(get());
  return list;
}

Facts read_facts(Values& values) {
  Facts facts;
  each_pair(values, [&](const std::string& key) {
    if (values.peek() != Values::Kind::text) return false;
    facts[key] = values.text();
    return true;
  });
  return facts;
}

struct AxisParts {
  std::string name, unit, scale, out_of_range;
  double version = 1;
  std::vector<std::string> labels;
  std::vector<double> edges;
};

// Throws std::invalid_argument as the axis's factories do.
Axis axis_of(const AxisParts& parts) {
  const auto scale = parse_scale(parts.scale);
  if (!scale) throw std::invalid_argument(fmt::format("unknown scale \"{}\"", parts.scale));
  if (!(std::abs(parts.version) <= 2e9)) throw std::invalid_argument("its version");
  std::optional<Axis> axis;
  if (*scale == Scale::categorical) {
    axis = Axis::categorical(parts.name, parts.labels);
  } else {
    if (parts.out_of_range != "clip" && parts.out_of_range != "reject") {
      throw std::invalid_argument(fmt::format("unknown out_of_range \"{}\"", parts.out_of_range));
    }
    axis = Axis::edges(parts.name, parts.unit, *scale, parts.edges,
                       parts.out_of_range == "clip" ? OutOfRange::clip : OutOfRange::reject);
  }
  axis->set_version(static_cast<int>(parts.version));
  return *axis;
}

void read_axis(Values& values, std::vector<Axis>& axes) {
  AxisParts parts;
  each_pair(values, [&](const std::string& key) {
    if (key == "name")
      parts.name = values.text();
    else if (key == "unit")
      parts.unit = values.text();
    else if (key == "version")
      parts.version = values.number();
    else if (key == "scale")
      parts.scale = values.text();
    else if (key == "out_of_range")
      parts.out_of_range = values.text();
    else if (key == "labels")
      parts.labels = read_texts(values);
    else if (key == "edges")
      parts.edges = read_list<double>(values, [&] { return values.number(); });
    else
      return false;
    return true;
  });
  if (!values.ok()) return;
  try {
    axes.push_back(axis_of(parts));
  } catch (const std::invalid_argument& problem) {
    values.fail(fmt::format("axis \"{}\" cannot be: {}", parts.name, problem.what()));
  }
}

void read_stats(Values& values, Stats& stats) {
  each_pair(values, [&](const std::string& key) {
    if (key == "cells") return stats.cells = values.integer(), true;
    if (key == "occupied") return stats.occupied = values.integer(), true;
    for (const Counter& each : kCounters) {
      if (key == each.name) return stats.*each.member = values.integer(), true;
    }
    for (const Figure& each : kFigures) {
      if (key == each.name) return stats.*each.member = values.number(), true;
    }
    for (const Tally& each : kTallies) {
      if (key != each.name) continue;
      stats.*each.member = read_list<std::uint64_t>(values, [&] { return values.integer(); });
      return true;
    }
    return false;
  });
}

void read_options(Values& values, std::map<std::string, double>& options) {
  each_pair(values, [&](const std::string& key) {
    options[key] = values.number();
    return true;
  });
}

bool read_spec(Values& values, const std::string& key, ArchiveSpec& spec) {
  if (key == "kind") {
    spec.kind = values.text();
  } else if (key == "acceptance") {
    spec.acceptance = values.text();
  } else if (key == "min_gain") {
    spec.min_gain = values.number();
  } else if (key == "floor") {
    spec.floor = values.number();
  } else if (key == "options") {
    read_options(values, spec.options);
  } else if (key == "axes") {
    const std::size_t count = values.array();
    for (std::size_t i = 0; i < count && values.ok(); ++i) read_axis(values, spec.axes);
  } else {
    return false;
  }
  return true;
}

bool read_rest(Values& values, const std::string& key, AtlasHeader& header, RecordFields& fields) {
  if (key == "writer") {
    header.writer = values.text();
  } else if (key == "minor") {
    header.minor = values.integer();
  } else if (key == "subject") {
    header.subject = values.text();
  } else if (key == "contract") {
    header.contract = values.text();
  } else if (key == "context") {
    header.context = read_facts(values);
  } else if (key == "provenance") {
    header.provenance = read_list<Facts>(values, [&] { return read_facts(values); });
  } else if (key == "counters") {
    read_stats(values, header.counters);
  } else if (key == "elite") {
    fields.elite = read_texts(values);
  } else if (key == "proposal") {
    fields.proposal = read_texts(values);
  } else {
    return false;
  }
  return true;
}

void need_field(Values& values, const std::vector<std::string>& fields, const char* name) {
  if (std::find(fields.begin(), fields.end(), name) == fields.end()) {
    values.fail(fmt::format("records without \"{}\"", name));
  }
}

}  // namespace

const RecordFields& our_fields() {
  static const RecordFields kFields{{"cell", "rank", "id", "objective", "low", "high", "size",
                                     "samples", "measures", "costs", "key", "payload"},
                                    {"key", "origin", "payload"}};
  return kFields;
}

std::string encode_header(const AtlasHeader& header) {
  std::string bytes;
  Packer packer(bytes);
  packer.map(15);
  packer.text("minor");
  packer.integer(kAtlasMinor);
  packer.text("writer");
  packer.text(kWriter);
  packer.text("subject");
  packer.text(header.subject);
  packer.text("contract");
  packer.text(header.contract);
  packer.text("context");
  pack_facts(packer, header.context);
  packer.text("provenance");
  packer.array(header.provenance.size());
  for (const Facts& facts : header.provenance) pack_facts(packer, facts);
  packer.text("kind");
  packer.text(header.spec.kind);
  packer.text("axes");
  packer.array(header.spec.axes.size());
  for (const Axis& axis : header.spec.axes) pack_axis(packer, axis);
  packer.text("acceptance");
  packer.text(header.spec.acceptance);
  packer.text("min_gain");
  packer.number(header.spec.min_gain);
  packer.text("floor");
  packer.number(header.spec.floor);
  packer.text("options");
  packer.map(header.spec.options.size());
  for (const auto& [name, value] : header.spec.options) {
    packer.text(name);
    packer.number(value);
  }
  packer.text("counters");
  pack_stats(packer, header.counters);
  packer.text("elite");
  pack_texts(packer, our_fields().elite);
  packer.text("proposal");
  pack_texts(packer, our_fields().proposal);
  return bytes;
}

bool decode_header(Values& values, AtlasHeader& header, RecordFields& fields) {
  header.spec.kind.clear();
  each_pair(values, [&](const std::string& key) {
    return read_spec(values, key, header.spec) || read_rest(values, key, header, fields);
  });
  if (values.ok() && header.spec.kind.empty()) values.fail("there is no \"kind\"");
  if (values.ok() && header.spec.axes.empty()) values.fail("there are no \"axes\"");
  std::size_t bins = 0;
  for (const Axis& axis : header.spec.axes) bins += axis.bins();
  if (bins > Values::kMaxValues / 2) values.fail("the axes have too many bins");
  for (const char* name : {"cell", "rank", "id", "objective", "measures"}) {
    need_field(values, fields.elite, name);
  }
  need_field(values, fields.proposal, "payload");
  return values.ok();
}

}  // namespace kernatlas::archives
