#include "checker/generator/touch_trace.h"

#include <algorithm>
#include <string>
#include <vector>

#include "checker/keyspace/components.h"
#include "checker/vm/generator.h"
#include "tests/keys/models.h"
#include "tests/keys/steps.h"
#include "tests/support/compile.h"

#include "tests/catch.h"

namespace cmc::test {
namespace {

// A model in some state, and a trace of what is touched in it.
struct Traced {
  explicit Traced(const std::string& text) : model(compile_text(text)) {
    SuccessorBatch batch;
    generator->initial(batch);
    state = copy(batch.state(batch.entries.at(0)));
    trace.clear();
    index_state();
  }
  void go_on(size_t entry = 0) {
    SuccessorBatch batch;
    generator->successors(state, batch);
    state = copy(batch.state(batch.entries.at(entry)));
    index_state();
  }
  void index_state() {
    prepare_index(model, index);
    build_index(model, state.data(), index);
  }
  void touch(uint32_t offset) { trace.touch(index, state.data(), state.data() + offset); }
  uint32_t global(const std::string& name) const {
    for (const Variable& variable : model.globals) {
      if (variable.name == name) return variable.offset;
    }
    FAIL("no " << name);
    return 0;
  }
  std::vector<ComponentId> touched() const { return {trace.touched().begin(), trace.touched().end()}; }
  std::vector<ComponentId> touched_by(uint8_t pid) {
    SuccessorBatch batch;
    trace.clear();
    static_cast<void>(generator->process_successors(state, pid, false, &trace, batch));
    return touched();
  }
  bool touches(uint8_t pid, ComponentId component) {
    const std::vector<ComponentId> all = touched_by(pid);
    return std::count(all.begin(), all.end(), component) == 1;
  }
  ComponentId component_of(const std::string& name) const {
    return components.pieces().global_component[global(name)];
  }

  Model model;
  Components components{model};
  std::unique_ptr<SuccessorGenerator> generator = make_vm_generator(model);
  TouchTrace trace{components.pieces()};
  StateIndex index;
  Bytes state;
};

using List = std::vector<ComponentId>;

TEST_CASE("touch trace: control is touched always and first, everything once and in order") {
  Traced t("byte x, y; chan q = [1] of { byte }; active [2] proctype P() { byte a, l[100]; l[a] = x + y; q!1 }");
  const StatePieces& pieces = t.components.pieces();
  CHECK(t.touched() == List{kControlComponent});
  t.touch(t.global("y"));
  t.touch(t.global("x"));
  t.touch(t.global("y"));
  t.trace.touch_process(1);
  t.trace.touch_process(1);
  CHECK(t.touched() == List{kControlComponent, t.component_of("y"), t.component_of("x"), pieces.frame(1, 0)});
  t.trace.clear();
  CHECK(t.touched() == List{kControlComponent});
  t.trace.touch_whole_frame(0, 0);
  t.trace.touch_process(0);
  CHECK(t.touched() == List{kControlComponent, pieces.frame(0, 0), pieces.frame(0, 1), pieces.frame(0, 2)});
  t.trace.clear();
  t.touch(t.model.header_offset());
  CHECK(t.touched() == List{kControlComponent});
}

TEST_CASE("touch trace: each byte of a state is touched as part of its component") {
  for (const SmallModel& small : kSmallModels) {
    INFO(small.name);
    Traced t(small.text);
    for (int step = 0; step < 6; ++step) {
      const StatePieces& pieces = t.components.pieces();
      for (uint32_t b = t.model.hidden_bytes; b < t.model.global_bytes; ++b) {
        t.trace.clear();
        t.touch(b);
        List expected{kControlComponent};
        if (pieces.global_component[b] != kControlComponent) expected.push_back(pieces.global_component[b]);
        REQUIRE(t.touched() == expected);
      }
      for (uint32_t pid = 0; pid < t.index.process_count; ++pid) {
        const uint32_t frame = t.index.frames[pid];
        const auto proctype = load<ProctypeId>(t.state.data() + frame + kFrameProctype);
        for (uint32_t b = 0; b < t.model.proctypes[proctype].frame_bytes; ++b) {
          t.trace.clear();
          t.touch(frame + b);
          REQUIRE(t.touched() == List{kControlComponent, pieces.frame(pid, pieces.frame_piece[proctype][b])});
        }
      }
      SuccessorBatch batch;
      t.generator->successors(t.state, batch);
      if (batch.entries.empty()) break;
      t.go_on(batch.entries.size() - 1);
    }
  }
}

TEST_CASE("touch trace: a step touches what it reads and writes, and nothing else") {
  Traced t(
      "byte x, y, z; chan q = [1] of { byte };\n"
      "active proctype A() { x == 0 -> y = 1 }\n"
      "active proctype B() { z = y }\n"
      "active proctype C() { byte v; q?v }\n"
      "active proctype D() { byte k = 3; L: k++ } active proctype E() { D@L -> skip }");
  const ComponentId x = t.component_of("x");
  const ComponentId y = t.component_of("y");
  const ComponentId z = t.component_of("z");
  CHECK(t.touches(0, x));
  CHECK(!t.touches(0, y));
  CHECK(t.touches(1, y));
  CHECK(t.touches(1, z));
  CHECK(!t.touches(1, x));
  const ComponentId contents = t.components.pieces().global_component[t.model.channels[0].offset];
  CHECK(t.touches(2, contents));
  CHECK(!t.touches(0, contents));
  for (uint8_t pid = 0; pid < 5; ++pid) {
    CHECK(t.touches(pid, t.components.pieces().frame(pid, 0)));
    CHECK(t.touched_by(pid).front() == kControlComponent);
  }
  CHECK(t.touches(4, t.components.pieces().frame(3, 0)));
  const List only{kControlComponent, t.components.pieces().frame(3, 0)};
  CHECK(t.touched_by(3) == only);
}

}  // namespace
}  // namespace cmc::test
