#include "storage/pages/page.h"

#include <array>
#include <new>

#include <fmt/format.h>
#include <zlib.h>

#include "base/check.h"
#include "base/hash.h"
#include "base/sha1.h"
#include "storage/files/file_system.h"

namespace cmc {

PageFormat PageFormat::of(const StoreOptions& options, unsigned key_words) {
  PageFormat format;
  format.codec = options.codec;
  if (options.codec == PageCodec::kKeys) {
    format.key_words = static_cast<uint8_t>(key_words);
    format.layout = options.layout;
  } else {
    format.key_words = 0;
  }
  format.digest_bits = options.codec == PageCodec::kSha1 ? options.sha1_bits : 0;
  format.level = options.codec == PageCodec::kZlib ? options.zlib_level : 1;
  format.page_bytes = options.page_bytes;
  format.alignment = options.io == FileAccess::kDirect ? kFileBlock : 8;
  return format;
}

void zlib_compress(ByteView from, int level, Bytes& to) {
  const size_t begin = to.size();
  uLongf size = compressBound(from.size());
  to.resize(begin + size);
  const int result = compress2(reinterpret_cast<Bytef*>(to.data() + begin), &size,
                               reinterpret_cast<const Bytef*>(from.data()), from.size(), level);
  if (result == Z_MEM_ERROR) throw std::bad_alloc();
  CHECK(result == Z_OK);
  to.resize(begin + size);
}

bool zlib_expand(ByteView from, std::span<std::byte> to) {
  uLongf size = to.size();
  const int result = uncompress(reinterpret_cast<Bytef*>(to.data()), &size,
                                reinterpret_cast<const Bytef*>(from.data()), from.size());
  if (result == Z_MEM_ERROR) throw std::bad_alloc();
  return result == Z_OK && size == to.size();
}

namespace {

constexpr uint32_t kGreatestRatio = 1032;  // of DEFLATE

// REQUIRES: it begins with this header.
uint32_t slot_crc(PageHeader header, ByteView slot) {
  header.crc = 0;
  return crc32(slot.subspan(sizeof header), crc32(std::as_bytes(std::span(&header, 1))));
}

}  // namespace

Status open_page(ByteView slot, const PageFormat& format, const PagePlace& place, const std::string& place_name,
                 PageHeader& header, Bytes& raw) {
  const auto damaged = [&](const std::string& what) {
    return Error{fmt::format("'{}' is damaged: the page at {} {}", place_name, place.offset, what)};
  };
  if (slot.size() < sizeof(PageHeader)) return damaged("is cut off");
  header = load<PageHeader>(slot.data());
  if (header.magic != PageHeader::kMagic) return damaged("does not begin like a page");
  if (header.version != PageHeader::kVersion) return damaged(fmt::format("has version {}", header.version));
  if (header.slot_bytes != slot.size()) {
    return damaged(fmt::format("has {} bytes, not {}", header.slot_bytes, slot.size()));
  }
  if (header.crc != slot_crc(header, slot)) return damaged("has a wrong CRC");
  if (header.offset != place.offset || header.file_number != place.file_number ||
      header.partition != place.partition || header.sequence != place.sequence) {
    return damaged(fmt::format("belongs elsewhere: file {}, partition {}, offset {}, number {}", header.file_number,
                               header.partition, header.offset, header.sequence));
  }
  if (header.codec != static_cast<uint8_t>(format.codec) || header.key_words != format.key_words ||
      header.layout != format.layout || header.digest_bits != format.digest_bits) {
    return damaged("has another format");
  }
  const ByteView stored = slot.subspan(sizeof(PageHeader));
  const bool compressed = format.codec == PageCodec::kZlib;
  const bool possible =
      compressed ? header.raw_bytes / kGreatestRatio <= header.stored_bytes : header.raw_bytes == header.stored_bytes;
  if (header.stored_bytes > stored.size() || !possible) return damaged("has lengths that cannot be");
  raw.resize(header.raw_bytes + kPagePadding);
  const std::span<std::byte> entries = std::span(raw).first(header.raw_bytes);
  std::fill(raw.begin() + header.raw_bytes, raw.end(), std::byte{0});
  if (!compressed) {
    std::copy_n(stored.begin(), entries.size(), entries.begin());
  } else if (!zlib_expand(stored.first(header.stored_bytes), entries)) {
    return damaged("cannot be expanded");
  }
  return Success{};
}

void close_page(ByteView raw, uint32_t count, const PageFormat& format, const PagePlace& place, Bytes& to) {
  const size_t begin = to.size();
  to.resize(begin + sizeof(PageHeader));
  if (format.codec == PageCodec::kZlib) {
    zlib_compress(raw, format.level, to);
  } else {
    to.insert(to.end(), raw.begin(), raw.end());
  }
  PageHeader header;
  header.codec = static_cast<uint8_t>(format.codec);
  header.key_words = format.key_words;
  header.partition = place.partition;
  header.layout = format.layout;
  header.file_number = place.file_number;
  header.sequence = place.sequence;
  header.offset = place.offset;
  header.count = count;
  header.raw_bytes = static_cast<uint32_t>(raw.size());
  header.stored_bytes = static_cast<uint32_t>(to.size() - begin - sizeof(PageHeader));
  header.digest_bits = format.digest_bits;
  to.resize(begin + (to.size() - begin + format.alignment - 1) / format.alignment * format.alignment);
  header.slot_bytes = static_cast<uint32_t>(to.size() - begin);
  header.crc = slot_crc(header, ByteView(to).subspan(begin));
  store(to.data() + begin, header);
}

uint64_t sha1_digest(ByteView bytes, unsigned bits, Bytes& rest) {
  CHECK(bits >= 1 && bits <= kMostDigestBits);
  const std::array<unsigned char, 20> digest = sha1({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  uint64_t first = 0;
  for (unsigned i = 0; i < 8; ++i) first = first << 8 | digest[i];
  rest.clear();
  if (bits <= 64) return first >> (64 - bits);
  for (unsigned at = 64; at < bits; at += 8) {
    const unsigned unused = at + 8 > bits ? at + 8 - bits : 0;
    rest.push_back(static_cast<std::byte>(digest[at / 8] >> unused << unused));
  }
  return first;
}

}  // namespace cmc
