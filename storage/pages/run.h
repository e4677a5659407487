#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "storage/files/file_system.h"
#include "storage/files/kept_file.h"
#include "storage/pages/page_entries.h"
#include "storage/sets/key.h"

namespace cmc {

// What the partitions of one store share. Not thread-safe.
struct RunContext {
  RunContext(const StoreOptions& options, unsigned key_words, FileSystem& files_)
      : files(files_),
        directory(options.directory),
        access(options.io),
        format(PageFormat::of(options, key_words)),
        chunk_bytes(chunk_bytes_for(options.write_buffer_bytes, options.page_bytes)),
        keep_open(options.keep_open) {}

  // A read or a write of 256 KB takes a disk hardly longer than one of a page.
  static constexpr uint64_t kMostChunkBytes = uint64_t{256} << 10;
  static uint64_t chunk_bytes_for(uint64_t write_buffer_bytes, uint64_t page_bytes) {
    return std::max(page_bytes, std::min(write_buffer_bytes / 32, kMostChunkBytes));
  }

  FileSystem& files;
  const std::string directory;
  const FileAccess access;
  const PageFormat format;
  const uint64_t chunk_bytes;  // of one read or write, if a page is not longer
  const bool keep_open;
  uint64_t pages_written = 0;
  uint64_t pages_read = 0;
  uint64_t bytes_written = 0;
  uint64_t bytes_read = 0;
};

// A file of pages in ascending order, complete. What is kept in RAM: where each page is and with what it begins.
template <unsigned W>
struct Run {
  struct Fence {
    Key<W> first{};  // PageFormat::place_of
    uint64_t offset = 0;
  };

  uint32_t partition = 0;
  uint64_t number = 0;
  unsigned level = 0;
  std::string path;
  std::vector<Fence> pages;
  uint64_t entries = 0;
  uint64_t bytes = 0;
  mutable KeptFile file{};  // if it is read often

  void check_invariants() const {
    CHECK(!pages.empty() && entries >= pages.size() && pages.front().offset == 0);
    for (size_t i = 0; i < pages.size(); ++i) {
      CHECK(pages[i].offset + sizeof(PageHeader) < end(i));
      if (i > 0) CHECK(!(pages[i].first < pages[i - 1].first));
    }
  }

  // Offset of what is behind it.
  [[nodiscard]] uint64_t end(size_t page) const { return page + 1 < pages.size() ? pages[page + 1].offset : bytes; }
  [[nodiscard]] PagePlace place(size_t page) const { return {partition, number, page, pages[page].offset}; }
};

// Writes one.
template <unsigned W>
class RunWriter {
 public:
  RunWriter(RunContext& context, uint32_t partition, uint64_t number, unsigned level)
      : context_(context), builder_(context.format, level > 0) {
    run_.partition = partition;
    run_.number = number;
    run_.level = level;
    run_.path = fmt::format("{}/p{}.{}", context.directory, partition, number);
  }

  // Into that file, whose content is not needed any more; or, if it is "", into a new one.
  [[nodiscard]] Status open(const std::string& spare = {}) {
    reuses_ = !spare.empty();
    if (reuses_) run_.path = spare;
    CMC_TRY(file_, context_.files.open(run_.path, reuses_ ? FileSystem::Open::kExisting : FileSystem::Open::kCreate,
                                       context_.access));
    slots_.reserve(context_.chunk_bytes + context_.format.page_bytes);
    return Success{};
  }
  // In ascending order.
  [[nodiscard]] Status add(const SortKey<W>& entry, ByteView vector) {
    while (!builder_.fits(vector)) {
      if (Status status = finish_page(); !status.ok()) return status;
    }
    DCHECK(run_.entries == 0 || !(entry < last_));
    last_ = entry;
    builder_.add(entry, vector);
    ++run_.entries;
    return Success{};
  }
  // The same of the codec kKeys.
  [[nodiscard]] Status add(std::span<const Key<W>> keys) {
    while (!keys.empty()) {
      while (builder_.room_for_keys() == 0) {
        if (Status status = finish_page(); !status.ok()) return status;
      }
      const size_t count = std::min(keys.size(), builder_.room_for_keys());
      builder_.add_keys(keys.first(count));
      run_.entries += count;
      keys = keys.subspan(count);
    }
    return Success{};
  }
  // The run, without its file in stable storage yet.
  [[nodiscard]] Result<Run<W>> finish() {
    while (!builder_.empty()) {
      if (Status status = finish_page(); !status.ok()) return Error{status.error()};
    }
    if (Status status = flush(); !status.ok()) return Error{status.error()};
    if (reuses_) {
      if (Status status = file_->truncate(written_); !status.ok()) return Error{status.error()};
    }
    if (Status status = file_->close(); !status.ok()) return Error{status.error()};
    run_.bytes = written_;
    run_.pages.shrink_to_fit();
    return std::move(run_);
  }
  [[nodiscard]] const std::string& path() const { return run_.path; }

 private:
  [[nodiscard]] Status finish_page() {
    const size_t begin = slots_.size();
    typename Run<W>::Fence fence;
    fence.offset = written_ + begin;
    fence.first = context_.format.place_of(builder_.first());
    builder_.finish({run_.partition, run_.number, run_.pages.size(), fence.offset}, slots_);
    run_.pages.push_back(fence);
    ++context_.pages_written;
    return slots_.size() >= context_.chunk_bytes ? flush() : Success{};
  }
  [[nodiscard]] Status flush() {
    if (slots_.empty()) return Success{};
    ByteView bytes = slots_;
    if (context_.access == FileAccess::kDirect) {
      aligned_.reserve(slots_.size());
      std::copy(slots_.begin(), slots_.end(), aligned_.data());
      bytes = aligned_.first(slots_.size());
    }
    if (Status status = file_->write(written_, bytes); !status.ok()) return status;
    written_ += bytes.size();
    context_.bytes_written += bytes.size();
    slots_.clear();
    return Success{};
  }

