// An archive as text, every bit of it that a resumed run has to bring back.
#pragma once

#include <cstdio>
#include <string>

#include "archives/archive.h"

namespace kernatlas::testing {

[[nodiscard]] inline std::string exact(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%a", value);
  return text;
}

[[nodiscard]] inline std::string archive_text(const archives::Archive& archive) {
  std::string text;
  for (const std::size_t cell : archive.occupied()) {
    text += "cell " + std::to_string(cell) + "\n";
    for (const archives::Elite& elite : archive.members(cell)) {
      const archives::Entry& entry = elite.entry;
      text += "  " + std::to_string(elite.rank) + " #" + std::to_string(entry.id) + " " +
              exact(entry.objective) + " [" + exact(entry.low) + " " + exact(entry.high) + "]";
      for (const double measure : entry.measures) text += " " + exact(measure);
      text += "\n";
    }
  }
  const archives::Stats& stats = archive.stats();
  text += "qd " + exact(stats.qd_score) + " best " + exact(stats.best) + " mean " +
          exact(stats.mean) + " coverage " + exact(stats.coverage) + "\n";
  return text;
}

}  // namespace kernatlas::testing
