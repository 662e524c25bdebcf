// Landlock: file access by allow-list, TCP, signals and abstract sockets denied, without
// privileges.
//
// The distribution's header knows version 2 of the interface; the kernel may offer more. The newer
// rights are numbered here (from the kernel's documentation), and only what the running kernel
// offers is asked for. It covers neither UDP nor stat(): the network namespace and seccomp do.
#pragma once

#include <string>
#include <vector>

#include "backends/worker/layer.h"

namespace kernatlas {

struct FileRules {
  std::vector<std::string> readable;  // files and folders, with execution; a missing one is skipped
  std::vector<std::string>
      writable;  // folders and devices: everything but making devices and starting programs
};

// Restricts the calling thread and what it starts. Needs no-new-privileges.
[[nodiscard]] Layer restrict_files(const FileRules& rules);

}  // namespace kernatlas
