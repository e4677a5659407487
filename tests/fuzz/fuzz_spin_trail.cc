#include <cstddef>
#include <cstdint>
#include <memory>

#include "checker/spin/trail.h"
#include "checker/vm/generator.h"
#include "tests/fuzz/input.h"
#include "tests/support/compile.h"

// libFuzzer target: any bytes are a trail of SPIN, which is followed in a model with most kinds of steps; the answer
// is a path, which can be written as a trail, or an error that says something.

namespace {

constexpr const char* kModel =
    "chan q = [2] of { byte, byte }; chan r = [0] of { byte }; byte g;\n"
    "proctype C(byte n) { byte x; r?x; g = x / n; q!x,n; q?x,_ }\n"
    "active proctype P() { byte i;\n"
    "  do :: i < 3 -> i++; r!i :: atomic { g == 2 -> g = 0; i = 0 } :: d_step { g = i; i = 2 } :: else -> break od;\n"
    "  { assert(g < 3); (false) } unless { timeout } }\n"
    "init { run C(1); run C(0); end: (g == 9) }\n";

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const cmc::Model model = cmc::test::compile_text(kModel);
  const cmc::Result<cmc::spin::Trail> trail = cmc::spin::parse_trail(cmc::fuzz::as_text(data, size));
  if (!trail.ok()) {
    if (trail.error().empty()) __builtin_trap();  // refused without a word
    return 0;
  }
  const std::unique_ptr<cmc::SuccessorGenerator> statements = cmc::make_vm_generator(model);
  const cmc::Result<cmc::spin::FollowedTrail> followed = cmc::spin::follow_trail(trail.value(), model, *statements);
  if (!followed.ok()) {
    if (followed.error().empty()) __builtin_trap();
    return 0;
  }
  static_cast<void>(cmc::spin::trail_text(model, *statements, followed.value().path, followed.value().loop_start));
  return 0;
}
