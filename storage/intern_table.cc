#include "storage/intern_table.h"

#include <algorithm>

#include "checker/base/check.h"
#include "checker/base/hash.h"

namespace cmc {

InternTable::~InternTable() {
  for (std::atomic<Entry*>& segment : segments_) delete[] segment.load(std::memory_order_relaxed);
}

uint32_t InternTable::intern(ByteView bytes) {
  const uint32_t hash = static_cast<uint32_t>(hash_bytes(bytes) >> 32);
  const std::lock_guard lock(mutex_);
  if (size_.load(std::memory_order_relaxed) + 1 > index_.size() / 4 * 3) grow_index();
  const size_t mask = index_.size() - 1;
  for (size_t slot = hash & mask;; slot = (slot + 1) & mask) {
    if (index_[slot] == 0) {
      const uint32_t id = append(bytes, hash);
      index_[slot] = id + 1;
      return id;
    }
    const uint32_t id = index_[slot] - 1;
    const Entry& entry = at(id);
    if (entry.hash == hash && entry.size == bytes.size() && std::equal(bytes.begin(), bytes.end(), entry.data)) return id;
  }
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
  entries[id - segment_begin(segment)] = {store_bytes(bytes), static_cast<uint32_t>(bytes.size()), hash};
  size_.store(id + 1, std::memory_order_release);
  return id;
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
  const size_t slots = std::max<size_t>(16, index_.size() * 2);
  memory_bytes_.fetch_add((slots - index_.size()) * sizeof(uint32_t), std::memory_order_relaxed);
  index_.assign(slots, 0);
  for (uint32_t id = 0; id < size_.load(std::memory_order_relaxed); ++id) {
    size_t slot = at(id).hash & (slots - 1);
    while (index_[slot] != 0) slot = (slot + 1) & (slots - 1);
    index_[slot] = id + 1;
  }
}

}  // namespace cmc
