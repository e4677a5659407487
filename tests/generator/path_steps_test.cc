#include "checker/generator/wrappers/path_steps.h"

#include <set>
#include <vector>

#include "checker/generator/wrappers/spin_steps.h"
#include "tests/generator/explore.h"
#include "tests/support/compile.h"

#include "tests/catch.h"

namespace cmc::test {
namespace {

std::unique_ptr<SuccessorGenerator> make_paths(const Model& model) {
  return close_local_paths(close_atomic_chains(make_reference_generator(model), model), model);
}

std::vector<Bytes> successors_of(const SuccessorBatch& batch) {
  std::vector<Bytes> states;
  for (size_t i = 0; i < batch.entries.size(); ++i) states.push_back(Explorer::copy(batch, i));
  return states;
}

TEST_CASE("local paths: what a process does with its locals is merged, what others see is not") {
  const Model model =
      compile_text("byte g; active proctype P() { byte i; g = 1; i = 1; i = i + 2; (i == 3); g = i; i = 4; g = i }");
  Explorer e(model, make_paths(model));
  Bytes state = e.initial();
  for (const int32_t expected : {1, 3, 4}) {
    state = e.next(state);
    REQUIRE(!state.empty());
    CHECK(load<uint8_t>(state.data() + model.globals.at(0).offset) == expected);
  }
}

TEST_CASE("local paths: local paths that meet again are followed once") {
  const Model model = compile_text(
      "byte g; active proctype P() { byte i; g = 1; if :: i = 1 :: i = 1 fi; if :: i = 2 :: i = 3 fi; g = 2 }");
  Explorer e(model, make_paths(model));
  const SuccessorBatch batch = e.expand(e.initial());
  CHECK(batch.entries.size() == 2);
}

TEST_CASE("local paths: a cycle of local steps ends and is kept") {
  const Model model =
      compile_text("byte g; active proctype P() { bit i; g = 1; do :: i = 1 - i od } active proctype Q() { g == 1 }");
  Explorer e(model, make_paths(model));
  const Explorer::Counts counts = e.explore();
  CHECK(counts.states > 2);
  CHECK(counts.states < 10);
  CHECK(counts.blocked == 0);
}

// What is followed and taken back would count as what the step depends on.
TEST_CASE("local paths: nothing is followed behind a loop that goes on in ways that have nothing in common") {
  struct Case {
    const char* loop;
    bool ends_there;
  };
  static constexpr Case kCases[] = {
      {"x = (x + 1) % 9 :: y = (y + 1) % 9", true},
      {"x < 9 -> x++ :: y < 9 -> y++ :: else -> skip; g = 1", true},
      {"x < 9 -> x++ :: y > 9 -> x = 0; g = 1", false},  // the second one does not return by local steps
      {"x < y -> x++ :: x > y -> y++ :: else -> skip; g = 1", false},
      {"x = 0 :: x = 1 :: y < 9 -> break", false},
      {"if :: x < 9 -> x++ :: else fi; y++", false},
      {"x < 9 -> if :: x++ :: y % 2 == 0 fi; x = x % 2 :: else -> x = 0", false},  // the ways meet
      {"true -> x++ :: true -> y++", true},
      {"true -> x++ :: skip", false},
  };
  for (const Case& each : kCases) {
    INFO(each.loop);
    const Model model =
        compile_text("byte g; active proctype P() { byte x, y; g = 2; do :: " + std::string(each.loop) + " od }");
    const auto generator = close_local_paths(close_atomic_chains(make_vm_generator(model), model), model);
    SuccessorBatch batch;
    generator->initial(batch);
    const Bytes initial = Explorer::copy(batch, 0);
    batch.clear();
    CHECK(generator->edge_successors(initial, 0, false, 0, nullptr, batch) == each.ends_there);
  }
}

TEST_CASE("local paths: an error in a local step is kept with its path") {
  const Model model = compile_text("byte g; active proctype P() { byte i; g = 1; i = 5; assert(i == 4); g = 2 }");
  Explorer e(model, make_paths(model));
  const SuccessorBatch batch = e.expand(e.initial());
  REQUIRE(batch.errors.size() == 1);
  CHECK(batch.errors[0].kind == RuntimeErrorKind::kAssertion);
  CHECK(batch.errors[0].path_count == 3);
  REQUIRE(batch.entries.size() == 1);
  CHECK(batch.entries[0].path_count == 3);
}

// The fast engine asks process by process.
TEST_CASE("local paths: the successors of a state are those of its processes, one after the other") {
  static constexpr const char* kModels[] = {
      // Either sender leads to the same state, from which the receiver goes on.
      "chan q = [0] of { byte }; active [2] proctype S() { do :: q!1 od }\n"
      "active proctype R() { byte i; byte k; q?_; i = 3; if :: k = 1 :: k = 2 fi; k = 0; q?_ }",
      "byte g; active [3] proctype P() { byte i; do :: g < 3 -> g++; i = 1; i = 2; i = 0 :: g == 3 -> g = 0; i = 0 "
      "od }",
      "chan q = [0] of { byte }; byte g; active [2] proctype S() { byte i; atomic { q!1; i = 2; g = 1 }; i = 3; g = "
      "0 }\n"
      "active [2] proctype R() { byte i; q?i; i = i + 1; if :: i = 7 :: i = 8 fi; g = i }\n"
      "active proctype D() { byte i; d_step { printf(\"x\"); i = 1 }; i = 0; g == 1 -> i = 2; g = 2 }",
  };
  for (const char* text : kModels) {
    INFO(text);
    const Model model = compile_text(text);
    Explorer whole(model, make_paths(model));
    const std::unique_ptr<SuccessorGenerator> single = make_paths(model);
    std::set<Bytes> seen{whole.initial()};
    std::vector<Bytes> open{whole.initial()};
    while (!open.empty()) {
      const Bytes state = open.back();
      open.pop_back();
      const std::vector<Bytes> expected = successors_of(whole.expand(state));
      std::vector<Bytes> found;
      for (uint32_t pid = whole.processes(state); pid-- > 0;) {
        SuccessorBatch batch;
        single->process_successors(state, static_cast<uint8_t>(pid), false, nullptr, batch);
        for (Bytes& each : successors_of(batch)) found.push_back(std::move(each));
      }
      REQUIRE(found == expected);
      for (const Bytes& each : expected) {
        if (seen.insert(each).second) open.push_back(each);
      }
    }
    CHECK(seen.size() > 3);
  }
}

}  // namespace
}  // namespace cmc::test
