#include "storage/cache/cached_store.h"

#include <cmath>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "storage/cache/divide_memory.h"
#include "storage/options/identities.h"
#include "tests/storage/numbers.h"
#include "tests/support/memory_files.h"
#include "tests/support/part_of_day.h"

#include "tests/catch.h"

namespace cmc {
namespace {

// State number n as a key of W words, and back. Few words differ.
template <unsigned W>
struct Numbers final : StateVectors {
  static constexpr unsigned kBits = W == 1 ? 40 : 37;  // of each word

  static std::array<unsigned, W> word_bits() {
    std::array<unsigned, W> bits{};
    bits.fill(kBits);
    return bits;
  }
  static Key<W> key(uint64_t number) {
    Key<W> key{};
    for (unsigned i = 0; i < W; ++i) key[i] = 77 * i;
    key[0] = (number & 0xfff) << 7;
    key[W - 1] ^= number >> 12 << 25;
    return key;
  }
  static uint64_t number(const uint64_t* words) {
    const uint64_t last = W == 1 ? words[0] & ~uint64_t{0x7ffff} : words[W - 1] ^ (77 * (W - 1));
    return (words[0] >> 7 & 0xfff) | last >> 25 << 12;
  }
  void unpack(const uint64_t* words, Bytes& state) const override {
    const uint64_t n = number(words);
    state.assign(state_bytes(words), std::byte{7});
    store(state.data(), n);
  }
  uint64_t state_bytes(const uint64_t* words) const override { return 8 + number(words) % 29; }
};

// What a store was offered, and what it may answer.
template <unsigned W>
class Referee {
 public:
  using Store = CachedStore<W>;

  Referee(Store& store, const StateHasher<W>& hasher) : store_(&store), hasher_(&hasher) {}

  // False: the store has failed.
  bool offer(uint64_t number) {
    const HashedKey<W> key = (*hasher_)(Numbers<W>::key(number), scratch_);
    const bool known = accepted_.count(number) > 0;
    const typename Store::Offer answer = store_->offer(key, {number * 3, static_cast<uint32_t>(number), 7});
    if (answer == Store::Offer::kFailed) return false;
    ++queries_;
    if (answer == Store::Offer::kNew) {
      REQUIRE_FALSE(known);
      REQUIRE(waiting_.count(number) == 0);
      accepted_.insert(number);
      store_->expanded(key, number % 7);
    } else if (answer == Store::Offer::kSeen) {
      REQUIRE((known || waiting_.count(number) == 1));
    } else {
      waiting_.insert(number);
    }
    while (const auto full = store_->needs_check()) {
      if (!check(*full)) return false;
    }
    return true;
  }
  bool check(uint32_t partition) { return store_->check(partition, on_new()).ok(); }
  // Resolves the candidates of all partitions, as at the end of a level.
  bool resolve_all(uint32_t partitions) {
    for (uint32_t i = 0; i < partitions; ++i) {
      if (!store_->resolve(i, on_new()).ok()) return false;
    }
    REQUIRE(store_->candidates() == 0);
    for (const uint64_t number : waiting_) REQUIRE(accepted_.count(number) == 1);
    waiting_.clear();
    return true;
  }
  bool check_all() {
    if (!store_->check_all(on_new()).ok()) return false;
    REQUIRE(store_->candidates() == 0);
    for (const uint64_t number : waiting_) REQUIRE(accepted_.count(number) == 1);
    waiting_.clear();
    return true;
  }
  void compare_figures(bool exact = true) const {
    const StoreFigures figures = store_->figures();
    REQUIRE(accepted_.size() > 0);
    if (exact) REQUIRE(check_identities(figures, accepted_.size(), queries_ - 1) == "");
    REQUIRE(figures.stored_states <= figures.reclaimed);
  }
  [[nodiscard]] const std::set<uint64_t>& accepted() const { return accepted_; }

  template <unsigned V>
  friend class Referee;
  template <unsigned V>
  Referee(const Referee<V>& from, Store& store, const StateHasher<W>& hasher)
      : store_(&store), hasher_(&hasher), accepted_(from.accepted_), queries_(from.queries_) {}

 private:
  auto on_new() {
    return [this](const Key<W>& key, const Origin& origin) {
      const uint64_t number = Numbers<W>::number(key.data());
      REQUIRE(key == Numbers<W>::key(number));
      REQUIRE(origin.parent == number * 3);
      REQUIRE((origin.index == static_cast<uint32_t>(number) && origin.depth == 7));
      REQUIRE(waiting_.count(number) == 1);
      REQUIRE(accepted_.insert(number).second);
    };
  }

