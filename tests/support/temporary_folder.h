#pragma once

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace cmc::test {

// A folder that goes with the object.
class TemporaryFolder {
 public:
  enum class Where {
    kTemporary,
    kMemory
  };  // in memory where there is such a file system: syncing costs nothing there
  explicit TemporaryFolder(Where where = Where::kTemporary) {
    const bool in_memory = where == Where::kMemory && std::filesystem::is_directory("/dev/shm");
    path_ =
        ((in_memory ? std::filesystem::path("/dev/shm") : std::filesystem::temp_directory_path()) / "cmc-test-XXXXXX")
            .string();
    if (::mkdtemp(path_.data()) == nullptr) throw std::runtime_error("cannot make a folder");
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace cmc::test
