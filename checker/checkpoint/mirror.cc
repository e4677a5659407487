#include "checker/checkpoint/mirror.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "base/files/file.h"
#include "checker/checkpoint/run_names.h"

namespace cmc {
namespace {

constexpr uint64_t kPieceBytes = uint64_t{4} << 20;

// The first byte of a piece.
constexpr char kName = 'N';
constexpr char kData = 'D';
constexpr char kDigest = 'S';

// Of all ranks that have something there.
std::vector<std::string> folders_of(const std::string& mirror) {
  std::vector<std::string> folders;
  for (const std::string& name : names_in(mirror)) {
    if (name.starts_with("rank-")) folders.push_back(mirror + "/" + name);
  }
  return folders;
}

Status copy_text(const std::string& from, const std::string& to, const std::string& name) {
  CMC_TRY(const std::string text, read_file(from + "/" + name));
  return write_durably(to, name, text);
}

}  // namespace

std::string MirrorSource::next() {
  if (at_ == files_.size() || !status_.ok()) return {};
  const CheckpointFile& file = files_[at_];
  if (!file_) {
    file_.emplace(directory_, file);
    left_ = file.bytes;
    return kName + file.name;
  }
  if (left_ == 0) {
    file_.reset();
    ++at_;
    return kDigest + file.sha256;
  }
  std::string piece(1 + std::min(left_, kPieceBytes), kData);
  left_ -= piece.size() - 1;
  file_->raw(std::as_writable_bytes(std::span(piece).subspan(1)));
  if (file_->ok()) return piece;
  status_ = file_->status();
  return {};
}

MirrorFolder::MirrorFolder(const std::string& mirror, uint32_t rank)
    : directory_(fmt::format("{}/rank-{}", mirror, rank)) {
  std::error_code error;
  std::filesystem::create_directories(directory_, error);
  if (error) status_ = system_error("make the directory", directory_, error.value());
}

void MirrorFolder::fail(const Status& status) {
  if (status_.ok()) status_ = status;
}

void MirrorFolder::take(std::string_view piece) {
  const std::string_view rest = piece.substr(1);
  if (piece.front() == kName && rest.find('/') == std::string_view::npos) {
    file_.emplace(directory_, std::string(rest), "");
  } else if (piece.front() == kData && file_) {
    file_->raw(std::as_bytes(std::span(rest)));
  } else if (piece.front() == kDigest && file_) {
    const Result<CheckpointFile> written = file_->finish();
    file_.reset();
    if (!written.ok()) return fail(Error{written.error()});
    if (written.value().sha256 != rest)
      fail(Error{fmt::format("'{}/{}' is not what was sent", directory_, written.value().name)});
  } else {
    fail(Error{"what the rank before says of its files makes no sense"});
  }
}

Status MirrorFolder::commit(const Manifest& manifest, const std::string& run_text) {
  if (Status written = write_durably(directory_, kRunFile, run_text); !written.ok()) return written;
  if (Status written = write_durably(directory_, manifest_name(manifest.epoch), manifest_text(manifest));
      !written.ok())
    return written;
  std::vector<std::string> names;
  const std::vector<uint64_t> epochs = epochs_in(directory_);
  for (size_t i = 0; i < std::min<size_t>(epochs.size(), 2); ++i) {
    const Result<Manifest> kept = read_manifest(directory_, epochs[i]);
    if (!kept.ok()) continue;
    const std::vector<std::string> its = file_names(kept.value());
    names.insert(names.end(), its.begin(), its.end());
  }
  remove_checkpoints_but(names, directory_);
  return Success{};
}

void restore_manifests(const std::string& mirror, const std::string& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  const auto is_run = [](const std::string& folder) {
    const Result<std::string> text = read_file(fmt::format("{}/{}", folder, kRunFile));
    return text.ok() && parse_run_file(text.value()).ok();
  };
  for (const std::string& folder : folders_of(mirror)) {
    // What cannot be copied is missed by whoever opens the run.
    if (!is_run(directory) && is_run(folder)) static_cast<void>(copy_text(folder, directory, kRunFile));
    for (const uint64_t epoch : epochs_in(folder)) {
      if (!read_manifest(directory, epoch).ok() && read_manifest(folder, epoch).ok())
        static_cast<void>(copy_text(folder, directory, manifest_name(epoch)));
    }
  }
}

void restore_file(const std::string& mirror, const std::string& directory, const CheckpointFile& file) {
  if (verify_file(directory, file).ok()) return;
  for (const std::string& folder : folders_of(mirror)) {
    if (!verify_file(folder, file).ok()) continue;
    InStream from(folder, file);
    std::string piece;
    OutStream to(directory, file.name, file.kind);
    for (uint64_t left = file.bytes; left > 0 && from.ok(); left -= piece.size()) {
      piece.resize(std::min(left, kPieceBytes));
      from.raw(std::as_writable_bytes(std::span(piece)));
      to.raw(std::as_bytes(std::span(piece)));
    }
    if (to.finish().ok()) return;
  }
}

}  // namespace cmc
