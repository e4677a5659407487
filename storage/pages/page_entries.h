#pragma once

#include <span>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "base/hash.h"
#include "storage/pages/key_codec.h"
#include "storage/pages/page.h"
#include "storage/pages/vector_codec.h"

namespace cmc {

// Writes sorted entries as pages. Does no I/O. DEFLATE for keys did not pay: Peterson 5 in a tenth of its memory took
// 57 CPU seconds with it and 51 without.
template <unsigned W>
class PageBuilder {
 public:
  // `lasting`: see KeyEncoder.
  PageBuilder(const PageFormat& format, bool lasting)
      : format_(format), keys_(format.page_bytes - sizeof(PageHeader), lasting) {
    raw_.reserve(format.page_bytes);
  }

  // Whether there is room; always if the page is empty.
  [[nodiscard]] bool fits(ByteView vector) const {
    if (format_.codec == PageCodec::kKeys) return keys_.room() > 0;
    return count_ == 0 || raw_.size() + vector.size() + 2 * kMostVarint + sizeof(PageHeader) <= format_.page_bytes;
  }
  // REQUIRES: fits(); not before the entry before. `vector`: what the codec writes beside the hash, the state vector
  // or the end of a digest.
  void add(const SortKey<W>& entry, ByteView vector) {
    switch (format_.codec) {
      case PageCodec::kKeys: keys_.add(entry.key); return;
      case PageCodec::kSha1:
        DCHECK(vector.size() == format_.digest_tail_bytes());
        put_varint(raw_, entry.hash - last_hash_);
        raw_.insert(raw_.end(), vector.begin(), vector.end());
        break;
      case PageCodec::kRaw:
      case PageCodec::kZlib:
        put_varint(raw_, vector.size());
        raw_.insert(raw_.end(), vector.begin(), vector.end());
        break;
      case PageCodec::kDiff:
        put_difference(raw_, vector, last_vector_);
        last_vector_.assign(vector.begin(), vector.end());
        break;
    }
    if (count_ == 0) first_hash_ = entry.hash;
    last_hash_ = entry.hash;
    ++count_;
  }
  // Of the codec kKeys: as many as there is room for, and those.
  [[nodiscard]] size_t room_for_keys() const { return keys_.room(); }
  void add_keys(std::span<const Key<W>> keys) { keys_.add(keys); }
  [[nodiscard]] bool empty() const { return count_ == 0 && keys_.empty(); }
  // REQUIRES: not empty().
  [[nodiscard]] SortKey<W> first() const {
    if (format_.codec == PageCodec::kKeys) return {0, keys_.front()};
    return {first_hash_, {}};
  }
  // Appends a page to `to`. Keys that did not fit into it stay. REQUIRES: not empty().
  void finish(const PagePlace& place, Bytes& to) {
    const uint32_t count = format_.codec == PageCodec::kKeys ? keys_.finish(raw_) : count_;
    close_page(raw_, count, format_, place, to);
    raw_.clear();
    count_ = 0;
    last_hash_ = 0;
    last_vector_.clear();
  }

 private:
  static constexpr size_t kMostVarint = 10;

  const PageFormat format_;
  Bytes raw_;
  KeyEncoder<W> keys_;
  uint64_t first_hash_ = 0;
  uint64_t last_hash_ = 0;
  Bytes last_vector_;   // kDiff
  uint32_t count_ = 0;  // 0 if the codec is kKeys
};

// Reads a page's entries one after the other. Any bytes are safe: what cannot be an entry is an error.
template <unsigned W>
class PageCursor {
 public:
  explicit PageCursor(const PageFormat& format) : format_(format) {}

  [[nodiscard]] Status open(ByteView slot, const PagePlace& place, const std::string& name) {
    left_ = 0;
    damaged_ = false;
    entry_ = {};
    last_vector_.clear();
    Status status = open_page(slot, format_, place, name, header_, raw_);
    if (!status.ok()) return status;
    at_ = raw_.data();
    left_ = header_.count;
    if (format_.codec == PageCodec::kKeys) {
      at_ += header_.raw_bytes;
      damaged_ = !keys_.open(ByteView(raw_).first(header_.raw_bytes), left_);
      if (damaged_) left_ = 0;
    }
    return this->status(name);
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
      case PageCodec::kKeys: ok = keys_.next(entry_.key); break;
      case PageCodec::kSha1: ok = get_digest(end); break;
      case PageCodec::kRaw:
      case PageCodec::kZlib: ok = get_vector(end); break;
      case PageCodec::kDiff: ok = get_different_vector(end); break;
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
  // Reads the next keys; returns how many, 0 if none is left. REQUIRES: the codec is kKeys.
  [[nodiscard]] size_t read_keys(std::span<Key<W>> to) {
    const size_t count = keys_.read(to);
    left_ -= static_cast<uint32_t>(count);
    return count;
  }
  // Whether the page has it. REQUIRES: the codec is kKeys; not before those that were asked for earlier; the page is
  // not used otherwise.
  [[nodiscard]] bool contains(const SortKey<W>& wanted) { return keys_.contains(wanted.key); }
  [[nodiscard]] const SortKey<W>& entry() const { return entry_; }
  [[nodiscard]] uint32_t count() const { return header_.count; }  // of the page's entries
  [[nodiscard]] ByteView vector() const { return vector_; }       // as add() wrote it; valid until next()
  [[nodiscard]] Status status(const std::string& name) const {
    if (!damaged_) return Success{};
    return Error{fmt::format("'{}' is damaged: the entries of the page at {} cannot be read", name, header_.offset)};
  }

 private:
  [[nodiscard]] bool get_digest(const std::byte* end) {
    uint64_t value = 0;
    at_ = get_varint(at_, end, value);
    if (at_ == nullptr) return false;
    entry_.hash += value;
    const size_t tail = format_.digest_tail_bytes();
    if (tail > static_cast<size_t>(end - at_)) return false;
    vector_ = {at_, tail};
    at_ += tail;
    return entry_.hash >= value && (format_.digest_bits >= 64 || entry_.hash >> format_.digest_bits == 0);
  }
  [[nodiscard]] bool get_vector(const std::byte* end) {
    uint64_t size = 0;
    at_ = get_varint(at_, end, size);
    if (at_ == nullptr || size > static_cast<uint64_t>(end - at_)) return false;
    vector_ = {at_, static_cast<size_t>(size)};
    at_ += size;
    return is_next_hash();
  }
  [[nodiscard]] bool get_different_vector(const std::byte* end) {
    at_ = get_difference(at_, end, last_vector_);
    vector_ = last_vector_;
    return at_ != nullptr && is_next_hash();
  }
  [[nodiscard]] bool is_next_hash() {
    const uint64_t before = std::exchange(entry_.hash, hash_bytes(vector_));
    return entry_.hash >= before;
  }

  const PageFormat format_;
  PageHeader header_;
  Bytes raw_;
  const std::byte* at_ = nullptr;
  uint32_t left_ = 0;
  bool damaged_ = false;
  KeyDecoder<W> keys_;
  SortKey<W> entry_;
  ByteView vector_;
  Bytes last_vector_;  // kDiff
};

}  // namespace cmc
