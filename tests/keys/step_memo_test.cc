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

// What a process would do: which components it looks at depends on the values of those before. A random decision tree.
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
      h = mixed(h ^ layout_.get(key.words.data(), *next));
      left.erase(next);
    }
    flags = static_cast<uint32_t>(h >> 20) & 15;
    deltas.resize((h >> 30) % 4);
    for (size_t i = 0; i < deltas.size(); ++i) {
      for (unsigned w = 0; w < W; ++w) deltas[i].words[w] = mixed(h + i * W + w) & (~uint64_t{0} >> 2);
    }
  }
  bool equals(const Steps<W>& steps) const {
    return steps.flags == flags &&
           std::equal(steps.deltas.begin(), steps.deltas.end(), deltas.begin(), deltas.end());
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
    key.words[field.word] |= (random() << field.shift) & field.mask();
  }
  return key;
}

struct Figures {
  uint64_t hits = 0;
  uint64_t misses = 0;
  uint64_t lost = 0;  // misses whose steps were not there right behind insert(): their entries drove out each other
};

// Looks up and, as a search would, computes and inserts what is not known. Whatever is known must be right.
// (The flags kIsNode and kIsLeaf do not belong to Steps.)
template <unsigned W>
Figures use_memo(StepMemo<W>& memo, RandomSteps<W>& function, const Layout& layout, std::mt19937_64& random, size_t steps,
                 uint64_t pids, uint64_t frames) {
  Figures figures;
  for (size_t i = 0; i < steps; ++i) {
    const Key<W> key = random_key<W>(layout, random);
    const uint32_t pid = static_cast<uint32_t>(random() % pids);
    const uint32_t frame = static_cast<uint32_t>(random() % frames);
    const bool timeout = random() % 4 == 0;
    function.compute(key, pid, frame, timeout);
    Steps<W> found;
    if (memo.find(key, pid, frame, timeout, found)) {
      ++figures.hits;
      found.flags &= 15;
      REQUIRE(function.equals(found));
      continue;
    }
    ++figures.misses;
    memo.insert(key, pid, frame, timeout, function.touched, {function.flags, function.deltas});
    if (!memo.find(key, pid, frame, timeout, found)) {
      ++figures.lost;
      continue;
    }
    found.flags &= 15;
    REQUIRE(function.equals(found));
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
  }
  CHECK(hits > 0);
  CHECK(lost < misses / 100);
}

TEST_CASE("what is remembered is what would be computed, with room for everything") {
  compare_random_functions<1>(uint64_t{16} << 20, 60);
  compare_random_functions<2>(uint64_t{16} << 20, 40);
  compare_random_functions<4>(uint64_t{16} << 20, 20);
  compare_random_functions<16>(uint64_t{64} << 20, 10);
}

