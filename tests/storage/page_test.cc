#include "storage/pages/page.h"

#include <random>

#include <zlib.h>

#include "storage/pages/bit_extractor.h"
#include "storage/pages/page_entries.h"
#include "storage/pages/radix_sort.h"
#include "storage/pages/run.h"
#include "tests/storage/numbers.h"
#include "tests/support/memory_files.h"

#include "tests/catch.h"

namespace cmc {
namespace {

template <unsigned W>
struct Example {
  SortKey<W> entry;
  Bytes vector;
};

// Of keys most of whose bits follow from `dimensions` of them.
template <unsigned W>
std::vector<Example<W>> dependent_examples(unsigned dimensions, size_t count, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Key<W>> directions(dimensions + 1);  // the last one: the origin
  for (auto& each : directions) {
    for (uint64_t& word : each.words) word = random() % 3 == 0 ? 0 : random() & random();
  }
  std::vector<Example<W>> all(count);
  for (Example<W>& each : all) {
    each.entry.key = directions.back();
    for (unsigned i = 0; i < dimensions; ++i) {
      if (random() % 3 > 0) continue;
      for (unsigned word = 0; word < W; ++word) each.entry.key[word] ^= directions[i][word];
    }
  }
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.entry < b.entry; });
  return all;
}

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
  PageBuilder<W> builder(format, true);
  for (const Example<W>& each : all) {
    REQUIRE(builder.fits(each.vector));
    builder.add(each.entry, each.vector);
  }
  Bytes slot;
  builder.finish(kPlace, slot);
  REQUIRE(builder.empty());
  return slot;
}

// All entries, or the error.
template <unsigned W>
Status read_all(ByteView slot, const PageFormat& format, const PagePlace& place, size_t& count) {
  PageCursor<W> cursor(format);
  count = 0;
  if (Status status = cursor.open(slot, place, "/p5.77"); !status.ok()) return status;
  while (cursor.next()) ++count;
  return cursor.status("/p5.77");
}

template <unsigned W>
void round_trip(PageCodec codec, const std::vector<Example<W>>& all, uint64_t alignment) {
  const PageFormat format = format_of(codec, W, alignment);
  const Bytes slot = build<W>(format, all);
  REQUIRE(slot.size() % alignment == 0);
  PageCursor<W> cursor(format);
  REQUIRE(cursor.open(slot, kPlace, "/p5.77").ok());
  for (const Example<W>& each : all) {
    REQUIRE(cursor.next());
    REQUIRE(cursor.entry() == each.entry);
    if (!each.vector.empty())
      REQUIRE(std::equal(each.vector.begin(), each.vector.end(), cursor.vector().begin(), cursor.vector().end()));
  }
  REQUIRE_FALSE(cursor.next());
  REQUIRE(cursor.status("/p5.77").ok());
}

TEST_CASE("page: what is written is read") {
  for (const PageCodec codec : kCodecs) {
    for (const size_t count : {1u, 2u, 50u, 3000u}) {
      round_trip<1>(codec, examples<1>(codec, count, count + 1), 8);
      round_trip<2>(codec, examples<2>(codec, count, count + 2), 4096);
      round_trip<4>(codec, examples<4>(codec, count, count + 4), 8);
      round_trip<16>(codec, examples<16>(codec, count, count + 16), 8);
    }
  }
  for (const unsigned dimensions : {0u, 1u, 5u, 31u, 63u, 64u, 65u, 90u}) {
    for (const size_t count : {1u, 2u, 300u, 3000u}) {
      round_trip<2>(PageCodec::kKeys, dependent_examples<2>(dimensions, count, count), 8);
      round_trip<5>(PageCodec::kKeys, dependent_examples<5>(dimensions, count, count), 8);
    }
  }
}

TEST_CASE("page: keys that depend on few bits are short") {
  const auto all = dependent_examples<4>(20, 3000, 1);
  REQUIRE(build<4>(format_of(PageCodec::kKeys, 4), all).size() < 3 * all.size());
}

