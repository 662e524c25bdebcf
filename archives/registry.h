// ArchiveKinds: the archive kinds a program offers, by name.
//
// An object that is passed in, never a global: a test or a foreign program adds its own kinds to
// its own copy. Immutable use from many threads is safe; add() is not.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "archives/archive.h"

namespace kernatlas::archives {

// One number of a kind. make() refuses others, and values outside [least, most].
struct KindOption {
  std::string name;
  double standard = 0;  // used where the spec has none
  double least = 0;
  double most = 0;
  bool whole = true;  // whole numbers only
  std::string meaning;
};

// Makes an empty archive from a spec whose options are all present and in range. May throw
// std::invalid_argument.
using KindFactory = std::function<std::unique_ptr<Archive>(const ArchiveSpec&)>;

struct Kind {
  std::string name;
  std::string description;  // one line
  std::vector<KindOption> options;
  KindFactory factory;
  bool points = false;  // whether a spec may have centroids; others refuse them
};

using ArchiveOrError = tl::expected<std::unique_ptr<Archive>, std::string>;

class ArchiveKinds {
 public:
  // A name twice is std::invalid_argument.
  void add(std::string name, std::string description, KindFactory factory,
           std::vector<KindOption> options = {});
  void add(Kind kind);

  [[nodiscard]] std::vector<std::string> names() const;  // in the order of adding
  [[nodiscard]] const Kind* find(std::string_view name) const;

  // An empty archive; an error text for an unknown kind, an unknown or impossible option, and
  // whatever the kind refuses.
  [[nodiscard]] ArchiveOrError make(ArchiveSpec spec) const;
  // An archive that is and goes on exactly like the one the state was taken from: same members,
  // ranks, order of occupied(), counters and extra numbers. The state may come from anywhere: what
  // cannot be true (a wrong cell, ids twice, NaN, the wrong number of measures, too many members,
  // a score that does not fit the members) gives an error text, never a crash; memory is bounded by
  // the state's own size.
  [[nodiscard]] ArchiveOrError restore(const ArchiveState& state) const;

 private:
  std::vector<Kind> kinds_;
};

// All kinds of this library.
[[nodiscard]] ArchiveKinds builtin_kinds();

}  // namespace kernatlas::archives
