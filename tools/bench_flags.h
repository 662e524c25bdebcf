// The flags that choose and set up a backend, shared by several subcommands.
#pragma once

#include <string>
#include <vector>

#include "kernel/result.h"
#include "tools/session.h"

namespace CLI {
class App;
}

namespace kernatlas {

class BenchFlags {
 public:
  void add_to(CLI::App& command);
  [[nodiscard]] Result<BenchSettings> settings() const;

 private:
  BenchSettings base_;
  std::vector<std::string> pairs_;  // NAME=VALUE
};

}  // namespace kernatlas
