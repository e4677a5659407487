#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/check.h"
#include "base/result.h"
#include "storage/files/file_system.h"

// Open states that do not fit in memory: a queue and a stack of records whose middle, or bottom, is in a file.

namespace cmc {

// A file of chunks of one size, each with a header that says what it is: a damaged, misplaced or outdated chunk is an
// error. The file comes into being with the first chunk, and goes with the object. Not thread-safe.
class ChunkFile {
 public:
  struct Header {
    static constexpr uint32_t kMagic = 0x4b434d43;  // "CMCK"
    uint32_t magic = kMagic;
    uint32_t crc = 0;  // CRC-32 of header and content, this field 0
    uint64_t slot = 0;
    uint64_t sequence = 0;
    uint32_t bytes = 0;  // of the content
    uint32_t file = 0;  // CRC-32 of the file's path: chunks of several files have the same slots and sequence numbers
  };
  static_assert(sizeof(Header) == 32);

  struct Place {
    uint64_t sequence = 0;  // tells different contents of a slot apart; 0: nowhere
    uint32_t slot = 0;
  };

  // chunk_bytes: of the content.
  ChunkFile(FileSystem& files, std::string path, size_t chunk_bytes)
      : files_(files), path_(std::move(path)), chunk_bytes_(chunk_bytes) {}
  ~ChunkFile();
  ChunkFile(const ChunkFile&) = delete;
  ChunkFile& operator=(const ChunkFile&) = delete;

  // In place of what is there; from nowhere `place` becomes a free one.
  [[nodiscard]] Status write(Place& place, ByteView content);
  // Exactly the content that was written.
  [[nodiscard]] Status read(const Place& place, std::span<std::byte> content);
  void read_ahead(const Place& place);
  // What is there is needed no more; `place` is nowhere.
  void free(Place& place);
  [[nodiscard]] uint64_t chunks() const { return slots_ - free_slots_.size(); }
  [[nodiscard]] size_t chunk_bytes() const { return chunk_bytes_; }
  [[nodiscard]] uint64_t memory_bytes() const {
    return buffer_.capacity() + free_slots_.capacity() * sizeof(uint32_t);
  }

 private:
  [[nodiscard]] uint64_t offset(const Place& place) const { return place.slot * (sizeof(Header) + chunk_bytes_); }

  FileSystem& files_;
  const std::string path_;
  const size_t chunk_bytes_;
  std::unique_ptr<File> file_;
  Bytes buffer_;
  uint64_t sequence_ = 0;  // of the last write
  uint32_t slots_ = 0;
  std::vector<uint32_t> free_slots_;
};

// How many records a chunk has, and how many chunks stay in RAM: at least 2, of at most 256 KB.
struct SpillGeometry {
  SpillGeometry(uint64_t memory_bytes, size_t record_bytes);
  size_t chunk_records = 1;
  size_t chunks = 2;
};

// First in, first out. The oldest and the newest records are in RAM; as long as all fit, there is no file. Each
// record is written once and read once, in chunks whose places in the file are used again. Not thread-safe; after an
// error it is not usable any more.
template <class Record>
class SpillQueue {
  static_assert(std::is_trivially_copyable_v<Record>);

 public:
  using Entry = Record;

  SpillQueue(FileSystem& files, const std::string& path, uint64_t memory_bytes)
      : geometry_(memory_bytes, sizeof(Record)), file_(files, path, geometry_.chunk_records * sizeof(Record)) {}

  [[nodiscard]] Status push(const Record& record) {
    if (back_.size() == geometry_.chunk_records) {
      if (Status status = put_away_back(); !status.ok()) return status;
    }
    if (back_.capacity() == 0) back_.reserve(geometry_.chunk_records);
    back_.push_back(record);
    ++size_;
    return Success{};
  }
  // False: it is empty.
  [[nodiscard]] Result<bool> pop(Record& record) {
    if (size_ == 0) return false;
    DCHECK(taken_ <= front_.size());
    if (taken_ == front_.size()) {
      if (Status status = fetch_front(); !status.ok()) return Error{status.error()};
    }
    record = front_[taken_++];
    --size_;
    return true;
  }
  // visit(record) for each, the oldest first, until it returns an error; they stay.
  template <class Visit>
  [[nodiscard]] Status for_each(Visit&& visit) {
    const auto visit_all = [&](std::span<const Record> records) {
      Status status = Success{};
      for (size_t i = 0; status.ok() && i < records.size(); ++i) status = visit(records[i]);
      return status;
    };
    Status status = visit_all(std::span(front_).subspan(taken_));
    for (size_t i = 0; status.ok() && i < full_.size(); ++i) status = visit_all(full_[i]);
    std::vector<Record> chunk(in_file_.empty() ? 0 : geometry_.chunk_records);
    for (size_t i = 0; status.ok() && i < in_file_.size(); ++i) {
      status = file_.read(in_file_[i], std::as_writable_bytes(std::span(chunk)));
      if (status.ok()) status = visit_all(chunk);
    }
    return status.ok() ? visit_all(back_) : status;
  }
  [[nodiscard]] uint64_t size() const { return size_; }
  [[nodiscard]] uint64_t memory_bytes() const {
    return (full_.size() + 2) * geometry_.chunk_records * sizeof(Record) + file_.memory_bytes() +
           in_file_.size() * sizeof(ChunkFile::Place);
  }
  // REQUIRES: no error.
  void check_invariants() const {
    uint64_t records = front_.size() - taken_ + in_file_.size() * geometry_.chunk_records + back_.size();
    for (const std::vector<Record>& chunk : full_) records += chunk.size();
    CHECK(taken_ <= front_.size() && back_.size() <= geometry_.chunk_records);
    CHECK(records == size_);
    CHECK(in_file_.size() == file_.chunks());
  }

