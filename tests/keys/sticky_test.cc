#include "checker/por/sticky.h"

#include "tests/catch.h"

// Which locations have to be left in cycles of states.

namespace cmc {
namespace {

using Cycles = std::vector<CycleEdge>;
using Kind = LocalUse::Kind;

CycleEdge edge(LocationId source, LocationId target) {
  CycleEdge edge;
  edge.source = source;
  edge.target = target;
  return edge;
}
CycleEdge receives(LocationId source, LocationId target, ComponentId channel) {
  CycleEdge with = edge(source, target);
  with.receives = channel;
  return with;
}
CycleEdge sends(LocationId source, LocationId target, ComponentId channel) {
  CycleEdge with = edge(source, target);
  with.sends = channel;
  return with;
}
CycleEdge uses(LocationId source, LocationId target, LocalUse use) {
  CycleEdge with = edge(source, target);
  with.locals.push_back(use);
  return with;
}

std::vector<std::vector<LocationId>> sticky(const std::vector<Cycles>& processes) {
  std::vector<const Cycles*> pointers;
  for (const Cycles& each : processes) pointers.push_back(&each);
  return sticky_locations(pointers);
}
size_t count(const std::vector<Cycles>& processes) {
  size_t count = 0;
  for (const auto& each : sticky(processes)) count += each.size();
  return count;
}

TEST_CASE("sticky: a loop is cut once") {
  CHECK(count({{edge(1, 2), edge(2, 1)}}) == 1);
  CHECK(count({{edge(1, 1)}}) == 1);
  CHECK(count({{edge(1, 2), edge(2, 3)}}) == 0);
  CHECK(count({{edge(1, 2), edge(2, 1)}, {edge(1, 2), edge(2, 1)}}) == 2);
  CHECK(sticky({{edge(1, 2), edge(2, 1), edge(1, 3), edge(3, 1)}}) == std::vector<std::vector<LocationId>>{{1}});
}

TEST_CASE("sticky: a ring that passes messages on is cut in one process") {
  const std::vector<Cycles> ring{{receives(1, 2, 10), sends(2, 1, 11)},
                                 {receives(1, 2, 11), sends(2, 1, 12)},
                                 {receives(1, 2, 12), sends(2, 1, 10)}};
  CHECK(count(ring) == 1);
  std::vector<Cycles> open = ring;
  open[2][1].sends = 13;  // nobody receives from that
  CHECK(count(open) == 0);
  open[0].push_back(receives(1, 1, 13));
  CHECK(count(open) == 0);  // who sends to that needs the ring
  open[0].front().receives = 13;
  CHECK(count(open) == 1);
}

TEST_CASE("sticky: a channel that is not known may be any") {
  CycleEdge anywhere = edge(5, 5);
  anywhere.sends_any = true;
  CHECK(count({{receives(1, 1, 10)}}) == 0);
  CHECK(count({{receives(1, 1, 10)}, {anywhere}}) == 2);
}

TEST_CASE("sticky: a local that only grows up to a limit is on no cycle") {
  const auto loop = [](int32_t limit, int32_t most) {
    return Cycles{uses(1, 2, {Kind::kIsAtMost, 8, limit, 0}), uses(2, 1, {Kind::kAdd, 8, 1, most})};
  };
  CHECK(count({loop(10, 255)}) == 0);
  CHECK(count({loop(255, 255)}) == 1);  // it wraps around
  Cycles reset = loop(10, 255);
  reset.push_back(uses(1, 1, {Kind::kSet, 8, 0, 0}));
  CHECK(count({reset}) == 1);
  Cycles unguarded = loop(10, 255);
  unguarded.push_back(edge(1, 2));
  CHECK(count({unguarded}) == 1);
}

TEST_CASE("sticky: a flag that is only set to one value is not asked for another one") {
  const auto loop = [](int32_t value) {
    return Cycles{uses(1, 2, {Kind::kIsNot, 8, 0, 0}), uses(2, 1, {Kind::kSet, 8, value, 0})};
  };
  CHECK(count({loop(0)}) == 0);
  CHECK(count({loop(1)}) == 1);
  Cycles around = loop(0);
  around.push_back(edge(2, 1));  // without setting it
  CHECK(count({around}) == 1);
  Cycles changed = loop(0);
  changed.push_back(uses(1, 1, {Kind::kChange, 8, 0, 0}));
  CHECK(count({changed}) == 1);
  CHECK(count({{uses(1, 2, {Kind::kSet, 8, 1, 0}), uses(2, 3, {Kind::kIsNot, 8, 0, 0}),
                uses(3, 1, {Kind::kSet, 8, 0, 0})}}) == 1);
}

TEST_CASE("sticky: where processes are created again and again nothing is left out") {
  CycleEdge creates = receives(1, 1, 10);  // nobody sends, but the new process may
  creates.creates = true;
  CHECK(count({{creates}}) == 1);
}

TEST_CASE("sticky: processes of a group that have equal cycles have equal sticky locations, in any order") {
  const Cycles waiter{receives(1, 2, 10), sends(2, 1, 11)};
  const Cycles server{receives(1, 2, 11), sends(2, 1, 10)};
  const Cycles other{receives(1, 2, 10), sends(2, 3, 11), edge(3, 1)};
  const auto in_order = [](const std::vector<const Cycles*>& cycles) {
    const std::vector<std::vector<uint8_t>> groups{{1, 2, 3}};
    return sticky_locations(cycles, groups);
  };
  const auto first = in_order({&server, &waiter, &other, &waiter});
  CHECK(first[1] == first[3]);
  const auto second = in_order({&server, &other, &waiter, &waiter});
  CHECK(second == std::vector<std::vector<LocationId>>{first[0], first[2], first[1], first[1]});
  CHECK(in_order({&server, &server, &server, &server}) == std::vector<std::vector<LocationId>>(4));
}

}  // namespace
}  // namespace cmc
