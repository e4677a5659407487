#include "checker/checkpoint/checkpoints.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <set>

#include <fcntl.h>
#include <fmt/format.h>

#include "base/files/file.h"
#include "checker/checkpoint/run_names.h"

namespace cmc {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLockFile = "LOCK";
constexpr const char* kManifest = "manifest.";

// None: the name is not one of a manifest.
std::optional<uint64_t> epoch_of(const std::string& name) {
  uint64_t epoch = 0;
  const char* const begin = name.data() + std::string_view(kManifest).size();
  if (!name.starts_with(kManifest) || std::from_chars(begin, name.data() + name.size(), epoch).ec != std::errc() ||
      manifest_name(epoch) != name)
    return std::nullopt;
  return epoch;
}

Result<RunFile> read_run(const std::string& directory) {
  const std::string file = fmt::format("{}/{}", directory, kRunFile);
  std::error_code ignored;
  if (!fs::exists(file, ignored))
    return Error{
        fmt::format("'{}' is no directory that `cmc check --checkpoint` made: it has no {}", directory, kRunFile)};
  CMC_TRY(const std::string text, read_file(file));
  Result<RunFile> run = parse_run_file(text);
  if (!run.ok()) return Error{fmt::format("'{}' cannot be used: {}", file, run.error())};
  return run;
}

// Of the first line of the lock, which anybody may have written. Empty: nobody, or the power failed before the line
// was in stable storage, and whoever wrote it is gone.
std::string holder_in(const std::string& lock) {
  const size_t end = lock.find('\n');
  if (end == std::string::npos) return {};
  std::string text = lock.substr(0, end);
  for (char& c : text) c = c >= ' ' && c <= '~' ? c : '?';
  return text;
}

std::string host_name() {
  char name[256] = {};
  return ::gethostname(name, sizeof name - 1) == 0 ? name : "?";
}

}  // namespace

std::vector<std::string> names_in(const std::string& directory) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator each(directory, error), end; !error && each != end; each.increment(error))
    names.push_back(each->path().filename().string());
  std::ranges::sort(names);
  return names;
}

std::vector<uint64_t> epochs_in(const std::string& directory) {
  std::vector<uint64_t> epochs;
  for (const std::string& name : names_in(directory)) {
    if (const std::optional<uint64_t> epoch = epoch_of(name)) epochs.push_back(*epoch);
  }
  std::ranges::sort(epochs, std::greater<>());
  return epochs;
}

Result<Manifest> read_manifest(const std::string& directory, uint64_t epoch) {
  const std::string name = manifest_name(epoch);
  const Result<std::string> text = read_file(directory + "/" + name);
  if (!text.ok()) return Error{fmt::format("'{}': {}", name, text.error())};
  Result<Manifest> manifest = parse_manifest(text.value());
  if (!manifest.ok()) return Error{fmt::format("'{}': {}", name, manifest.error())};
  if (manifest.value().epoch != epoch) return Error{fmt::format("'{}' has another number", name)};
  return manifest;
}

std::vector<std::string> file_names(const Manifest& manifest) {
  std::vector<std::string> names = {manifest_name(manifest.epoch)};
  for (const CheckpointFile& file : manifest.files) names.push_back(file.name);
  return names;
}

void remove_checkpoints_but(const std::vector<std::string>& names, const std::string& directory) {
  const std::set<std::string> kept(names.begin(), names.end());
  std::error_code ignored;
  for (const std::string& name : names_in(directory)) {
    const std::string stem = name.substr(0, name.find('.'));
    const bool ours = name.find('.') != std::string::npos && name != kRunFile &&
                      (stem == "states" || stem == "contents" || stem == "components" || stem == "open" ||
                       stem == "result" || stem == "trail" || stem == "manifest");
    if (ours && !kept.contains(name)) fs::remove(fs::path(directory) / name, ignored);
  }
}

Status verify_files(const std::string& directory, const Manifest& manifest,
                    const std::function<bool(size_t)>& wanted) {
  for (size_t i = 0; i < manifest.files.size(); ++i) {
    if (wanted && !wanted(i)) continue;
    if (Status whole = verify_file(directory, manifest.files[i]); !whole.ok()) return whole;
  }
  return Success{};
}

CheckpointWriter::CheckpointWriter(std::string directory, uint64_t epoch, uint32_t rank, bool lasts)
    : directory_(std::move(directory)), rank_(rank), lasts_(lasts) {
  manifest_.epoch = epoch;
}

CheckpointWriter::~CheckpointWriter() {
  std::error_code ignored;
  if (committed_) return;
  for (const std::string& name : made_) fs::remove(fs::path(directory_) / name, ignored);
}