 private:
  // Behind all others: to RAM, if nothing is in the file and there is room.
  [[nodiscard]] Status put_away_back() {
    if (in_file_.empty() && full_.size() + 2 < geometry_.chunks) {
      full_.push_back(std::exchange(back_, {}));
      return Success{};
    }
    ChunkFile::Place place;
    const Status status = file_.write(place, std::as_bytes(std::span(back_)));
    if (!status.ok()) return status;
    in_file_.push_back(place);
    back_.clear();
    return Success{};
  }
  [[nodiscard]] Status fetch_front() {
    taken_ = 0;
    if (!full_.empty()) {
      front_ = std::move(full_.front());
      full_.pop_front();
    } else if (!in_file_.empty()) {
      front_.resize(geometry_.chunk_records);
      Status status = file_.read(in_file_.front(), std::as_writable_bytes(std::span(front_)));
      if (!status.ok()) return status;
      file_.free(in_file_.front());
      in_file_.pop_front();
      if (!in_file_.empty()) file_.read_ahead(in_file_.front());
    } else {
      front_.clear();
      front_.swap(back_);
    }
    return Success{};
  }

  const SpillGeometry geometry_;
  ChunkFile file_;
  std::vector<Record> front_;  // from taken_ on
  size_t taken_ = 0;
  std::deque<std::vector<Record>> full_;
  std::deque<ChunkFile::Place> in_file_;
  std::vector<Record> back_;
  uint64_t size_ = 0;
};

// Last in, first out. The top is in RAM. Each record is written once at most before it is read; a stack that goes up
// and down by less than a chunk does no I/O. Not thread-safe; after an error it is not usable any more.
template <class Record>
class SpillStack {
  static_assert(std::is_trivially_copyable_v<Record>);

 public:
  SpillStack(FileSystem& files, const std::string& path, uint64_t memory_bytes)
      : geometry_(memory_bytes, sizeof(Record)), file_(files, path, geometry_.chunk_records * sizeof(Record)) {}

  [[nodiscard]] Status push(const Record& record) {
    if (chunks_.empty() || chunks_.back().size() == geometry_.chunk_records) {
      if (chunks_.size() == geometry_.chunks) {
        if (Status status = put_away_bottom(); !status.ok()) return status;
      }
      chunks_.emplace_back().reserve(geometry_.chunk_records);
    }
    chunks_.back().push_back(record);
    ++size_;
    return Success{};
  }
  // False: it is empty.
  [[nodiscard]] Result<bool> pop(Record& record) {
    if (size_ == 0) return false;
    if (chunks_.empty()) {
      if (Status status = fetch_top(); !status.ok()) return Error{status.error()};
    }
    record = chunks_.back().back();
    chunks_.back().pop_back();
    if (chunks_.back().empty()) chunks_.pop_back();
    --size_;
    return true;
  }
  // visit(record) for each, from the bottom to the top, until it returns an error.
  template <class Visit>
  [[nodiscard]] Status for_each(Visit&& visit) {
    std::vector<Record> chunk(in_file_.empty() ? 0 : geometry_.chunk_records);
    for (const ChunkFile::Place& place : in_file_) {
      Status status = file_.read(place, std::as_writable_bytes(std::span(chunk)));
      for (size_t i = 0; status.ok() && i < chunk.size(); ++i) status = visit(chunk[i]);
      if (!status.ok()) return status;
    }
    for (const std::vector<Record>& each : chunks_) {
      for (const Record& record : each) {
        if (Status status = visit(record); !status.ok()) return status;
      }
    }
    return Success{};
  }
  [[nodiscard]] uint64_t size() const { return size_; }
  [[nodiscard]] uint64_t memory_bytes() const {
    return chunks_.size() * geometry_.chunk_records * sizeof(Record) + file_.memory_bytes() +
           in_file_.capacity() * sizeof(ChunkFile::Place);
  }
  // REQUIRES: no error.
  void check_invariants() const {
    uint64_t records = in_file_.size() * geometry_.chunk_records;
    for (size_t i = 0; i < chunks_.size(); ++i) {
      CHECK(!chunks_[i].empty());
      CHECK(i + 1 == chunks_.size() || chunks_[i].size() == geometry_.chunk_records);
      records += chunks_[i].size();
    }
    CHECK(records == size_);
    CHECK(chunks_.size() <= geometry_.chunks);
    CHECK(in_file_.size() == file_.chunks());
  }

 private:
  [[nodiscard]] Status put_away_bottom() {
    DCHECK(chunks_.front().size() == geometry_.chunk_records);
    ChunkFile::Place place;
    Status status = file_.write(place, std::as_bytes(std::span(chunks_.front())));
    if (!status.ok()) return status;
    in_file_.push_back(place);
    chunks_.pop_front();
    return Success{};
  }
  [[nodiscard]] Status fetch_top() {
    DCHECK(!in_file_.empty());
    std::vector<Record> top(geometry_.chunk_records);
    Status status = file_.read(in_file_.back(), std::as_writable_bytes(std::span(top)));
    if (!status.ok()) return status;
    file_.free(in_file_.back());
    in_file_.pop_back();
    chunks_.push_back(std::move(top));
    if (!in_file_.empty()) file_.read_ahead(in_file_.back());
    return Success{};
  }

  const SpillGeometry geometry_;
  ChunkFile file_;
  std::deque<std::vector<Record>> chunks_;  // the last one is the top; none is empty
  std::vector<ChunkFile::Place> in_file_;
  uint64_t size_ = 0;
};

}  // namespace cmc