  Store* store_;
  const StateHasher<W>* hasher_;
  Bytes scratch_;
  std::set<uint64_t> accepted_;
  std::set<uint64_t> waiting_;
  uint64_t queries_ = 0;
};

StoreOptions tiny_options() {
  StoreOptions options;
  options.directory = "/store";
  options.bloom_bits = 2048;
  options.bloom_hashes = 2;
  options.lossy_capacity = 16;
  options.reclaim_ahead = 3;
  options.lookup_buffer = 4;
  options.partitions = 2;
  options.page_bytes = 512;
  options.write_buffer_bytes = 1000;
  return options;
}

// Numbers that come again, soon or late.
std::vector<uint64_t> sequence(size_t steps, uint64_t distinct, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<uint64_t> numbers;
  for (size_t i = 0; i < steps; ++i) {
    const uint64_t range = random() % 2 == 0 ? distinct : std::min<uint64_t>(distinct, 8);
    const uint64_t recent =
        numbers.empty() ? 0 : numbers[numbers.size() - 1 - random() % std::min<size_t>(numbers.size(), 20)];
    numbers.push_back(range == distinct ? mixed(random() % distinct) & 0xffffff : recent);
  }
  return numbers;
}

uint64_t page_bytes(MemoryFileSystem& files) {
  uint64_t total = 0;
  for (const auto& [path, content] : files.all()) total += path.starts_with("/store/p") ? content->size() : 0;
  return total;
}

template <unsigned W>
void compare_with_set(const StoreOptions& options, size_t steps, uint64_t distinct) {
  MemoryFileSystem files;
  const Numbers<W> vectors;
  REQUIRE(check_options(options).ok());
  const StateHasher<W> hasher(options, Numbers<W>::word_bits(), vectors);
  {
    CachedStore<W> store(options, {}, hasher, Numbers<W>::word_bits(), files);
    Referee<W> referee(store, hasher);
    const auto numbers = sequence(steps, distinct, steps + W);
    for (const uint64_t number : numbers) REQUIRE(referee.offer(number));
    store.check_invariants();
    REQUIRE(referee.check_all());
    referee.compare_figures();
    store.check_invariants();
    for (const uint64_t number : numbers) REQUIRE(referee.accepted().count(number) == 1);
    const StoreFigures figures = store.figures();
    REQUIRE(figures.disk_bytes == page_bytes(files));
    REQUIRE(figures.disk_bytes_peak >= figures.disk_bytes);
    REQUIRE(figures.disk_bytes_peak <= figures.bytes_written);
    REQUIRE(figures.reclaimed > 0);
    uint64_t bytes = 0;
    for (const uint64_t number : referee.accepted()) bytes += vectors.state_bytes(Numbers<W>::key(number).data());
    REQUIRE(figures.reclaimed_bytes <= bytes);
    REQUIRE(figures.max_lookup <= options.lookup_buffer);
  }
  REQUIRE(files.all().empty());
}

constexpr Evaluator kEvaluators[] = {Evaluator::kAge, Evaluator::kIncoming, Evaluator::kOutgoing,
                                     Evaluator::kCombined};

TEST_CASE("cached store: keys that are near each other are in the same partition, and all partitions are alike") {
  StoreOptions options;
  options.partitions = 32;
  const Numbers<2> vectors;
  const StateHasher<2> hasher(options, {60, 60}, vectors);
  Bytes scratch;
  const auto partition_of = [&](const Key<2>& key) { return hasher.partition(hasher(key, scratch).order); };
  std::vector<uint64_t> counts(options.partitions);
  for (uint64_t number = 0; number < 32'000; ++number) {
    const uint64_t high = mixed(number) >> 20 << 16;
    const uint32_t partition = partition_of({high, 0});
    REQUIRE(partition < options.partitions);
    REQUIRE(partition_of({high | (mixed(number + 1) & 0xffff), mixed(number + 2) >> 4}) == partition);
    ++counts[partition];
  }
  for (const uint64_t count : counts) CHECK((count > 800 && count < 1200));
  // Of few bits none are left out.
  const StateHasher<2> small(options, {20, 60}, vectors);
  std::set<uint32_t> partitions;
  for (uint64_t low = 0; low < 256; ++low) partitions.insert(small.partition(small({low, 0}, scratch).order));
  CHECK(partitions.size() > 16);
}

TEST_CASE("cached store: it answers like a set, with every codec and evaluator, absurdly small") {
  for (const PageCodec codec : kCodecs) {
    for (const Evaluator evaluator : kEvaluators) {
      StoreOptions options = tiny_options();
      options.codec = codec;
      options.evaluator = evaluator;
      options.sha1_bits = 64;
      compare_with_set<1>(options, 6000, 1500);
      compare_with_set<2>(options, 4000, 1500);
      compare_with_set<4>(options, 4000, 1500);
    }
  }
}

TEST_CASE("cached store: one hash function, one state at a time, one candidate, one partition will do") {
  StoreOptions options = tiny_options();
  options.bloom_hashes = 1;
  options.lossy_capacity = 1;
  options.reclaim_ahead = 1;
  options.lookup_buffer = 1;
  options.partitions = 1;
  options.write_buffer_bytes = 0;
  compare_with_set<1>(options, 2000, 400);
  options.bloom_hashes = 8;
  options.bloom_bits = 1;
  compare_with_set<2>(options, 2000, 400);
}

TEST_CASE("cached store: it can be given more room") {
  StoreOptions options = tiny_options();
  options.bloom_bits = 1 << 20;
  options.lossy_capacity = 3000;
  options.reclaim_ahead = 100;
  options.lookup_buffer = 100;
  options.partitions = 128;
  options.page_bytes = 4096;
  options.write_buffer_bytes = 1 << 16;
  compare_with_set<1>(options, 100000, 30000);
  options.codec = PageCodec::kZlib;
  options.io = FileAccess::kDirect;
  compare_with_set<2>(options, 100000, 30000);
}

TEST_CASE("cached store: caches that grow answer like a set", "[long]") {
  for (const PageCodec codec : {PageCodec::kKeys, PageCodec::kRaw}) {
    StoreOptions options = tiny_options();
    options.codec = codec;
    options.page_bytes = 4096;
    options.lookup_buffer = 1000;
    options.write_buffer_bytes = 1 << 16;
    options.bloom_bits = uint64_t{1} << 32;
    options.bloom_grows = true;
    options.lossy_grows = true;
    for (const uint64_t capacity : {uint64_t{20'000}, uint64_t{70'000}}) {
      options.lossy_capacity = capacity;
      compare_with_set<1>(options, 300'000, 400'000);
    }
    options.bloom_hashes = 1;
    compare_with_set<2>(options, 300'000, 400'000);
    options.bloom_hashes = 2;
  }
}

TEST_CASE("cached store: caches that grow take memory for what they have") {
  MemoryFileSystem files;
  const Numbers<1> vectors;
  StoreOptions options = tiny_options();
  options.bloom_bits = uint64_t{1} << 34;
  options.lossy_capacity = uint64_t{1} << 30;
  options.bloom_grows = options.lossy_grows = true;
  const StateHasher<1> hasher(options, Numbers<1>::word_bits(), vectors);
  CachedStore<1> store(options, {}, hasher, Numbers<1>::word_bits(), files);
  REQUIRE(store.memory_bytes() < 1 << 20);
  Referee<1> referee(store, hasher);
  for (uint64_t i = 0; i < 100'000; ++i) REQUIRE(referee.offer(i));
  REQUIRE(store.memory_bytes() < 100'000 * 40);
  REQUIRE(store.figures().lossy_capacity == options.lossy_capacity);
  REQUIRE(store.figures().bloom_resolved > 95'000);
  store.check_invariants();
}

TEST_CASE("cached store: the cache gets the memory of a Bloom filter that is full") {
  for (const PageCodec codec : {PageCodec::kKeys, PageCodec::kRaw}) {
    MemoryFileSystem files;
    const Numbers<1> vectors;
    StoreOptions options = tiny_options();
    options.codec = codec;
    options.bloom_bits = 1 << 14;
    options.lossy_capacity = 500;
    options.lookup_buffer = 100;
    options.page_bytes = 4096;
    options.write_buffer_bytes = 1 << 16;
    for (const bool inherits : {false, true}) {
      options.lossy_inherits = inherits;
      const StateHasher<1> hasher(options, Numbers<1>::word_bits(), vectors);
      CachedStore<1> store(options, {}, hasher, Numbers<1>::word_bits(), files);
      const uint64_t before = store.memory_bytes();
      Referee<1> referee(store, hasher);
      for (uint64_t i = 0; i < 80'000; ++i) REQUIRE(referee.offer(mixed(i) % 60'000));
      REQUIRE(referee.check_all());
      referee.compare_figures();
      store.check_invariants();
      const StoreFigures figures = store.figures();
      REQUIRE(figures.bloom_freed_bytes == 2048);
      REQUIRE(figures.bloom_bits == 1 << 14);
      if (inherits) {
        REQUIRE(figures.lossy_capacity > 700);
        REQUIRE(figures.lossy_capacity < 1500);
      } else {
        REQUIRE(figures.lossy_capacity == 500);
      }
      REQUIRE(store.memory_bytes() < before + (1 << 18));
    }
  }
}

TEST_CASE("cached store: SHA-1 of few bits leaves states out, as many as it says") {
  for (const unsigned bits : {16U, 18U, 20U, 24U, 64U, 70U, 160U}) {
    MemoryFileSystem files;
    const Numbers<1> vectors;
    StoreOptions options = tiny_options();
    options.codec = PageCodec::kSha1;
    options.sha1_bits = bits;
    options.bloom_bits = 512;
    options.bloom_hashes = 1;
    options.lossy_capacity = 100;
    options.lookup_buffer = 100;
    options.page_bytes = 4096;
    options.write_buffer_bytes = 1 << 16;
    REQUIRE(check_options(options).ok());
    const StateHasher<1> hasher(options, Numbers<1>::word_bits(), vectors);
    CachedStore<1> store(options, {}, hasher, Numbers<1>::word_bits(), files);
    Bytes scratch;
    uint64_t accepted = 0;
    constexpr uint64_t kStates = 20'000;
    const auto on_new = [&](const Key<1>&, const Origin&) { ++accepted; };
    for (uint64_t i = 0; i < 2 * kStates; ++i) {
      const auto answer = store.offer(hasher(Numbers<1>::key(i % kStates), scratch), {i, 0, 0});
      REQUIRE(answer != CachedStore<1>::Offer::kFailed);
      accepted += answer == CachedStore<1>::Offer::kNew ? 1 : 0;
      while (const auto full = store.needs_check()) REQUIRE(store.check(*full, on_new).ok());
    }
    REQUIRE(store.check_all(on_new).ok());
    store.check_invariants();
    REQUIRE(check_identities(store.figures(), accepted, 2 * kStates - 1) == "");
    // The second time, candidates that were left out are asked for once more, and mostly left out again.
    const double left_out = static_cast<double>(kStates - accepted);
    const double expected = store.expected_omissions();
    INFO("bits " << bits << ": left out " << left_out << ", expected " << expected);
    REQUIRE(accepted <= kStates);
    if (bits >= 64) {
      REQUIRE((accepted == kStates && expected < 1e-6));
    } else {
      REQUIRE(std::abs(left_out - expected) < 5 * std::sqrt(expected) + 2);
    }
  }
}

TEST_CASE("cached store: a few candidates are resolved without a page for them") {
  for (const PageCodec codec : {PageCodec::kKeys, PageCodec::kRaw}) {
    MemoryFileSystem files;
    const Numbers<1> vectors;
    StoreOptions options = tiny_options();
    options.codec = codec;
    options.lookup_buffer = 1000;
    options.write_buffer_bytes = 1 << 20;
    const StateHasher<1> hasher(options, Numbers<1>::word_bits(), vectors);
    CachedStore<1> store(options, {}, hasher, Numbers<1>::word_bits(), files);
    Referee<1> referee(store, hasher);
    uint64_t offers = 0;
    for (const uint64_t number : sequence(20'000, 3'000, 7)) {
      REQUIRE(referee.offer(number));
      if (++offers % 10 != 0) continue;
      REQUIRE(referee.resolve_all(options.partitions));
      if (offers % 100 == 0) store.check_invariants();
    }
    referee.compare_figures();
    // 2,000 times, with a candidate mostly. A partition writes when it has 500 states.
    REQUIRE(store.figures().max_lookup > 0);
    REQUIRE(store.figures().pages_written < 2'000);
    REQUIRE(store.figures().stored_states > 1'000);
  }
}

TEST_CASE("cached store: it works when nothing is reclaimed, without candidates and files") {
  MemoryFileSystem files;
  const Numbers<1> vectors;
  StoreOptions options = tiny_options();
  options.lossy_capacity = 1200;
  options.bloom_bits = 512;
  const StateHasher<1> hasher(options, Numbers<1>::word_bits(), vectors);
  CachedStore<1> store(options, {}, hasher, Numbers<1>::word_bits(), files);
  Referee<1> referee(store, hasher);
  for (int round = 0; round < 2; ++round) {
    for (uint64_t i = 0; i < 1000; ++i) REQUIRE(referee.offer(i));
  }
  REQUIRE(store.candidates() == 0);
  REQUIRE(referee.accepted().size() == 1000);
  REQUIRE(store.figures().reclaimed == 0);
  REQUIRE(files.all().empty());
  referee.compare_figures();
}

TEST_CASE("cached store: stripes divide everything between them") {
  MemoryFileSystem files;
  const Numbers<1> vectors;
  for (const PageCodec codec : {PageCodec::kKeys, PageCodec::kRaw}) {
    StoreOptions options = tiny_options();
    options.codec = codec;
    options.partitions = 7;
    options.lossy_capacity = 48;
    const StateHasher<1> hasher(options, Numbers<1>::word_bits(), vectors);
    std::vector<std::unique_ptr<CachedStore<1>>> stores;
    std::vector<Referee<1>> referees;
    for (uint32_t i = 0; i < 3; ++i) {
      stores.push_back(std::make_unique<CachedStore<1>>(options, CachedStore<1>::Stripe{i, 3}, hasher,
                                                        Numbers<1>::word_bits(), files));
      referees.emplace_back(*stores.back(), hasher);
    }
    Bytes scratch;
    std::set<uint64_t> offered;
    for (const uint64_t number : sequence(3000, 800, 5)) {
      const HashedKey<1> key = hasher(Numbers<1>::key(number), scratch);
      REQUIRE(referees[hasher.stripe(key.order, 3)].offer(number));
      offered.insert(number);
    }
    StoreFigures all;
    uint64_t accepted = 0;
    for (uint32_t i = 0; i < 3; ++i) {
      REQUIRE(referees[i].check_all());
      referees[i].compare_figures();
      all += stores[i]->figures();
      accepted += referees[i].accepted().size();
    }
    REQUIRE(accepted == offered.size());
    REQUIRE(all.partitions == 7);
    REQUIRE(all.lossy_capacity == 48);
    REQUIRE(check_identities(all, accepted, 3000 - 1) == "");
    REQUIRE_THAT(check_identities(all, accepted + 1, 3000 - 1), Catch::Contains("Bloom entries = visited"));
  }
}

template <unsigned W>
void stay_within(uint64_t memory_bytes, uint32_t stripes, uint64_t expected, uint64_t states) {
  MemoryFileSystem files;
  const Numbers<W> vectors;
  StoreOptions options = divide_memory(memory_bytes, W, W * Numbers<W>::kBits, expected, stripes);
  options.directory = "/store";
  REQUIRE(check_options(options).ok());
  const StateHasher<W> hasher(options, Numbers<W>::word_bits(), vectors);
  std::vector<std::unique_ptr<CachedStore<W>>> stores;
  for (uint32_t i = 0; i < stripes; ++i) {
    stores.push_back(std::make_unique<CachedStore<W>>(options, typename CachedStore<W>::Stripe{i, stripes}, hasher,
                                                      Numbers<W>::word_bits(), files));
  }
  Bytes scratch;
  uint64_t most = 0;
  uint64_t accepted = 0;
  const auto on_new = [&](const Key<W>&, const Origin&) { ++accepted; };
  for (uint64_t i = 0; i < states + states / 2; ++i) {
    const HashedKey<W> key = hasher(Numbers<W>::key(i < states ? i : 2 * (i - states)), scratch);
    CachedStore<W>& store = *stores[hasher.stripe(key.order, stripes)];
    const auto answer = store.offer(key, {i, 0, 0});
    if (answer == CachedStore<W>::Offer::kNew) ++accepted;
    REQUIRE(answer != CachedStore<W>::Offer::kFailed);
    while (const auto full = store.needs_check()) REQUIRE(store.check(*full, on_new).ok());
    if (i % 1000 != 0) continue;
    uint64_t bytes = 0;
    for (const auto& each : stores) bytes += each->memory_bytes();
    most = std::max(most, bytes);
  }
  uint64_t reclaimed = 0;
  for (const auto& store : stores) {
    REQUIRE(store->check_all(on_new).ok());
    reclaimed += store->figures().reclaimed;
  }
  REQUIRE(accepted == states);
  REQUIRE(reclaimed > 0);
  INFO("W " << W << ", stripes " << stripes << ", bloom " << options.bloom_bits / 8 << ", cache "
            << options.lossy_capacity);
  REQUIRE(most <= memory_bytes);
  REQUIRE(most > memory_bytes / 2);
}

TEST_CASE("cached store: a division of memory is kept", "[long]") {
  stay_within<1>(4 << 20, 1, 0, 500000);
  stay_within<1>(8 << 20, 2, 1000000, 1000000);
  stay_within<2>(6 << 20, 1, 100, 600000);
  stay_within<4>(8 << 20, 1, 0, 600000);
}

template <unsigned V, unsigned W>
void relayout(PageCodec codec) {
  MemoryFileSystem files;
  StoreOptions options = tiny_options();
  options.codec = codec;
  options.sha1_bits = 64;
  options.lossy_capacity = 40;
  const Numbers<V> old_vectors;
  const Numbers<W> vectors;
  const StateHasher<V> old_hasher(options, Numbers<V>::word_bits(), old_vectors);
  auto old = std::make_unique<CachedStore<V>>(options, typename CachedStore<V>::Stripe{}, old_hasher,
                                              Numbers<V>::word_bits(), files);
  Referee<V> before(*old, old_hasher);
  const auto numbers = sequence(2000, 700, V);
  for (const uint64_t number : numbers) REQUIRE(before.offer(number));
  REQUIRE(before.check_all());
  REQUIRE(old->figures().stored_states > 0);

  options.layout = 1;
  options.lossy_capacity = 30;
  const StateHasher<W> hasher(options, Numbers<W>::word_bits(), vectors);
  const auto convert = [](const Key<V>& key) { return Numbers<W>::key(Numbers<V>::number(key.data())); };
  const uint64_t written = old->figures().pages_written;
  REQUIRE(old->write_waiting().ok());
  if (codec == PageCodec::kKeys) REQUIRE(old->stash().ok());
  CachedStore<W> store(options, {}, hasher, Numbers<W>::word_bits(), files);
  if (codec == PageCodec::kKeys) {
    store.inherit(*old);
    Bytes scratch;
    const Status moved = old->unstash([&](const Key<V>& key, Meta meta, bool cached) {
      const auto converted = convert(key);
      return store.receive(hasher(converted, scratch), converted, meta, cached);
    });
    REQUIRE(moved.ok());
    store.add_reading(*old);
  } else {
    REQUIRE(store.take_over(*old, convert).ok());
  }
  old.reset();
  Referee<W> after(before, store, hasher);
  REQUIRE(store.figures().bloom_rebuilds == (codec == PageCodec::kKeys ? 1 : 0));
  REQUIRE(store.figures().pages_written >= written);
  REQUIRE(store.figures().disk_bytes == page_bytes(files));
  after.compare_figures();
  for (const uint64_t number : numbers) REQUIRE(after.offer(number));
  for (const uint64_t number : sequence(2000, 900, W)) REQUIRE(after.offer(number));
  REQUIRE(after.check_all());
  after.compare_figures();
}

TEST_CASE("cached store: a re-layout keeps every state") {
  for (const PageCodec codec : kCodecs) {
    relayout<1, 2>(codec);
    relayout<2, 4>(codec);
    relayout<1, 1>(codec);
  }
}

template <unsigned W>
void fill_and_drain(const StoreOptions& options, size_t steps, uint64_t distinct) {
  MemoryFileSystem files;
  const Numbers<W> vectors;
  const StateHasher<W> hasher(options, Numbers<W>::word_bits(), vectors);
  CachedStore<W> store(options, {}, hasher, Numbers<W>::word_bits(), files);
  Referee<W> referee(store, hasher);
  for (const uint64_t number : sequence(steps, distinct, W)) REQUIRE(referee.offer(number));
  REQUIRE(referee.check_all());
  std::set<uint64_t> drained;
  const Status status = store.drain([&](const Key<W>& key) -> Status {
    const uint64_t number = Numbers<W>::number(key.data());
    REQUIRE(key == Numbers<W>::key(number));
    REQUIRE(drained.insert(number).second);
    return Success{};
  });
  REQUIRE(status.ok());
  REQUIRE(drained == referee.accepted());
  REQUIRE(page_bytes(files) == 0);
}

TEST_CASE("cached store: drained, it gives every state once") {
  fill_and_drain<1>(tiny_options(), 5000, 1500);
  fill_and_drain<2>(tiny_options(), 3000, 1500);
  StoreOptions roomy = tiny_options();
  roomy.lossy_capacity = 100000;
  fill_and_drain<1>(roomy, 2000, 1500);  // nothing is on disk
  StoreOptions waiting = tiny_options();
  waiting.lookup_buffer = 100000;
  fill_and_drain<1>(waiting, 2000, 1500);  // evicted states wait
}

TEST_CASE("cached store: drained with faults, it gives every state or an error") {
  for (const Fault fault : kFaults) {
    uint64_t failures = 0;
    for (uint64_t operation = 0;; ++operation) {
      MemoryFileSystem memory;
      FaultyFiles files(memory, fault, operation);
      const Numbers<1> vectors;
      const StoreOptions options = tiny_options();
      const StateHasher<1> hasher(options, Numbers<1>::word_bits(), vectors);
      CachedStore<1> store(options, {}, hasher, Numbers<1>::word_bits(), files);
      Referee<1> referee(store, hasher);
      bool filled = true;
      for (const uint64_t number : sequence(150, 120, 3)) filled = filled && referee.offer(number);
      filled = filled && referee.check_all();
      if (!filled) continue;
      std::set<uint64_t> drained;
      const Status status = store.drain([&](const Key<1>& key) -> Status {
        drained.insert(Numbers<1>::number(key.data()));
        return Success{};
      });
      if (status.ok()) REQUIRE(drained == referee.accepted());
      if (!status.ok()) REQUIRE(files.happened());
      failures += status.ok() ? 0 : 1;
      if (operation >= files.operations()) break;
    }
    INFO("fault " << static_cast<int>(fault));
    const bool on_write = fault == Fault::kNoSpace || fault == Fault::kShortWrite;  // was an error before
    REQUIRE(failures >= (on_write ? 0 : 2));
  }
}

// Any single fault at any operation: no wrong answer; an error unless what was damaged is not needed any more.
// Each of the first operations, then a part of them in turns: later ones do what earlier ones did.
uint64_t next_operation(uint64_t operation) { return operation < 60 ? operation + 1 : operation + 13; }

TEST_CASE("cached store: faults at many operations are errors", "[long]") {
  const test::PartOfDay part;
  uint64_t combination = 0;
  for (const PageCodec codec : kCodecs) {
    for (const Fault fault : kFaults) {
      if (!part.has(combination++)) continue;
      uint64_t failures = 0;
      uint64_t faults = 0;
      for (uint64_t operation = 0;; operation = next_operation(operation)) {
        MemoryFileSystem memory;
        FaultyFiles files(memory, fault, operation);
        const Numbers<1> vectors;
        StoreOptions options = tiny_options();
        options.codec = codec;
        options.sha1_bits = 64;
        options.keep_files = true;
        options.write_buffer_bytes = 600;
        const StateHasher<1> hasher(options, Numbers<1>::word_bits(), vectors);
        CachedStore<1> store(options, {}, hasher, Numbers<1>::word_bits(), files);
        Referee<1> referee(store, hasher);
        bool ok = true;
        for (const uint64_t number : sequence(700, 400, 3)) {
          ok = referee.offer(number);
          if (!ok) break;
        }
        ok = ok && referee.check_all();
        if (ok) {
          referee.compare_figures();
          REQUIRE(store.status().ok());
        } else {
          ++failures;
          REQUIRE_FALSE(store.status().ok());
          REQUIRE_THAT(store.status().error(), Catch::Contains("/store/"));
          REQUIRE_FALSE(referee.offer(12345678));
          REQUIRE_FALSE(referee.check_all());
        }
        if (files.happened()) ++faults;
        if (is_reported(fault)) REQUIRE(files.happened() == !ok);
        if (!files.happened()) REQUIRE(ok);
        if (operation >= files.operations()) break;
      }
      INFO("codec " << static_cast<int>(codec) << ", fault " << static_cast<int>(fault));
      REQUIRE(faults >= 5);
      REQUIRE(failures >= 3);
    }
  }
}

}  // namespace
}  // namespace cmc
