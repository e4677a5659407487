#include "storage/rounds/round_store.h"

#include <map>
#include <random>
#include <vector>

#include "tests/support/memory_files.h"

#include "tests/catch.h"

namespace cmc::test {
namespace {

constexpr unsigned kBits = 40;  // of word 0

// Pages of keys ask for no vectors.
class NoVectors final : public StateVectors {
 public:
  void unpack(const uint64_t*, Bytes&) const override { FAIL("no vector is needed"); }
  [[nodiscard]] uint64_t state_bytes(const uint64_t*) const override { return 1; }
};

RoundPlan tiny(uint32_t partitions, uint32_t layout = 0) {
  RoundPlan plan;
  plan.store.directory = "/store";
  plan.store.page_bytes = 512;
  plan.store.write_buffer_bytes = 4096;
  plan.store.layout = layout;
  plan.store.partitions = partitions;
  plan.chunk_bytes = 256;
  plan.side_bytes = 4096;
  plan.filter_bytes = std::max(8192u, 64 * partitions);
  plan.turn_records = 200;
  plan.outbox_records = 3;
  return plan;
}

template <unsigned W>
std::array<unsigned, W> word_bits() {
  std::array<unsigned, W> bits;
  bits.fill(kBits);
  return bits;
}

// A store with what it needs.
template <unsigned W>
struct Subject {
  explicit Subject(FileSystem& files, const RoundPlan& plan)
      : hasher(plan.store, word_bits<W>(), vectors), store(plan, word_bits<W>(), hasher, files), outbox(store) {}
  NoVectors vectors;
  StateHasher<W> hasher;
  RoundStore<W> store;
  typename RoundStore<W>::Outbox outbox;
};

// Sends and takes at random; compares with what a map says. `seen`: of all that were accepted, the depth.
template <unsigned W>
void send_and_take(Subject<W>& subject, std::map<Key<W>, uint32_t>& seen, std::mt19937_64& random, uint64_t range) {
  std::map<Key<W>, uint32_t> waiting;  // the least depth
  for (unsigned round = 0; round < 60; ++round) {
    for (unsigned i = 0; i < 100; ++i) {
      Key<W> key{};
      for (unsigned w = 0; w < W; ++w) key[w] = random() % range * 0x10001 & ((uint64_t{1} << kBits) - 1);
      const auto depth = static_cast<uint32_t>(random() % 1000);
      REQUIRE(subject.store.send(subject.outbox, {key, {0, 0, depth}}).ok());
      const auto known = waiting.emplace(key, depth).first;
      known->second = std::min(known->second, depth);
    }
    if (round % 3 != 2) continue;
    REQUIRE(subject.store.flush(subject.outbox).ok());
    std::vector<typename RoundStore<W>::Record> fresh;
    while (const std::optional<uint32_t> partition = subject.store.claim()) {
      REQUIRE(subject.store.turn(*partition, fresh).ok());
      for (size_t i = 0; i < fresh.size(); ++i) {
        if (i > 0) REQUIRE(fresh[i - 1].key < fresh[i].key);
        REQUIRE(waiting.contains(fresh[i].key));
        REQUIRE(fresh[i].origin.depth >= waiting[fresh[i].key]);
        REQUIRE(seen.emplace(fresh[i].key, fresh[i].origin.depth).second);
      }
    }
    for (const auto& [key, depth] : waiting) REQUIRE(seen.contains(key));
    waiting.clear();
    REQUIRE(!subject.store.has_work());
    REQUIRE(subject.store.candidates() == 0);
    REQUIRE(subject.store.states() == seen.size());
    subject.store.check_invariants();
  }
}

template <unsigned W>
void check_random(uint32_t partitions, uint64_t range) {
  MemoryFileSystem files;
  std::mt19937_64 random(partitions + range);
  std::map<Key<W>, uint32_t> seen;
  Subject<W> first(files, tiny(partitions));
  send_and_take(first, seen, random, range);
  const StoreFigures figures = first.store.figures(0);
  CHECK(figures.lookups == 6000);
  CHECK(figures.lookups == figures.duplicate_candidates + figures.revisits + figures.reopened);
  CHECK(figures.lossy_left + figures.stored_states == seen.size());
  CHECK((figures.stored_states > 0 || range < 100));
  CHECK((figures.ruled_out > 0 || range < 10'000));

  // Another layout goes on with what it was given, candidates too.
  REQUIRE(first.store.send(first.outbox, {Key<W>{}, {}}).ok());
  REQUIRE(first.store.flush(first.outbox).ok());
  Subject<W> second(files, tiny(partitions + 1, 1));
  REQUIRE(first.store.drain([&](const Key<W>& key) { return second.store.receive(key); }).ok());
  REQUIRE(second.store.finish_receiving().ok());
  second.store.inherit(first.store.counters());
  second.store.check_invariants();
  size_t candidates = 0;
  REQUIRE(first.store
              .drain_candidates([&](const auto& record) {
                ++candidates;
                seen.emplace(record.key, 0);
                return second.store.send(second.outbox, record);
              })
              .ok());
  CHECK(candidates == 1);
  REQUIRE(second.store.flush(second.outbox).ok());
  std::vector<typename RoundStore<W>::Record> fresh;
  while (const std::optional<uint32_t> partition = second.store.claim()) {
    REQUIRE(second.store.turn(*partition, fresh).ok());
  }
  REQUIRE(second.store.states() == seen.size());
  send_and_take(second, seen, random, 2 * range);

  // It goes on with less memory, as often as it can, and so does the next layout's.
  uint32_t halvings = 0;
  while (second.store.shrink()) ++halvings;
  CHECK(halvings == 4);
  send_and_take(second, seen, random, 3 * range);
  first.store.shrink_like(second.store);
  CHECK(!first.store.shrink());
}

TEST_CASE("round store: a turn accepts each key once, and the same keys as a set") {
  for (const uint32_t partitions : {1u, 2u, 7u, 256u}) {
    for (const uint64_t range : {uint64_t{50}, uint64_t{3000}, uint64_t{1} << 30}) {
      INFO(partitions << " partitions, range " << range);
      check_random<1>(partitions, range);
      check_random<2>(partitions, range);
    }
  }
}

TEST_CASE("round store: filters in front of pages take what is for them, however small their shares are") {
  for (const uint32_t partitions : {1u, 7u, 256u}) {
    const auto bytes_with = [&](uint64_t filter_bytes) {
      MemoryFileSystem files;
      std::mt19937_64 random(7);
      std::map<Key<1>, uint32_t> seen;
      RoundPlan plan = tiny(partitions);
      plan.side_bytes = 64;
      plan.filter_bytes = filter_bytes;
      Subject<1> subject(files, plan);
      for (unsigned i = 0; i < 3; ++i) send_and_take(subject, seen, random, uint64_t{1} << 30);
      CHECK((subject.store.figures(0).ruled_out > 0) == (filter_bytes / partitions >= 64));
      return subject.store.memory_bytes();
    };
    const uint64_t without = bytes_with(0);
    for (const uint64_t filter_bytes : {10'000u, 20'000u, 40'000u}) {
      INFO(partitions << " partitions, " << filter_bytes << " bytes");
      CHECK(bytes_with(filter_bytes) <= without + filter_bytes);
    }
  }
}

TEST_CASE("round store: of equal candidates of a turn that of the least depth is kept") {
  MemoryFileSystem files;
  Subject<1> subject(files, tiny(1));
  for (const uint32_t depth : {7u, 3u, 5u}) REQUIRE(subject.store.send(subject.outbox, {{42}, {1, 2, depth}}).ok());
  REQUIRE(subject.store.flush(subject.outbox).ok());
  std::vector<RoundStore<1>::Record> fresh;
  REQUIRE(subject.store.turn(*subject.store.claim(), fresh).ok());
  REQUIRE(fresh.size() == 1);
  CHECK(fresh[0].origin.depth == 3);
}

TEST_CASE("round store: a partition that is claimed is claimed once") {
  MemoryFileSystem files;
  Subject<1> subject(files, tiny(1));
  REQUIRE(subject.store.send(subject.outbox, {{1}, {}}).ok());
  REQUIRE(subject.store.flush(subject.outbox).ok());
  const std::optional<uint32_t> partition = subject.store.claim();
  REQUIRE(partition.has_value());
  REQUIRE(subject.store.send(subject.outbox, {{2}, {}}).ok());
  REQUIRE(subject.store.flush(subject.outbox).ok());
  CHECK(!subject.store.has_work());
  CHECK(!subject.store.claim().has_value());
  std::vector<RoundStore<1>::Record> fresh;
  REQUIRE(subject.store.turn(*partition, fresh).ok());
  CHECK(!subject.store.has_work());  // the turn has taken both
  CHECK(fresh.size() == 2);
}

TEST_CASE("round store: the partition is claimed whose pass decides most candidates") {
  MemoryFileSystem files;
  Subject<1> subject(files, tiny(16));
  std::mt19937_64 random(5);
  for (unsigned i = 0; i < 500; ++i)
    REQUIRE(subject.store.send(subject.outbox, {{random() % (uint64_t{1} << kBits)}, {}}).ok());
  REQUIRE(subject.store.flush(subject.outbox).ok());
  std::vector<RoundStore<1>::Record> fresh;
  size_t before = SIZE_MAX;
  uint32_t turns = 0;
  while (const std::optional<uint32_t> partition = subject.store.claim()) {
    REQUIRE(subject.store.turn(*partition, fresh).ok());
    CHECK(fresh.size() <= before);  // no partition has states yet, so the most candidates come first
    before = fresh.size();
    ++turns;
  }
  CHECK(turns == 16);
}

TEST_CASE("round store: what a failed turn could not decide counts as no state") {
  for (uint64_t at = 0;; ++at) {
    MemoryFileSystem memory;
    FaultyFiles files(memory, Fault::kNoSpace, at);
    Subject<1> subject(files, tiny(1));
    std::vector<RoundStore<1>::Record> fresh;
    uint64_t accepted = 0;
    Status status = Success{};
    for (uint64_t key = 0; status.ok() && key < 3000; ++key) {
      status = subject.store.send(subject.outbox, {{key * 31}, {}});
      if (!status.ok() || key % 100 != 99) continue;
      status = subject.store.flush(subject.outbox);
      if (!status.ok()) break;
      status = subject.store.turn(*subject.store.claim(), fresh);
      accepted += status.ok() ? fresh.size() : 0;
    }
    CHECK(subject.store.states() == accepted);
    if (!files.happened()) break;
    CHECK(!status.ok());
  }
}

}  // namespace
}  // namespace cmc::test