OutStream CheckpointWriter::open(const std::string& kind, bool one_of_many) {
  std::string name = fmt::format("{}.{}", kind, manifest_.epoch);
  if (rank_ > 0) name += fmt::format(".r{}", rank_);
  if (one_of_many) name += fmt::format(".{}", parts_++);
  made_.push_back(std::move(name));
  return {directory_, made_.back(), kind, lasts_};
}

void CheckpointWriter::add(OutStream stream, uint64_t states) {
  Result<CheckpointFile> finished = stream.finish(states);
  if (!finished.ok()) return fail(finished.error());
  manifest_.files.push_back(std::move(finished).value());
  manifest_.files.back().rank = rank_;
}

void CheckpointWriter::sync() {
  if (Status synced = sync_directory(directory_); !synced.ok()) fail(synced.error());
}

void CheckpointWriter::fail(const std::string& error) {
  if (status_.ok()) status_ = Error{error};
}

Result<std::unique_ptr<Checkpoints>> Checkpoints::create(const std::string& directory, RunFile run) {
  std::unique_ptr<Checkpoints> made(new Checkpoints(directory));
  made->run_ = std::move(run);
  CMC_TRY(const std::string text, run_file_text(made->run_));
  std::error_code error;
  fs::create_directories(directory, error);
  if (error) return system_error("make the directory", directory, error.value());
  const std::vector<std::string> names = names_in(directory);
  const bool has_checkpoint =
      std::ranges::any_of(names, [](const std::string& name) { return epoch_of(name).has_value(); });
  if (has_checkpoint) {
    return Error{
        fmt::format("in '{0}' is a run already: `cmc resume {0}` goes on with it; for a new one name "
                    "another directory",
                    directory)};
  }
  // A run that was killed before its first checkpoint is begun anew.
  const bool is_run = std::ranges::find(names, kRunFile) != names.end() && read_run(directory).ok();
  const auto is_other = [](const std::string& name) { return name != kLockFile && name != "run.tmp"; };
  if (!is_run && std::ranges::any_of(names, is_other))
    return Error{fmt::format("'{}' is not empty: a run has a directory of its own", directory)};
  if (Status locked = made->lock(); !locked.ok()) return Error{locked.error()};
  if (Status written = write_durably(directory, kRunFile, text); !written.ok()) return Error{written.error()};
  return made;
}

Result<std::unique_ptr<Checkpoints>> Checkpoints::open(const std::string& directory, const Verify& verify) {
  std::unique_ptr<Checkpoints> opened(new Checkpoints(directory));
  CMC_TRY(opened->run_, read_run(directory));
  if (Status locked = opened->lock(); !locked.ok()) return Error{locked.error()};
  if (Status found = opened->find_last(verify); !found.ok()) return Error{found.error()};
  return opened;
}

Result<std::unique_ptr<Checkpoints>> Checkpoints::follow(const std::string& directory, RunFile run,
                                                         std::optional<Manifest> last) {
  std::unique_ptr<Checkpoints> followed(new Checkpoints(directory));
  followed->run_ = std::move(run);
  followed->last_ = std::move(last);
  std::error_code error;
  fs::create_directories(directory, error);
  if (error) return system_error("make the directory", directory, error.value());
  return followed;
}

void Checkpoints::follow(Manifest committed) {
  before_ = last_ ? file_names(*last_) : std::vector<std::string>();
  last_ = std::move(committed);
  remove_others();
}

// The system releases the lock when the process ends, but other machines need not see it: so the file says who has
// it.
Status Checkpoints::lock() {
  const std::string path = fmt::format("{}/{}", directory_, kLockFile);
  const Result<std::string> holder = read_file(path);
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0) return system_error("write", path, errno);
  const std::string text = holder_in(holder.ok() ? holder.value() : "");
  const std::string host = text.substr(0, text.find(' '));
  const bool elsewhere = lock_.take(file) == FileLock::Outcome::kHeldElsewhere;
  if (elsewhere) return Error{fmt::format("'{}' is in use by process {}", directory_, text)};
  if (!host.empty() && host != host_name()) {
    return Error{fmt::format("'{}' was in use by process {} of another machine; if that has ended, remove '{}'",
                             directory_, text, path)};
  }
  const std::string own = fmt::format("{} {}\n", host_name(), ::getpid());
  if (::ftruncate(file, 0) != 0) return system_error("write", path, errno);
  if (const int code = write_all(file, own); code != 0) return system_error("write", path, code);
  return Success{};
}

