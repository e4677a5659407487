#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/files/descriptor.h"
#include "base/result.h"

namespace cmc::native {

// Shared objects that are kept for later runs, each in a file of its own: KEY.so, the object and after it the SHA-1
// of the key and its bytes. The folder is the user's own and closed to others, because what is in it will be
// executed. It stays open, so it is the same folder whatever its path leads to later. Several processes may use it at
// once: files appear whole, by renaming.
class ObjectCache {
 public:
  static constexpr uint64_t kMostBytes = uint64_t{64} << 20;

  // $XDG_CACHE_HOME/cmc/native or ~/.cache/cmc/native; empty: there is no home.
  [[nodiscard]] static std::string users_folder();
  // Makes the folder, and the one above it, if need be. Error: it cannot be made, or belongs to somebody else, or is
  // open to others, or somebody else could exchange it (safe_folder.h).
  [[nodiscard]] static Result<ObjectCache> open(const std::string& folder, uint64_t most_bytes = kMostBytes);

  // The object with this key; none: there is none that is whole and the user's own. `key`: hexadecimal digits.
  [[nodiscard]] std::optional<std::string> find(const std::string& key) const;
  // Adds an object and removes those that were not used for the longest time, if there are too many bytes. Error: the
  // folder is read-only, the disk is full.
  [[nodiscard]] Status add(const std::string& key, const std::string& object) const;
  // Of an object that is no good.
  void remove(const std::string& key) const;

 private:
  ObjectCache(std::string name, Descriptor folder, uint64_t most_bytes)
      : name_(std::move(name)), folder_(std::move(folder)), most_bytes_(most_bytes) {}
  // Leads to the folder that was opened, whatever has its name now.
  [[nodiscard]] std::string path() const { return path_of_descriptor(folder_); }
  [[nodiscard]] std::string path_of(const std::string& key) const { return path() + '/' + key + ".so"; }
  void limit_size() const;

  std::string name_;  // for messages
  Descriptor folder_;
  uint64_t most_bytes_;
};

}  // namespace cmc::native