TEST_CASE("page: a hull has the keys that it encloses, in their order, and nothing else") {
  std::mt19937_64 random(3);
  for (const unsigned dimensions : {0u, 1u, 2u, 4u, 6u, 7u, 9u}) {
    for (uint64_t seed = 0; seed < 20; ++seed) {
      const auto some = dependent_examples<2>(dimensions, 1 + seed * 3, seed);
      std::vector<Key<2>> keys;
      for (const auto& each : some) keys.push_back(each.entry.key);
      AffineHull<2> made;
      REQUIRE(made.enclose(keys));
      REQUIRE(made.rank() <= dimensions);
      Bytes written;
      made.write(written);
      ByteView left = written;
      AffineHull<2> hull;
      REQUIRE(hull.read(made.rank(), left));
      REQUIRE(left.empty());
      std::vector<Key<2>> elements;
      for (uint64_t i = 0; i < uint64_t{1} << hull.rank(); ++i) {
        elements.push_back(hull.key(i));
        REQUIRE(hull.coordinates(elements.back()) == i);
        REQUIRE(made.coordinates(elements.back()) == i);
        REQUIRE(made.key(i) == elements.back());
        if (i > 0) REQUIRE(elements[i - 1] < elements[i]);
      }
      for (const auto& key : keys) REQUIRE(hull.key(hull.coordinates(key)) == key);
      // The least one: each direction is the sum of differences between keys.
      std::vector<Key<2>> sums = {keys.front()};
      for (const auto& key : keys) {
        if (std::find(sums.begin(), sums.end(), key) != sums.end()) continue;
        const size_t size = sums.size();
        for (size_t i = 0; i < size; ++i) {
          sums.push_back({sums[i][0] ^ key[0] ^ keys.front()[0], sums[i][1] ^ key[1] ^ keys.front()[1]});
        }
      }
      std::sort(sums.begin(), sums.end());
      REQUIRE(sums == elements);
      for (size_t bytes = 0; bytes < written.size(); ++bytes) {
        ByteView cut = ByteView(written).first(bytes);
        REQUIRE_FALSE(hull.read(made.rank(), cut));
      }
    }
  }
  std::vector<Key<2>> independent = {{0, 0}};
  for (unsigned i = 0; i < 64; ++i) independent.push_back({0, uint64_t{1} << i});
  AffineHull<2> hull;
  REQUIRE(hull.enclose(independent));
  REQUIRE(hull.coordinates({0, random.max() / 3}) == random.max() / 3);
  independent.push_back({1, 0});
  REQUIRE_FALSE(hull.enclose(independent));
}

TEST_CASE("page: extracted bits are the right ones") {
  std::mt19937_64 random(6);
  for (int i = 0; i < 2000; ++i) {
    const uint64_t mask = i == 0 ? 0 : i == 1 ? ~uint64_t{0} : i % 2 == 0 ? random() : random() & random() & random();
    const uint64_t bits = random();
    uint64_t expected = 0;
    for (unsigned at = 64; at-- > 0;) {
      if ((mask >> at & 1) != 0) expected = expected << 1 | (bits >> at & 1);
    }
    REQUIRE(BitExtractor(mask)(bits) == expected);
  }
}

// Looking up finds what reading finds.
template <unsigned W>
void look_up_in(const std::vector<Example<W>>& all, const std::vector<Example<W>>& wanted) {
  const PageFormat format = format_of(PageCodec::kKeys, W);
  const Bytes slot = build<W>(format, all);
  PageCursor<W> cursor(format);
  REQUIRE(cursor.open(slot, kPlace, "/p5.77").ok());
  for (const Example<W>& each : wanted) {
    const bool there = std::binary_search(all.begin(), all.end(), each,
                                          [](const auto& a, const auto& b) { return a.entry < b.entry; });
    REQUIRE(cursor.contains(each.entry) == there);
  }
  REQUIRE(cursor.status("/p5.77").ok());
}

