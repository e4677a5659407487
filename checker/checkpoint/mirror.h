#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checker/checkpoint/manifest.h"
#include "checker/checkpoint/stream.h"

// A second place for the checkpoints of ranks: FOLDER/rank-<r> has a copy of the files that the rank before r has
// written into the run's directory (of the first one: the last), with the manifests and run.json. So what is lost or
// damaged in one place is in the other one.

namespace cmc {

// The files of a rank, in pieces for the next one.
class MirrorSource {
 public:
  MirrorSource(std::string directory, std::vector<CheckpointFile> files)
      : directory_(std::move(directory)), files_(std::move(files)) {}

  // Empty: that was all, or status() is an error.
  [[nodiscard]] std::string next();
  [[nodiscard]] const Status& status() const { return status_; }

 private:
  const std::string directory_;
  const std::vector<CheckpointFile> files_;
  size_t at_ = 0;
  uint64_t left_ = 0;  // of the file
  std::optional<InStream> file_;
  Status status_ = Success{};
};

// What a rank keeps for the one before.
class MirrorFolder {
 public:
  MirrorFolder(const std::string& mirror, uint32_t rank);

  void take(std::string_view piece);
  // Error: something could not be written, or was not what its digest says.
  [[nodiscard]] const Status& status() const { return status_; }
  // A checkpoint is committed; what only older ones have, but the one before it, goes.
  [[nodiscard]] Status commit(const Manifest& manifest, const std::string& run_text);

 private:
  void fail(const Status& status);

  const std::string directory_;
  std::optional<OutStream> file_;
  Status status_ = Success{};
};

// What the directory of a run lacks of run.json and manifests, from a mirror.
void restore_manifests(const std::string& mirror, const std::string& directory);
// A file that is not what its manifest says, likewise, if there is a copy that is.
void restore_file(const std::string& mirror, const std::string& directory, const CheckpointFile& file);

}  // namespace cmc
