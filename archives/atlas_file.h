// Files of atlases: read from first to last; replaced whole or not at all.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "archives/atlas_blocks.h"
#include "archives/atlas_error.h"

namespace kernatlas::archives {

// A regular file, read in steps.
class FileSource final : public ByteSource {
 public:
  [[nodiscard]] static Expected<std::unique_ptr<FileSource>> open(
      const std::filesystem::path& file);
  ~FileSource() override;
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;
  [[nodiscard]] Expected<std::size_t> read(char* to, std::size_t size) override;

 private:
  FileSource(int descriptor, std::filesystem::path file)
      : descriptor_(descriptor), file_(std::move(file)) {}
  int descriptor_;
  std::filesystem::path file_;
};

// Writes FILE by way of .FILE.tmp in the same folder. Until commit() has returned, FILE is what it
// was; after it, FILE is the new content, also after a power cut. Without commit() nothing is left
// behind, except by a process that was killed: its .FILE.tmp is used again by the next save.
// While one process writes FILE another one gets an error of kind `busy`.
class SavedFile final : public ByteSink {
 public:
  [[nodiscard]] static Expected<std::unique_ptr<SavedFile>> create(
      const std::filesystem::path& file);
  ~SavedFile() override;
  SavedFile(const SavedFile&) = delete;
  SavedFile& operator=(const SavedFile&) = delete;
  [[nodiscard]] Expected<void> write(std::string_view bytes) override;
  // Syncs the content, renames, syncs the folder.
  [[nodiscard]] Expected<void> commit();

 private:
  SavedFile(int descriptor, std::filesystem::path file, std::filesystem::path temporary);
  [[nodiscard]] Expected<void> flush();
  int descriptor_;
  std::filesystem::path file_;
  std::filesystem::path temporary_;
  std::string buffer_;
};

}  // namespace kernatlas::archives
