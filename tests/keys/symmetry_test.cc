#include "checker/keyspace/symmetry.h"

#include <string>
#include <vector>

#include "checker/vm/generator.h"
#include "tests/support/compile.h"

#include "tests/catch.h"

// Which processes nobody tells apart, and the order of their frames.

namespace cmc::test {
namespace {

// Why processes of P are told apart; "": they are not.
std::string told_apart(const std::string& text) {
  const Model model = compile_text(text);
  if (const char* const obstacle = Symmetry::obstacle(model)) return obstacle;
  for (ProctypeId proctype = 0; proctype < model.proctypes.size(); ++proctype) {
    if (model.proctypes[proctype].name != "P") continue;
    const char* const obstacle = Symmetry(model).obstacle(proctype);
    return obstacle == nullptr ? "" : obstacle;
  }
  return "there is no P";
}

TEST_CASE("symmetry: processes that nobody tells apart are alike") {
  CHECK(told_apart("byte x; active [3] proctype P() { byte y; do :: y = x :: x++ od }").empty());
  CHECK(told_apart("chan q = [1] of { byte, chan }; active [2] proctype P() { chan c; byte v; "
                   "do :: q!1,q :: q?v,c -> c?v,_ od }")
            .empty());
  CHECK(told_apart("byte x; proctype P(byte n) { do :: x = n od } init { byte p; p = run P(1); run P(p) }").empty());
  CHECK(told_apart("byte x; active [2] proctype P() provided (x < 3) { do :: x++ unless x > 2; x = 0 od }").empty());
  CHECK(told_apart("active [2] proctype P() { do :: printf(\"%d\", _pid) od }").empty());
  CHECK(told_apart("active proctype Q() { byte x; do :: x = _pid od } active [2] proctype P() { do :: skip od }")
            .empty());
  CHECK(told_apart("active proctype Q() { A: skip } active [2] proctype P() { do :: Q[0]@A od }").empty());
  CHECK(told_apart("active [2] proctype P() { (false) }") == "may end");
  CHECK(told_apart("active [2] proctype P() { do :: timeout od; assert(false) }") == "");
}

TEST_CASE("symmetry: a process that knows its pid is told apart") {
  const std::string use = "uses _pid";
  CHECK(told_apart("byte x; active [2] proctype P() { do :: x = _pid od }") == use);
  CHECK(told_apart("byte x; active [2] proctype P() { byte y = _pid; do :: x = y od }") == use);
  CHECK(told_apart("byte x[2]; active [2] proctype P() { do :: x[_pid] = 1 od }") == use);
  CHECK(told_apart("byte x[2]; active [2] proctype P() { do :: x[x[_pid]] > 0 od }") == use);
  CHECK(told_apart("chan q = [1] of { byte }; active [2] proctype P() { do :: q!_pid od }") == use);
  CHECK(told_apart("chan q = [1] of { byte }; active [2] proctype P() { do :: q?eval(_pid) od }") == use);
  CHECK(told_apart("chan q = [1] of { byte }; active [2] proctype P() { do :: q?[eval(_pid)] od }") == use);
  CHECK(told_apart("chan q[2] = [1] of { byte }; active [2] proctype P() { do :: q[_pid]?_ od }") == use);
  CHECK(told_apart("chan q[2] = [1] of { byte }; active [2] proctype P() { do :: full(q[_pid]) od }") == use);
  CHECK(told_apart("chan q = [1] of { byte }; byte x[2]; active [2] proctype P() { do :: q?x[_pid] od }") == use);
  CHECK(told_apart("byte x; active [2] proctype P() { do :: d_step { x++; x = _pid } od }") == use);
  CHECK(told_apart("chan q = [1] of { byte }; active [2] proctype P() { do :: d_step { q?eval(_pid) } od }") == use);
  CHECK(told_apart("byte x; active [2] proctype P() { do :: x++ unless { x == _pid } od }") == use);
  CHECK(told_apart("byte x; active [2] proctype P() { do :: assert(x == _pid) od }") == use);
  CHECK(told_apart("byte x; active [2] proctype P() provided (x == _pid) { do :: x++ od }") == use);
  CHECK(told_apart("byte x; active [2] proctype P() { do :: x = (x > 1 -> _pid : 0) od }") == use);
  CHECK(told_apart("byte x[2]; active [2] proctype P() { do :: printf(\"%d\", x[_pid]) od }") == use);
  CHECK(told_apart("proctype Q(byte n) { skip } active [2] proctype P() { do :: run Q(_pid) od }") == use);
}

TEST_CASE("symmetry: a process that others can name is told apart") {
  const std::string seen = "is looked at from outside";
  CHECK(told_apart("active [2] proctype P() { do :: A: skip od } active proctype Q() { P[1]@A }") == seen);
  CHECK(told_apart("active [2] proctype P() { byte x; do :: x++ od } active proctype Q() { P[1]:x > 0 }") == seen);
  CHECK(told_apart("active [2] proctype P() { do :: A: skip od } ltl f { [] !P[1]@A }") == seen);
  CHECK(told_apart("active [2] proctype P() { do :: A: skip od } never { do :: P[0]@A od }") == seen);
  CHECK(told_apart("active [2] proctype P() { do :: enabled(1) od }") == "the model uses enabled() or pc_value()");
  CHECK(told_apart("active [2] proctype P() { do :: pc_value(1) > 2 od }") ==
        "the model uses enabled() or pc_value()");
  CHECK(told_apart("byte x; active [2] proctype P() { do :: x = _last od }") == "the model uses _last");
  CHECK(told_apart("active [2] proctype P() priority 3 { do :: skip od }") == "the model has priorities");
  CHECK(told_apart("active [2] proctype P() { do :: c_code { x = 1; } od }") == "the model has embedded C code");
}

TEST_CASE("symmetry: a process whose pid changes with others or gives others theirs is told apart") {
  CHECK(told_apart("byte x; active [2] proctype P() { do :: x++ :: x > 3 -> break od }") == "may end");
  CHECK(told_apart("byte x; active [2] proctype P() { do :: x++ unless x > 3 od }") == "");
  CHECK(told_apart("byte x; active [2] proctype P() { { do :: x++ od } unless { x > 3 } }") == "may end");
  CHECK(told_apart("active [2] proctype P() { chan q = [1] of { byte }; do :: q!1 :: q?_ od }") == "owns channels");
}

Bytes initial_of(const Model& model) {
  SuccessorBatch batch;
  make_vm_generator(model)->initial(batch);
  const ByteView state = batch.state(batch.entries.front());
  return {state.begin(), state.end()};
}

TEST_CASE("symmetry: a representative has its frames in ascending order, and the holder moves with its own") {
  const Model model = compile_text(
      "active [2] proctype P() { byte x; do :: x++ od } active proctype Q() { byte y; y = 1 } "
      "active [2] proctype P2() { byte x; do :: x++ od }");
  Bytes state = initial_of(model);
  const uint32_t size = model.proctypes[0].frame_bytes;
  REQUIRE((model.proctypes[2].frame_bytes == size && model.proctypes[0].variables.front().offset < size));
  const uint32_t q = model.global_bytes + 2 * size;
  const uint32_t p2 = q + model.proctypes[1].frame_bytes;
  const uint32_t x = model.proctypes[0].variables.front().offset;
  const auto set = [&](uint32_t frame, uint8_t value) { store(state.data() + frame + x, value); };
  const auto holder = [&] { return load<uint8_t>(state.data() + model.atomic_holder_offset()); };
  set(model.global_bytes, 7);
  set(model.global_bytes + size, 3);
  set(p2, 1);
  set(p2 + size, 2);
  store(state.data() + model.atomic_holder_offset(), uint8_t{0});
  const Symmetry symmetry(model);
  CHECK(symmetry.order(state) == std::vector<uint8_t>{1, 0, 2, 3, 4});
  symmetry.sort(state);
  CHECK(load<uint8_t>(state.data() + model.global_bytes + x) == 3);
  CHECK(load<uint8_t>(state.data() + model.global_bytes + size + x) == 7);
  CHECK(load<uint8_t>(state.data() + p2 + x) == 1);
  CHECK(holder() == 1);
  CHECK(symmetry.order(state) == std::vector<uint8_t>{0, 1, 2, 3, 4});

  // Of equal frames the holder's is the last.
  set(model.global_bytes, 7);
  store(state.data() + model.atomic_holder_offset(), uint8_t{0});
  symmetry.sort(state);
  CHECK(holder() == 1);
}

}  // namespace
}  // namespace cmc::test
