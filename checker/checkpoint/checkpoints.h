#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/files/file_lock.h"
#include "base/result.h"
#include "checker/checkpoint/manifest.h"
#include "checker/checkpoint/stream.h"

namespace cmc {

// A checkpoint that is being written: files of their own, which nothing names until it is committed.
class CheckpointWriter {
 public:
  // `rank`: of those that write it together, each of which has a writer. `lasts`: files are brought to stable
  // storage.
  CheckpointWriter(std::string directory, uint64_t epoch, uint32_t rank = 0, bool lasts = true);
  // Without a commit the files go.
  ~CheckpointWriter();
  CheckpointWriter(const CheckpointWriter&) = delete;
  CheckpointWriter& operator=(const CheckpointWriter&) = delete;

  [[nodiscard]] Manifest& manifest() { return manifest_; }
  [[nodiscard]] bool lasts() const { return lasts_; }
  // A new file "<name>.<epoch>", or "<name>.<epoch>.<part>" with the part's number among those of the kind; of a rank
  // but the first "<name>.<epoch>.r<rank>", or "<name>.<epoch>.r<rank>.<part>".
  [[nodiscard]] OutStream open(const std::string& kind, bool one_of_many = false);
  // It becomes a part of the checkpoint.
  void add(OutStream stream, uint64_t states = 0);
  // Errors are kept, of the environment and of what is to be written.
  void fail(const std::string& error);
  [[nodiscard]] const Status& status() const { return status_; }
  // Of a rank but the first, which commits nothing: brings its files' names to stable storage; then they stay.
  void sync();
  void let_stay() { committed_ = true; }

 private:
  friend class Checkpoints;

  const std::string directory_;
  const uint32_t rank_;
  const bool lasts_;
  Manifest manifest_;
  std::vector<std::string> made_;
  uint64_t parts_ = 0;
  bool committed_ = false;
  Status status_ = Success{};
};

// The directory of a run, locked, with the checkpoints of its search. A checkpoint is complete in itself, but for the
// log of paths, whose files stay and are named by later ones, too; the last two are kept. One is committed when its
// manifest has its name: before that all of its files are in stable storage, and nothing that an earlier one needs is
// touched. Not thread-safe.
class Checkpoints {
 public:
  // When one is written during a search; at its end there is always one.
  struct Timing {
    double every_seconds = 1800;  // 0: not by the clock
    uint64_t every_checks = 0;    // for tests: when the limits were looked at so often; 0: not by that
  };

  // A new run. Error: the directory cannot be made, or there is something in it.
  [[nodiscard]] static Result<std::unique_ptr<Checkpoints>> create(const std::string& directory, RunFile run);
  // A run that is there, with the newest checkpoint that is whole: last(). Error: there is none, or the directory is
  // in use.
  // `verify`: whether the files of a checkpoint are what they were.
  using Verify = std::function<Status(const Manifest&)>;
  [[nodiscard]] static Result<std::unique_ptr<Checkpoints>> open(const std::string& directory,
                                                                 const Verify& verify = {});
  // Of a rank but the first, which alone has the directory's lock and commits: the run, and the checkpoint from which
  // all go on, if there is one. Error: the directory cannot be made.
  [[nodiscard]] static Result<std::unique_ptr<Checkpoints>> follow(const std::string& directory, RunFile run,
                                                                   std::optional<Manifest> last);
  // Rank 0 has committed it.
  void follow(Manifest committed);

  [[nodiscard]] const std::string& directory() const { return directory_; }
  [[nodiscard]] const RunFile& run() const { return run_; }
  [[nodiscard]] const std::optional<Manifest>& last() const { return last_; }
  // Why it is not the newest one; empty: it is.
  [[nodiscard]] const std::string& passed_over() const { return passed_over_; }

  // What one of a search with that many states will take on the disk, about. `has_paths`: with those to states that
  // the last one has none to.
  [[nodiscard]] uint64_t expected_bytes(uint64_t states, bool has_paths) const;

  [[nodiscard]] std::unique_ptr<CheckpointWriter> begin() {
    return std::make_unique<CheckpointWriter>(directory_, next_epoch_++);
  }
  [[nodiscard]] Status commit(CheckpointWriter& writer);

  // A search that ends by itself leaves its last checkpoint here. It gets the verdict, and is committed when whoever
  // asked for the search has its results: if that is killed before, the search goes on from the checkpoint before.
  void keep(std::unique_ptr<CheckpointWriter> writer) { kept_ = std::move(writer); }
  void conclude(const std::string& verdict, uint64_t states, uint64_t transitions);
  [[nodiscard]] Status commit_end();

  Timing timing;
  // Told of each commit; of one that could not be, with the reason: the last one stays. May be empty.
  std::function<void(const Manifest&)> on_commit;
  std::function<void(const std::string&)> on_failure;

 private:
  explicit Checkpoints(std::string directory) : directory_(std::move(directory)) {}
  [[nodiscard]] Status lock();
  [[nodiscard]] Status find_last(const Verify& verify);
  void remove_others() const;

  const std::string directory_;
  FileLock lock_;
  RunFile run_;
  std::optional<Manifest> last_;
  std::vector<std::string> before_;  // files of the one before it, which are kept, too
  std::string passed_over_;
  uint64_t next_epoch_ = 1;
  std::unique_ptr<CheckpointWriter> kept_;
};

// Whether the files that a manifest names, all or those that are `wanted`, are what they were.
[[nodiscard]] Status verify_files(const std::string& directory, const Manifest& manifest,
                                  const std::function<bool(size_t)>& wanted = {});

// A run directory as it is, for somebody who only looks: nothing is changed, and it is locked for no more than a
// moment.
struct RunOverview {
  struct Checkpoint {
    uint64_t epoch = 0;
    Manifest manifest;  // where it can be read
    Status whole = Success{};
    uint64_t bytes = 0;
  };
  RunFile run;
  std::string user;                     // "host pid" of the process that works on it; empty: none
  std::vector<Checkpoint> checkpoints;  // the newest first
};

// Reads every byte of every checkpoint. Error: that is no run directory.
[[nodiscard]] Result<RunOverview> look_at_run(const std::string& directory);

}  // namespace cmc
