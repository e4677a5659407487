#include "checker/search/ram/level_stack.h"

#include <cstdint>
#include <random>
#include <vector>

#include "tests/catch.h"

namespace cmc {
namespace {

using Stack = LevelStack<1>;
using Path = std::vector<uint64_t>;

Path words(const std::vector<Key<1>>& path) {
  Path result;
  for (const Key<1>& state : path) result.push_back(state[0]);
  return result;
}

// Each state is its own number, and knows the path to it.
class Tree {
 public:
  Key<1> add(const Path& above) {
    paths_.push_back(above);
    paths_.back().push_back(paths_.size() - 1);
    Key<1> state{};
    state[0] = paths_.size() - 1;
    return state;
  }
  [[nodiscard]] const Path& path(const Key<1>& state) const { return paths_[state[0]]; }

 private:
  std::vector<Path> paths_;
};

// Expands everything that is open, with random numbers of successors until there are `most` states.
void explore(Stack& stack, Tree& tree, uint64_t most, std::mt19937& random, uint64_t& expanded) {
  std::vector<Key<1>> batch;
  uint64_t added = 0;
  while (stack.take(64, batch)) {
    const uint64_t level = stack.depth() - 1;
    bool opened = false;
    for (size_t i = 0; i < batch.size(); ++i) {
      const Path path = words(stack.path_to(level, i));
      REQUIRE(path == tree.path(batch[i]));
      const unsigned successors = added < most ? static_cast<unsigned>(random() % 3 == 0 ? random() % 4 : 0) : 0;
      for (unsigned n = 0; n < successors; ++n, ++added) {
        if (!opened) stack.open_level();
        opened = true;
        stack.push(tree.add(path), i);
      }
      ++expanded;
    }
    if (!opened) stack.finish_batch();
  }
}

// As behind a dive: a state at a time, of which one other successor waits, and nothing at all in the lower half.
TEST_CASE("level stack: the longer the paths, the more is given away") {
  constexpr uint64_t kDepth = 20'000;
  Tree tree;
  Stack stack;
  stack.open_level();
  stack.push(tree.add({}), 0);
  std::vector<Key<1>> batch;
  for (uint64_t depth = 1; depth < kDepth; ++depth) {
    REQUIRE(stack.take(1, batch));
    stack.open_level();
    stack.push(tree.add({}), 0);
    if (depth >= kDepth / 2) stack.push(tree.add({}), 0);
  }
  Stack other;
  REQUIRE(stack.split(other));
  stack.check_invariants();
  other.check_invariants();
  CHECK(other.depth() < kDepth * 3 / 4);  // it has what is low
  const auto open_states = [&](Stack& part) {
    uint64_t count = 0;
    while (part.take(64, batch)) {
      count += batch.size();
      part.finish_batch();
    }
    return count;
  };
  const uint64_t given = open_states(other);
  CHECK(given > kDepth / 16);
  CHECK(given < kDepth / 8);
  CHECK(given + open_states(stack) == kDepth / 2 + 1);
}

TEST_CASE("level stack: the last open state is kept") {
  Tree tree;
  Stack stack;
  stack.open_level();
  stack.push(tree.add({}), 0);
  Stack other;
  CHECK_FALSE(stack.split(other));
  std::vector<Key<1>> batch;
  REQUIRE(stack.take(64, batch));
  stack.open_level();
  stack.push(tree.add({}), 0);
  CHECK_FALSE(stack.split(other));
  CHECK(other.empty());
  stack.push(tree.add({}), 0);
  CHECK(stack.split(other));
  CHECK(other.size() == 2);  // with the path to it
}

}  // namespace

TEST_CASE("level stack: a stack of levels finds the path to each state that it hands out") {
  std::mt19937 random(GENERATE(1U, 2U, 3U, 4U));
  Tree tree;
  Stack stack;
  stack.open_level();
  for (int i = 0; i < 300; ++i) stack.push(tree.add({}), 0);
  uint64_t expanded = 0;
  explore(stack, tree, 100'000, random, expanded);
  CHECK(expanded > 300);
  CHECK(stack.empty());
}

TEST_CASE("level stack: a deep stack of levels keeps little more than the paths to open states", "[long]") {
  Tree tree;
  Stack stack;
  stack.open_level();
  stack.push(tree.add({}), 0);
  std::vector<Key<1>> batch;
  constexpr uint64_t kDepth = 3'000;
  for (uint64_t level = 0; level < kDepth; ++level) {
    REQUIRE(stack.take(64, batch));
    stack.open_level();
    // All successors come from one state, so the others are forgotten.
    const Path path = words(stack.path_to(level, batch.size() / 2));
    for (int i = 0; i < 64; ++i) stack.push(tree.add(path), batch.size() / 2);
    stack.check_invariants();
  }
  CHECK(stack.size() < kDepth + (1U << 14) + 64);
  uint64_t expanded = 0;
  std::mt19937 random(5);
  explore(stack, tree, 0, random, expanded);
  CHECK(expanded == 64);
}

TEST_CASE("level stack: both parts of a stack that was split after forgetting know their paths") {
  std::mt19937 random(GENERATE(6U, 7U));
  Tree tree;
  Stack stack;
  stack.open_level();
  for (int i = 0; i < 20'000; ++i) stack.push(tree.add({}), 0);
  std::vector<Key<1>> batch;
  for (int i = 0; i < 500; ++i) {
    REQUIRE(stack.take(64, batch));
    const uint64_t level = stack.depth() - 1;
    stack.open_level();
    for (size_t from = 0; from < batch.size(); from += 1 + random() % 8) {
      stack.push(tree.add(words(stack.path_to(level, from))), from);
      stack.push(tree.add(words(stack.path_to(level, from))), from);
    }
  }
  Stack other;
  REQUIRE(stack.split(other));
  stack.check_invariants();
  other.check_invariants();
  uint64_t expanded = 0;
  explore(other, tree, 20'000, random, expanded);
  explore(stack, tree, 20'000, random, expanded);
  CHECK(expanded >= 20'000);
}

}  // namespace cmc