TEST_CASE("what is remembered is what would be computed, with hardly any room") {
  for (const uint64_t budget : {40'000, 60'000, 100'000}) compare_random_functions<1>(budget, 30);
  for (const uint64_t budget : {60'000, 150'000}) compare_random_functions<2>(budget, 15);
  compare_random_functions<16>(300'000, 10);
}

TEST_CASE("without any room nothing is right for long, but nothing is wrong") { compare_random_functions<1>(1, 20); }

TEST_CASE("a memo that is too small forgets, and keeps to its budget") {
  std::mt19937_64 random(1);
  const Layout layout(std::vector<uint8_t>{10, 10, 10, 5, 5, 3});
  constexpr uint64_t kBudget = 200'000;
  RandomSteps<1> function(layout, 5, 10);
  StepMemo<1> memo(layout, kBudget);
  for (int i = 0; i < 100; ++i) {
    use_memo(memo, function, layout, random, 200, 4, 50);
    REQUIRE(memo.memory_bytes() <= kBudget * 11 / 10);
  }
  CHECK(memo.clears() > 3);
  CHECK(memo.entries() > 0);
  StepMemo<1> roomy(layout, uint64_t{64} << 20);
  use_memo(roomy, function, layout, random, 20000, 4, 50);
  CHECK(roomy.clears() == 0);
  CHECK(roomy.memory_bytes() > kBudget);
}

TEST_CASE("after a while nearly everything is known") {
  for (uint64_t seed = 0; seed < 30; ++seed) {
    INFO("seed " << seed);
    std::mt19937_64 random(seed);
    const Layout layout(std::vector<uint8_t>{2, 2, 0, 2, 1, 2});
    RandomSteps<1> function(layout, seed, 3 + seed % 4);
    StepMemo<1> memo(layout, uint64_t{16} << 20);
    for (int round = 0; round < 6; ++round) use_memo(memo, function, layout, random, 10000, 2, 3);
    // 512 keys, 2 processes, 3 contents of frames, timeout or not: all have been asked for.
    const Figures figures = use_memo(memo, function, layout, random, 10000, 2, 3);
    REQUIRE(figures.misses < 400);  // those that drive out each other; a table that is half full loses some
    REQUIRE(memo.clears() == 0);
  }
}

TEST_CASE("what was touched says for which keys steps are known") {
  const Layout layout(std::vector<uint8_t>{4, 4, 4});
  const auto key_with = [&](std::array<uint64_t, 3> values) {
    Key<1> key;
    for (ComponentId c = 0; c < 3; ++c) key.words[0] |= values[c] << layout.field(c).shift;
    return key;
  };
  StepMemo<1> memo(layout, 1 << 20);
  const std::vector<Key<1>> deltas{Key<1>{{5}}, Key<1>{{9}}};
  const std::vector<ComponentId> first_two{1, 0};
  Steps<1> steps;
  CHECK(!memo.find(key_with({1, 2, 3}), 0, 0, false, steps));
  memo.insert(key_with({1, 2, 3}), 0, 0, false, first_two, {Steps<1>::kMoves, deltas});
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
  memo.insert(key_with({1, 7, 3}), 0, 0, false, std::vector<ComponentId>{1, 2}, {0, {}});
  REQUIRE(memo.find(key_with({9, 7, 3}), 0, 0, false, steps));
  CHECK(steps.deltas.empty());
  CHECK(!memo.find(key_with({9, 7, 4}), 0, 0, false, steps));
  memo.clear();
  CHECK(!memo.find(key_with({9, 7, 3}), 0, 0, false, steps));
}

TEST_CASE("steps that nothing was touched for are known always") {
  const Layout layout(std::vector<uint8_t>{4, 0, 4});
  StepMemo<1> memo(layout, 1 << 20);
  const std::vector<Key<1>> deltas{Key<1>{{1}}};
  memo.insert(Key<1>{{3}}, 4, 2, false, {}, {0, deltas});
  memo.insert(Key<1>{{3}}, 4, 3, false, std::vector<ComponentId>{1}, {0, deltas});  // a component with one content
  Steps<1> steps;
  for (uint64_t word = 0; word < 256; ++word) {
    for (const uint32_t frame : {2u, 3u}) {
      REQUIRE(memo.find(Key<1>{{word}}, 4, frame, false, steps));
      REQUIRE(steps.deltas.size() == 1);
    }
  }
}

// `key` asked of another's memo and remembered, as a worker does; whether it was told, and rightly.
struct Told {
  bool told = false;
  bool right = true;
};
template <unsigned W>
Told ask(const StepMemo<W>& teacher, StepMemo<W>& pupil, RandomSteps<W>& function, const Key<W>& key, uint32_t pid, uint32_t frame,
         bool timeout) {
  std::vector<ComponentId> touched;
  std::vector<Key<W>> deltas;
  uint32_t flags = 0;
  if (!teacher.tell(key, pid, frame, timeout, touched, deltas, flags)) return {};
  function.compute(key, pid, frame, timeout);
  pupil.insert(key, pid, frame, timeout, touched, {flags & 15, deltas});
  const bool right = touched == function.touched && deltas == function.deltas && (flags & 15) == function.flags;
  return {true, right};
}

TEST_CASE("what a memo tells is what it was given, and can be remembered by another one") {
  for (uint64_t seed = 0; seed < 30; ++seed) {
    INFO("seed " << seed);
    std::mt19937_64 random(seed);
    const Layout layout = random_layout<2>(random);
    RandomSteps<2> function(layout, seed, 2 + seed % 5);
    StepMemo<2> teacher(layout, uint64_t{16} << 20);
    StepMemo<2> pupil(layout, uint64_t{16} << 20);
    for (int i = 0; i < 1000; ++i) {
      const Key<2> key = random_key<2>(layout, random);
      const uint32_t frame = static_cast<uint32_t>(random() % 5);
      Steps<2> steps;
      const bool known = teacher.find(key, 1, frame, false, steps);
      const Told answer = ask(teacher, pupil, function, key, 1, frame, false);
      REQUIRE(answer.told == known);
      REQUIRE(answer.right);
      if (known && pupil.find(key, 1, frame, false, steps)) {
        steps.flags &= 15;
        REQUIRE(function.equals(steps));
      }
      function.compute(key, 1, frame, false);
      if (!known) teacher.insert(key, 1, frame, false, function.touched, {function.flags, function.deltas});
    }
    CHECK(pupil.entries() > 0);
  }
}

TEST_CASE("a memo tells another thread the truth while it changes and forgets") {
  for (const uint64_t budget : {uint64_t{60'000}, uint64_t{16} << 20}) {
    INFO("budget " << budget);
    const Layout layout(std::vector<uint8_t>{5, 5, 3, 2, 0, 3});
    StepMemo<1> teacher(layout, budget);
    teacher.share();
    std::atomic<bool> done{false};
    uint64_t told = 0;
    uint64_t wrong = 0;
    std::thread other([&] {
      std::mt19937_64 random(2);
      RandomSteps<1> function(layout, 7, 4);
      StepMemo<1> pupil(layout, budget);
      while (!done || told == 0) {
        const Key<1> key = random_key<1>(layout, random);
        const Told answer = ask(teacher, pupil, function, key, static_cast<uint32_t>(random() % 3), static_cast<uint32_t>(random() % 9), false);
        told += answer.told ? 1 : 0;
        wrong += answer.right ? 0 : 1;
      }
    });
    std::mt19937_64 random(1);
    RandomSteps<1> function(layout, 7, 4);
    use_memo(teacher, function, layout, random, 100'000, 3, 9);
    done = true;
    other.join();
    CHECK(told > 0);
    CHECK(wrong == 0);
  }
}

TEST_CASE("many steps at once are kept whole") {
  const Layout layout(std::vector<uint8_t>{4});
  StepMemo<1> memo(layout, uint64_t{16} << 20);
  std::vector<Key<1>> deltas(0xffff);
  for (size_t i = 0; i < deltas.size(); ++i) deltas[i].words[0] = i;
  memo.insert({}, 0, 0, false, {}, {0, deltas});
  Steps<1> steps;
  REQUIRE(memo.find({}, 0, 0, false, steps));
  CHECK(std::equal(steps.deltas.begin(), steps.deltas.end(), deltas.begin(), deltas.end()));
}

}  // namespace
}  // namespace cmc
