#include "studies/transactions/transaction_folder.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/fs.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/files/file.h"

namespace cmc {

namespace {

namespace fs = std::filesystem;

constexpr size_t kLongestName = 200;  // with a suffix it fits the 255 bytes of most file systems
constexpr std::string_view kOpenSuffix = ".open";
constexpr std::string_view kSnapshotSuffix = ".snapshot";

// Shares blocks; false: the file system cannot do that.
bool clone_file(const std::string& from, const std::string& to) {
  const int source = ::open(from.c_str(), O_RDONLY | O_CLOEXEC);
  if (source < 0) return false;
  const int target = ::open(to.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  const bool cloned = target >= 0 && ::ioctl(target, FICLONE, source) == 0;
  ::close(source);
  if (target >= 0) ::close(target);
  return cloned;
}

// Copies have no checksum: so two reads must agree.
Result<FileContent> read_twice(FolderFiles& files, const std::string& path) {
  Result<FileContent> content = files.read(path);
  if (!content.ok()) return content;
  CMC_TRY(const FileContent again, files.read(path));
  if (again == content.value()) return content;
  return Error{fmt::format("cannot read '{}': it is not the same twice", path)};
}

}  // namespace

const char* step_name(TransactionStep step) {
  constexpr const char* kNames[] = {"read", "plan",      "take_lock", "sync_found", "validate",   "sync_log",
                                    "mark", "sync_mark", "apply",     "sync_files", "remove_log", "release_lock"};
  return kNames[static_cast<size_t>(step)];
}

bool is_transaction_name(std::string_view name) {
  return !name.empty() && name.size() <= kLongestName && name[0] != '.' &&
         name.find_first_of(std::string_view("/\0", 2)) == std::string_view::npos;
}

TransactionFolder::TransactionFolder(FolderFiles& files, std::string path, bool sync, TransactionObserver observer)
    : files_(files),
      path_(std::move(path)),
      logs_(path_ + "/.transactions"),
      sync_(sync),
      observer_(std::move(observer)) {}

std::string TransactionFolder::log_path(const std::string& transaction) const {
  return fmt::format("{}/{}{}", logs_, transaction, kOpenSuffix);
}
std::string TransactionFolder::snapshot_path(const std::string& transaction) const {
  return fmt::format("{}/{}{}", logs_, transaction, kSnapshotSuffix);
}
std::string TransactionFolder::commit_path() const { return logs_ + "/commit"; }

Status TransactionFolder::prepare() {
  std::error_code error;
  if (!fs::is_directory(path_, error)) return Error{fmt::format("there is no folder '{}'", path_)};
  const bool made = fs::create_directory(logs_, error);
  if (error) return Error{fmt::format("cannot create '{}': {}", logs_, error.message())};
  return made && sync_ ? files_.sync_directory(path_) : Success{};
}

Result<FileLock> TransactionFolder::lock() const {
  const std::string path = logs_ + "/lock";
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0) return system_error("lock", path, errno);
  while (::flock(file, LOCK_EX) != 0 && errno == EINTR) {
  }
  FileLock lock;
  if (lock.take(file) != FileLock::Outcome::kHeld) {
    return Error{fmt::format("cannot lock '{}': its file system has no locks", path)};
  }
  return lock;
}

Result<FileLock> TransactionFolder::lock_and_complete() {
  Result<FileLock> taken = lock();
  if (!taken.ok()) return taken;
  tell({TransactionStep::kTakeLock});
  if (const Status completed = complete(); !completed.ok()) return Error{completed.error()};
  return taken;
}

Result<FileContent> TransactionFolder::read(const std::string& name) const { return files_.read(file_path(name)); }

Result<bool> TransactionFolder::is_valid(const TouchedFiles& touched) const {
  for (const auto& [name, file] : touched) {
    CMC_TRY(const FileContent content, read(name));
    if (version_of(content) != file.version) return false;
  }
  return true;
}

Status TransactionFolder::replace(const std::string& name, const FileContent& content) {
  return replace_whole_file(files_, file_path(name), logs_ + "/new", content, sync_);
}

Status TransactionFolder::sync_files() {
  if (sync_) {
    if (const Status synced = files_.sync_directory(path_); !synced.ok()) return synced;
  }
  tell({TransactionStep::kSyncFiles});
  return Success{};
}

Status TransactionFolder::sync_logs(TransactionStep step) {
  if (sync_) {
    if (const Status synced = files_.sync_directory(logs_); !synced.ok()) return synced;
  }
  tell({step});
  return Success{};
}

// A commit whose process ended behind the commit point: redo.
Status TransactionFolder::complete() {
  CMC_TRY(const FileContent content, files_.read(commit_path()));
  if (!content) return Success{};
  const Result<TransactionLog> log = parse_log(*content);
  if (!log.ok() || !log.value().ended) {
    return Error{
        fmt::format("'{}', the log of a commit that was cut off, is damaged: the files may be those of before, or "
                    "those of the commit. Look at them, and remove it",
                    commit_path())};
  }
  // The process was killed, perhaps before it had synced the name: then a power failure must not find files written.
  if (const Status synced = sync_logs(TransactionStep::kSyncFound); !synced.ok()) return synced;
  return apply_commit(log.value().touched);
}

Status TransactionFolder::apply_commit(const TouchedFiles& touched) {
  for (const auto& [name, file] : touched) {
    if (!file.planned) continue;
    if (const Status replaced = replace(name, file.content); !replaced.ok()) return replaced;
    tell({TransactionStep::kApply, name, file.content});
  }
  if (const Status synced = sync_files(); !synced.ok()) return synced;
  if (const Status removed = files_.remove(commit_path()); !removed.ok()) return removed;
  tell({TransactionStep::kRemoveLog});
  return Success{};
}

Status TransactionFolder::make_snapshot(const std::string& transaction) {
  const std::string snapshot = snapshot_path(transaction);
  std::error_code error;
  fs::remove_all(snapshot, error);
  fs::create_directory(snapshot, error);
  if (error) return Error{fmt::format("cannot create '{}': {}", snapshot, error.message())};
  CMC_TRY(const std::vector<std::string> names, file_names(path_));
  for (const std::string& name : names) {
    const std::string copy = snapshot + "/" + name;
    if (clone_file(file_path(name), copy)) continue;
    CMC_TRY(const FileContent content, read_twice(files_, file_path(name)));
    if (const Status copied = replace_whole_file(files_, copy, logs_ + "/new", content, sync_); !copied.ok()) {
      return copied;
    }
  }
  return sync_ ? files_.sync_directory(snapshot) : Success{};
}

Status TransactionFolder::restore_snapshot(const std::string& transaction) {
  const std::string snapshot = snapshot_path(transaction);
  CMC_TRY(const std::vector<std::string> before, file_names(snapshot));
  CMC_TRY(const std::vector<std::string> now, file_names(path_));
  std::vector<std::string> all;
  std::set_union(before.begin(), before.end(), now.begin(), now.end(), std::back_inserter(all));
  for (const std::string& name : all) {
    CMC_TRY(const FileContent old_content, read_twice(files_, snapshot + "/" + name));
    CMC_TRY(const FileContent content, read(name));
    if (content == old_content) continue;
    if (const Status replaced = replace(name, old_content); !replaced.ok()) return replaced;
  }
  return sync_ ? files_.sync_directory(path_) : Success{};
}

Status TransactionFolder::remove_snapshot(const std::string& transaction) {
  std::error_code error;
  fs::remove_all(snapshot_path(transaction), error);
  if (error) return Error{fmt::format("cannot remove '{}': {}", snapshot_path(transaction), error.message())};
  return Success{};
}

Status TransactionFolder::remove_old_snapshots() {
  CMC_TRY(const std::vector<std::string> names, transactions_with(kSnapshotSuffix));
  for (const std::string& name : names) {
    CMC_TRY(const bool open, FolderFiles::exists(log_path(name)));
    if (open) continue;
    if (const Status removed = remove_snapshot(name); !removed.ok()) return removed;
  }
  return Success{};
}

Result<std::vector<std::string>> TransactionFolder::open_transactions() const {
  return transactions_with(kOpenSuffix);
}

Result<std::vector<std::string>> TransactionFolder::transactions_with(std::string_view suffix) const {
  CMC_TRY(std::vector<std::string> names, FolderFiles::list(logs_));
  std::vector<std::string> found;
  for (const std::string& name : names) {
    if (name.ends_with(suffix)) found.push_back(name.substr(0, name.size() - suffix.size()));
  }
  return found;
}

// Sorted. Folders in it are none of ours.
Result<std::vector<std::string>> TransactionFolder::file_names(const std::string& folder) const {
  CMC_TRY(const std::vector<std::string> names, FolderFiles::list(folder));
  std::vector<std::string> own;
  for (const std::string& name : names) {
    std::error_code ignored;
    if (is_transaction_name(name) && fs::is_regular_file(folder + "/" + name, ignored)) own.push_back(name);
  }
  std::sort(own.begin(), own.end());
  return own;
}

}  // namespace cmc
