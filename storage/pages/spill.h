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

  // chunk_bytes: of the content.
  ChunkFile(FileSystem& files, std::string path, size_t chunk_bytes)
      : files_(files), path_(std::move(path)), chunk_bytes_(chunk_bytes) {}
  ~ChunkFile();
  ChunkFile(const ChunkFile&) = delete;
  ChunkFile& operator=(const ChunkFile&) = delete;

  // `sequence` tells different contents of a slot apart.
  [[nodiscard]] Status write(uint64_t slot, uint64_t sequence, ByteView content);
  // Exactly the content that was written.
  [[nodiscard]] Status read(uint64_t slot, uint64_t sequence, std::span<std::byte> content);
  void read_ahead(uint64_t slot);
  [[nodiscard]] size_t chunk_bytes() const { return chunk_bytes_; }
  [[nodiscard]] uint64_t memory_bytes() const { return buffer_.capacity(); }

 private:
  [[nodiscard]] uint64_t offset(uint64_t slot) const { return slot * (sizeof(Header) + chunk_bytes_); }

  FileSystem& files_;
  const std::string path_;
  const size_t chunk_bytes_;
  std::unique_ptr<File> file_;
  Bytes buffer_;
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
  [[nodiscard]] uint64_t size() const { return size_; }
  [[nodiscard]] uint64_t memory_bytes() const {
    return (full_.size() + 2) * geometry_.chunk_records * sizeof(Record) + file_.memory_bytes() +
           in_file_.size() * sizeof(Place) + free_.capacity() * sizeof(uint64_t);
  }
  // REQUIRES: no error.
  void check_invariants() const {
    uint64_t records = front_.size() - taken_ + in_file_.size() * geometry_.chunk_records + back_.size();
    for (const std::vector<Record>& chunk : full_) records += chunk.size();
    CHECK(taken_ <= front_.size() && back_.size() <= geometry_.chunk_records);
    CHECK(records == size_);
    CHECK(in_file_.size() + free_.size() == slots_);
  }

 private:
  struct Place {
    uint64_t slot = 0;
    uint64_t sequence = 0;
  };

  // Behind all others: to RAM, if nothing is in the file and there is room.
  [[nodiscard]] Status put_away_back() {
    if (in_file_.empty() && full_.size() + 2 < geometry_.chunks) {
      full_.push_back(std::exchange(back_, {}));
      return Success{};
    }
    Place place{slots_, sequence_++};
    if (free_.empty()) {
      ++slots_;
    } else {
      place.slot = free_.back();
      free_.pop_back();
    }
    const Status status = file_.write(place.slot, place.sequence, std::as_bytes(std::span(back_)));
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
      const Place place = in_file_.front();
      front_.resize(geometry_.chunk_records);
      Status status = file_.read(place.slot, place.sequence, std::as_writable_bytes(std::span(front_)));
      if (!status.ok()) return status;
      in_file_.pop_front();
      free_.push_back(place.slot);
      if (!in_file_.empty()) file_.read_ahead(in_file_.front().slot);
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
  std::deque<Place> in_file_;
  std::vector<Record> back_;
  std::vector<uint64_t> free_;  // slots
  uint64_t slots_ = 0;
  uint64_t sequence_ = 0;
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
    std::vector<Record> chunk(sequences_.empty() ? 0 : geometry_.chunk_records);
    for (size_t slot = 0; slot < sequences_.size(); ++slot) {
      Status status = file_.read(slot, sequences_[slot], std::as_writable_bytes(std::span(chunk)));
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
           sequences_.capacity() * sizeof(uint64_t);
  }
  // REQUIRES: no error.
  void check_invariants() const {
    uint64_t records = sequences_.size() * geometry_.chunk_records;
    for (size_t i = 0; i < chunks_.size(); ++i) {
      CHECK(!chunks_[i].empty());
      CHECK(i + 1 == chunks_.size() || chunks_[i].size() == geometry_.chunk_records);
      records += chunks_[i].size();
    }
    CHECK(records == size_);
    CHECK(chunks_.size() <= geometry_.chunks);
    CHECK(sequences_.size() <= sequence_);
  }

 private:
  [[nodiscard]] Status put_away_bottom() {
    DCHECK(chunks_.front().size() == geometry_.chunk_records);
    const uint64_t sequence = sequence_++;
    Status status = file_.write(sequences_.size(), sequence, std::as_bytes(std::span(chunks_.front())));
    if (!status.ok()) return status;
    sequences_.push_back(sequence);
    chunks_.pop_front();
    return Success{};
  }
  [[nodiscard]] Status fetch_top() {
    DCHECK(!sequences_.empty());
    std::vector<Record> top(geometry_.chunk_records);
    const uint64_t slot = sequences_.size() - 1;
    Status status = file_.read(slot, sequences_.back(), std::as_writable_bytes(std::span(top)));
    if (!status.ok()) return status;
    sequences_.pop_back();
    chunks_.push_back(std::move(top));
    if (slot > 0) file_.read_ahead(slot - 1);
    return Success{};
  }

  const SpillGeometry geometry_;
  ChunkFile file_;
  std::deque<std::vector<Record>> chunks_;  // the last one is the top; none is empty
  std::vector<uint64_t> sequences_;         // of the chunks in the file
  uint64_t sequence_ = 0;
  uint64_t size_ = 0;
};

}  // namespace cmc
