#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"

namespace cmc::native {

// Shared objects that are kept for later runs, each in a file of its own: KEY.so, the object and behind it the SHA-1
// of its bytes. The folder is the user's own and closed to others, because what is in it will be executed. Several
// processes may use it at once: files appear whole, by renaming.
class ObjectCache {
 public:
  static constexpr uint64_t kMostBytes = uint64_t{64} << 20;

  // $XDG_CACHE_HOME/cmc/native or ~/.cache/cmc/native; empty: there is no home.
  [[nodiscard]] static std::string users_folder();
  // Makes the folder if need be. Error: it cannot be made, or belongs to somebody else, or is open to others.
  [[nodiscard]] static Result<ObjectCache> open(const std::string& folder, uint64_t most_bytes = kMostBytes);

  // The file with this key; none: there is none that is whole and the user's own. `key`: hexadecimal digits.
  [[nodiscard]] std::optional<std::string> find(const std::string& key) const;
  // Adds an object and removes those that were not used for the longest time, if there are too many bytes. Error: the
  // folder is read-only, the disk is full.
  [[nodiscard]] Status add(const std::string& key, const std::string& object) const;
  // Of an object that is no good.
  void remove(const std::string& key) const;

 private:
  ObjectCache(std::string folder, uint64_t most_bytes) : folder_(std::move(folder)), most_bytes_(most_bytes) {}
  [[nodiscard]] std::string path_of(const std::string& key) const { return folder_ + '/' + key + ".so"; }
  void limit_size() const;

  std::string folder_;
  uint64_t most_bytes_;
};

}  // namespace cmc::native
