#include "backends/worker/program/landlock.h"

#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "backends/worker/unique_fd.h"

namespace kernatlas {

namespace {

constexpr std::uint64_t bits(int count) {
  return (std::uint64_t{1} << count) - 1;
}
constexpr std::uint64_t kTruncate = 1u << 14;     // since version 3
constexpr std::uint64_t kIoctlDevice = 1u << 15;  // since version 5
constexpr std::uint64_t kRead =
    LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr std::uint64_t kOnFiles = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE |
                                   LANDLOCK_ACCESS_FS_WRITE_FILE | kTruncate | kIoctlDevice;
// In a writable folder; what is written there cannot be started either.
constexpr std::uint64_t kNeverAllowed =
    LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SOCK |
    LANDLOCK_ACCESS_FS_EXECUTE | kIoctlDevice;

// landlock_ruleset_attr as of version 6; older kernels take a prefix of it.
struct RulesetAttributes {
  std::uint64_t files = 0;
  std::uint64_t network = 0;  // since version 4: bind and connect of TCP
  std::uint64_t scoped = 0;   // since version 6: abstract sockets, signals
};

std::uint64_t file_rights(long version) {
  if (version >= 5) return bits(16);
  if (version >= 3) return bits(15);
  return version >= 2 ? bits(14) : bits(13);
}

std::size_t attribute_size(long version) {
  if (version >= 6) return 24;
  return version >= 4 ? 16 : 8;
}

Layer unsupported(const char* step) {
  return {"landlock", Layer::State::unsupported, std::string(step) + ": " + std::strerror(errno)};
}

bool allow(int ruleset, const std::string& path, std::uint64_t rights) {
  const UniqueFd file(open(path.c_str(), O_PATH | O_CLOEXEC));
  if (!file.valid()) return true;
  struct stat status {};
  if (fstat(file.get(), &status) != 0) return false;
  if (!S_ISDIR(status.st_mode)) rights &= kOnFiles;
  landlock_path_beneath_attr rule{};
  rule.allowed_access = rights;
  rule.parent_fd = file.get();
  return syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0;
}

}  // namespace

Layer restrict_files(const FileRules& rules) {
  const long version =
      syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  if (version < 1) return unsupported("the kernel does not offer it");
  RulesetAttributes attributes;
  attributes.files = file_rights(version);
  attributes.network = version >= 4 ? bits(2) : 0;
  attributes.scoped = version >= 6 ? bits(2) : 0;
  const UniqueFd ruleset(static_cast<int>(
      syscall(SYS_landlock_create_ruleset, &attributes, attribute_size(version), 0)));
  if (!ruleset.valid()) return unsupported("making the rules");
  for (const std::string& path : rules.readable) {
    if (!allow(ruleset.get(), path, kRead)) return unsupported("a readable path");
  }
  for (const std::string& path : rules.writable) {
    if (!allow(ruleset.get(), path, attributes.files & ~kNeverAllowed)) {
      return unsupported("a writable path");
    }
  }
  if (syscall(SYS_landlock_restrict_self, ruleset.get(), 0) != 0) return unsupported("closing");
  return {"landlock", Layer::State::on, "version " + std::to_string(version)};
}

}  // namespace kernatlas
