// What the importers share. Private to archives/operations.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "archives/operations/fill.h"
#include "archives/operations/import.h"

namespace kernatlas::archives {

// Collects what was read, then fills the archive.
class Importing {
 public:
  explicit Importing(const ImportOptions& options) : options_(options) {}
  // A text file of at most 4 GiB.
  [[nodiscard]] static Expected<std::string> read_file(const std::filesystem::path& file);

  void add(double objective, std::vector<double> measures, double size, std::string key,
           PayloadMap payload);
  void skip() { ++imported_.read, ++imported_.skipped; }
  [[nodiscard]] Expected<Imported> finish(Facts provenance, const ArchiveKinds& kinds);

 private:
  struct Item {
    std::string key;
    PayloadMap payload;
  };
  const ImportOptions& options_;
  Imported imported_;
  std::vector<Filling> fillings_;
  std::vector<Item> items_;  // by id
};

}  // namespace kernatlas::archives
