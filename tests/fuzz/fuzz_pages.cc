#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "storage/pages/page_entries.h"
#include "storage/pages/run.h"
#include "tests/fuzz/input.h"
#include "tests/support/memory_files.h"

// libFuzzer target: any bytes are the entries of a page whose checksum is right, or keys of a run and damage to its
// file. Reading ends, with entries or with an error; of a run it gives what was written, or an error.

namespace {

using namespace cmc;

constexpr PagePlace kPlace = {5, 77, 3, 4096};
constexpr unsigned kCodecs = 5;

template <unsigned W>
void read_page(fuzz::Input input, PageCodec codec) {
  StoreOptions options;
  options.codec = codec;
  options.sha1_bits = 16 + input.take<uint8_t>() % 145;
  const PageFormat format = PageFormat::of(options, W);
  const uint32_t count = input.take<uint16_t>();
  const uint64_t wanted = input.take<uint64_t>();
  Bytes slot;
  close_page(input.rest(), count, format, kPlace, slot);
  PageCursor<W> cursor(format);
  if (cursor.open(slot, kPlace, "page").ok()) {
    uint64_t entries = 0;
    while (cursor.next()) ++entries;
    if (entries > count) __builtin_trap();
    if (entries < count && cursor.status("page").ok()) __builtin_trap();  // some are missing without a word
  }
  if (codec != PageCodec::kKeys) return;
  PageCursor<W> lookup(format);
  if (lookup.open(slot, kPlace, "page").ok()) static_cast<void>(lookup.contains({0, Key<W>{wanted}}));
}

template <unsigned W>
void read_run(fuzz::Input input) {
  StoreOptions options;
  options.directory = "/store";
  options.page_bytes = 512;
  MemoryFileSystem files;
  RunContext context(options, W, files);
  const unsigned flips = input.take<uint8_t>() % 4;
  std::vector<std::pair<uint32_t, uint8_t>> damage(flips);
  for (auto& [place, bits] : damage) {
    place = input.take<uint32_t>();
    bits = input.take<uint8_t>();
  }
  std::set<Key<W>> keys;
  while (!input.empty() || keys.empty()) {
    Key<W> key;
    for (unsigned i = 0; i < W; ++i) key[i] = input.take<uint64_t>();
    key[0] &= (uint64_t{1} << kFirstWordBits) - 1;
    keys.insert(key);
  }
  RunWriter<W> writer(context, 0, 0, 1);
  if (!writer.open().ok()) __builtin_trap();
  for (const Key<W>& key : keys) {
    if (!writer.add({0, key}, {}).ok()) __builtin_trap();
  }
  const Result<Run<W>> run = writer.finish();
  if (!run.ok()) __builtin_trap();
  run.value().check_invariants();
  const Bytes before = *files.all().at(run.value().path);
  Bytes& content = *files.all().at(run.value().path);
  for (const auto& [place, bits] : damage) content[place % content.size()] ^= static_cast<std::byte>(bits);

  RunReader<W> reader(context);
  if (!reader.open(run.value()).ok()) __builtin_trap();
  std::vector<Key<W>> found;
  bool ok = true;
  while (reader.next()) found.push_back(reader.cursor().entry().key);
  ok = reader.status().ok();
  if (before == content && !ok) __builtin_trap();
  if (ok && found != std::vector<Key<W>>(keys.begin(), keys.end())) __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::Input input(data, size);
  const uint8_t what = input.take<uint8_t>();
  if (what % (kCodecs + 1) == kCodecs) {
    what < 128 ? read_run<1>(input) : read_run<2>(input);
  } else {
    const auto codec = static_cast<PageCodec>(what % (kCodecs + 1));
    what < 128 ? read_page<1>(input, codec) : read_page<2>(input, codec);
  }
  return 0;
}
