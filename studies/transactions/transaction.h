#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "studies/transactions/folder_files.h"
#include "studies/transactions/transaction_folder.h"
#include "studies/transactions/transaction_log.h"

namespace cmc {

struct TransactionOptions {
  TransactionScheme scheme = TransactionScheme::kBuffered;
  bool sync = true;  // false: a commit survives a killed process, but no power failure
  TransactionObserver observer = nullptr;
};

// Changes of files in a folder that happen entirely or not at all, also if the process is killed or the power fails.
//
// Optimistic (Kung and Robinson 1981): a transaction waits for nobody. It remembers the version of each file when it
// touches it first, and ends with a conflict if one of them has changed until its commit; whoever wants it repeats
// it. Two schemes:
//
// - buffered: writes are planned in a log. The commit, under a lock, validates, syncs the log, gives it the name that
// is the commit
//   point, applies it and removes it. If the process ends behind the commit point, whoever takes the lock next
//   completes it. models/transactions/buffered.pml is the model of it.
// - snapshot: writes happen at once, behind a snapshot of all files that was taken at the start; a conflict goes back
// to it. That
//   takes away what others have committed meanwhile, so it is for one writer at a time
//   (models/transactions/snapshot.pml).
//
// All state is on disk: an object can end and another process go on with open(). A name belongs to one process at a
// time. Not thread-safe: one object for each thread. An error, other than a conflict, ends the transaction where it
// is: before the commit point nothing of it will happen; behind it, everything (redo()). A sync that failed is not
// tried again, because the system may then say that all is well.
class Transaction {
 public:
  enum class Outcome : uint8_t { kGoesOn, kCommitted, kConflict };  // kConflict: it has been rolled back
  struct ReadOutcome {
    Outcome outcome = Outcome::kGoesOn;
    FileContent content;
  };

  // Error: there is one of this name already, or the folder cannot be used.
  [[nodiscard]] static Result<Transaction> start(FolderFiles& files, const std::string& folder,
                                                 const std::string& name, const TransactionOptions& options);
  // One that goes on; the scheme is its own. Error: there is none of this name.
  [[nodiscard]] static Result<Transaction> open(FolderFiles& files, const std::string& folder,
                                                const std::string& name, const TransactionOptions& options);
  // Completes what is past its commit point and discards all other transactions, also if somebody would have gone on
  // with them. Any number of times. The result: names of those that were discarded.
  [[nodiscard]] static Result<std::vector<std::string>> redo(FolderFiles& files, const std::string& folder,
                                                             const TransactionOptions& options);

  // Names of files are those of is_transaction_name(). A read finds what the transaction itself has written.
  [[nodiscard]] Result<ReadOutcome> read(const std::string& file);
  [[nodiscard]] Result<Outcome> write(const std::string& file, const std::string& content);
  [[nodiscard]] Result<Outcome> remove(const std::string& file);
  // REQUIRES, all three: it goes on.
  [[nodiscard]] Result<Outcome> commit();
  [[nodiscard]] Status rollback();

  [[nodiscard]] TransactionScheme scheme() const { return log_.scheme; }
  [[nodiscard]] const TouchedFiles& touched() const { return log_.touched; }

 private:
  Transaction(TransactionFolder folder, std::string name) : folder_(std::move(folder)), name_(std::move(name)) {}
  [[nodiscard]] Status append(const std::string& record);
  // The content of a file now, and whether it is as it was when the transaction touched it; the first time it is.
  [[nodiscard]] Result<bool> touch(const std::string& file, FileContent& content);
  [[nodiscard]] Result<Outcome> change(const std::string& file, const FileContent& content);
  [[nodiscard]] Result<Outcome> plan(const std::string& file, const FileContent& content);
  [[nodiscard]] Result<Outcome> change_in_place(const std::string& file, const FileContent& content);
  [[nodiscard]] Status sync_log();
  [[nodiscard]] Result<Outcome> commit_plan();
  [[nodiscard]] Result<Outcome> commit_in_place();
  [[nodiscard]] Status mark();
  [[nodiscard]] Status discard();  // REQUIRES: the lock, if files have been written in place
  [[nodiscard]] Status discard_commit();

  TransactionFolder folder_;
  std::string name_;
  std::unique_ptr<File> file_;  // the log
  TransactionLog log_;
};

}  // namespace cmc
