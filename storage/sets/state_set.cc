#include "storage/sets/state_set.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/hash.h"

// A vector's record: its length in one byte, or kLength16 or kLength32 and the length in 2 or 4, then its bytes.
// kNextChunk in place of a length: the next vector is the first of the next chunk.

namespace cmc {

namespace {

constexpr uint8_t kMaxShortLength = 251;
constexpr uint8_t kLength16 = 252;
constexpr uint8_t kLength32 = 253;
constexpr uint8_t kNextChunk = 255;

constexpr uint32_t kSmallestTable = 64;
constexpr uint32_t kSmallestTail = 64;

uint64_t length_bytes(uint64_t size) { return size <= kMaxShortLength ? 1 : size <= 0xffff ? 3 : 5; }

uint8_t first_byte(const std::byte* record) { return static_cast<uint8_t>(*record); }

std::byte* vector_of(std::byte* record) {
  const uint8_t first = first_byte(record);
  return record + (first <= kMaxShortLength ? 1 : first == kLength16 ? 3 : 5);
}

uint64_t size_of(const std::byte* record) {
  const uint8_t first = first_byte(record);
  if (first <= kMaxShortLength) return first;
  return first == kLength16 ? load<uint16_t>(record + 1) : load<uint32_t>(record + 1);
}

std::byte* write_length(std::byte* record, uint64_t size) {
  if (size <= kMaxShortLength) {
    store(record, static_cast<uint8_t>(size));
  } else if (size <= 0xffff) {
    store(record, kLength16);
    store(record + 1, static_cast<uint16_t>(size));
  } else {
    store(record, kLength32);
    store(record + 1, static_cast<uint32_t>(size));
  }
  return record + length_bytes(size);
}

bool equal_bytes(ByteView a, ByteView b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0);
}

}  // namespace

StateSet::StateSet(size_t hidden_bytes) : hidden_bytes_(hidden_bytes) {
  // Capacities start spread over one growth step, and so stay spread: tables fill up, and grow, at different times.
  for (size_t i = 0; i < tables_.size(); ++i) {
    const auto spread = static_cast<uint32_t>(i * (kSmallestTable / 4) / tables_.size());
    tables_[i] = make_table(kSmallestTable + spread, kSmallestTail);
    table_bytes_ += tables_[i].slot_count * sizeof(uint64_t);
  }
}

uint64_t StateSet::hash(ByteView state) const { return hash_bytes(identity(state)); }

std::optional<StateSet::Id> StateSet::find(ByteView state) const {
  const uint64_t state_hash = hash(state);
  const Table& table = table_of(state_hash);
  const uint64_t key = slot_key(state_hash);
  return find_from(table, lower_bound(table, key), state, key);
}

StateSet::Inserted StateSet::insert(ByteView state, uint64_t hash) {
  Table& table = tables_[hash >> (64 - kTableBits)];
  const uint64_t key = slot_key(hash);
  if (const std::optional<Id> id = find_from(table, lower_bound(table, key), state, key)) {
    const bool differs = hidden_bytes_ > 0 && std::memcmp(get(*id).data(), state.data(), hidden_bytes_) != 0;
    return {*id, false, differs};
  }
  CHECK(size_ < kMaxSize);
  const Id id = static_cast<Id>(size_);
  append_vector(state);
  place_slot(table, key | id);
  return {id, true, false};
}

void StateSet::prefetch_slot(uint64_t hash) const {
  const Table& table = table_of(hash);
  __builtin_prefetch(table.slots.get() + home(table, slot_key(hash)));
}

void StateSet::prefetch_candidate(uint64_t hash) const {
  const Table& table = table_of(hash);
  const uint64_t key = slot_key(hash);
  const uint64_t slot = table.slots[lower_bound(table, key)];
  if (slot >> 32 != key >> 32 || slot == kFreeSlot) return;
  const Id id = static_cast<Id>(slot);
  const Block block = blocks_[id >> kBlockBits];
  const uint64_t address = (block >> 16) + (block & 0xffff) * (id & ((1U << kBlockBits) - 1));
  const std::byte* const start = chunks_[address >> kChunkBits].get() + (address & ((1U << kChunkBits) - 1));
  __builtin_prefetch(start);
  __builtin_prefetch(start + 63);
}

ByteView StateSet::get(Id id) const {
  std::byte* const start = record(id);
  return {vector_of(start), size_of(start)};
}

void StateSet::replace_hidden(Id id, ByteView hidden) {
  DCHECK(hidden.size() == hidden_bytes_);
  if (hidden_bytes_ > 0) std::memcpy(vector_of(record(id)), hidden.data(), hidden_bytes_);
}

uint64_t StateSet::growth_bytes(uint64_t bytes) const {
  uint64_t largest = 0;
  for (const Table& table : tables_) largest = std::max<uint64_t>(largest, table.slot_count);
  return std::max(uint64_t{1} << kChunkBits, bytes + 6) + 2 * largest * sizeof(uint64_t) + blocks_.growth_bytes();
}

