#include "checker/generator/wrappers/dead_variables.h"
#include "checker/vm/generator.h"
#include "tests/generator/explore.h"
#include "tests/support/compile.h"

#include "tests/catch.h"

// Dead variables: globals that no expression reads but to count.

namespace cmc {
namespace {

using test::compile_text;

size_t states(const Model& model, DeadGlobals globals) {
  return test::Explorer(model, reset_dead_variables(make_vm_generator(model), model, globals)).explore().states;
}

// How many states become one with others.
size_t spared(const Model& model) { return states(model, DeadGlobals::kKept) - states(model, DeadGlobals::kReset); }

size_t spared(const std::string& text) { return spared(compile_text(text)); }

TEST_CASE("dead globals: what is written and never read makes no difference") {
  const std::string turns = "do :: if :: w = 1 :: w = 2 fi; x = !x od }\n";
  CHECK(spared("bit x; byte w; active proctype P() { " + turns) == 5);
  CHECK(spared("bit x; byte w = 7; active proctype P() { " + turns) == 5);
  CHECK(spared("bit x; byte w; active proctype P() { " + turns + "ltl f { [] (w < 3) }") == 0);
  CHECK(spared("bit x; byte w; active proctype P() { " + turns + "never { do :: w == 3 -> break :: else od }") == 0);
  CHECK(spared("bit x; byte w; active proctype P() { " + turns + "active proctype Q() provided (w == 1) { x }") == 0);
  CHECK(spared("bit x; byte w, v[3]; active proctype P() { do :: w = 1 :: w = 2 :: v[w] = 1 od }") == 15);
  CHECK(spared("bit x; typedef T { byte w; byte r }; T t[2]; active proctype P() { do :: t[0].w = 1 :: t[1].w = 2 :: "
               "t[0].r = 1 :: t[0].r == 1 od }") > 0);
  CHECK(spared("byte w; chan c = [1] of {byte}; active proctype P() { do :: c!1 :: c!2 :: c?w od }") > 0);
}

TEST_CASE("dead globals: counting is no reading, unless values that do not fit are to be told") {
  CHECK(spared("byte n; active proctype P() { do :: n++ od }") == 255);
  CHECK(spared("byte n[2]; active proctype P() { do :: n[_pid] = n[1] - 1 - n[0] :: n[1] = 3 od }") > 0);
  CHECK(spared("byte n; active proctype P() { do :: n++; printf(\"%d\", n) od }") == 0);
  CHECK(spared("byte n; active proctype P() { do :: n = n / 2 + 1 :: n = 9 od }") == 0);
  CHECK(spared("byte n, m; active proctype P() { do :: n++; m = n; m == 1 od }") == 0);
  CHECK(spared("byte n[2]; active proctype P() { n[0]++; do :: n[n[0]] = n[0] + 1 :: n[0] = 0 od }") == 0);
  for (const Overflow overflow : {Overflow::kWarning, Overflow::kError}) {
    Model model = compile_text("byte n; active proctype P() { do :: n++ od }");
    model.overflow = overflow;
    CHECK(spared(model) == 0);
  }
}

}  // namespace
}  // namespace cmc
