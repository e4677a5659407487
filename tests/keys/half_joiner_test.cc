#include "checker/keys/half_joiner.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "checker/generator/wrappers/path_steps.h"
#include "checker/generator/wrappers/spin_steps.h"
#include "checker/keys/key_generator.h"
#include "checker/vm/generator.h"
#include "ir/effects.h"
#include "tests/keys/steps.h"
#include "tests/support/compile.h"
#include "tests/support/random_models.h"

#include "tests/catch.h"

namespace cmc::test {
namespace {

struct Compared {
  uint64_t states = 0;
  uint64_t reduced = 0;          // of them, where processes are left out
  uint64_t computed = 0;         // steps, where they are remembered as wholes
  uint64_t computed_halves = 0;  // steps and halves, where those are
};

// Explores all states of a model, and expands each with partial-order reduction: joined of halves, and with whole
// steps.
class BothWays {
 public:
  BothWays(const Model& model, bool merges, uint64_t memo_bytes, size_t most_states)
      : generator_(close_atomic_chains(make_vm_generator(model), model)),
        memo_bytes_(memo_bytes),
        most_states_(most_states),
        space_(model) {
    if (merges) generator_ = close_local_paths(std::move(generator_), model);
    SuccessorBatch first;
    generator_->initial(first);
    const ByteView initial = first.state(first.entries.at(0));
    space_.set_initial(Bytes(initial.begin(), initial.end()));
    sets_.emplace(space_.components(), initial);
    handshakes_.emplace(space_.components(), true);
  }

  Compared run() {
    while (!explore()) REQUIRE(space_.relayout(0));
    compared_.computed = wholes_->keys.figures().misses;
    compared_.computed_halves = halves_->keys.figures().misses;
    return compared_;
  }

 private:
  struct Way {
    Way(BothWays& both, Handshakes* handshakes)
        : memo(both.space_.layout(), both.memo_bytes_, 1, true),
          keys(both.space_, *both.generator_, both.nobody_, memo, 0,
               {.sets = &*both.sets_, .handshakes = handshakes}) {}
    // False: keys are too narrow.
    bool expand(const Key<kWords>& key, bool leaves_out) {
      if (memo.crowded()) memo.make_room();
      const auto using_memo = keys.use_memo();
      successors.clear();
      keys.set_leaves_out(leaves_out);
      return keys.expand(key, successors, flags) == Expanded::kAll;
    }
    StepMemo<kWords> memo;
    KeyGenerator<kWords> keys;
    KeyBuffer<kWords> successors;
    ExpansionFlags flags;
  };

  bool explore() {
    compared_ = {};
    wholes_ = std::make_unique<Way>(*this, nullptr);
    halves_ = std::make_unique<Way>(*this, &*handshakes_);
    std::vector<Key<kWords>> queue{Key<kWords>{}};
    std::set<Key<kWords>> seen{Key<kWords>{}};
    for (size_t i = 0; i < queue.size() && i < most_states_; ++i) {
      for (const bool leaves_out : {true, true, false}) {
        if (!wholes_->expand(queue[i], leaves_out) || !halves_->expand(queue[i], leaves_out)) return false;
        REQUIRE(std::ranges::equal(wholes_->successors, halves_->successors));
        REQUIRE(wholes_->flags.left_out == halves_->flags.left_out);
        REQUIRE(wholes_->flags.blocked == halves_->flags.blocked);
        REQUIRE(wholes_->flags.needs_generator == halves_->flags.needs_generator);
        compared_.reduced += halves_->flags.left_out > 0 ? 1 : 0;
      }
      ++compared_.states;
      for (const Key<kWords>& successor : halves_->successors) {
        if (seen.insert(successor).second) queue.push_back(successor);
      }
    }
    return true;
  }

