#include "ir/effects.h"

#include "tests/ir/example_model.h"

#include "tests/catch.h"

namespace cmc::test {
namespace {

// Indices in example_model.
constexpr uint32_t kX = 1, kA = 2, kKind = 3, kQ = 4, kR = 5, kMoving = 6;
using List = std::vector<uint32_t>;

TEST_CASE("effects: effects of locations miss nothing, and name no more than is touched") {
  const Model model = example_model();
  const ModelEffects all = effects(model);
  REQUIRE(all.locations.size() == 2);
  const std::vector<Effects>& main = all.locations[0];
  const std::vector<Effects>& child = all.locations[1];

  // x = run Child(3)
  CHECK(main[1].writes.globals == List{kX});
  CHECK(main[1].writes.processes);
  CHECK(main[1].reads.processes);
  // q!ack,n: q is never assigned, so it is the global channel q.
  CHECK(main[2].reads.globals == List{kQ});
  CHECK(main[2].writes.globals.empty());
  CHECK(main[2].writes.channels == List{0});
  CHECK_FALSE(main[2].writes.any_channel);
  CHECK_FALSE(main[2].writes.other_locals);
  // q?kind,a[n]
  CHECK(main[3].writes.globals == List{kA, kKind});
  CHECK(main[3].writes.channels == List{0});
  // r!1 meets the receive of Child, or a d_step.
  CHECK(main[4].writes.other_locations);
  CHECK(main[4].may_meet);
  CHECK(main[4].reads.globals == List{kX, kR});
  CHECK(main[4].writes.globals == List{kX, kA});
  // d_step
  CHECK(main[5].reads.globals == List{kX});
  CHECK(main[5].writes.globals == List{kX, kA});
  // timeout
  CHECK(main[6].reads.everything);
  CHECK(main[7].writes.processes);

  CHECK(child[1].may_meet);
  // own!p: its own channel.
  CHECK(child[2].reads == AccessSet{});
  CHECK(child[2].writes == AccessSet{});
  // moving!1,1: any channel, and a rendezvous perhaps.
  CHECK(child[3].writes.any_channel);
  CHECK(child[3].writes.channels == List{0, 1});
  CHECK(child[3].reads.globals == List{kX, kR, kMoving});
  CHECK(child[3].writes.other_locations);
  // enabled(0)
  CHECK(child[4].reads.everything);
  CHECK(child[4].reads.other_locals);
  CHECK(child[4].writes == AccessSet{});
}

TEST_CASE("effects: priorities and provided reach every location") {
  ModelBuilder b;
  const auto x = b.global("x", kByteType);
  const auto y = b.global("y", kByteType);
  b.activate(b.proctype("P"));
  b.current().provided = b.equal(x, 1);
  b.sequence({b.skip()});
  b.activate(b.proctype("Q"));
  b.sequence({b.assign(y, b.read(y))});
  CHECK(effects(b.model).locations[0][1].reads.globals == List{0});
  CHECK(effects(b.model).locations[1][2].reads.globals.empty());
  b.model.uses_priority = true;
  const Effects ranked = effects(b.model).locations[1][2];
  CHECK(ranked.reads.globals == List{0, 1});
  CHECK(ranked.reads.priorities);
  CHECK(ranked.reads.other_locations);
}

TEST_CASE("effects: recursive run ends, and its initializers are followed") {
  ModelBuilder b;
  const auto x = b.global("x", kByteType);
  const ProctypeId p = b.proctype("P");
  const auto y = b.local("y", kByteType);
  b.current().initializers = {{y, b.read(x), -1}, {y, b.run(p), -1}};
  b.edge(1, 1, b.condition(b.run(p)));
  CHECK(effects(b.model).locations[0][1].reads.globals == List{0});
}

}  // namespace
}  // namespace cmc::test
