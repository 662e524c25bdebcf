#include "tests/support/temp_dir.h"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace kernatlas::testing {

namespace fs = std::filesystem;

TempDir::TempDir() {
  std::string pattern = (fs::temp_directory_path() / "kernatlas-test-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
  path_ = pattern;
}

TempDir::~TempDir() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

fs::path TempDir::write(const std::string& name, std::string_view content) const {
  const fs::path file = path_ / name;
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << content;
  return file;
}

namespace {
fs::path from_environment(const char* variable) {
  const char* value = std::getenv(variable);
  if (value == nullptr) {
    throw std::runtime_error(std::string(variable) + " is not set: run the tests through ctest");
  }
  return value;
}
}  // namespace

fs::path source_dir() {
  return from_environment("KERNATLAS_SOURCE_DIR");
}
fs::path bin_dir() {
  return from_environment("KERNATLAS_BIN_DIR");
}

std::string read_file(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace kernatlas::testing
