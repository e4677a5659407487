#include "checker/result/coverage.h"

#include <vector>

#include "tests/catch.h"

namespace cmc {
namespace {

// Two proctypes. A: 1 -> 2 (run B), 1 -> 3, 2 -> end. B: 1 -> 2, 2 -> end.
class CoverageFixture {
 public:
  CoverageFixture() {
    model.global_bytes = kHeaderBytes;
    Expression run;
    run.op = Operator::kRun;
    run.proctype = 1;
    model.expressions = {run};
    Statement skip;
    Statement run_b;
    run_b.kind = StatementKind::kCondition;
    run_b.expression = 0;
    Statement end;
    end.kind = StatementKind::kEndProcess;
    model.statements = {skip, run_b, end};
    Proctype a;
    a.name = "A";
    a.locations.resize(4);
    a.locations[1].edges = {{1, 2, 0, 0, false}, {0, 3, 0, 1, false}};
    a.locations[2].edges = {{2, 0, 0, 2, false}};
    Proctype b;
    b.name = "B";
    b.frame_bytes = kFrameHeaderBytes + 4;
    b.locations.resize(3);
    b.locations[1].edges = {{0, 2, 0, 3, false}};
    b.locations[2].edges = {{2, 0, 0, 4, false}};
    model.proctypes = {a, b};
  }

  // A state with frames of these proctypes.
  [[nodiscard]] Bytes state(const std::vector<ProctypeId>& processes) const {
    Bytes bytes(kHeaderBytes);
    store(bytes.data(), static_cast<uint8_t>(processes.size()));
    for (const ProctypeId proctype : processes) {
      const size_t frame = bytes.size();
      bytes.resize(frame + model.proctypes[proctype].frame_bytes);
      store(bytes.data() + frame, proctype);
    }
    return bytes;
  }

  static Step step(uint8_t pid, LocationId location, uint16_t edge) {
    Step step;
    step.pid = pid;
    step.location = location;
    step.edge = edge;
    return step;
  }

  Model model;
};

using Reached = std::vector<std::vector<bool>>;

TEST_CASE_METHOD(CoverageFixture, "coverage: where nothing was taken nothing is reached") {
  CHECK(Coverage(model).reached().reached == Reached{{false, false, false, false}, {false, false, false}});
}

TEST_CASE_METHOD(CoverageFixture, "coverage: an edge reaches its two locations in the proctype of its process") {
  Coverage coverage(model);
  coverage.enter(state({0, 1, 0}));
  coverage.mark(step(2, 1, 1));
  CHECK(coverage.reached().reached == Reached{{false, true, false, true}, {false, false, false}});
  coverage.mark(step(1, 1, 0));
  CHECK(coverage.reached().reached == Reached{{false, true, false, true}, {false, true, true}});
}

TEST_CASE_METHOD(CoverageFixture, "coverage: a rendezvous reaches locations on both sides") {
  Coverage coverage(model);
  coverage.enter(state({0, 1}));
  Step both = step(0, 1, 1);
  both.partner = 1;
  both.partner_location = 1;
  both.partner_edge = 0;
  coverage.mark(both);
  CHECK(coverage.reached().reached == Reached{{false, true, false, true}, {false, true, true}});
}

TEST_CASE_METHOD(CoverageFixture, "coverage: the end of a process is a location without a target") {
  Coverage coverage(model);
  coverage.enter(state({1}));
  coverage.mark(step(0, 2, 0));
  CHECK(coverage.reached().reached == Reached{{false, false, false, false}, {false, false, true}});
}

TEST_CASE_METHOD(CoverageFixture, "coverage: processes that start and end within a sequence are followed") {
  Coverage coverage(model);
  const Bytes start = state({0});
  coverage.enter(start);
  // pid 0 starts a B as pid 1, which ends; pid 1 does not exist before nor after.
  const std::vector<Step> steps = {step(0, 1, 0), step(1, 2, 0)};
  coverage.mark_sequence(steps, SequenceEnd::kCompleted);
  CHECK(coverage.reached().reached == Reached{{false, true, true, false}, {false, false, true}});
  coverage.mark(step(0, 1, 1));  // the list of processes is that of the state again
  CHECK(coverage.reached().reached[0] == std::vector<bool>{false, true, true, true});
}

// Of the second sequence the first step is known, and starts the process of its second one.
TEST_CASE_METHOD(CoverageFixture, "coverage: sequences that begin alike are marked as if each were alone") {
  const std::vector<std::vector<Step>> all = {{step(0, 1, 0), step(0, 2, 0)},
                                              {step(0, 1, 0), step(1, 1, 0), step(1, 2, 0)},
                                              {step(0, 1, 0), step(1, 1, 0)},
                                              {step(0, 1, 1)}};
  Coverage together(model);
  Coverage alone(model);
  SuccessorBatch batch;
  const Bytes start = state({0});
  together.enter(start);
  for (const std::vector<Step>& steps : all) {
    batch.entries.push_back({0, 0, static_cast<uint32_t>(batch.steps.size()), static_cast<uint32_t>(steps.size())});
    batch.steps.insert(batch.steps.end(), steps.begin(), steps.end());
    alone.enter(start);
    alone.mark_sequence(steps, SequenceEnd::kCompleted);
  }
  together.mark_successors(batch);
  CHECK(together.reached().reached == alone.reached().reached);
  CHECK(alone.reached().reached == Reached{{false, true, true, true}, {false, true, true}});
}

TEST_CASE_METHOD(CoverageFixture, "coverage: a step that failed reaches its location but not the next") {
  Coverage coverage(model);
  const Bytes start = state({1});
  coverage.enter(start);
  const std::vector<Step> steps = {step(0, 1, 0)};
  coverage.mark_sequence(steps, SequenceEnd::kFailed);
  CHECK(coverage.reached().reached[1] == std::vector<bool>{false, true, false});
}

TEST_CASE_METHOD(CoverageFixture, "coverage: where an endless sequence was cut is kept and merged") {
  model.statements[1].place.line = 7;
  Coverage coverage(model);
  CHECK(coverage.reached().endless_atomic.line == 0);
  Coverage other(model);
  const Bytes start = state({0});
  other.enter(start);
  SuccessorBatch batch;
  batch.steps = {step(0, 1, 1), step(0, 1, 0)};
  batch.endless_paths = {{0, 2}};
  other.mark_endless(batch);
  coverage.merge(other);
  CHECK(coverage.reached().endless_atomic.line == 7);
  CHECK(coverage.reached().reached[0] == std::vector<bool>{false, true, true, true});
}

TEST_CASE_METHOD(CoverageFixture, "coverage: steps that fit no location are ignored") {
  Coverage coverage(model);
  coverage.enter(state({0}));
  coverage.mark(step(7, 1, 0));
  coverage.mark(step(0, 60000, 0));
  coverage.mark(step(0, 3, 5));
  CHECK(coverage.reached().reached == Reached{{false, false, false, false}, {false, false, false}});
}

}  // namespace
}  // namespace cmc
