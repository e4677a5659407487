#include "checker/keys/step_memo.h"

#include <algorithm>
#include <atomic>
#include <random>
#include <thread>
#include <vector>

#include "tests/catch.h"

namespace cmc {
namespace {

uint64_t mixed(uint64_t x) {
  x = (x + 0x9e3779b97f4a7c15ULL) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ x >> 30) * 0x94d049bb133111ebULL;
  return x ^ x >> 31;
}

// What a process would do: which components it looks at depends on the values of those before. A random decision
// tree.
template <unsigned W>
class RandomSteps {
 public:
  // One of `stops` ends after each component.
  RandomSteps(const Layout& layout, uint64_t seed, uint64_t stops) : layout_(layout), seed_(seed), stops_(stops) {}

  std::vector<ComponentId> touched;
  std::vector<Key<W>> deltas;
  uint32_t flags = 0;

  void compute(const Key<W>& key, uint32_t pid, uint32_t frame, bool timeout) {
    uint64_t h = mixed(seed_ + pid * 1000003 + frame * 7919 + (timeout ? 1 : 0));
    touched.clear();
    std::vector<ComponentId> left(layout_.size());
    for (uint32_t i = 0; i < left.size(); ++i) left[i] = static_cast<ComponentId>(i);
    while (!left.empty() && h % stops_ != 0) {
      const auto next = left.begin() + static_cast<ptrdiff_t>((h >> 8) % std::min<size_t>(left.size(), 3));
      touched.push_back(*next);
      h = mixed(h ^ layout_.get(key.data(), *next));
      left.erase(next);
    }
    flags = static_cast<uint32_t>(h >> 20) & 15;
    deltas.resize((h >> 30) % 4);
    for (size_t i = 0; i < deltas.size(); ++i) {
      for (unsigned w = 0; w < W; ++w) deltas[i][w] = mixed(h + i * W + w) & (~uint64_t{0} >> 2);
    }
  }
  bool equals(const Steps<W>& steps) const {
    return steps.flags == flags && std::equal(steps.deltas.begin(), steps.deltas.end(), deltas.begin(), deltas.end());
  }