  std::unique_ptr<SuccessorGenerator> generator_;
  Nobody nobody_;
  const uint64_t memo_bytes_;
  const size_t most_states_;
  KeySpace space_;
  std::optional<StubbornSets> sets_;
  std::optional<Handshakes> handshakes_;
  std::unique_ptr<Way> wholes_;
  std::unique_ptr<Way> halves_;
  Compared compared_;
};

TEST_CASE("half joiner: what is left out does not depend on whether steps are joined: random models") {
  Compared all;
  for (const char* name : {"handshakes", "rendezvous", "d_step", "reductions"}) {
    for (uint64_t seed = 0; seed < 60; ++seed) {
      INFO(name << " " << seed);
      const std::optional<Model> model = compile_random(seed, *random::find_profile(name));
      if (!model) continue;
      const bool fit = !reads_hidden_variable(*model) && make_vm_generator(*model)->has_halves() &&
                       StubbornSets::obstacle(*model) == nullptr;
      if (!fit) continue;
      for (const bool merges : {false, true}) {
        const Compared each = BothWays(*model, merges, seed % 3 == 0 ? kTight : kRoomy, 300).run();
        all.states += each.states;
        all.reduced += each.reduced;
      }
    }
  }
  CHECK(all.states > 5000);
  CHECK(all.reduced > 1000);
}

// A server and its clients, whose frames say more than their parts in the handshake depend on.
TEST_CASE("half joiner: halves with partial-order reduction and merged steps are few") {
  const Model model = compile_text(R"(
mtype = { ask, tell };
chan to_server = [0] of { byte, byte }; chan to_client[3] = [0] of { byte };
active proctype Server() {
  byte who, what, sum;
  do :: to_server?who,what -> sum = (sum + what) % 11; to_client[who]!sum od
}
active [3] proctype Client() {
  byte got, own;
  do
  :: own < 6 -> to_server!_pid - 1,own; to_client[_pid - 1]?got; own = own + 1; got = got % 3
  od
}
)");
  for (const bool merges : {false, true}) {
    const Compared each = BothWays(model, merges, kRoomy, 4000).run();
    CHECK(each.states > 500);
    CHECK(3 * each.computed_halves < 2 * each.computed);
  }
}

// The sender's place behind a send that nobody takes is in a half only. A path to an error is found with keys of a
// layout that cannot change any more.
TEST_CASE("half joiner: halves that do not fit keep no state from being expanded as a whole") {
  const Model model = compile_text(R"(
chan c = [0] of { byte, byte };
byte x, y;
active proctype Offers() {
  do
  :: c!1,1 -> y = 1
  :: c!x,2
  :: c!x,3 -> y = 3
  :: c!x,4 -> y = 4
  :: c!x,5 -> y = 5
  :: c!x,6 -> y = 6
  od
}
active proctype Takes() { do :: c?x,eval(2) -> x = (x + 1) % 3 od }
)");
  KeySpace space(model);
  const auto generator = close_atomic_chains(make_vm_generator(model), model);
  SuccessorBatch first;
  generator->initial(first);
  const ByteView initial = first.state(first.entries.at(0));
  space.set_initial(Bytes(initial.begin(), initial.end()));
  Handshakes handshakes(space.components(), false);
  Nobody nobody;
  const auto expand_all = [&](Handshakes* halves, uint64_t& too_narrow) {
    StepMemo<kWords> memo(space.layout(), kRoomy, 1, false);
    KeyGenerator<kWords> keys(space, *generator, nobody, memo, 0, {.handshakes = halves});
    const auto using_memo = keys.use_memo();
    std::vector<Key<kWords>> queue{Key<kWords>{}};
    KeyBuffer<kWords> successors;
    ExpansionFlags flags;
    for (size_t i = 0; i < queue.size(); ++i) {
      successors.clear();
      if (keys.expand(queue[i], successors, flags) == Expanded::kTooNarrow) ++too_narrow;
      successors.clear();
      if (keys.expand_whole(queue[i], successors, flags) != Expanded::kAll) return size_t{0};
      for (const Key<kWords>& successor : successors) {
        if (std::ranges::find(queue, successor) == queue.end()) queue.push_back(successor);
      }
    }
    return queue.size();
  };
  size_t states = 0;
  uint64_t too_narrow = 0;
  while ((states = expand_all(nullptr, too_narrow)) == 0) REQUIRE(space.relayout(0));
  CHECK(states > 3);
  too_narrow = 0;
  CHECK(expand_all(&handshakes, too_narrow) == states);
  CHECK(too_narrow > 0);
}

}  // namespace
}  // namespace cmc::test
