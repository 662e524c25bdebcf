#include "engine/store/new_folder.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "engine/store/schema.h"

namespace kernatlas::store {
namespace {

namespace fs = std::filesystem;

constexpr const char* kUnfinished = "run.db.new";

Error refused(const fs::path& path, const std::string& cause) {
  return {.code = ErrorCode::io,
          .message = "the run folder cannot be made (" + cause + ")",
          .file = path.string(),
          .expected = "a place to write",
          .hint = "check permissions, free space and whether the disk is mounted read-only"};
}

bool is_leftover(const std::string& name) {
  return name == "lock" || name.starts_with(kUnfinished);
}

Result<void> check_empty(const fs::path& run_dir) {
  std::error_code error;
  if (!fs::is_directory(run_dir, error)) {
    return fail({.code = ErrorCode::bad_input,
                 .message = "this exists and is not a folder",
                 .file = run_dir.string(),
                 .expected = "a new or empty folder",
                 .hint = "choose another --out"});
  }
  bool has_run = false;
  bool has_other = false;
  for (fs::directory_iterator item(run_dir, error), end; !error && item != end;
       item.increment(error)) {
    const std::string name = item->path().filename().string();
    has_run = has_run || name == "run.db";
    has_other = has_other || !is_leftover(name);
  }
  if (error) return fail(refused(run_dir, error.message()));
  if (!has_other) return {};
  return fail(
      {.code = ErrorCode::bad_input,
       .message = has_run ? "there is a run in this folder already" : "the folder is not empty",
       .file = run_dir.string(),
       .expected = "a new or empty folder",
       .hint = has_run ? "continue it with `kernatlas resume " + run_dir.string() +
                             "`, or choose another --out"
                       : "choose another --out"});
}

// Makes a file's content, or a folder's entries, survive a power cut.
bool sync(const fs::path& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return false;
  // Some file systems cannot sync a folder and say EINVAL: nothing more can be done there.
  const bool done = fsync(descriptor) == 0 || errno == EINVAL;
  const int code = errno;
  close(descriptor);
  errno = code;
  return done;
}

}  // namespace

NewFolder::NewFolder(NewFolder&& other) noexcept
    : run_dir_(std::move(other.run_dir_)),
      made_(std::exchange(other.made_, {})),
      lock_(std::exchange(other.lock_, std::nullopt)) {}

Result<void> NewFolder::make_folders() {
  std::vector<fs::path> missing;
  std::error_code error;
  for (fs::path path = run_dir_;
       path.has_relative_path() && !fs::exists(fs::symlink_status(path, error));
       path = path.parent_path()) {
    missing.push_back(path);
  }
  for (auto path = missing.rbegin(); path != missing.rend(); ++path) {
    if (!fs::create_directory(*path, error)) {
      return fail(refused(*path, error ? error.message() : "it appeared meanwhile"));
    }
    made_.push_back(*path);
  }
  return {};
}

Result<NewFolder> NewFolder::make(const fs::path& run_dir) {
  NewFolder folder(fs::absolute(run_dir).lexically_normal());
  if (!folder.run_dir_.has_filename()) folder.run_dir_ = folder.run_dir_.parent_path();
  if (auto made = folder.make_folders(); !made) return fail(made.error());
  if (auto empty = check_empty(folder.run_dir_); !empty) return fail(empty.error());
  auto lock = RunLock::acquire(folder.run_dir_);
  if (!lock) return fail(lock.error());
  // Somebody else may have made a run here before the lock was ours.
  if (auto empty = check_empty(folder.run_dir_); !empty) return fail(empty.error());
  folder.lock_ = *std::move(lock);
  folder.remove_unfinished();
  return folder;
}

fs::path NewFolder::unfinished_database() const {
  return run_dir_ / kUnfinished;
}

void NewFolder::remove_unfinished() const {
  std::error_code ignored;
  for (const char* ending : {"", "-wal", "-shm", "-journal"}) {
    fs::remove(unfinished_database().string() + ending, ignored);
  }
}

Result<void> NewFolder::publish() {
  if (!sync(unfinished_database())) {
    return fail(refused(unfinished_database(), std::strerror(errno)));
  }
  std::error_code error;
  fs::rename(unfinished_database(), database_file(run_dir_), error);
  if (error) return fail(refused(database_file(run_dir_), error.message()));
  bool synced = sync(run_dir_);
  for (const fs::path& path : made_) synced = synced && sync(path.parent_path());
  if (!synced) return fail(refused(run_dir_, std::strerror(errno)));
  return {};
}

RunLock NewFolder::keep() {
  RunLock lock = *std::move(lock_);
  lock_.reset();
  made_.clear();
  return lock;
}

NewFolder::~NewFolder() {
  std::error_code ignored;
  if (lock_) {
    remove_unfinished();
    for (const char* ending : {"", "-wal", "-shm"}) {
      fs::remove(database_file(run_dir_).string() + ending, ignored);
    }
    fs::remove(RunLock::file_of(run_dir_), ignored);
  }
  // Only what is empty again goes.
  for (auto path = made_.rbegin(); path != made_.rend(); ++path) fs::remove(*path, ignored);
}

}  // namespace kernatlas::store