TEST_CASE("page: keys are found that are there, and no others") {
  for (const size_t count : {1u, 2u, 63u, 64u, 65u, 100u, 128u, 129u, 3000u}) {
    auto all = examples<1>(PageCodec::kKeys, count, count);
    look_up_in<1>(all, examples<1>(PageCodec::kKeys, count, count + 1));
    look_up_in<1>(all, all);
    for (const size_t wanted : {1u, 2u, 10u, 50u}) {  // far from each other
      look_up_in<1>(all, examples<1>(PageCodec::kKeys, wanted, count + wanted));
      look_up_in<1>(all, {all[std::min(count - 1, count * wanted / 51)], all.back()});
      look_up_in<4>(examples<4>(PageCodec::kKeys, count, count),
                    examples<4>(PageCodec::kKeys, wanted, count + wanted));
    }
    all.front().entry.key[0] = 5;  // nothing is before it but 0, which is not there
    look_up_in<1>({all.front()}, {Example<1>{}});
    look_up_in<2>(examples<2>(PageCodec::kKeys, count, count), examples<2>(PageCodec::kKeys, 500, count));
    look_up_in<16>(examples<16>(PageCodec::kKeys, count, count), examples<16>(PageCodec::kKeys, 30, count + 1));
  }
}

TEST_CASE("page: keys of a hull are found, and no others") {
  for (const unsigned dimensions : {3u, 12u, 30u, 64u}) {
    const auto all = dependent_examples<2>(dimensions, 2000, dimensions);
    look_up_in<2>(all, all);
    look_up_in<2>(all, dependent_examples<2>(dimensions, 500, dimensions));  // the same directions
    look_up_in<2>(all, dependent_examples<2>(dimensions, 500, 1));
    auto wanted = all;
    for (size_t i = 0; i < wanted.size(); i += 2) wanted[i].entry.key[i / 2 % 2] ^= uint64_t{1} << i / 4 % 64;
    std::sort(wanted.begin(), wanted.end(), [](const auto& a, const auto& b) { return a.entry < b.entry; });
    look_up_in<2>(all, wanted);
  }
}

