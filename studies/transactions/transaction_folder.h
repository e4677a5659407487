#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/files/file_lock.h"
#include "base/result.h"
#include "studies/transactions/folder_files.h"
#include "studies/transactions/transaction_log.h"

namespace cmc {

// Steps of a transaction that touch files, with the names that they have in models/transactions/buffered.pml.
enum class TransactionStep : uint8_t {
  kRead,
  kPlan,
  kTakeLock,
  kSyncFound,
  kValidate,
  kSyncLog,
  kMark,
  kSyncMark,
  kApply,
  kSyncFiles,
  kRemoveLog,
  kReleaseLock,
};
[[nodiscard]] const char* step_name(TransactionStep step);

struct TransactionEvent {
  TransactionStep step;
  std::string_view file = {};  // kRead, kPlan, kApply
  FileContent content = {};    // of this file
  bool valid = true;           // kPlan, kValidate: whether there is no conflict
};
// Is called behind each step.
using TransactionObserver = std::function<void(const TransactionEvent&)>;

// A folder whose files are changed by transactions. It is flat. Layout of its subfolder `.transactions`:
//
//   lock            locked (flock) by whoever commits, starts or writes in place
//   NAME.open       the log of a transaction that goes on
//   commit          the log of a transaction that is past its commit point; one name for all, so that the file system
//                   keeps the order of two commits
//   NAME.snapshot/  the files as they were when the transaction started (scheme snapshot)
//   new             a file that is being written
//
// Not thread-safe: one object for each thread.
class TransactionFolder {
 public:
  // `sync`: whether anything is synced; without, a commit survives a killed process, but no power failure.
  TransactionFolder(FolderFiles& files, std::string path, bool sync, TransactionObserver observer);

  // Creates `.transactions`, if need be.
  [[nodiscard]] Status prepare();
  // Waits for whoever holds it. Ends with the object.
  [[nodiscard]] Result<FileLock> lock() const;
  // The same; then completes what has been left behind the commit point.
  [[nodiscard]] Result<FileLock> lock_and_complete();

  [[nodiscard]] Result<FileContent> read(const std::string& name) const;
  // Whether all files are as they were found.
  [[nodiscard]] Result<bool> is_valid(const TouchedFiles& touched) const;
  // Sets one file; see replace_whole_file(). REQUIRES: the lock.
  [[nodiscard]] Status replace(const std::string& name, const FileContent& content);
  // The folder of files.
  [[nodiscard]] Status sync_files();
  // The folder of logs.
  [[nodiscard]] Status sync_logs(TransactionStep step);

  // What the commit plans, then removes its log. REQUIRES: the lock; the commit point is on stable storage.
  [[nodiscard]] Status apply_commit(const TouchedFiles& touched);

  // Copies of all files; the copies share their blocks with the files where the file system can do that. REQUIRES:
  // the lock.
  [[nodiscard]] Status make_snapshot(const std::string& transaction);
  // All files as they were, also those that other transactions have written since. REQUIRES: the lock.
  [[nodiscard]] Status restore_snapshot(const std::string& transaction);
  [[nodiscard]] Status remove_snapshot(const std::string& transaction);
  // Those of transactions that are not there any more. REQUIRES: the lock.
  [[nodiscard]] Status remove_old_snapshots();

  // Names of transactions that go on.
  [[nodiscard]] Result<std::vector<std::string>> open_transactions() const;

  [[nodiscard]] FolderFiles& files() const { return files_; }
  [[nodiscard]] bool syncs() const { return sync_; }
  [[nodiscard]] std::string log_path(const std::string& transaction) const;
  [[nodiscard]] std::string commit_path() const;
  void tell(const TransactionEvent& event) const {
    if (observer_) observer_(event);
  }

 private:
  [[nodiscard]] Status complete();
  [[nodiscard]] std::string file_path(const std::string& name) const { return path_ + "/" + name; }
  [[nodiscard]] std::string snapshot_path(const std::string& transaction) const;
  [[nodiscard]] Result<std::vector<std::string>> transactions_with(std::string_view suffix) const;
  [[nodiscard]] Result<std::vector<std::string>> file_names(const std::string& folder) const;

  FolderFiles& files_;
  std::string path_;
  std::string logs_;
  bool sync_;
  TransactionObserver observer_;
};

// Of files and of transactions: not empty, at most 200 bytes, no '/', no '.' in front.
[[nodiscard]] bool is_transaction_name(std::string_view name);

}  // namespace cmc
