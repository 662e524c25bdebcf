// The schema of run.db: how it is made, recognised, checked and brought up to date.
// docs/formats/run-directory.md describes every table. Private to engine/store.
#pragma once

#include <filesystem>
#include <span>

#include "engine/store/sqlite.h"
#include "kernel/result.h"

namespace kernatlas::store {

// "krna" in PRAGMA application_id tells our files from other SQLite files.
inline constexpr std::int64_t kApplicationId = 0x6b726e61;

// Steps that lead from one schema version to the next: step 0 makes version 1 from nothing.
[[nodiscard]] std::span<const char* const> schema_steps();
[[nodiscard]] inline std::int64_t schema_version() {
  return static_cast<std::int64_t>(schema_steps().size());
}

// Applies steps[version of the file …] in one transaction and sets the version. A file that is as
// new as `steps` is left alone.
[[nodiscard]] Result<void> apply_steps(Database& database, std::span<const char* const> steps);

// Sets page size, application id and WAL mode, and makes all tables in a new, empty file. Nothing
// is synced: who makes the file known syncs it once, complete.
[[nodiscard]] Result<void> create_schema(Database& database);

// Errors unless the file is ours and of version 1 … schema_version(); gives its version.
[[nodiscard]] Result<std::int64_t> check_identity(Database& database);
// Errors unless tables and indexes are exactly those that the current version makes.
[[nodiscard]] Result<void> check_schema(Database& database);

[[nodiscard]] inline std::filesystem::path database_file(const std::filesystem::path& run_dir) {
  return run_dir / "run.db";
}
// Errors, with a hint each, unless RUN is a folder with a file run.db in it.
[[nodiscard]] Result<void> check_run_folder(const std::filesystem::path& run_dir);

// Opens RUN/run.db for reading, also from a read-only folder, and checks its identity.
struct Identified {
  Database database;
  std::int64_t version = 0;
};
[[nodiscard]] Result<Identified> open_identified(const std::filesystem::path& run_dir);
// The same, and it has the current schema.
[[nodiscard]] Result<Database> open_to_read(const std::filesystem::path& run_dir);

// Sets what a writing connection needs: durability, size of the log.
[[nodiscard]] Result<void> configure_writer(Database& database);

}  // namespace kernatlas::store
