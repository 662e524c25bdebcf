// A thin RAII wrapper of SQLite's C interface: connections and prepared statements whose failures
// are Errors that a person can act on. Private to engine/store.
//
// Never open the database file by other means while a connection of this process has it open:
// closing any descriptor of a file drops the process's POSIX locks on it, SQLite's included.
//
// Thread safety: one thread at a time per connection and its statements (SQLITE_OPEN_NOMUTEX).
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "kernel/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace kernatlas::store {

// How a connection may use the file.
enum class Access {
  read,         // the file and its -wal/-shm beside it, also while another process writes
  read_frozen,  // a read-only folder without pending writes: no locks, no -wal, no -shm
  read_alone,   // a read-only folder with a -wal a crash left: its index lives in our memory
  write,        // must exist
  create,       // must not exist
};

class Statement {
 public:
  enum class Step { row, done, failed };

  Statement() = default;
  explicit Statement(sqlite3_stmt* statement);

  // Parameters count from 1. Text and blobs are not copied: keep them alive until after step().
  // A NaN is stored as NULL; column_double gives it back.
  void bind(int index, std::int64_t value);
  void bind(int index, double value);
  void bind_text(int index, std::string_view text);
  void bind_blob(int index, std::string_view bytes);
  void bind_null(int index);

  [[nodiscard]] Step step();
  // Makes it ready for the next round; bound values stay.
  void reset();

  // Columns count from 0; views live until the next step() or reset().
  [[nodiscard]] std::int64_t column_int(int column) const;
  [[nodiscard]] double column_double(int column) const;
  [[nodiscard]] std::string_view column_bytes(int column) const;
  [[nodiscard]] bool column_null(int column) const;

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

class Database {
 public:
  // The file is opened but may not be read yet: the first statement finds out whether it is a
  // database. Sets limits that are safe for files from strangers.
  [[nodiscard]] static Result<Database> open(const std::filesystem::path& file, Access access);
  // A private database in memory.
  [[nodiscard]] static Result<Database> in_memory();

  [[nodiscard]] Result<void> execute(const std::string& statements);
  [[nodiscard]] Result<Statement> prepare(std::string_view statement);
  // First column of the first row, as an integer; 0 when there is no row.
  [[nodiscard]] Result<std::int64_t> query_int(const std::string& statement);

  // The latest failure as an Error with a hint.
  [[nodiscard]] Error error() const;
  // Its SQLite result code without the extension (SQLITE_FULL, …), and with it.
  [[nodiscard]] int code() const;
  [[nodiscard]] int extended_code() const;
  [[nodiscard]] bool in_transaction() const;
  [[nodiscard]] std::int64_t last_row() const;  // id of the latest INSERT
  [[nodiscard]] const std::filesystem::path& file() const { return file_; }

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };
  Database() = default;
  std::unique_ptr<sqlite3, Close> database_;
  std::filesystem::path file_;
};

// A read transaction: everything read in its scope is of one moment. Nests: only the outermost
// begins and ends.
class ReadTransaction {
 public:
  explicit ReadTransaction(Database& database);
  ~ReadTransaction();
  ReadTransaction(const ReadTransaction&) = delete;
  ReadTransaction& operator=(const ReadTransaction&) = delete;

 private:
  Database* database_ = nullptr;  // null when nested
};

// The Error for a failure of SQLite on `file`. `code` is an extended result code.
[[nodiscard]] Error sqlite_error(int code, const std::string& message, int system_errno,
                                 const std::filesystem::path& file);

}  // namespace kernatlas::store
