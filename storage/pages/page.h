#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/bytes.h"
#include "base/result.h"
#include "storage/options/store_options.h"
#include "storage/sets/key.h"

// The format of pages (FORMAT.md): what the builder and the reader share.

namespace cmc {

// Where an entry belongs on the pages of a partition, and what it is found by: for PageCodec::kKeys the key, hash is
// 0; for the others the hash of the state vector (kSha1: the digest).
template <unsigned W>
struct SortKey {
  uint64_t hash = 0;
  Key<W> key{};

  // The hash, then the words of the key.
  static constexpr unsigned kWords = W + 1;
  [[nodiscard]] uint64_t word(unsigned number) const { return number == 0 ? hash : key[std::min(number - 1, W - 1)]; }

  friend bool operator==(const SortKey& a, const SortKey& b) { return a.hash == b.hash && a.key == b.key; }
  friend bool operator<(const SortKey& a, const SortKey& b) {
    return a.hash != b.hash ? a.hash < b.hash : a.key < b.key;
  }
};

struct PageHeader {
  static constexpr uint32_t kMagic = 0x50434d43;  // "CMCP"
  static constexpr uint16_t kVersion = 5;

  uint32_t magic = kMagic;
  uint16_t version = kVersion;
  uint8_t codec = 0;      // PageCodec
  uint8_t key_words = 0;  // W if the codec is kKeys
  uint32_t partition = 0;
  uint32_t layout = 0;  // if the codec is kKeys
  uint64_t file_number = 0;
  uint64_t sequence = 0;      // of the page in the file
  uint64_t offset = 0;        // of this header in the file
  uint32_t count = 0;         // entries
  uint32_t raw_bytes = 0;     // of the entries, as they are decoded
  uint32_t stored_bytes = 0;  // behind the header, compressed if the codec is kZlib
  uint32_t slot_bytes = 0;    // header, entries and zeroes up to the next page
  uint32_t digest_bits = 0;   // if the codec is kSha1
  uint32_t crc = 0;           // CRC-32 of the slot, this field 0
};
static_assert(sizeof(PageHeader) == 64);
static_assert(offsetof(PageHeader, file_number) == 16 && offsetof(PageHeader, count) == 40);
static_assert(offsetof(PageHeader, crc) == 60);  // and no padding: 60 + 4

// What is the same in all pages of a file.
struct PageFormat {
  PageCodec codec = PageCodec::kKeys;
  uint8_t key_words = 1;
  uint32_t layout = 0;
  unsigned digest_bits = 0;
  int level = 1;  // of zlib
  uint64_t page_bytes = 0;
  uint64_t alignment = 8;  // of slots

  // Of a digest, behind its first 64 bits.
  [[nodiscard]] size_t digest_tail_bytes() const { return digest_bits > 64 ? (digest_bits - 64 + 7) / 8 : 0; }

  static PageFormat of(const StoreOptions& options, unsigned key_words);

  // What decides about the place of an entry on the pages, as words.
  template <unsigned W>
  [[gnu::always_inline, nodiscard]] Key<W> place_of(const SortKey<W>& entry) const {
    return codec == PageCodec::kKeys ? entry.key : Key<W>{entry.hash};
  }
};

// What is different in each.
struct PagePlace {
  uint32_t partition = 0;
  uint64_t file_number = 0;
  uint64_t sequence = 0;
  uint64_t offset = 0;
};

// Appends 7 bits a byte, the low ones first.
inline void put_varint(Bytes& to, uint64_t value) {
  for (; value >= 0x80; value >>= 7) to.push_back(static_cast<std::byte>(value | 0x80));
  to.push_back(static_cast<std::byte>(value));
}

// Null: the bytes end, or it is none of 64 bits.
[[nodiscard]] inline const std::byte* get_varint(const std::byte* from, const std::byte* end, uint64_t& value) {
  value = 0;
  for (unsigned shift = 0; from != end && shift < 64; shift += 7) {
    const uint64_t byte = std::to_integer<uint64_t>(*from++);
    if (shift == 63 && byte > 1) return nullptr;
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) return from;
  }
  return nullptr;
}

// Appends `from` as one stream in zlib's format (RFC 1950); level: 1..9.
void zlib_compress(ByteView from, int level, Bytes& to);
// And back, exactly to.size() bytes; false: it is not such a stream.
[[nodiscard]] bool zlib_expand(ByteView from, std::span<std::byte> to);

// Checks a slot's header against where it is, its CRC, and expands its entries into `raw`, with kPagePadding zeroes
// behind them. `place_name` names the file.
inline constexpr size_t kPagePadding = 8;
[[nodiscard]] Status open_page(ByteView slot, const PageFormat& format, const PagePlace& place,
                               const std::string& place_name, PageHeader& header, Bytes& raw);

// Appends the slot that has these entries to `to`.
void close_page(ByteView raw, uint32_t count, const PageFormat& format, const PagePlace& place, Bytes& to);

// The first `bits` bits of the SHA-1, 1..160: returns the first 64 of them, or all; `rest` gets the others, as bytes,
// the unused low bits of the last one 0.
inline constexpr unsigned kMostDigestBits = 160;
[[nodiscard]] uint64_t sha1_digest(ByteView bytes, unsigned bits, Bytes& rest);

}  // namespace cmc
