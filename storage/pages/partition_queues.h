#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/check.h"
#include "storage/pages/spill.h"

namespace cmc {

// A queue (first in, first out) of records for each of some partitions. A partition's last chunk is in RAM, the
// others are in one file for all, each written once and read once: how many records wait does not depend on the
// memory. So many of them can be dealt with together that a partition's states on disk are worth going through
// (delayed duplicate detection; Korf, "Best-first frontier search with delayed duplicate detection", 2004). Not
// thread-safe; after an error it is not usable any more.
template <class Record>
class PartitionQueues {
  static_assert(std::is_trivially_copyable_v<Record>);

 public:
  // chunk_bytes: of each partition in RAM.
  PartitionQueues(FileSystem& files, std::string path, uint32_t partitions, uint64_t chunk_bytes)
      : chunk_records_(std::max<uint64_t>(1, chunk_bytes / sizeof(Record))),
        file_(files, std::move(path), chunk_records_ * sizeof(Record)),
        partitions_(partitions) {}

  [[nodiscard]] Status add(uint32_t partition, const Record& record) {
    DCHECK(partition < partitions_.size());
    Partition& to = partitions_[partition];
    if (to.last.size() == chunk_records_) {
      if (Status status = put_away(to); !status.ok()) return status;
    }
    if (to.last.capacity() == 0) {
      to.last.reserve(chunk_records_);
      chunk_bytes_ += to.last.capacity() * sizeof(Record);
    }
    to.last.push_back(record);
    ++to.size;
    return Success{};
  }

  // Removes the oldest: chunks, as many as `most` records have, at least one; visit(record) for each.
  template <class Visit>
  [[nodiscard]] Status take(uint32_t partition, uint64_t most, Visit&& visit) {
    Partition& from = partitions_[partition];
    uint64_t taken = 0;
    const auto fits = [&](uint64_t more) { return taken == 0 || taken + more <= most; };
    while (!from.in_file.empty() && fits(chunk_records_)) {
      read_.resize(chunk_records_);
      Status status = file_.read(from.in_file.front(), std::as_writable_bytes(std::span(read_)));
      if (!status.ok()) return status;
      file_.free(from.in_file.front());
      from.in_file.erase(from.in_file.begin());
      if (!from.in_file.empty()) file_.read_ahead(from.in_file.front());
      taken += deliver(from, read_, visit);
    }
    if (from.in_file.empty() && fits(from.last.size())) {
      deliver(from, from.last, visit);
      from.last.clear();
    }
    return Success{};
  }

  // visit(record) for each, the oldest first; they stay.
  template <class Visit>
  [[nodiscard]] Status visit(uint32_t partition, Visit&& visit) {
    const Partition& of = partitions_[partition];
    for (const ChunkFile::Place& place : of.in_file) {
      read_.resize(chunk_records_);
      Status status = file_.read(place, std::as_writable_bytes(std::span(read_)));
      if (!status.ok()) return status;
      for (const Record& record : read_) visit(record);
    }
    for (const Record& record : of.last) visit(record);
    return Success{};
  }

  // Whether all are in RAM.
  [[nodiscard]] bool in_memory(uint32_t partition) const { return partitions_[partition].in_file.empty(); }
  [[nodiscard]] uint64_t size(uint32_t partition) const { return partitions_[partition].size; }
  [[nodiscard]] uint32_t partitions() const { return static_cast<uint32_t>(partitions_.size()); }
  [[nodiscard]] uint64_t memory_bytes() const {
    return partitions_.capacity() * sizeof(Partition) + file_.memory_bytes() + read_.capacity() * sizeof(Record) +
           chunk_bytes_;
  }
  // REQUIRES: no error.
  void check_invariants() const {
    uint64_t in_file = 0;
    for (const Partition& partition : partitions_) {
      CHECK(partition.last.size() <= chunk_records_);
      CHECK(partition.size == partition.in_file.size() * chunk_records_ + partition.last.size());
      in_file += partition.in_file.size();
    }
    CHECK(in_file == file_.chunks());
  }

 private:
  struct Partition {
    std::vector<ChunkFile::Place> in_file;  // full chunks; few, and a deque takes 600 bytes before it has any
    std::vector<Record> last;
    uint64_t size = 0;
  };

  template <class Visit>
  static uint64_t deliver(Partition& from, const std::vector<Record>& records, Visit&& visit) {
    DCHECK(from.size >= records.size());
    for (const Record& record : records) visit(record);
    from.size -= records.size();
    return records.size();
  }
  [[nodiscard]] Status put_away(Partition& partition) {
    DCHECK(partition.last.size() == chunk_records_);
    ChunkFile::Place place;
    Status status = file_.write(place, std::as_bytes(std::span(partition.last)));
    if (!status.ok()) return status;
    const size_t places = partition.in_file.capacity();
    partition.in_file.push_back(place);
    chunk_bytes_ += (partition.in_file.capacity() - places) * sizeof(ChunkFile::Place);
    partition.last.clear();
    return Success{};
  }

  const uint64_t chunk_records_;
  ChunkFile file_;
  std::vector<Partition> partitions_;
  std::vector<Record> read_;
  uint64_t chunk_bytes_ = 0;  // of the partitions' chunks in RAM and of the places of the others
};

}  // namespace cmc
