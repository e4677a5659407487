#include "storage/page.h"

#include <random>
#include <zlib.h>

#include "storage/page_entries.h"
#include "storage/radix_sort.h"
#include "storage/run.h"
#include "tests/support/memory_files.h"
#include "tests/catch.h"

namespace cmc {
namespace {

template <unsigned W>
struct Example {
  SortKey<W> entry;
  Bytes vector;
};

template <unsigned W>
std::vector<Example<W>> examples(PageCodec codec, size_t count, uint64_t seed) {
  std::vector<Example<W>> all(count);
  std::mt19937_64 random(seed);
  for (Example<W>& each : all) {
    if (codec == PageCodec::kKeys) {
      for (unsigned i = 0; i < W; ++i) each.entry.key[i] = random() % 3 == 0 ? random() >> random() % 64 : i;
    } else if (codec == PageCodec::kSha1) {
      each.entry.hash = random() >> 24;
    } else {
      for (size_t i = random() % 60; i > 0; --i) each.vector.push_back(static_cast<std::byte>(random() % 4));
      each.entry.hash = hash_bytes(each.vector);
    }
  }
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.entry < b.entry; });
  return all;
}

PageFormat format_of(PageCodec codec, unsigned words, uint64_t alignment = 8) {
  StoreOptions options;
  options.codec = codec;
  options.layout = 3;
  options.page_bytes = 1 << 20;
  PageFormat format = PageFormat::of(options, words);
  format.alignment = alignment;
  return format;
}

constexpr PagePlace kPlace = {5, 77, 3, 4096};

template <unsigned W>
Bytes build(const PageFormat& format, const std::vector<Example<W>>& all) {
  PageBuilder<W> builder(format);
  for (const Example<W>& each : all) {
    REQUIRE(builder.fits(each.vector));
    builder.add(each.entry, each.vector);
  }
  Deflate deflate(format.level);
  Bytes slot;
  builder.finish(kPlace, deflate, slot);
  return slot;
}

// All entries, or the error.
template <unsigned W>
Status read_all(ByteView slot, const PageFormat& format, const PagePlace& place, size_t& count) {
  Deflate deflate(1);
  PageCursor<W> cursor(format);
  count = 0;
  if (Status status = cursor.open(slot, place, "/p5.77", deflate); !status.ok()) return status;
  while (cursor.next()) ++count;
  return cursor.status("/p5.77");
}

constexpr PageCodec kCodecs[] = {PageCodec::kKeys, PageCodec::kRaw, PageCodec::kZlib, PageCodec::kSha1};

template <unsigned W>
void round_trip(PageCodec codec, size_t count, uint64_t alignment) {
  const auto all = examples<W>(codec, count, count + W);
  const PageFormat format = format_of(codec, W, alignment);
  const Bytes slot = build<W>(format, all);
  REQUIRE(slot.size() % alignment == 0);
  Deflate deflate(1);
  PageCursor<W> cursor(format);
  REQUIRE(cursor.open(slot, kPlace, "/p5.77", deflate).ok());
  for (const Example<W>& each : all) {
    REQUIRE(cursor.next());
    REQUIRE(cursor.entry() == each.entry);
    if (!each.vector.empty()) REQUIRE(std::equal(each.vector.begin(), each.vector.end(), cursor.vector().begin(), cursor.vector().end()));
  }
  REQUIRE_FALSE(cursor.next());
  REQUIRE(cursor.status("/p5.77").ok());
}

TEST_CASE("page: what is written is read") {
  for (const PageCodec codec : kCodecs) {
    for (const size_t count : {1, 2, 50, 3000}) {
      round_trip<1>(codec, count, 8);
      round_trip<2>(codec, count, 4096);
      round_trip<4>(codec, count, 8);
      round_trip<16>(codec, count, 8);
    }
  }
}

// Seeking finds what reading finds.
template <unsigned W>
void seek_in(const std::vector<Example<W>>& all, const std::vector<Example<W>>& wanted) {
  const PageFormat format = format_of(PageCodec::kKeys, W);
  const Bytes slot = build<W>(format, all);
  Deflate deflate(1);
  PageCursor<W> cursor(format);
  REQUIRE(cursor.open(slot, kPlace, "/p5.77", deflate).ok());
  for (const Example<W>& each : wanted) {
    const auto at = std::lower_bound(all.begin(), all.end(), each, [](const auto& a, const auto& b) { return a.entry < b.entry; });
    REQUIRE(cursor.seek(each.entry) == (at != all.end()));
    if (at != all.end()) REQUIRE(cursor.entry() == at->entry);
  }
  REQUIRE(cursor.status("/p5.77").ok());
}

