#include "archives/atlas_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace kernatlas::archives {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBufferBytes = std::size_t{1} << 20;

// A path that cannot be is the user's mistake; everything else is the disk's.
tl::unexpected<AtlasError> system_error(const fs::path& file, std::string_view what) {
  const int code = errno;
  const bool no_such_path = code == ENOENT || code == ENOTDIR || code == EISDIR;
  return fail({.kind = no_such_path ? AtlasError::Kind::bad_input : AtlasError::Kind::io,
               .message = fmt::format("{}: {}", what, std::strerror(code)),
               .file = file.string(),
               .hint = code == ENOSPC ? "make room on the disk" : ""});
}

// True when `temporary` still is the file behind the descriptor: whoever held the lock before may
// have renamed it meanwhile.
bool still_there(int descriptor, const fs::path& temporary) {
  struct stat mine {};
  struct stat there {};
  return fstat(descriptor, &mine) == 0 && stat(temporary.c_str(), &there) == 0 &&
         mine.st_ino == there.st_ino && mine.st_dev == there.st_dev;
}

bool sync_folder(const fs::path& folder) {
  const int descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return false;
  const bool synced = fsync(descriptor) == 0;
  close(descriptor);
  return synced;
}

fs::path folder_of(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

}  // namespace

Expected<std::unique_ptr<FileSource>> FileSource::open(const fs::path& file) {
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return system_error(file, "cannot be read");
  struct stat status {};
  if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
    close(descriptor);
    return fail({.message = "cannot be read", .file = file.string(), .expected = "a regular file"});
  }
  return std::unique_ptr<FileSource>(new FileSource(descriptor, file));
}

FileSource::~FileSource() {
  close(descriptor_);
}

Expected<std::size_t> FileSource::read(char* to, std::size_t size) {
  std::size_t done = 0;
  while (done < size) {
    const ssize_t count = ::read(descriptor_, to + done, size - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return system_error(file_, "cannot be read");
    if (count == 0) break;
    done += static_cast<std::size_t>(count);
  }
  return done;
}

SavedFile::SavedFile(int descriptor, fs::path file, fs::path temporary)
    : descriptor_(descriptor), file_(std::move(file)), temporary_(std::move(temporary)) {
  buffer_.reserve(kBufferBytes);
}

Expected<std::unique_ptr<SavedFile>> SavedFile::create(const fs::path& file) {
  if (!file.has_filename()) {
    return fail({.message = "cannot be written", .file = file.string(), .expected = "a file name"});
  }
  const fs::path temporary = folder_of(file) / fmt::format(".{}.tmp", file.filename().string());
  for (;;) {
    const int descriptor =
        open(temporary.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (descriptor < 0) return system_error(file, "cannot be written");
    if (flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
      close(descriptor);
      return fail({.kind = AtlasError::Kind::busy,
                   .message = "another process is writing this file",
                   .file = file.string(),
                   .hint = "wait for it, or choose another name"});
    }
    if (!still_there(descriptor, temporary)) {
      close(descriptor);
      continue;
    }
    std::unique_ptr<SavedFile> saved(new SavedFile(descriptor, file, temporary));
    if (ftruncate(descriptor, 0) != 0) return system_error(file, "cannot be written");
    return saved;
  }
}

SavedFile::~SavedFile() {
  if (descriptor_ < 0) return;
  unlink(temporary_.c_str());
  close(descriptor_);
}

Expected<void> SavedFile::write(std::string_view bytes) {
  if (buffer_.size() + bytes.size() <= kBufferBytes) {
    buffer_ += bytes;
    return {};
  }
  if (auto flushed = flush(); !flushed) return flushed;
  buffer_ += bytes;
  return buffer_.size() < kBufferBytes ? Expected<void>{} : flush();
}

Expected<void> SavedFile::flush() {
  for (std::size_t done = 0; done < buffer_.size();) {
    const ssize_t count = ::write(descriptor_, buffer_.data() + done, buffer_.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return system_error(file_, "cannot be written");
    done += static_cast<std::size_t>(count);
  }
  buffer_.clear();
  return {};
}

Expected<void> SavedFile::commit() {
  if (auto flushed = flush(); !flushed) return flushed;
  if (fsync(descriptor_) != 0) return system_error(file_, "cannot be written");
  if (rename(temporary_.c_str(), file_.c_str()) != 0) {
    return system_error(file_, "cannot be written");
  }
  close(descriptor_);
  descriptor_ = -1;
  if (!sync_folder(folder_of(file_))) return system_error(file_, "its folder cannot be synced");
  return {};
}

}  // namespace kernatlas::archives
