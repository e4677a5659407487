#include <algorithm>
#include <string>
#include <vector>

#include "checker/native/source.h"
#include "tests/native/compare.h"
#include "tests/native/native_code.h"
#include "tests/support/compile.h"

#include "tests/catch.h"

namespace cmc::test {
namespace {

TEST_CASE("native messages: arrays in messages are loops") {
  const Model model = compile_text(R"(
    typedef Bytes { byte b[9] }
    typedef All { byte b[9]; short s[8]; bit z[11]; int i[10]; bool few[3] }
    typedef Flags { bit b[9]; short s[8]; bit z[11]; byte i[10]; bit few[3] }
    All shared;
    chan buffer = [2] of { byte, All };
    chan narrow = [1] of { byte, Flags };
    chan sorted = [2] of { Bytes };
    chan direct = [0] of { byte, All };
    chan which;
    active proctype sender() {
      All own; Bytes first, second;
      own.b[0] = 255; own.b[8] = 7; own.s[7] = -3; own.s[0] = 300; own.z[10] = 1; own.i[9] = -70000; own.i[0] = 257;
      own.few[2] = 1; first.b[8] = 2; second.b[8] = 1;
      if :: which = buffer :: which = narrow fi;
      which ! 1, own;
      direct ! 2, own;
      sorted !! first; sorted !! second;
      buffer ! 3, shared
    }
    active proctype receiver() {
      All taken; Bytes least;
      do
      :: direct ? 2, taken
      :: buffer ? 1, taken
      :: buffer ?? 3, shared
      :: narrow ? 1, shared
      :: sorted ? least -> assert(least.b[8] != 2 || taken.i[9] != 0)
      :: buffer ? <1, taken> -> taken.b[0] = 0
      od
    })");
  const std::string text = native::write_source(model).text;
  for (const char* part : {"own_b + k", "own_s + k", "own_i + k", "shared_z + k", "taken_b + k"}) {
    INFO(part);
    CHECK(text.find(part) != std::string::npos);
  }
  const auto code = native_code(model);
  if (code == nullptr) return;
  const NativeExploration found = explore_native(model, code, 2000);
  CHECK(found.differences == std::vector<std::string>{});
  CHECK(found.states > 50);
}

TEST_CASE("native messages: a message of 10,000 bytes has as many statements as one of 1,000") {
  const auto statements = [](int bytes) {
    const std::string size = std::to_string(bytes);
    const std::string text =
        native::write_source(compile_text("typedef P { byte b[" + size + "] } chan c = [1] of { P };" +
                                          "active proctype t() { P p; do :: c ! p; c ? p od }"))
            .text;
    return std::ranges::count(text, ';');
  };
  CHECK(statements(10'000) == statements(1'000));
}

}  // namespace
}  // namespace cmc::test