TEST_CASE("page: seeking keys") {
  for (const size_t count : {1, 2, 63, 64, 65, 100, 128, 129, 3000}) {
    auto all = examples<1>(PageCodec::kKeys, count, count);
    seek_in<1>(all, examples<1>(PageCodec::kKeys, count, count + 1));
    seek_in<1>(all, all);
    for (const size_t wanted : {1, 2, 10, 50}) {  // far from each other
      seek_in<1>(all, examples<1>(PageCodec::kKeys, wanted, count + wanted));
      seek_in<1>(all, {all[std::min(count - 1, count * wanted / 51)], all.back()});
      seek_in<4>(examples<4>(PageCodec::kKeys, count, count), examples<4>(PageCodec::kKeys, wanted, count + wanted));
    }
    all.front().entry.key[0] = 5;  // nothing is before it but 0, which is not there
    seek_in<1>({all.front()}, {Example<1>{}});
    seek_in<2>(examples<2>(PageCodec::kKeys, count, count), examples<2>(PageCodec::kKeys, 500, count));
    seek_in<16>(examples<16>(PageCodec::kKeys, count, count), examples<16>(PageCodec::kKeys, 30, count + 1));
  }
}

TEST_CASE("page: lengths that cannot be those of the values") {
  for (uint32_t count = 1; count <= 40; ++count) {
    const size_t length_bytes = (count + 1) / 2;
    Bytes entries(length_bytes + count + 8);  // keys of one byte, and 8 readable ones
    const auto set = [&](size_t number, unsigned length) {
      std::byte& both = entries[number / 2];
      both = number % 2 == 0 ? (both & std::byte{0xf0}) | static_cast<std::byte>(length)
                             : (both & std::byte{0x0f}) | static_cast<std::byte>(length << 4);
    };
    const auto opens = [&] { return KeyDecoder<1>().open(ByteView(entries).first(length_bytes + count), count); };
    for (uint32_t i = 0; i < count; ++i) set(i, 1);
    INFO(count);
    REQUIRE(opens());
    for (uint32_t i = 0; i < 2 * length_bytes; ++i) {
      for (unsigned length = 0; length < 16; ++length) {
        set(i, length);
        REQUIRE(opens() == (length == (i < count ? 1 : 0)));
      }
      set(i, i < count ? 1 : 0);
    }
    if (count > 9) {  // the sum is right, one is too long
      set(0, 9);
      for (uint32_t i = 1; i < 9; ++i) set(i, 0);
      REQUIRE_FALSE(opens());
      set(0, 8);
      set(1, 1);
      REQUIRE(opens());
    }
  }
}

