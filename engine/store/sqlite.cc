#include "engine/store/sqlite.h"

#include <sqlite3.h>

#include <cstring>
#include <limits>
#include <utility>

namespace kernatlas::store {
namespace {

// Characters with a meaning in SQLite's file URIs.
std::string uri_path(const std::filesystem::path& file) {
  static constexpr char kDigits[] = "0123456789ABCDEF";
  std::string out;
  for (const char c : std::filesystem::absolute(file).string()) {
    if (c == '%' || c == '?' || c == '#') {
      const auto byte = static_cast<unsigned char>(c);
      out += '%';
      out += kDigits[byte >> 4];
      out += kDigits[byte & 15];
    } else {
      out += c;
    }
  }
  return out;
}

std::string uri(const std::filesystem::path& file, Access access) {
  const std::string base = "file:" + uri_path(file);
  switch (access) {
    case Access::read:
      return base + "?mode=ro";
    case Access::read_frozen:
      return base + "?mode=ro&immutable=1";
    case Access::read_alone:
      // Not nolock=1: SQLite refuses a log then.
      return base + "?mode=ro&vfs=unix-none";
    case Access::write:
      return base + "?mode=rw";
    case Access::create:
      return base + "?mode=rwc";
  }
  return base;
}

int flags_of(Access access) {
  const int common = SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX;
  if (access == Access::create) return common | SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  if (access == Access::write) return common | SQLITE_OPEN_READWRITE;
  return common | SQLITE_OPEN_READONLY;
}

// Files may come from strangers: nothing in a schema may run functions, write outside, or make
// SQLite trust sizes; mmap would turn a truncated file into a bus error.
void harden(sqlite3* database) {
  sqlite3_extended_result_codes(database, 1);
  sqlite3_busy_timeout(database, 10'000);
  sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_limit(database, SQLITE_LIMIT_LENGTH, 64 << 20);
  sqlite3_exec(database, "PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0", nullptr, nullptr,
               nullptr);
}

}  // namespace

Statement::Statement(sqlite3_stmt* statement) : statement_(statement) {}

void Statement::Finalize::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

void Statement::bind(int index, std::int64_t value) {
  sqlite3_bind_int64(statement_.get(), index, value);
}
void Statement::bind(int index, double value) {
  sqlite3_bind_double(statement_.get(), index, value);
}
void Statement::bind_text(int index, std::string_view text) {
  // A null pointer would bind NULL.
  sqlite3_bind_text64(statement_.get(), index, text.empty() ? "" : text.data(), text.size(),
                      SQLITE_STATIC, SQLITE_UTF8);
}
void Statement::bind_blob(int index, std::string_view bytes) {
  sqlite3_bind_blob64(statement_.get(), index, bytes.empty() ? "" : bytes.data(), bytes.size(),
                      SQLITE_STATIC);
}
void Statement::bind_null(int index) {
  sqlite3_bind_null(statement_.get(), index);
}

Statement::Step Statement::step() {
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return Step::row;
  return code == SQLITE_DONE ? Step::done : Step::failed;
}

void Statement::reset() {
  sqlite3_reset(statement_.get());
}

std::int64_t Statement::column_int(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}
double Statement::column_double(int column) const {
  const double value = sqlite3_column_double(statement_.get(), column);
  // The NULL that a NaN became reads as 0; asking for the type costs, so only then.
  if (value == 0 && column_null(column)) return std::numeric_limits<double>::quiet_NaN();
  return value;
}
std::string_view Statement::column_bytes(int column) const {
  const void* bytes = sqlite3_column_blob(statement_.get(), column);
  const int size = sqlite3_column_bytes(statement_.get(), column);
  if (bytes == nullptr || size <= 0) return {};
  return {static_cast<const char*>(bytes), static_cast<std::size_t>(size)};
}
bool Statement::column_null(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}

void Database::Close::operator()(sqlite3* database) const {
  sqlite3_close_v2(database);
}

Result<Database> Database::open(const std::filesystem::path& file, Access access) {
  Database out;
  out.file_ = file;
  sqlite3* raw = nullptr;
  const int code = sqlite3_open_v2(uri(file, access).c_str(), &raw, flags_of(access), nullptr);
  out.database_.reset(raw);
  if (code != SQLITE_OK) {
    if (raw == nullptr) return fail(sqlite_error(code, sqlite3_errstr(code), 0, file));
    return fail(out.error());
  }
  harden(raw);
  if (access == Access::read_alone) {
    if (auto done = out.execute("PRAGMA locking_mode = EXCLUSIVE"); !done)
      return fail(done.error());
  }
  return out;
}

Result<Database> Database::in_memory() {
  Database out;
  out.file_ = ":memory:";
  sqlite3* raw = nullptr;
  const int code = sqlite3_open_v2(":memory:", &raw, flags_of(Access::create), nullptr);
  out.database_.reset(raw);
  if (code != SQLITE_OK) return fail(sqlite_error(code, sqlite3_errstr(code), 0, out.file_));
  return out;
}

Result<void> Database::execute(const std::string& statements) {
  if (sqlite3_exec(database_.get(), statements.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
    return fail(error());
  }
  return {};
}

Result<Statement> Database::prepare(std::string_view statement) {
  sqlite3_stmt* raw = nullptr;
  if (sqlite3_prepare_v3(database_.get(), statement.data(), static_cast<int>(statement.size()),
                         SQLITE_PREPARE_PERSISTENT, &raw, nullptr) != SQLITE_OK) {
    return fail(error());
  }
  return Statement(raw);
}

Result<std::int64_t> Database::query_int(const std::string& statement) {
  auto query = prepare(statement);
  if (!query) return fail(query.error());
  switch (query->step()) {
    case Statement::Step::row:
      return query->column_int(0);
    case Statement::Step::done:
      return 0;
    case Statement::Step::failed:
      break;
  }
  return fail(error());
}

Error Database::error() const {
  return sqlite_error(extended_code(), sqlite3_errmsg(database_.get()),
                      sqlite3_system_errno(database_.get()), file_);
}

int Database::code() const {
  return extended_code() & 0xff;
}
int Database::extended_code() const {
  return sqlite3_extended_errcode(database_.get());
}
bool Database::in_transaction() const {
  return sqlite3_get_autocommit(database_.get()) == 0;
}

std::int64_t Database::last_row() const {
  return sqlite3_last_insert_rowid(database_.get());
}

ReadTransaction::ReadTransaction(Database& database) {
  // A failing BEGIN leaves no transaction; the reads in the scope then report their own failures.
  if (!database.in_transaction() && database.execute("BEGIN")) database_ = &database;
}

ReadTransaction::~ReadTransaction() {
  if (database_ == nullptr || !database_->in_transaction()) return;
  if (!database_->execute("COMMIT")) (void)database_->execute("ROLLBACK");
}

namespace {

// What a person should hear about one of SQLite's primary result codes.
struct Explanation {
  int code;
  ErrorCode kind;
  const char* message;
  bool with_cause;  // the system's words, or SQLite's, in parentheses
  const char* expected;
  const char* hint;
};

constexpr const char* kDamagedHint =
    "work on a copy of the folder: `sqlite3 run.db .recover` saves what is readable; check the "
    "disk";
constexpr const char* kBusyHint =
    "close other programs that have it open, for example an sqlite3 shell";
constexpr const char* kOpenHint =
    "check that the file exists and that you may read it and its folder";
constexpr const char* kMemoryHint = "free memory; if there is enough, the database is damaged";

constexpr Explanation kExplanations[] = {
    {SQLITE_NOTADB, ErrorCode::bad_input,
     "this is not a run database: it does not begin like an SQLite file", false,
     "the run.db that `kernatlas run` writes",
     "check the path; a run is a folder with run.db in it"},
    {SQLITE_CORRUPT, ErrorCode::bad_input, "the run database is damaged", true,
     "an intact SQLite file", kDamagedHint},
    // No statement of ours can break a constraint in an intact file.
    {SQLITE_CONSTRAINT, ErrorCode::bad_input, "the run database is damaged", true,
     "an intact SQLite file", kDamagedHint},
    {SQLITE_FULL, ErrorCode::io, "the disk is full", false, "",
     "make room, then resume: everything settled before is kept"},
    {SQLITE_READONLY, ErrorCode::io, "the run database cannot be written", true,
     "a writable file and folder", "check permissions and whether the disk is mounted read-only"},
    {SQLITE_BUSY, ErrorCode::locked, "another process holds the run database", true, "", kBusyHint},
    {SQLITE_LOCKED, ErrorCode::locked, "another process holds the run database", true, "",
     kBusyHint},
    {SQLITE_CANTOPEN, ErrorCode::io, "the run database cannot be opened", true, "", kOpenHint},
    {SQLITE_PERM, ErrorCode::io, "the run database cannot be opened", true, "", kOpenHint},
    {SQLITE_AUTH, ErrorCode::io, "the run database cannot be opened", true, "", kOpenHint},
    {SQLITE_NOMEM, ErrorCode::io, "no memory for a value of the run database", true, "",
     kMemoryHint},
    {SQLITE_TOOBIG, ErrorCode::io, "no memory for a value of the run database", true, "",
     kMemoryHint},
};

const char* io_message(int extended_code) {
  switch (extended_code) {
    case SQLITE_IOERR_READ:
    case SQLITE_IOERR_SHORT_READ:
      return "reading the run database failed";
    case SQLITE_IOERR_WRITE:
    case SQLITE_IOERR_TRUNCATE:
      return "writing the run database failed";
    case SQLITE_IOERR_FSYNC:
    case SQLITE_IOERR_DIR_FSYNC:
      return "syncing the run database failed";
    default:
      return "using the run database failed";
  }
}

Explanation explain(int extended_code) {
  const int code = extended_code & 0xff;
  for (const Explanation& one : kExplanations) {
    if (one.code == code) return one;
  }
  if (code == SQLITE_IOERR) {
    return {code,
            ErrorCode::io,
            io_message(extended_code),
            true,
            "",
            "check the disk, its free space, and file size limits (ulimit -f)"};
  }
  return {code, ErrorCode::internal, "SQLite failed", true, "", "please report it"};
}

}  // namespace

Error sqlite_error(int code, const std::string& message, int system_errno,
                   const std::filesystem::path& file) {
  const Explanation why = explain(code);
  std::string text = why.message;
  // The system's error is only meaningful where SQLite asked the system for something.
  const int primary = code & 0xff;
  const bool from_system =
      system_errno != 0 && (primary == SQLITE_IOERR || primary == SQLITE_CANTOPEN);
  if (why.with_cause) text += " (" + (from_system ? std::strerror(system_errno) : message) + ")";
  return {.code = why.kind,
          .message = std::move(text),
          .file = file.string(),
          .expected = why.expected,
          .hint = why.hint};
}

}  // namespace kernatlas::store
