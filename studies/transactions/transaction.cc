#include "studies/transactions/transaction.h"

#include <utility>

#include <fmt/format.h>

#include "base/check.h"

namespace cmc {

namespace {

constexpr size_t kLargestContent = size_t{1} << 30;  // lengths in the log have 32 bits

Status usable_name(const std::string& name) {
  if (is_transaction_name(name)) return Success{};
  return Error{fmt::format("'{}' cannot be a name: it needs 1 to 200 bytes, no '/', and no '.' in front", name)};
}

}  // namespace

Result<Transaction> Transaction::start(FolderFiles& files, const std::string& folder, const std::string& name,
                                       const TransactionOptions& options) {
  if (const Status usable = usable_name(name); !usable.ok()) return Error{usable.error()};
  Transaction transaction({files, folder, options.sync, options.observer}, name);
  if (const Status prepared = transaction.folder_.prepare(); !prepared.ok()) return Error{prepared.error()};
  const std::string path = transaction.folder_.log_path(name);
  const bool in_place = options.scheme == TransactionScheme::kSnapshot;
  CMC_TRY(const FileLock lock, in_place ? transaction.folder_.lock_and_complete() : transaction.folder_.lock());
  CMC_TRY(const bool exists, FolderFiles::exists(path));
  if (exists) return Error{fmt::format("there is a transaction '{}' already", name)};

  transaction.log_.scheme = options.scheme;
  if (in_place) {
    if (const Status made = transaction.folder_.make_snapshot(name); !made.ok()) return Error{made.error()};
  }
  CMC_TRY(transaction.file_, files.open(path, FileSystem::Open::kCreate));
  if (const Status begun = transaction.append(log_begin(options.scheme)); !begun.ok()) return Error{begun.error()};
  if (in_place) {
    // Without its name the log could not say, after a power failure, that files have been written.
    if (const Status synced = transaction.sync_log(); !synced.ok()) return Error{synced.error()};
    if (const Status synced = transaction.folder_.sync_logs(TransactionStep::kSyncMark); !synced.ok()) {
      return Error{synced.error()};
    }
  }
  return transaction;
}

Result<Transaction> Transaction::open(FolderFiles& files, const std::string& folder, const std::string& name,
                                      const TransactionOptions& options) {
  if (const Status usable = usable_name(name); !usable.ok()) return Error{usable.error()};
  Transaction transaction({files, folder, options.sync, options.observer}, name);
  const std::string path = transaction.folder_.log_path(name);
  CMC_TRY(const FileContent content, files.read(path));
  if (!content) {
    return Error{fmt::format("there is no transaction '{}': it was not started, or it has ended", name)};
  }
  Result<TransactionLog> log = parse_log(*content);
  if (!log.ok()) return Error{fmt::format("cannot use '{}': {}", path, log.error())};
  CMC_TRY(transaction.file_, files.open(path, FileSystem::Open::kExisting));
  transaction.log_ = std::move(log).value();
  // What a killed process had not finished to say, or the end of a commit that it did not get to.
  if (const Status cut = transaction.file_->truncate(transaction.log_.bytes); !cut.ok()) return Error{cut.error()};
  return transaction;
}

Result<std::vector<std::string>> Transaction::redo(FolderFiles& files, const std::string& folder,
                                                   const TransactionOptions& options) {
  TransactionFolder all(files, folder, options.sync, options.observer);
  if (const Status prepared = all.prepare(); !prepared.ok()) return Error{prepared.error()};
  CMC_TRY(const FileLock lock, all.lock_and_complete());
  CMC_TRY(std::vector<std::string> names, all.open_transactions());
  for (const std::string& name : names) {
    CMC_TRY(const FileContent content, files.read(all.log_path(name)));
    // A log whose begin is not whole: the transaction had not begun to write.
    const Result<TransactionLog> log = parse_log(content.value_or(""));
    Transaction transaction({files, folder, options.sync, nullptr}, name);
    if (log.ok()) transaction.log_.scheme = log.value().scheme;
    if (const Status discarded = transaction.discard(); !discarded.ok()) return Error{discarded.error()};
  }
  if (const Status removed = all.remove_old_snapshots(); !removed.ok()) return Error{removed.error()};
  all.tell({TransactionStep::kReleaseLock});
  return names;
}

Status Transaction::append(const std::string& record) {
  CHECK(file_ != nullptr);
  if (const Status written = write_and_compare(*file_, log_.bytes, record); !written.ok()) {
    const Status discarded = discard();
    return Error{written.error() + (discarded.ok() ? "" : "; " + discarded.error())};
  }
  log_.bytes += record.size();
  ++log_.records;
  return Success{};
}

Result<bool> Transaction::touch(const std::string& file, FileContent& content) {
  if (const Status usable = usable_name(file); !usable.ok()) return Error{usable.error()};
  CMC_TRY(FileContent now, folder_.read(file));
  const FileVersion version = version_of(now);
  content = std::move(now);
  if (const auto known = log_.touched.find(file); known != log_.touched.end())
    return known->second.version == version;
  if (const Status told = append(log_record(file, version)); !told.ok()) return Error{told.error()};
  log_.touched[file].version = version;
  folder_.tell({TransactionStep::kRead, file, content});
  return true;
}

Result<Transaction::ReadOutcome> Transaction::read(const std::string& file) {
  if (const auto known = log_.touched.find(file); known != log_.touched.end() && known->second.planned) {
    return ReadOutcome{Outcome::kGoesOn, known->second.content};
  }
  FileContent content;
  CMC_TRY(const bool unchanged, touch(file, content));
  if (unchanged) return ReadOutcome{Outcome::kGoesOn, std::move(content)};
  if (const Status rolled_back = rollback(); !rolled_back.ok()) return Error{rolled_back.error()};
  return ReadOutcome{Outcome::kConflict, {}};
}

Result<Transaction::Outcome> Transaction::write(const std::string& file, const std::string& content) {
  return change(file, content);
}

Result<Transaction::Outcome> Transaction::remove(const std::string& file) { return change(file, std::nullopt); }

Result<Transaction::Outcome> Transaction::change(const std::string& file, const FileContent& content) {
  if (content && content->size() > kLargestContent) {
    return Error{fmt::format("the content of '{}' is larger than 1 GB", file)};
  }
  return scheme() == TransactionScheme::kBuffered ? plan(file, content) : change_in_place(file, content);
}

Result<Transaction::Outcome> Transaction::plan(const std::string& file, const FileContent& content) {
  FileContent before;
  CMC_TRY(const bool unchanged, touch(file, before));
  if (!unchanged) {
    folder_.tell({TransactionStep::kPlan, file, content, false});
    if (const Status rolled_back = rollback(); !rolled_back.ok()) return Error{rolled_back.error()};
    return Outcome::kConflict;
  }
  if (const Status planned = append(log_record(file, content)); !planned.ok()) return Error{planned.error()};
  TouchedFile& touched = log_.touched[file];
  touched.planned = true;
  touched.content = content;
  folder_.tell({TransactionStep::kPlan, file, content});
  return Outcome::kGoesOn;
}

Result<Transaction::Outcome> Transaction::change_in_place(const std::string& file, const FileContent& content) {
  CMC_TRY(const FileLock lock, folder_.lock_and_complete());
  FileContent before;
  CMC_TRY(const bool unchanged, touch(file, before));
  if (!unchanged) {
    if (const Status discarded = discard(); !discarded.ok()) return Error{discarded.error()};
    return Outcome::kConflict;
  }
  const FileVersion version = version_of(content);
  if (const Status told = append(log_record(file, version)); !told.ok()) return Error{told.error()};
  if (const Status replaced = folder_.replace(file, content); !replaced.ok()) return Error{replaced.error()};
  log_.touched[file].version = version;
  return Outcome::kGoesOn;
}

Result<Transaction::Outcome> Transaction::commit() {
  CHECK(file_ != nullptr);
  return scheme() == TransactionScheme::kBuffered ? commit_plan() : commit_in_place();
}

Status Transaction::sync_log() {
  if (folder_.syncs()) {
    if (const Status synced = folder_.files().sync(folder_.log_path(name_)); !synced.ok()) return synced;
  }
  folder_.tell({TransactionStep::kSyncLog});
  return Success{};
}

// The steps, and their order, are those of models/transactions/buffered.pml.
Result<Transaction::Outcome> Transaction::commit_plan() {
  CMC_TRY(const FileLock lock, folder_.lock_and_complete());
  CMC_TRY(const bool valid, folder_.is_valid(log_.touched));
  folder_.tell({TransactionStep::kValidate, {}, {}, valid});
  if (!valid) {
    if (const Status discarded = discard(); !discarded.ok()) return Error{discarded.error()};
    folder_.tell({TransactionStep::kReleaseLock});
    return Outcome::kConflict;
  }

  if (const Status marked = mark(); !marked.ok()) {
    // Nothing has been applied. Neither log nor mark may be used again: their sync has perhaps failed.
    const Status discarded = discard_commit();
    return Error{marked.error() + (discarded.ok() ? "" : "; " + discarded.error())};
  }
  if (const Status applied = folder_.apply_commit(log_.touched); !applied.ok()) {
    return Error{applied.error() + "; the commit is valid, and whoever uses the folder next completes it"};
  }
  folder_.tell({TransactionStep::kReleaseLock});
  return Outcome::kCommitted;
}

// Up to the commit point, and with it on stable storage.
Status Transaction::mark() {
  if (const Status ended = append(log_end(log_.records)); !ended.ok()) return ended;
  if (const Status synced = sync_log(); !synced.ok()) return synced;
  if (const Status closed = file_->close(); !closed.ok()) return closed;
  file_.reset();
  if (const Status marked = folder_.files().rename(folder_.log_path(name_), folder_.commit_path()); !marked.ok()) {
    return marked;
  }
  folder_.tell({TransactionStep::kMark});
  return folder_.sync_logs(TransactionStep::kSyncMark);
}

Status Transaction::discard_commit() {
  CMC_TRY(const bool exists, FolderFiles::exists(folder_.commit_path()));
  if (exists) {
    if (const Status removed = folder_.files().remove(folder_.commit_path()); !removed.ok()) return removed;
  }
  return discard();
}

Result<Transaction::Outcome> Transaction::commit_in_place() {
  CMC_TRY(const FileLock lock, folder_.lock_and_complete());
  CMC_TRY(const bool valid, folder_.is_valid(log_.touched));
  if (!valid) {
    if (const Status discarded = discard(); !discarded.ok()) return Error{discarded.error()};
    return Outcome::kConflict;
  }
  if (const Status synced = folder_.sync_files(); !synced.ok()) {
    const Status discarded = discard();
    return Error{synced.error() + (discarded.ok() ? "" : "; " + discarded.error())};
  }
  file_.reset();
  if (const Status removed = folder_.files().remove(folder_.log_path(name_)); !removed.ok()) {
    return Error{removed.error()};
  }
  // The commit point. Until it is on stable storage, redo() can still go back to the snapshot.
  if (const Status synced = folder_.sync_logs(TransactionStep::kSyncMark); !synced.ok()) return Error{synced.error()};
  if (const Status removed = folder_.remove_snapshot(name_); !removed.ok()) return Error{removed.error()};
  return Outcome::kCommitted;
}

Status Transaction::rollback() {
  if (scheme() == TransactionScheme::kBuffered) return discard();
  CMC_TRY(const FileLock lock, folder_.lock_and_complete());
  return discard();
}

// The log goes last: until then redo() does the same again.
Status Transaction::discard() {
  file_.reset();
  if (scheme() == TransactionScheme::kSnapshot) {
    if (const Status restored = folder_.restore_snapshot(name_); !restored.ok()) return restored;
  }
  CMC_TRY(const bool exists, FolderFiles::exists(folder_.log_path(name_)));
  if (exists) {
    if (const Status removed = folder_.files().remove(folder_.log_path(name_)); !removed.ok()) return removed;
  }
  if (scheme() == TransactionScheme::kBuffered) return Success{};
  // Else a power failure could bring the log back, and redo() would undo what is committed from here on.
  if (const Status synced = folder_.sync_logs(TransactionStep::kSyncMark); !synced.ok()) return synced;
  return folder_.remove_snapshot(name_);
}

}  // namespace cmc