TEST_CASE("page: every flipped bit, every truncation, every wrong place is an error") {
  for (const PageCodec codec : kCodecs) {
    const PageFormat format = format_of(codec, 2);
    const Bytes slot = build<2>(format, examples<2>(codec, 40, 9));
    size_t count = 0;
    REQUIRE(read_all<2>(slot, format, kPlace, count).ok());
    REQUIRE(count == 40);
    for (size_t bit = 0; bit < 8 * slot.size(); ++bit) {
      Bytes damaged = slot;
      damaged[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
      const Status status = read_all<2>(damaged, format, kPlace, count);
      REQUIRE_FALSE(status.ok());
      REQUIRE_THAT(status.error(), Catch::StartsWith("'/p5.77' is damaged: the page at 4096"));
    }
    for (size_t bytes = 0; bytes < slot.size(); ++bytes) {
      REQUIRE_FALSE(read_all<2>(ByteView(slot).first(bytes), format, kPlace, count).ok());
    }
    for (const PagePlace& wrong : {PagePlace{4, 77, 3, 4096}, PagePlace{5, 76, 3, 4096}, PagePlace{5, 77, 2, 4096}, PagePlace{5, 77, 3, 0}}) {
      const Status status = read_all<2>(slot, format, wrong, count);
      REQUIRE_FALSE(status.ok());
      REQUIRE_THAT(status.error(), Catch::Contains("belongs elsewhere"));
    }
  }
}

// Damage that a CRC does not show: nonsense is an error or other entries, never a crash.
TEST_CASE("page: any content behind a right CRC is safe") {
  std::mt19937_64 random(4);
  for (const PageCodec codec : kCodecs) {
    const PageFormat format = format_of(codec, 2);
    const Bytes slot = build<2>(format, examples<2>(codec, 140, 9));
    const auto wanted = examples<2>(codec, 20, 10);
    for (int i = 0; i < 3000; ++i) {
      Bytes damaged = slot;
      for (uint64_t n = random() % 4 + 1; n > 0; --n) damaged[16 + random() % (slot.size() - 16)] = static_cast<std::byte>(random());
      PageHeader header = load<PageHeader>(damaged.data());
      header.crc = 0;
      header.offset = kPlace.offset;
      header.file_number = kPlace.file_number;
      header.sequence = kPlace.sequence;
      header.slot_bytes = static_cast<uint32_t>(slot.size());
      header.digest_bits = format.digest_bits;
      if (random() % 2 == 0) header.raw_bytes = load<PageHeader>(slot.data()).raw_bytes;
      if (random() % 2 == 0) header.stored_bytes = load<PageHeader>(slot.data()).stored_bytes;
      store(damaged.data(), header);
      header.crc = crc32(damaged);
      store(damaged.data(), header);
      size_t count = 0;
      static_cast<void>(read_all<2>(damaged, format, kPlace, count).ok());
      REQUIRE(count <= header.count);
      Deflate deflate(1);
      PageCursor<2> cursor(format);
      if (codec != PageCodec::kKeys || !cursor.open(damaged, kPlace, "/p5.77", deflate).ok()) continue;
      for (const Example<2>& each : wanted) {
        if (cursor.seek(each.entry)) REQUIRE_FALSE(cursor.entry() < each.entry);
      }
    }
  }
}

TEST_CASE("page: DEFLATE and CRC-32 are those of zlib") {
  Bytes text(100000);
  std::mt19937_64 random(1);
  for (std::byte& byte : text) byte = static_cast<std::byte>(random() % 5);
  REQUIRE(crc32(text) == ::crc32(0, reinterpret_cast<const Bytef*>(text.data()), static_cast<uInt>(text.size())));
  Bytes packed;
  Deflate deflate(9);
  REQUIRE(deflate.compress(text, packed));
  Bytes back(text.size());
  z_stream stream{};
  REQUIRE(inflateInit2(&stream, -15) == Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(back.data());
  stream.avail_out = static_cast<uInt>(back.size());
  REQUIRE(inflate(&stream, Z_FINISH) == Z_STREAM_END);
  inflateEnd(&stream);
  REQUIRE(back == text);
}

TEST_CASE("page: varints") {
  for (const uint64_t value : {uint64_t{0}, uint64_t{127}, uint64_t{128}, uint64_t{1} << 63, ~uint64_t{0}}) {
    Bytes bytes;
    put_varint(bytes, value);
    uint64_t read = 0;
    const std::byte* const end = bytes.data() + bytes.size();
    REQUIRE(get_varint(bytes.data(), end, read) == end);
    REQUIRE(read == value);
    REQUIRE(get_varint(bytes.data(), end - 1, read) == nullptr);
  }
  const Bytes endless(11, std::byte{0x80});
  uint64_t read = 0;
  REQUIRE(get_varint(endless.data(), endless.data() + 11, read) == nullptr);
}

TEST_CASE("page: SHA-1") {
  const Bytes abc = {std::byte{'a'}, std::byte{'b'}, std::byte{'c'}};
  REQUIRE(sha1_digest(abc, 40) == 0xa9993e3647);
  REQUIRE(sha1_digest(abc, 16) == 0xa999);
  REQUIRE(sha1_digest(abc, 64) == 0xa9993e364706816a);
}

TEST_CASE("radix sort: as std::sort") {
  std::mt19937_64 random(5);
  for (const unsigned bits : {1, 9, 30, 64}) {
    for (size_t count : {0, 1, 31, 33, 500, 20000}) {
      std::vector<SortKey<2>> keys(count);
      for (SortKey<2>& each : keys) {
        each.key[0] = random() % 3 == 0 ? 7 : random() >> (64 - bits);
        each.key[1] = random() % 4 == 0 ? random() : random() % 50 << 9;
      }
      std::vector<SortKey<2>> expected = keys;
      std::sort(expected.begin(), expected.end());
      radix_sort<SortKey<2>::kWords>(keys.data(), keys.data() + count, [](const SortKey<2>& key, unsigned word) { return key.word(word); });
      REQUIRE(keys == expected);
    }
  }
}

// The first page of a file, damaged anywhere, cut anywhere: the run's reader says so.
TEST_CASE("run: a damaged file") {
  MemoryFileSystem files;
  StoreOptions options;
  options.directory = "/store";
  options.page_bytes = 512;
  options.write_buffer_bytes = 0;
  RunContext context(options, 1, files);
  RunWriter<1> writer(context, 2, 9, 0);
  REQUIRE(writer.open().ok());
  for (uint64_t i = 0; i < 500; ++i) REQUIRE(writer.add({0, {i * i}}, {}).ok());
  Result<Run<1>> finished = writer.finish();
  REQUIRE(finished.ok());
  const Run<1> run = std::move(finished).value();
  REQUIRE(run.pages.size() > 1);
  const Bytes good = *files.all().at(run.path);
  REQUIRE(good.size() == run.bytes);
  const auto read = [&](const Bytes& content) {
    *files.all().at(run.path) = content;
    RunReader<1> reader(context);
    if (Status status = reader.open(run); !status.ok()) return status;
    uint64_t i = 0;
    while (reader.next()) {
      REQUIRE(reader.cursor().entry().key[0] == i * i);
      ++i;
    }
    if (reader.status().ok()) REQUIRE(i == 500);
    return reader.status();
  };
  REQUIRE(read(good).ok());
  for (size_t i = 0; i < good.size(); i += 3) {
    Bytes damaged = good;
    damaged[i] ^= std::byte{16};
    const Status status = read(damaged);
    REQUIRE_FALSE(status.ok());
    REQUIRE_THAT(status.error(), Catch::Contains("/store/p2.9"));
    REQUIRE_FALSE(read(Bytes(good.begin(), good.begin() + static_cast<ptrdiff_t>(i))).ok());
  }
}

}  // namespace
}  // namespace cmc
