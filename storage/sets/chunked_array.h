#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/check.h"

namespace cmc {

// A growing array, also used as a stack, of plain values in chunks that never move: growing never copies, and never
// needs more memory than one chunk beyond what is there. (std::vector would hold three times its content while it
// doubles.)
template <class T, unsigned kChunkBits = 15>
class ChunkedArray {
  static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= alignof(std::max_align_t));

 public:
  [[nodiscard]] uint64_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }

  [[nodiscard]] T& operator[](uint64_t index) {
    DCHECK(index < size_);
    return chunks_[index >> kChunkBits][index & kMask];
  }
  [[nodiscard]] const T& operator[](uint64_t index) const {
    DCHECK(index < size_);
    return chunks_[index >> kChunkBits][index & kMask];
  }
  [[nodiscard]] T& back() { return (*this)[size_ - 1]; }
  [[nodiscard]] const T& back() const { return (*this)[size_ - 1]; }

  [[gnu::always_inline]] void push_back(T value) {
    DCHECK(spared_ == 0);
    if (size_ == room_) [[unlikely]]
      add_chunk();
    chunks_[size_ >> kChunkBits][size_ & kMask] = value;
    ++size_;
  }

  void pop_back() {
    DCHECK(size_ > 0 && spared_ == 0);
    shrink(size_ - 1);
  }
  // Removes what is behind the first `size` values.
  void shrink(uint64_t size) {
    DCHECK(size <= size_ && spared_ == 0);
    size_ = size;
    // One chunk is kept in reserve, so that a stack at the edge of a chunk does not allocate again and again.
    while (room_ - size_ >= 2 * (kMask + 1)) remove_chunk();
  }

  // Calls visit(value) for each value, in order, and frees the chunks on the way: the array is empty afterwards.
  template <class Visit>
  void drain(Visit&& visit) {
    for (uint64_t index = 0; index < size_; ++index) {
      visit((*this)[index]);
      if ((index & kMask) == kMask) chunks_[index >> kChunkBits].reset();
    }
    *this = {};
  }

  // Gives back what is free in the last chunk. REQUIRES: nothing is appended or removed afterwards.
  void finish() {
    chunks_.resize((size_ + kMask) >> kChunkBits);
    const uint64_t rest = size_ & kMask;
    if (rest == 0 || spared_ > 0) return;
    Chunk exact = make_chunk(rest);
    std::copy_n(chunks_.back().get(), rest, exact.get());
    chunks_.back() = std::move(exact);
    spared_ = kMask + 1 - rest;
  }

  [[nodiscard]] uint64_t memory_bytes() const {
    return (chunks_.size() * (kMask + 1) - spared_) * sizeof(T) + chunks_.capacity() * sizeof(chunks_[0]);
  }
  // An upper bound of what one push_back can add to memory_bytes().
  [[nodiscard]] uint64_t growth_bytes() const {
    return (kMask + 1) * sizeof(T) + (chunks_.capacity() + 1) * sizeof(chunks_[0]);
  }

 private:
  [[gnu::noinline]] void add_chunk() {
    chunks_.push_back(make_chunk(kMask + 1));
    room_ += kMask + 1;
  }
  [[gnu::noinline]] void remove_chunk() {
    chunks_.pop_back();
    room_ -= kMask + 1;
  }

  // Not even those values are written that T{} would initialise.
  struct Free {
    void operator()(T* values) const { std::free(values); }
  };
  using Chunk = std::unique_ptr<T[], Free>;
  static Chunk make_chunk(uint64_t values) {
    Chunk chunk(static_cast<T*>(std::malloc(values * sizeof(T))));
    if (chunk == nullptr) throw std::bad_alloc();
    return chunk;
  }

  static constexpr uint64_t kMask = (uint64_t{1} << kChunkBits) - 1;

  std::vector<Chunk> chunks_;
  uint64_t size_ = 0;
  uint64_t room_ = 0;    // in all chunks
  uint64_t spared_ = 0;  // values that the last chunk is too short for, after finish()
};

}  // namespace cmc