// The newest whose manifest and files are whole.
Status Checkpoints::find_last(const Verify& verify) {
  const std::vector<uint64_t> epochs = epochs_in(directory_);
  if (!epochs.empty()) next_epoch_ = epochs.front() + 1;
  for (const uint64_t epoch : epochs) {
    Result<Manifest> manifest = read_manifest(directory_, epoch);
    if (last_) {
      if (manifest.ok()) before_ = file_names(manifest.value());
      return Success{};
    }
    Status whole = Success{};
    if (!manifest.ok()) {
      whole = Error{manifest.error()};
    } else {
      whole = verify ? verify(manifest.value()) : verify_files(directory_, manifest.value());
    }
    if (whole.ok()) {
      last_ = std::move(manifest).value();
    } else if (passed_over_.empty()) {
      passed_over_ = whole.error();
    }
  }
  if (last_) return Success{};
  return Error{passed_over_.empty()
                   ? fmt::format("in '{}' is no checkpoint yet: begin the check again", directory_)
                   : fmt::format("in '{}' is no checkpoint that is whole: {}", directory_, passed_over_)};
}

uint64_t Checkpoints::expected_bytes(uint64_t states, bool has_paths) const {
  constexpr double kBytesOfState = 4;  // if nothing is known
  constexpr uint64_t kBytesOfPath = 5;
  double bytes_of_state = kBytesOfState;
  uint64_t with_paths = 0;
  if (last_ && last_->states > 0) {
    uint64_t bytes = 0;
    for (const CheckpointFile& file : last_->files) bytes += file.kind == "trail" ? 0 : file.bytes;
    bytes_of_state = static_cast<double>(bytes) / static_cast<double>(last_->states);
    if (!last_->files_of("trail").empty()) with_paths = last_->states;
  }
  const uint64_t paths = has_paths ? states - std::min(states, with_paths) : 0;
  return static_cast<uint64_t>(bytes_of_state * static_cast<double>(states)) + kBytesOfPath * paths;
}

Status Checkpoints::commit(CheckpointWriter& writer) {
  Status status = writer.status_;
  if (status.ok()) status = sync_directory(directory_);
  if (status.ok()) {
    const std::string name = manifest_name(writer.manifest_.epoch);
    status = write_durably(directory_, name, manifest_text(writer.manifest_));
  }
  if (!status.ok() && on_failure) on_failure(status.error());
  if (!status.ok()) return status;
  writer.committed_ = true;
  follow(std::move(writer.manifest_));
  if (on_commit) on_commit(*last_);
  return Success{};
}

void Checkpoints::conclude(const std::string& verdict, uint64_t states, uint64_t transitions) {
  if (!kept_) kept_ = begin();
  Manifest& manifest = kept_->manifest();
  manifest.complete = true;
  manifest.verdict = verdict;
  manifest.states = states;
  manifest.transitions = transitions;
  // Nothing of it is open.
  std::erase_if(manifest.files, [](const CheckpointFile& file) {
    return file.kind == "open" || file.kind == "result" || file.kind == "trail";
  });
}

Status Checkpoints::commit_end() {
  if (!kept_ || !kept_->manifest().complete) return Success{};
  Status status = commit(*kept_);
  kept_.reset();
  return status;
}

// What the last two do not name, and only that has a name of ours.
void Checkpoints::remove_others() const {
  std::vector<std::string> names = file_names(*last_);
  names.insert(names.end(), before_.begin(), before_.end());
  remove_checkpoints_but(names, directory_);
}

Result<RunOverview> look_at_run(const std::string& directory) {
  RunOverview overview;
  CMC_TRY(overview.run, read_run(directory));
  std::error_code ignored;
  const std::string lock = fmt::format("{}/{}", directory, kLockFile);
  if (const int file = ::open(lock.c_str(), O_RDONLY | O_CLOEXEC); file >= 0) {
    const Result<std::string> holder = read_file(lock);
    if (FileLock().take(file) == FileLock::Outcome::kHeldElsewhere && holder.ok())
      overview.user = holder_in(holder.value());
  }
  for (const uint64_t epoch : epochs_in(directory)) {
    RunOverview::Checkpoint checkpoint;
    checkpoint.epoch = epoch;
    Result<Manifest> manifest = read_manifest(directory, epoch);
    if (manifest.ok()) {
      checkpoint.manifest = std::move(manifest).value();
      checkpoint.whole = verify_files(directory, checkpoint.manifest);
      for (const CheckpointFile& each : checkpoint.manifest.files) checkpoint.bytes += each.bytes;
    } else {
      checkpoint.whole = Error{manifest.error()};
    }
    // A search that goes on removes older ones meanwhile.
    const std::string name = fmt::format("{}/{}", directory, manifest_name(epoch));
    if (checkpoint.whole.ok() || fs::exists(name, ignored)) overview.checkpoints.push_back(std::move(checkpoint));
  }
  return overview;
}

}  // namespace cmc
