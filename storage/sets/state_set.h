#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "storage/sets/chunked_array.h"

namespace cmc {

// An exact set of byte vectors of any length in RAM, numbered 0, 1, ... in the order of their first insertion.
// Vectors are equal iff they are equal behind their first `hidden_bytes` bytes; the hidden part that came first is
// kept.
//
// The idea: vectors lie one behind the other in chunks that never move. The index is 256 hash tables of 64-bit slots:
// 32 bits of hash, then the vector's number. In each table a hash has its home at (hash * capacity) / 2^32, and the
// slots are kept sorted (linear probing in order: Amble and Knuth 1974). So a search ends at the first larger slot, a
// wrong candidate (equal 32 bits) is rare, and a table grows by reading its slots in order, without touching a
// vector. Tables grow one at a time, by a quarter, each at its own moment: no pause is longer than a 256th of the
// whole, and growing needs as little memory beyond what is there.
//
// Memory per vector: its bytes, 1 for its length (3 or 5 if it has more than 251), 1 for its place, and 9.4 to 11.8
// for the slot. On peterson4 (12.6 million states of 36 bytes, 47.6 million transitions, a shared virtual machine)
// two thirds of the search's 10 CPU seconds are spent here, most of it waiting for the slots' and the vectors' cache
// lines; the batch's prefetches overlap these waits. Huge pages for tables and chunks did not pay there.
//
// Not thread-safe. Errs never (exact).
class StateSet {
 public:
  using Id = uint32_t;
  static constexpr uint64_t kMaxSize = 0xffffffff;  // the largest number marks a free slot

  struct Inserted {
    Id id = 0;
    bool is_new = false;
    bool hidden_differs = false;  // not new, and the one that is there has another hidden part
  };

  explicit StateSet(size_t hidden_bytes = 0);

  // REQUIRES for all that take a state: state.size() >= hidden_bytes. `hash` is hash(state).
  [[nodiscard]] uint64_t hash(ByteView state) const;
  [[nodiscard]] std::optional<Id> find(ByteView state) const;

  // REQUIRES: size() < kMaxSize.
  Inserted insert(ByteView state, uint64_t hash);
  Inserted insert(ByteView state) { return insert(state, hash(state)); }

  // Hints that insert() will follow: to be called for a whole batch, first the one, then the other.
  void prefetch_slot(uint64_t hash) const;
  void prefetch_candidate(uint64_t hash) const;

  // The vector with its hidden part; valid as long as the set lives. REQUIRES: id < size().
  [[nodiscard]] ByteView get(Id id) const;

  // Replaces the hidden part. REQUIRES: id < size(), hidden.size() == hidden_bytes.
  void replace_hidden(Id id, ByteView hidden);

  [[nodiscard]] uint64_t size() const { return size_; }
  [[nodiscard]] uint64_t memory_bytes() const { return table_bytes_ + chunk_bytes_ + blocks_.memory_bytes(); }
  // An upper bound of what one insertion of a vector of `bytes` bytes can add to memory_bytes(), for a moment.
  [[nodiscard]] uint64_t growth_bytes(uint64_t bytes) const;

 private:
  static constexpr unsigned kTableBits = 8;
  static constexpr uint64_t kFreeSlot = ~uint64_t{0};

  struct Table {
    std::unique_ptr<uint64_t[]> slots;  // capacity, then a tail for what probes beyond; the last is always free
    uint32_t capacity = 0;
    uint32_t slot_count = 0;
    uint32_t used = 0;
    uint32_t limit = 0;  // grows when it holds more
  };

  // Where eight successive vectors lie: address of the first in the upper 48 bits (chunk << kChunkBits | offset), and
  // the distance between them in the lower 16; 0: it differs, and they must be walked through.
  using Block = uint64_t;
  static constexpr unsigned kBlockBits = 3;
  static constexpr unsigned kChunkBits = 20;

  [[nodiscard]] static uint64_t home(const Table& table, uint64_t slot) {
    return ((slot >> 32) * table.capacity) >> 32;
  }
  [[nodiscard]] static uint64_t slot_key(uint64_t hash) { return (hash >> 24) << 32; }
  [[nodiscard]] const Table& table_of(uint64_t hash) const { return tables_[hash >> (64 - kTableBits)]; }
  [[nodiscard]] ByteView identity(ByteView state) const { return state.subspan(hidden_bytes_); }

  static Table make_table(uint32_t capacity, uint32_t tail);
  [[nodiscard]] static bool fill_table(const Table& from, Table& to);
  void grow_table(Table& table);
  void place_slot(Table& table, uint64_t slot);

  // The place of the first slot of `table` that is not smaller than `key`.
  [[nodiscard]] static uint64_t lower_bound(const Table& table, uint64_t key);
  [[nodiscard]] std::optional<Id> find_from(const Table& table, uint64_t position, ByteView state,
                                            uint64_t key) const;

  void append_vector(ByteView state);
  [[nodiscard]] std::byte* record(Id id) const;

  size_t hidden_bytes_;
  std::array<Table, size_t{1} << kTableBits> tables_;
  std::vector<std::unique_ptr<std::byte[]>> chunks_;
  ChunkedArray<Block> blocks_;
  uint64_t size_ = 0;
  uint64_t free_offset_ = 0;  // in the last chunk
  uint64_t free_bytes_ = 0;   // there
  uint64_t table_bytes_ = 0;
  uint64_t chunk_bytes_ = 0;
};

}  // namespace cmc