StateSet::Table StateSet::make_table(uint32_t capacity, uint32_t tail) {
  Table table;
  table.capacity = capacity;
  table.slot_count = capacity + tail;
  table.limit = capacity - capacity / 20 * 3;  // 85 %: beyond, insertions become slow
  table.slots = std::make_unique_for_overwrite<uint64_t[]>(table.slot_count);
  std::fill_n(table.slots.get(), table.slot_count, kFreeSlot);
  return table;
}

// Moves all slots to the empty table `to`; false if a run of slots would reach its end.
bool StateSet::fill_table(const Table& from, Table& to) {
  uint64_t next = 0;
  for (uint64_t i = 0; i < from.slot_count; ++i) {
    const uint64_t slot = from.slots[i];
    if (slot == kFreeSlot) continue;
    next = std::max(next, home(to, slot));
    if (next + 1 >= to.slot_count) return false;
    to.slots[next++] = slot;
  }
  to.used = from.used;
  return true;
}

// Gives a full table more capacity, and one whose last run reaches its end a longer tail.
void StateSet::grow_table(Table& table) {
  const uint32_t capacity = table.used >= table.limit ? table.capacity + table.capacity / 4 : table.capacity;
  uint32_t tail = table.slot_count - table.capacity;
  if (capacity == table.capacity) tail *= 2;
  Table larger = make_table(capacity, tail);
  for (; !fill_table(table, larger); larger = make_table(capacity, tail)) tail *= 2;
  table_bytes_ += (larger.slot_count - table.slot_count) * sizeof(uint64_t);
  table = std::move(larger);
}

void StateSet::place_slot(Table& table, uint64_t slot) {
  if (table.used >= table.limit) grow_table(table);
  while (true) {
    uint64_t* const slots = table.slots.get();
    const uint64_t position = lower_bound(table, slot);
    uint64_t free = position;
    while (slots[free] != kFreeSlot) ++free;
    if (free + 1 < table.slot_count) {
      std::memmove(slots + position + 1, slots + position, (free - position) * sizeof(uint64_t));
      slots[position] = slot;
      ++table.used;
      ++size_;
      return;
    }
    grow_table(table);
  }
}

uint64_t StateSet::lower_bound(const Table& table, uint64_t key) {
  uint64_t position = home(table, key);
  while (table.slots[position] < key) ++position;
  return position;
}

std::optional<StateSet::Id> StateSet::find_from(const Table& table, uint64_t position, ByteView state,
                                                uint64_t key) const {
  for (;; ++position) {
    const uint64_t slot = table.slots[position];
    if (slot >> 32 != key >> 32 || slot == kFreeSlot) return std::nullopt;
    if (equal_bytes(identity(get(static_cast<Id>(slot))), identity(state))) return static_cast<Id>(slot);
  }
}

void StateSet::append_vector(ByteView state) {
  CHECK(state.size() <= 0xffffffff);
  const uint64_t needed = length_bytes(state.size()) + state.size();
  bool contiguous = true;
  if (needed + 1 > free_bytes_) {  // + 1: room for kNextChunk
    if (!chunks_.empty()) store(chunks_.back().get() + free_offset_, kNextChunk);
    free_bytes_ = std::max(uint64_t{1} << kChunkBits, needed + 1);
    free_offset_ = 0;
    chunks_.push_back(std::make_unique_for_overwrite<std::byte[]>(free_bytes_));
    chunk_bytes_ += free_bytes_;
    contiguous = false;
  }
  std::byte* const start = chunks_.back().get() + free_offset_;
  std::byte* const content = write_length(start, state.size());
  if (!state.empty()) std::memcpy(content, state.data(), state.size());

  if ((size_ & ((1U << kBlockBits) - 1)) == 0) {
    const uint64_t address = ((chunks_.size() - 1) << kChunkBits) | free_offset_;
    blocks_.push_back(address << 16 | (needed <= 0xffff ? needed : 0));
  } else if (Block& block = blocks_.back(); !contiguous || (block & 0xffff) != needed) {
    block &= ~Block{0xffff};
  }
  free_offset_ += needed;
  free_bytes_ -= needed;
}

std::byte* StateSet::record(Id id) const {
  DCHECK(id < size_);
  const Block block = blocks_[id >> kBlockBits];
  uint64_t chunk = block >> (16 + kChunkBits);
  std::byte* at = chunks_[chunk].get() + ((block >> 16) & ((1U << kChunkBits) - 1));
  const uint64_t index = id & ((1U << kBlockBits) - 1);
  const uint64_t distance = block & 0xffff;
  if (distance != 0) return at + index * distance;
  for (uint64_t i = 0; i < index; ++i) {
    at = vector_of(at) + size_of(at);
    if (first_byte(at) == kNextChunk) at = chunks_[++chunk].get();
  }
  return at;
}

}  // namespace cmc
