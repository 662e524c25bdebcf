#include "engine/store/run_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <utility>

namespace kernatlas::store {
namespace {

// At most one line's worth of what the holder wrote, printable only.
std::string holder(int descriptor) {
  std::array<char, 256> buffer{};
  const ssize_t size = pread(descriptor, buffer.data(), buffer.size(), 0);
  std::string out;
  for (ssize_t i = 0; i < size; ++i) {
    const char c = buffer[static_cast<std::size_t>(i)];
    if (c == '\n') break;
    out += c >= ' ' && c <= '~' ? c : '?';
  }
  return out.empty() ? "another process" : out;
}

// Best effort: the lock holds whether or not its note could be written (a full disk).
void write_note(int descriptor) {
  const std::string note = process_text() + "\n";
  if (ftruncate(descriptor, 0) != 0) return;
  [[maybe_unused]] const ssize_t written = pwrite(descriptor, note.data(), note.size(), 0);
}

// A creation that failed takes its lock file back: what was opened just before is no lock then.
bool is_current(int descriptor, const std::filesystem::path& file) {
  struct stat ours {};
  struct stat named {};
  return fstat(descriptor, &ours) == 0 && stat(file.c_str(), &named) == 0 &&
         ours.st_ino == named.st_ino && ours.st_dev == named.st_dev;
}

Error open_error(const std::filesystem::path& file) {
  const int code = errno;
  return {
      .code = ErrorCode::io,
      .message = std::string("the run cannot be opened for writing (") + std::strerror(code) + ")",
      .file = file.string(),
      .expected = "a writable run folder",
      .hint = code == EROFS ? "the disk is mounted read-only; copy the run to a writable place"
                            : "check the permissions of the folder and the space on its disk"};
}

}  // namespace

std::string process_text() {
  std::array<char, 256> host{};
  if (gethostname(host.data(), host.size() - 1) != 0) std::strcpy(host.data(), "unknown");
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 32> since{};
  std::strftime(since.data(), since.size(), "%Y-%m-%d %H:%M:%S UTC", &parts);
  return "process " + std::to_string(getpid()) + " on host " + host.data() + ", " +
         program_invocation_short_name + ", since " + since.data();
}

Result<RunLock> RunLock::acquire(const std::filesystem::path& run_dir) {
  const std::filesystem::path file = file_of(run_dir);
  for (;;) {
    auto lock = acquire_file(file);
    if (!lock || is_current(lock->descriptor_, file)) return lock;
  }
}

Result<RunLock> RunLock::acquire_file(const std::filesystem::path& file) {
  const int descriptor = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
  if (descriptor < 0) return fail(open_error(file));
  RunLock lock(descriptor);
  int code = 0;
  while ((code = flock(descriptor, LOCK_EX | LOCK_NB)) != 0 && errno == EINTR) {
  }
  if (code != 0 && errno == EWOULDBLOCK) {
    return fail({.code = ErrorCode::locked,
                 .message = "the run is being written by " + holder(descriptor),
                 .file = file.string(),
                 .hint = "wait until it ends or stop it with Ctrl-C; `kernatlas show` works "
                         "meanwhile"});
  }
  if (code != 0) return fail(open_error(file));
  write_note(descriptor);
  return lock;
}

RunLock::RunLock(RunLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

RunLock& RunLock::operator=(RunLock&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

RunLock::~RunLock() {
  if (descriptor_ >= 0) close(descriptor_);
}

}  // namespace kernatlas::store
