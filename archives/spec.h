// What an archive is (ArchiveSpec) and what it holds (ArchiveState), as plain values: the whole
// interface between the kinds and a file format. archives/registry.h makes archives from them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "archives/axis.h"
#include "archives/entry.h"

namespace kernatlas::archives {

struct ArchiveSpec {
  std::string kind = "grid";
  std::vector<Axis> axes = {};
  std::string acceptance = "strict";  // name of a rule, see archives/acceptance.h
  double min_gain = 0;                // of the "interleaved" rule
  double floor = -6;                  // objective floor of the QD score
  // The kind's numbers: depth, capacity, neighbours, …; the registry lists them with their defaults
  // and fills in what is missing, so an archive's own spec() has them all.
  std::map<std::string, double> options = {};
  // Centroids of kinds that have them, row-major points × axes, in the axes' own units (a label's
  // position on a categorical axis). Their order is part of the archive's identity.
  std::vector<double> points = {};

  friend bool operator==(const ArchiveSpec&, const ArchiveSpec&) = default;
};

// Everything needed to continue exactly: restoring it and adding the same entries gives the same
// archive as never having stopped.
struct ArchiveState {
  ArchiveSpec spec;
  Stats counters;
  std::vector<Elite> elites;       // in order of occupied(), champion first
  std::vector<double> extra = {};  // the kind's own numbers, e.g. thresholds of a soft archive
};

}  // namespace kernatlas::archives