 private:
  const Layout& layout_;
  uint64_t seed_;
  uint64_t stops_;
};

template <unsigned W>
Key<W> random_key(const Layout& layout, std::mt19937_64& random) {
  Key<W> key;
  for (uint32_t c = 0; c < layout.size(); ++c) {
    const Layout::Field field = layout.field(static_cast<ComponentId>(c));
    key[field.word] |= (random() << field.shift) & field.mask();
  }
  return key;
}

struct Figures {
  uint64_t hits = 0;
  uint64_t misses = 0;
  uint64_t lost = 0;  // misses whose steps were not there behind insert() and make_room()
  uint64_t wrong = 0;
};

// Looks up and, as a worker would, computes and inserts what is not known. Whatever is known must be right.
template <unsigned W>
Figures use_memo(StepMemo<W>& memo, RandomSteps<W>& function, const Layout& layout, std::mt19937_64& random,
                 size_t steps, uint64_t pids, uint64_t frames, uint32_t worker = 0) {
  Figures figures;
  for (size_t i = 0; i < steps; ++i) {
    const Key<W> key = random_key<W>(layout, random);
    const uint32_t pid = static_cast<uint32_t>(random() % pids);
    const uint32_t frame = static_cast<uint32_t>(random() % frames);
    const bool timeout = random() % 4 == 0;
    function.compute(key, pid, frame, timeout);
    Steps<W> found;
    const auto know = [&] {
      const auto using_memo = memo.use(worker);
      const bool known = memo.find(key, pid, frame, timeout, found);
      if (known && !function.equals(found)) ++figures.wrong;
      return known;
    };
    if (know()) {
      ++figures.hits;
      continue;
    }
    ++figures.misses;
    const auto insert = [&] {
      const auto using_memo = memo.use(worker);
      memo.insert(worker, key, pid, frame, timeout, function.touched, {function.flags, function.deltas});
    };
    insert();
    if (know()) continue;
    memo.make_room();
    insert();
    figures.lost += know() ? 0 : 1;
  }
  return figures;
}

template <unsigned W>
Layout random_layout(std::mt19937_64& random) {
  for (;;) {
    std::vector<uint8_t> widths(1 + random() % (4 + 4 * W));
    for (uint8_t& width : widths) width = static_cast<uint8_t>(random() % 3 == 0 ? 0 : random() % 12);
    const Layout layout(widths);
    if (layout.words() <= W) return layout;
  }
}

template <unsigned W>
void compare_random_functions(uint64_t budget, size_t rounds) {
  uint64_t hits = 0;
  uint64_t misses = 0;
  uint64_t lost = 0;
  for (uint64_t seed = 0; seed < rounds; ++seed) {
    INFO("W " << W << ", seed " << seed << ", budget " << budget);
    std::mt19937_64 random(seed);
    const Layout layout = random_layout<W>(random);
    RandomSteps<W> function(layout, seed, 2 + seed % 5);
    StepMemo<W> memo(layout, budget);
    const Figures figures = use_memo(memo, function, layout, random, 1500, 3, 1 + seed % 20);
    hits += figures.hits;
    misses += figures.misses;
    lost += figures.lost;
    REQUIRE(figures.wrong == 0);
  }
  CHECK(hits > 0);
  CHECK(lost < misses / 100);
}

TEST_CASE("step memo: what is remembered is what would be computed, with room for everything") {
  compare_random_functions<1>(uint64_t{16} << 20, 60);
  compare_random_functions<2>(uint64_t{16} << 20, 40);
  compare_random_functions<4>(uint64_t{16} << 20, 20);
  compare_random_functions<16>(uint64_t{64} << 20, 10);
}

TEST_CASE("step memo: what is remembered is what would be computed, with hardly any room") {
  for (const uint64_t budget : {40'000u, 60'000u, 100'000u}) compare_random_functions<1>(budget, 30);
  for (const uint64_t budget : {60'000u, 150'000u}) compare_random_functions<2>(budget, 15);
  compare_random_functions<16>(300'000, 10);
}

TEST_CASE("step memo: without any room nothing is remembered for long, but nothing is wrong") {
  compare_random_functions<1>(1, 20);
}

TEST_CASE("step memo: a memo that is too small forgets, and keeps to its budget") {
  std::mt19937_64 random(1);
  const Layout layout(std::vector<uint8_t>{10, 10, 10, 5, 5, 3});
  constexpr uint64_t kBudget = 200'000;
  RandomSteps<1> function(layout, 5, 10);
  StepMemo<1> memo(layout, kBudget);
  for (int i = 0; i < 100; ++i) {
    use_memo(memo, function, layout, random, 200, 4, 50);
    if (memo.crowded()) memo.make_room();
    REQUIRE(memo.memory_bytes() <= kBudget * 11 / 10);
  }
  CHECK(memo.clears() > 3);
  CHECK(memo.entries() > 0);
  StepMemo<1> roomy(layout, uint64_t{64} << 20);
  use_memo(roomy, function, layout, random, 20000, 4, 50);
  CHECK(roomy.clears() == 0);
  CHECK(roomy.memory_bytes() > kBudget);
}

TEST_CASE("step memo: its budget grows where it may") {
  std::mt19937_64 random(1);
  const Layout layout(std::vector<uint8_t>{10, 10, 10, 5, 5, 3});
  constexpr uint64_t kBudget = 200'000;
  constexpr uint64_t kMost = 700'000;
  RandomSteps<1> function(layout, 5, 10);
  StepMemo<1> memo(layout, kBudget);
  for (int i = 0; i < 200; ++i) {
    use_memo(memo, function, layout, random, 50, 4, 50);
    if (memo.crowded()) memo.make_room(~uint64_t{0}, kMost);
    REQUIRE(memo.budget_bytes() <= kMost);
    REQUIRE(memo.memory_bytes() <= memo.budget_bytes() * 11 / 10);
  }
  CHECK(memo.budget_bytes() == kMost);
  CHECK(memo.memory_bytes() > kBudget);
  StepMemo<1> next(layout, kBudget);
  next.take_over(memo, Converter<1, 1>(layout, layout));
  CHECK(next.budget_bytes() == kMost);
}

TEST_CASE("step memo: after a while nearly everything is known") {
  for (uint64_t seed = 0; seed < 30; ++seed) {
    INFO("seed " << seed);
    std::mt19937_64 random(seed);
    const Layout layout(std::vector<uint8_t>{2, 2, 0, 2, 1, 2});
    RandomSteps<1> function(layout, seed, 3 + seed % 4);
    StepMemo<1> memo(layout, uint64_t{16} << 20);
    for (int round = 0; round < 6; ++round) use_memo(memo, function, layout, random, 10000, 2, 3);
    // 512 keys, 2 processes, 3 contents of frames, timeout or not: all have been asked for.
    const Figures figures = use_memo(memo, function, layout, random, 10000, 2, 3);
    REQUIRE(figures.misses < 400);
    REQUIRE(memo.clears() == 0);
  }
}

// Without timeout, for certain. REQUIRES: there is room for it within the budget.
template <unsigned W>
void remember(StepMemo<W>& memo, const Key<W>& key, uint32_t pid, uint32_t frame,
              std::span<const ComponentId> touched, const Steps<W>& steps) {
  memo.insert(0, key, pid, frame, false, touched, steps);
  while (memo.crowded()) {
    memo.make_room();
    memo.insert(0, key, pid, frame, false, touched, steps);
  }
}

TEST_CASE("step memo: what was touched says for which keys steps are known") {
  const Layout layout(std::vector<uint8_t>{4, 4, 4});
  const auto key_with = [&](std::array<uint64_t, 3> values) {
    Key<1> key;
    for (ComponentId c = 0; c < 3; ++c) key[0] |= values[c] << layout.field(c).shift;
    return key;
  };
  StepMemo<1> memo(layout, 1 << 20);
  const std::vector<Key<1>> deltas{Key<1>{{5}}, Key<1>{{9}}};
  const std::vector<ComponentId> first_two{1, 0};
  Steps<1> steps;
  CHECK(!memo.find(key_with({1, 2, 3}), 0, 0, false, steps));
  remember<1>(memo, key_with({1, 2, 3}), 0, 0, first_two, {Steps<1>::kMoves, deltas});
  for (uint64_t third = 0; third < 16; ++third) {
    REQUIRE(memo.find(key_with({1, 2, third}), 0, 0, false, steps));
    CHECK((steps.flags & Steps<1>::kMoves) != 0);
    CHECK((steps.flags & Steps<1>::kNeedsGenerator) == 0);
    CHECK(std::equal(steps.deltas.begin(), steps.deltas.end(), deltas.begin(), deltas.end()));
  }
  CHECK(!memo.find(key_with({2, 2, 3}), 0, 0, false, steps));
  CHECK(!memo.find(key_with({1, 3, 3}), 0, 0, false, steps));
  CHECK(!memo.find(key_with({1, 2, 3}), 0, 0, true, steps));
  CHECK(!memo.find(key_with({1, 2, 3}), 0, 1, false, steps));
  CHECK(!memo.find(key_with({1, 2, 3}), 1, 0, false, steps));
  CHECK(!memo.find(key_with({1, 2, 3}), 200, 1000000, true, steps));
  // With another value of component 1, component 2 decides.
  remember<1>(memo, key_with({1, 7, 3}), 0, 0, std::vector<ComponentId>{1, 2}, {0, {}});
  REQUIRE(memo.find(key_with({9, 7, 3}), 0, 0, false, steps));
  CHECK(steps.deltas.empty());
  CHECK(!memo.find(key_with({9, 7, 4}), 0, 0, false, steps));
}

TEST_CASE("step memo: steps that nothing was touched for are known always") {
  const Layout layout(std::vector<uint8_t>{4, 0, 4});
  StepMemo<1> memo(layout, 1 << 20);
  const std::vector<Key<1>> deltas{Key<1>{{1}}};
  remember<1>(memo, Key<1>{{3}}, 4, 2, {}, {0, deltas});
  remember<1>(memo, Key<1>{{3}}, 4, 3, std::vector<ComponentId>{1}, {0, deltas});  // a component with one content
  Steps<1> steps;
  for (uint64_t word = 0; word < 256; ++word) {
    for (const uint32_t frame : {2u, 3u}) {
      REQUIRE(memo.find(Key<1>{{word}}, 4, frame, false, steps));
      REQUIRE(steps.deltas.size() == 1);
    }
  }
}

TEST_CASE("step memo: workers that use a memo at the same time are told the truth while it grows and forgets") {
  constexpr uint32_t kWorkers = 3;
  for (const uint64_t budget : {uint64_t{60'000}, uint64_t{16} << 20}) {
    INFO("budget " << budget);
    const Layout layout(std::vector<uint8_t>{5, 5, 3, 2, 0, 3});
    StepMemo<1> memo(layout, budget, kWorkers);
    std::array<Figures, kWorkers> figures;
    std::vector<std::thread> threads;
    for (uint32_t worker = 0; worker < kWorkers; ++worker) {
      threads.emplace_back([&, worker] {
        std::mt19937_64 random(worker);
        RandomSteps<1> function(layout, 7, 4);
        figures[worker] = use_memo(memo, function, layout, random, 60'000, 3, 9, worker);
      });
    }
    // As a worker does that wants to know whether the memo is too small.
    std::atomic<bool> ended{false};
    bool never_less = true;
    std::thread watcher([&] {
      for (uint64_t before = 0; !ended; std::this_thread::yield()) {
        const uint64_t now = memo.clears();
        never_less = never_less && now >= before && memo.budget_bytes() == budget;
        before = now;
      }
    });
    for (std::thread& thread : threads) thread.join();
    ended = true;
    watcher.join();
    CHECK(never_less);
    for (const Figures& each : figures) {
      CHECK(each.wrong == 0);
      CHECK(each.hits > 0);
    }
    CHECK((memo.clears() > 0) == (budget < 100'000));
    // What one of them has inserted, another one finds, but for what was forgotten when something else was touched.
    if (memo.clears() > 0) continue;
    Figures again;
    for (int round = 0; round < 5; ++round) {
      std::mt19937_64 random(0);
      RandomSteps<1> function(layout, 7, 4);
      again = use_memo(memo, function, layout, random, 60'000, 3, 9, 2);
      if (round == 0) CHECK(again.hits > again.misses);
    }
    // A table that is three quarters full has no place for a few.
    CHECK(again.hits > 60'000 - 60'000 / 500);
  }
}

TEST_CASE("step memo: what is found while another worker inserts has been written as a whole") {
  // Few keys and many deltas: a worker finds most of what it asks for within moments of its being inserted by the
  // other one.
  const Layout layout(std::vector<uint8_t>{6, 6});
  for (uint64_t seed = 0; seed < 40; ++seed) {
    StepMemo<2> memo(layout, uint64_t{16} << 20, 2);
    std::array<Figures, 2> figures;
    std::atomic<uint32_t> ready{0};
    std::vector<std::thread> threads;
    for (uint32_t worker = 0; worker < 2; ++worker) {
      threads.emplace_back([&, worker] {
        std::mt19937_64 random(seed);  // both ask for the same, at about the same time
        RandomSteps<2> function(layout, seed, 50);
        ++ready;
        while (ready < 2) {
        }
        figures[worker] = use_memo(memo, function, layout, random, 3'000, 1, 1, worker);
      });
    }
    for (std::thread& thread : threads) thread.join();
    REQUIRE(figures[0].wrong + figures[1].wrong == 0);
    REQUIRE(figures[0].hits + figures[1].hits > 0);
  }
}

TEST_CASE("step memo: many steps at once are kept whole") {
  const Layout layout(std::vector<uint8_t>{4});
  StepMemo<1> memo(layout, uint64_t{16} << 20);
  std::vector<Key<1>> deltas(0xffff);
  for (size_t i = 0; i < deltas.size(); ++i) deltas[i][0] = i;
  remember<1>(memo, {}, 0, 0, {}, {0, deltas});
  Steps<1> steps;
  REQUIRE(memo.find({}, 0, 0, false, steps));
  CHECK(std::equal(steps.deltas.begin(), steps.deltas.end(), deltas.begin(), deltas.end()));
}

}  // namespace
}  // namespace cmc