  RunContext& context_;
  PageBuilder<W> builder_;
  Run<W> run_;
  std::unique_ptr<File> file_;
  Bytes slots_;
  AlignedBuffer aligned_;
  uint64_t written_ = 0;
  bool reuses_ = false;
  SortKey<W> last_;  // entry
};

// Reads pages of a run that are asked for in ascending order, as many at once as a chunk has, and asks for the next
// chunk meanwhile (posix_fadvise).
template <unsigned W>
class RunReader {
 public:
  explicit RunReader(RunContext& context) : context_(context), cursor_(context.format) {}
  ~RunReader() { give_back(); }
  RunReader(const RunReader&) = delete;
  RunReader& operator=(const RunReader&) = delete;

  // The run has to stay as long as this does. `wanted`: ascending numbers of its pages; a gap that is no longer than
  // a chunk is read too.
  [[nodiscard]] Status open(const Run<W>& run, std::vector<uint32_t> wanted) {
    give_back();
    file_ = run.file.take();
    if (file_ == nullptr) {
      CMC_TRY(file_, context_.files.open(run.path, FileSystem::Open::kExisting, context_.access));
    }
    run_ = &run;
    DCHECK(std::ranges::is_sorted(wanted));
    wanted_ = std::move(wanted);
    next_ = 0;
    chunk_ = chunk_from(0);
    return Success{};
  }
  [[nodiscard]] Status open(const Run<W>& run) {
    std::vector<uint32_t> all(run.pages.size());
    for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<uint32_t>(i);
    return open(run, std::move(all));
  }

  // Opens the next wanted page; false: there is none left.
  [[nodiscard]] Result<bool> next_page() {
    if (next_ == wanted_.size()) return false;
    if (next_ == chunk_.end || !chunk_read_) {
      if (chunk_read_) chunk_ = chunk_from(next_);
      if (Status status = read_chunk(); !status.ok()) return Error{status.error()};
    }
    page_ = wanted_[next_++];
    DCHECK(page_ < run_->pages.size());
    const uint64_t offset = run_->pages[page_].offset;
    const ByteView slot = buffer_.first(chunk_.bytes).subspan(offset - chunk_.offset, run_->end(page_) - offset);
    Status status = cursor_.open(slot, run_->place(page_), run_->path);
    if (!status.ok()) return Error{status.error()};
    return true;
  }
  [[nodiscard]] uint32_t page() const { return page_; }
  [[nodiscard]] PageCursor<W>& cursor() { return cursor_; }

  // Reads the next keys of all wanted pages; returns how many, 0 if none is left. REQUIRES: the codec is kKeys.
  [[nodiscard]] Result<size_t> next_keys(std::span<Key<W>> to) {
    for (;;) {
      if (const size_t count = cursor_.read_keys(to); count > 0) return count;
      CMC_TRY(const bool more, next_page());
      if (!more) return size_t{0};
    }
  }
  // The next entry of all wanted pages; false: there is none, or status() is an error.
  [[nodiscard]] bool next() {
    while (!cursor_.next()) {
      status_ = cursor_.status(run_->path);
      if (!status_.ok()) return false;
      const Result<bool> more = next_page();
      if (!more.ok()) status_ = Error{more.error()};
      if (!more.ok() || !more.value()) return false;
    }
    return true;
  }
  [[nodiscard]] const Status& status() const { return status_; }

 private:
  struct Chunk {
    size_t end = 0;  // index in wanted_
    uint64_t offset = 0;
    uint64_t bytes = 0;
  };

  void give_back() {
    if (file_ != nullptr && context_.keep_open) run_->file.keep(std::move(file_));
  }
  [[nodiscard]] Chunk chunk_from(size_t begin) const {
    if (begin == wanted_.size()) return {begin, 0, 0};
    Chunk chunk{begin, run_->pages[wanted_[begin]].offset, 0};
    for (; chunk.end < wanted_.size(); ++chunk.end) {
      const uint64_t bytes = run_->end(wanted_[chunk.end]) - chunk.offset;
      if (chunk.bytes > 0 && bytes > context_.chunk_bytes) break;
      chunk.bytes = bytes;
    }
    return chunk;
  }
  [[nodiscard]] Status read_chunk() {
    buffer_.reserve(std::max(chunk_.bytes, context_.chunk_bytes));
    if (Status status = file_->read(chunk_.offset, buffer_.first(chunk_.bytes)); !status.ok()) return status;
    chunk_read_ = true;
    context_.pages_read += chunk_.end - next_;
    context_.bytes_read += chunk_.bytes;
    if (chunk_.end < wanted_.size()) {
      const Chunk ahead = chunk_from(chunk_.end);
      file_->read_ahead(ahead.offset, ahead.bytes);
    }
    return Success{};
  }

  RunContext& context_;
  PageCursor<W> cursor_;
  std::unique_ptr<File> file_;
  const Run<W>* run_ = nullptr;
  std::vector<uint32_t> wanted_;
  size_t next_ = 0;  // index in wanted_
  uint32_t page_ = 0;
  Chunk chunk_;
  bool chunk_read_ = false;
  AlignedBuffer buffer_;
  Status status_ = Success{};
};

}  // namespace cmc
