#pragma once

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <string>
#include <utility>

#include "checker/base/hash.h"
#include "storage/page.h"

namespace cmc {

// Writes sorted entries as pages. Does no I/O. Keys: measured on the 12,645,068 keys of 46 bits of Peterson 4 in 128
// partitions, bytes per state:
//
//   sorted in the partition, differences, DEFLATE level 1    1.74    (6: 1.77, 9: 1.77; a quarter of the states: 2.17)
//   sorted by a permuted key, differences Rice-coded         2.99
//
// Keys are products of small fields that depend on each other; sorting by the key itself keeps what a permutation
// destroys. Pages of 4 to 64 KB differ by 1 %. DEFLATE did not pay: Peterson 5 in a tenth of its memory took 57 CPU seconds with it
// (2.5 bytes a state) and 51 without (3.1 bytes).
template <unsigned W>
class PageBuilder {
 public:
  explicit PageBuilder(const PageFormat& format) : format_(format) {
    raw_.reserve(format.page_bytes + kMostKeyBytes);
  }

  // Whether there is room; always if the page is empty.
  [[nodiscard]] bool fits(ByteView vector) const {
    const uint64_t most = with_vectors() ? vector.size() + 10 : kMostKeyBytes;
    return count_ == 0 || raw_.size() + most + sizeof(PageHeader) <= format_.page_bytes;
  }
  // REQUIRES: fits(); not before the entry before. `vector`: the state vector if the codec writes it.
  void add(const SortKey<W>& entry, ByteView vector) {
    switch (format_.codec) {
      case PageCodec::kKeys: put_key(entry.key); break;
      case PageCodec::kSha1: put_varint(raw_, entry.hash - last_.hash); break;
      case PageCodec::kRaw:
      case PageCodec::kZlib:
        put_varint(raw_, vector.size());
        raw_.insert(raw_.end(), vector.begin(), vector.end());
        break;
    }
    if (count_ == 0) first_ = entry;
    last_ = entry;
    ++count_;
  }
  // Appends the page to `to` and begins another.
  void finish(const PagePlace& place, Deflate& deflate, Bytes& to) {
    close_page(raw_, count_, format_, place, deflate, to);
    raw_.clear();
    count_ = 0;
    last_ = {};
  }

  [[nodiscard]] uint32_t count() const { return count_; }
  [[nodiscard]] const SortKey<W>& first() const { return first_; }
  [[nodiscard]] const SortKey<W>& last() const { return last_; }
  [[nodiscard]] uint64_t memory_bytes() const { return raw_.capacity(); }

 private:
  static constexpr uint64_t kMostKeyBytes = 1 + 10 * W;

  [[nodiscard]] bool with_vectors() const {
    return format_.codec == PageCodec::kRaw || format_.codec == PageCodec::kZlib;
  }
  // The number of the first word that differs (if there are several), by how much, the difference (xor) of the words
  // behind it.
  void put_key(const std::array<uint64_t, W>& key) {
    unsigned i = 0;
    while (i + 1 < W && key[i] == last_.key[i]) ++i;
    if constexpr (W > 1) raw_.push_back(static_cast<std::byte>(i));
    put_varint(raw_, key[i] - last_.key[i]);
    for (++i; i < W; ++i) put_varint(raw_, key[i] ^ last_.key[i]);
  }

  const PageFormat format_;
  Bytes raw_;
  SortKey<W> first_;
  SortKey<W> last_;
  uint32_t count_ = 0;
};

// Reads a page's entries one after the other. Any bytes are safe: what cannot be an entry is an error.
template <unsigned W>
class PageCursor {
 public:
  explicit PageCursor(const PageFormat& format) : format_(format) {}

  [[nodiscard]] Status open(ByteView slot, const PagePlace& place, const std::string& name, Deflate& deflate) {
    left_ = 0;
    damaged_ = false;
    entry_ = {};
    Status status = open_page(slot, format_, place, name, deflate, header_, raw_);
    if (!status.ok()) return status;
    at_ = raw_.data();
    left_ = header_.count;
    return Success{};
  }
  // Goes to the next entry; false: there is none, or status() is an error.
  [[gnu::always_inline, nodiscard]] bool next() {
    const std::byte* const end = raw_.data() + header_.raw_bytes;
    if (left_ == 0) {
      damaged_ = damaged_ || at_ != end;
      return false;
    }
    bool ok = false;
    switch (format_.codec) {
      case PageCodec::kKeys: ok = get_key(end); break;
      case PageCodec::kSha1: ok = get_digest(end); break;
      case PageCodec::kRaw:
      case PageCodec::kZlib: ok = get_vector(end); break;
    }
    if (!ok) [[unlikely]] {
      damaged_ = true;
      left_ = 0;
      at_ = end;
      return false;
    }
    --left_;
    return true;
  }
  [[nodiscard]] const SortKey<W>& entry() const { return entry_; }
  [[nodiscard]] ByteView vector() const { return vector_; }  // if the codec writes it; valid until next()
  [[nodiscard]] Status status(const std::string& name) const {
    if (!damaged_) return Success{};
    return Error{fmt::format("'{}' is damaged: the entries of the page at {} cannot be read", name, header_.offset)};
  }
  [[nodiscard]] uint64_t memory_bytes() const { return raw_.capacity(); }

 private:
  [[gnu::always_inline, nodiscard]] bool get_key(const std::byte* end) {
    unsigned i = 0;
    if constexpr (W > 1) {
      if (at_ == end) return false;
      i = std::to_integer<unsigned>(*at_++);
      if (i >= W) return false;
    }
    uint64_t value = 0;
    at_ = get_varint_padded(at_, end, value);
    if (at_ == nullptr) return false;
    entry_.key[i] += value;
    if (entry_.key[i] < value) return false;
    for (++i; i < W; ++i) {
      at_ = get_varint_padded(at_, end, value);
      if (at_ == nullptr) return false;
      entry_.key[i] ^= value;
    }
    return true;
  }
  [[nodiscard]] bool get_digest(const std::byte* end) {
    uint64_t value = 0;
    at_ = get_varint_padded(at_, end, value);
    if (at_ == nullptr) return false;
    entry_.hash += value;
    return entry_.hash >= value && (format_.digest_bits == 64 || entry_.hash >> format_.digest_bits == 0);
  }
  [[nodiscard]] bool get_vector(const std::byte* end) {
    uint64_t size = 0;
    at_ = get_varint(at_, end, size);
    if (at_ == nullptr || size > static_cast<uint64_t>(end - at_)) return false;
    vector_ = {at_, static_cast<size_t>(size)};
    at_ += size;
    const uint64_t before = std::exchange(entry_.hash, hash_bytes(vector_));
    return entry_.hash >= before;
  }

  const PageFormat format_;
  PageHeader header_;
  Bytes raw_;
  const std::byte* at_ = nullptr;
  uint32_t left_ = 0;
  bool damaged_ = false;
  SortKey<W> entry_;
  ByteView vector_;
};

}  // namespace cmc
