#include "storage/sets/intern_table.h"

#include <algorithm>
#include <cstring>
#include <mutex>

#include "base/check.h"
#include "base/hash.h"

namespace cmc {

InternTable::~InternTable() {
  for (std::atomic<Entry*>& segment : segments_) delete[] segment.load(std::memory_order_relaxed);
}

namespace {

template <class T>
uint64_t load_as(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof(value));
  return value;
}

// Up to 8 bytes as a number, as they lie in memory with zeros behind them (the machine is little-endian, as
// everywhere in CMC's files). Without a call of memcpy.
uint64_t short_value(ByteView bytes) {
  const std::byte* const from = bytes.data();
  const size_t size = bytes.size();
  if (size == 8) return load_as<uint64_t>(from);
  if (size >= 4) return load_as<uint32_t>(from) | load_as<uint32_t>(from + size - 4) << 8 * (size - 4);
  if (size >= 2) return load_as<uint16_t>(from) | load_as<uint16_t>(from + size - 2) << 8 * (size - 2);
  return size == 1 ? load_as<uint8_t>(from) : 0;
}

uint32_t hash_of(ByteView bytes) {
  if (bytes.empty()) return 0;
  if (bytes.size() > sizeof(uint64_t)) return static_cast<uint32_t>(hash_bytes(bytes) >> 32);
  const uint64_t product = (short_value(bytes) + bytes.size()) * 0x9e3779b97f4a7c15ULL;
  return static_cast<uint32_t>((product ^ product >> 32) * 0xd6e8feb86659fd93ULL >> 32);
}

}  // namespace

uint32_t InternTable::intern(ByteView bytes) {
  if (!Recent::fits(bytes)) return intern_whole(bytes);
  const uint64_t value = short_value(bytes);
  if (const uint32_t id = recent_.find(value, bytes.size()); id != kNone) return id;
  const uint32_t id = intern_whole(bytes);
  recent_.note(value, bytes.size(), id);
  return id;
}

uint32_t InternTable::intern_whole(ByteView bytes) {
  const uint32_t hash = hash_of(bytes);
  const Index* index = index_.load(std::memory_order_acquire);
  if (index != nullptr) {
    if (const uint32_t id = find(*index, bytes, hash); id != kNone) return id;
  }
  const std::lock_guard lock(lock_);
  const uint32_t size = size_.load(std::memory_order_relaxed);
  if (indices_.empty() || size + 1 > (indices_.back()->mask + 1) / 4 * 3) grow_index();
  // Another thread may have been faster.
  if (const uint32_t id = find(*indices_.back(), bytes, hash); id != kNone) return id;
  return append(bytes, hash);
}

template <class Matches>
uint32_t InternTable::find_entry(const Index& index, uint32_t hash, Matches&& matches) const {
  for (size_t slot = hash & index.mask;; slot = (slot + 1) & index.mask) {
    const uint32_t number = index.slots[slot].load(std::memory_order_acquire);
    if (number == 0) return kNone;
    if (matches(at(number - 1))) return number - 1;
  }
}

uint32_t InternTable::find(const Index& index, ByteView bytes, uint32_t hash) const {
  const size_t size = bytes.size();
  if (size <= kInlineBytes) {
    const uint64_t value = short_value(bytes);
    return find_entry(index, hash, [&](const Entry& entry) { return entry.value == value && entry.size == size; });
  }
  return find_entry(index, hash, [&](const Entry& entry) {
    return entry.hash == hash && entry.size == size && std::memcmp(bytes.data(), entry.data, size) == 0;
  });
}

uint32_t InternTable::append(ByteView bytes, uint32_t hash) {
  const uint32_t id = size_.load(std::memory_order_relaxed);
  CHECK(id < 0xfffffff0u);
  const uint32_t segment = segment_of(id);
  Entry* entries = segments_[segment].load(std::memory_order_relaxed);
  if (entries == nullptr) {
    const size_t count = size_t{kFirstSegment} << segment;
    entries = new Entry[count];
    memory_bytes_.fetch_add(count * sizeof(Entry), std::memory_order_relaxed);
    segments_[segment].store(entries, std::memory_order_release);
  }
  Entry& entry = entries[id - segment_begin(segment)];
  entry.size = static_cast<uint32_t>(bytes.size());
  entry.hash = hash;
  if (bytes.size() <= kInlineBytes) {
    entry.value = short_value(bytes);
  } else {
    entry.data = store_bytes(bytes);
  }
  size_.store(id + 1, std::memory_order_release);
  enter(*indices_.back(), hash, id);
  return id;
}

// A thread that finds the number finds the entry, too.
void InternTable::enter(Index& index, uint32_t hash, uint32_t id) {
  size_t slot = hash & index.mask;
  while (index.slots[slot].load(std::memory_order_relaxed) != 0) slot = (slot + 1) & index.mask;
  index.slots[slot].store(id + 1, std::memory_order_release);
}

// The first bytes of a table get small blocks, so that a component with two contents costs little.
const std::byte* InternTable::store_bytes(ByteView bytes) {
  if (bytes.size() > free_bytes_) {
    const size_t block = std::max(bytes.size(), arena_.empty() ? bytes.size() * 8 : kArenaBytes);
    arena_.push_back(std::make_unique_for_overwrite<std::byte[]>(block));
    memory_bytes_.fetch_add(block, std::memory_order_relaxed);
    free_ = arena_.back().get();
    free_bytes_ = block;
  }
  std::byte* to = free_;
  std::copy(bytes.begin(), bytes.end(), to);
  free_ += bytes.size();
  free_bytes_ -= bytes.size();
  return to;
}

void InternTable::grow_index() {
  const size_t slots = indices_.empty() ? 16 : 2 * (indices_.back()->mask + 1);
  memory_bytes_.fetch_add(slots * sizeof(uint32_t), std::memory_order_relaxed);
  Index& index = *indices_.emplace_back(std::make_unique<Index>(slots));
  for (uint32_t id = 0; id < size_.load(std::memory_order_relaxed); ++id) enter(index, at(id).hash, id);
  index_.store(&index, std::memory_order_release);
}

}  // namespace cmc