TEST_CASE("page: codes that cannot be those of the values are refused") {
  for (uint32_t count = 1; count <= 40; ++count) {
    const size_t code_bytes = (count + 1) / 2;
    Bytes entries(code_bytes + count + 8);  // keys of one byte, and 8 readable ones
    const auto set = [&](size_t number, unsigned code) {
      std::byte& both = entries[number / 2];
      both = number % 2 == 0 ? (both & std::byte{0xf0}) | static_cast<std::byte>(code)
                             : (both & std::byte{0x0f}) | static_cast<std::byte>(code << 4);
    };
    const auto opens = [&] { return KeyDecoder<1>().open(ByteView(entries).first(code_bytes + count), count); };
    for (uint32_t i = 0; i < count; ++i) set(i, 8);
    INFO(count);
    REQUIRE(opens());
    for (uint32_t i = 0; i < 2 * code_bytes; ++i) {
      for (unsigned code = 0; code < 16; ++code) {
        set(i, code);
        const unsigned bytes = code < 8 ? 0 : code - 7;
        REQUIRE(opens() == (bytes == (i < count ? 1 : 0)));
      }
      set(i, i < count ? 8 : 0);
    }
    if (count > 9) {  // the sum is right again
      for (uint32_t i = 1; i < 8; ++i) set(i, i);
      REQUIRE_FALSE(opens());
      set(0, 15);
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
    for (const PagePlace& wrong :
         {PagePlace{4, 77, 3, 4096}, PagePlace{5, 76, 3, 4096}, PagePlace{5, 77, 2, 4096}, PagePlace{5, 77, 3, 0}}) {
      const Status status = read_all<2>(slot, format, wrong, count);
      REQUIRE_FALSE(status.ok());
      REQUIRE_THAT(status.error(), Catch::Contains("belongs elsewhere"));
    }
  }
}

// Damage that a CRC does not show: nonsense is an error or other entries, never a crash.
void damage(PageCodec codec, const std::vector<Example<2>>& all) {
  std::mt19937_64 random(4);
  const PageFormat format = format_of(codec, 2);
  const Bytes slot = build<2>(format, all);
  const auto wanted = examples<2>(codec, 20, 10);
  for (int i = 0; i < 3000; ++i) {
    Bytes damaged = slot;
    for (uint64_t n = random() % 4 + 1; n > 0; --n)
      damaged[16 + random() % (slot.size() - 16)] = static_cast<std::byte>(random());
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
    PageCursor<2> cursor(format);
    if (codec != PageCodec::kKeys || !cursor.open(damaged, kPlace, "/p5.77").ok()) continue;
    for (const Example<2>& each : wanted) static_cast<void>(cursor.contains(each.entry));
  }
}

TEST_CASE("page: any content behind a right CRC is safe") {
  for (const PageCodec codec : kCodecs) damage(codec, examples<2>(codec, 140, 9));
  damage(PageCodec::kKeys, dependent_examples<2>(10, 140, 9));
}

TEST_CASE("page: compression and CRC-32 are those of zlib") {
  Bytes text(100000);
  std::mt19937_64 random(1);
  for (std::byte& byte : text) byte = static_cast<std::byte>(random() % 5);
  REQUIRE(crc32(text) == ::crc32(0, reinterpret_cast<const Bytef*>(text.data()), static_cast<uInt>(text.size())));
  std::vector<size_t> sizes;
  for (const int level : {1, 6, 9}) {
    Bytes packed;
    zlib_compress(text, level, packed);
    sizes.push_back(packed.size());
    Bytes back(text.size());
    uLongf size = back.size();
    REQUIRE(uncompress(reinterpret_cast<Bytef*>(back.data()), &size, reinterpret_cast<const Bytef*>(packed.data()),
                       packed.size()) == Z_OK);
    REQUIRE(back == text);
    Bytes again(text.size());
    REQUIRE((zlib_expand(packed, again) && again == text));
    Bytes shorter(text.size() - 1);
    REQUIRE_FALSE(zlib_expand(packed, shorter));
  }
  REQUIRE((sizes[0] > sizes[1] && sizes[1] >= sizes[2]));
}

TEST_CASE("page: varints are read as written") {
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

TEST_CASE("page: digests of SHA-1 are cut to the bits that were asked for") {
  const Bytes abc = {std::byte{'a'}, std::byte{'b'}, std::byte{'c'}};
  Bytes rest;
  REQUIRE(sha1_digest(abc, 40, rest) == 0xa9993e3647);
  REQUIRE(sha1_digest(abc, 16, rest) == 0xa999);
  REQUIRE(sha1_digest(abc, 64, rest) == 0xa9993e364706816a);
  REQUIRE(rest.empty());
  REQUIRE(sha1_digest(abc, 70, rest) == 0xa9993e364706816a);
  REQUIRE(rest == Bytes{std::byte{0xb8}});  // of ba
  REQUIRE(sha1_digest(abc, 160, rest) == 0xa9993e364706816a);
  REQUIRE((rest.size() == 12 && rest.front() == std::byte{0xba} && rest.back() == std::byte{0x9d}));
}

TEST_CASE("radix sort: it sorts as std::sort") {
  std::mt19937_64 random(5);
  for (const unsigned bits : {1u, 9u, 30u, 64u}) {
    for (size_t count : {0u, 1u, 31u, 33u, 500u, 20000u}) {
      std::vector<SortKey<2>> keys(count);
      for (SortKey<2>& each : keys) {
        each.key[0] = random() % 3 == 0 ? 7 : random() >> (64 - bits);
        each.key[1] = random() % 4 == 0 ? random() : random() % 50 << 9;
      }
      std::vector<SortKey<2>> expected = keys;
      std::sort(expected.begin(), expected.end());
      std::vector<SortKey<2>> beside = keys;
      std::vector<SortKey<2>> other(count);
      const auto word_of = [](const SortKey<2>& key, unsigned word) { return key.word(word); };
      radix_sort<SortKey<2>::kWords>(keys.data(), keys.data() + count, word_of);
      REQUIRE(keys == expected);
      radix_sort<SortKey<2>::kWords>(std::span(beside), std::span(other), word_of);
      REQUIRE(beside == expected);
    }
  }
}

// No page is longer than asked for, however well keys can be compressed.
template <unsigned W>
void fill_pages(const std::vector<Example<W>>& all, bool lasting) {
  MemoryFileSystem files;
  StoreOptions options;
  options.directory = "/store";
  options.page_bytes = 4096;
  options.write_buffer_bytes = 0;
  RunContext context(options, W, files);
  RunWriter<W> writer(context, 2, 9, lasting ? 1 : 0);
  REQUIRE(writer.open().ok());
  for (const Example<W>& each : all) REQUIRE(writer.add(each.entry, {}).ok());
  Result<Run<W>> finished = writer.finish();
  REQUIRE(finished.ok());
  const Run<W> run = std::move(finished).value();
  REQUIRE(run.entries == all.size());
  for (size_t page = 0; page < run.pages.size(); ++page) {
    REQUIRE(run.end(page) - run.pages[page].offset <= options.page_bytes);
  }
  RunReader<W> reader(context);
  REQUIRE(reader.open(run).ok());
  for (const Example<W>& each : all) {
    REQUIRE(reader.next());
    REQUIRE(reader.cursor().entry() == each.entry);
  }
  REQUIRE_FALSE(reader.next());
  REQUIRE(reader.status().ok());

  // The same, many keys at a time.
  std::vector<Key<W>> keys;
  RunReader<W> at_once(context);
  REQUIRE(at_once.open(run).ok());
  std::array<Key<W>, 100> some;
  for (size_t count = 1; count > 0;) {
    count = at_once.next_keys(some).value();
    keys.insert(keys.end(), some.begin(), some.begin() + static_cast<ptrdiff_t>(count));
  }
  REQUIRE(keys.size() == all.size());
  for (size_t i = 0; i < all.size(); ++i) REQUIRE(keys[i] == all[i].entry.key);
  RunWriter<W> again(context, 2, 10, lasting ? 1 : 0);
  REQUIRE((again.open().ok() && again.add(std::span<const Key<W>>(keys)).ok()));
  const Run<W> same = std::move(again.finish()).value();
  REQUIRE((same.entries == run.entries && same.bytes == run.bytes && same.pages.size() == run.pages.size()));
}

TEST_CASE("run: pages have the length that was asked for") {
  for (const bool lasting : {false, true}) {
    fill_pages<1>(examples<1>(PageCodec::kKeys, 20000, 1), lasting);
    fill_pages<2>(examples<2>(PageCodec::kKeys, 20000, 2), lasting);
    fill_pages<16>(examples<16>(PageCodec::kKeys, 1000, 3), lasting);
    fill_pages<2>(dependent_examples<2>(18, 20000, 4), lasting);
    auto mixed = dependent_examples<2>(10, 5000, 5);
    for (Example<2>& each : examples<2>(PageCodec::kKeys, 5000, 6)) mixed.push_back(each);
    for (Example<2>& each : dependent_examples<2>(60, 5000, 7)) mixed.push_back(each);
    std::sort(mixed.begin(), mixed.end(), [](const auto& a, const auto& b) { return a.entry < b.entry; });
    fill_pages<2>(mixed, lasting);
  }
}

// The first page of a file, damaged anywhere, cut anywhere: the run's reader says so.
TEST_CASE("run: a damaged file is an error") {
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
