#include "ir/scratch.h"

#include <string>

#include "tests/support/compile.h"

#include "tests/catch.h"

namespace cmc::test {
namespace {

// A process that does `steps` in a model with hidden variables; beside it, others that overwrite them.
Model model_of(const std::string& steps, const std::string& more = "") {
  return compile_text("byte x, y; hidden byte t, a[3]; chan q = [2] of { byte };\n" + more +
                      "\nactive proctype P() { do :: " + steps +
                      " od }\nactive proctype Q() { do :: t = 7; a[1] = x od }\n");
}
bool is_scratch(const std::string& steps, const std::string& more = "") {
  return !depends_on_hidden(model_of(steps, more), true);
}

TEST_CASE("scratch: what is written before it is read in a d_step is scratch") {
  for (const char* const steps : {
           "d_step { t = x; x = t + 1 }",
           "d_step { x < 3 -> t = x; x = t + 1; t = x; y = t }",
           "d_step { if :: x == 1 -> t = 1 :: else -> t = 2 fi; x = t }",
           "d_step { t = 0; do :: t < 3 -> t++ :: else -> break od; x = t }",
           "d_step { a[0] = x; a[2] = y; x = a[2]; y = a[0] }",
           "d_step { q?t -> x = t }",
           "d_step { t = x; printf(\"%d\\n\", t); assert(t < 9) }",
           "d_step { t = 1; goto L; t = y; L: x = t }",
       }) {
    CAPTURE(steps);
    CHECK(is_scratch(steps));
    CHECK_FALSE(depends_on_hidden(model_of(steps), false));
  }
}

TEST_CASE("scratch: what is read before it is certainly written in a d_step is not") {
  for (const char* const steps : {
           "t = x; x = t + 1",
           "d_step { x = t; t = 3 }",
           "d_step { t++ }",
           "d_step { t == 3 -> t = 1; x = t }",
           "d_step { t = t + 1; x = t }",
           "d_step { if :: x == 1 -> t = 1 :: else fi; x = t }",
           "d_step { if :: x == 1 -> t = 1 :: t == 2 -> t = 3 fi; x = t }",
           "d_step { do :: x > 0 -> t = x; x-- :: else -> break od; y = t }",
           "d_step { do :: x < 3 -> x = t; t = 1 :: else -> break od }",
           "d_step { x == 3 -> goto L; t = y; L: x = t }",
           "d_step { a[0] = x; x = a[1] }",
           "d_step { a[x] = 1; y = a[x] }",
           "d_step { a[0] = 1; a[1] = 1; a[x] = 1; y = a[2] }",
           "d_step { q?eval(t) -> t = 1 }",
           "d_step { t = 1 }; x = a[t]",
       }) {
    CAPTURE(steps);
    CHECK_FALSE(is_scratch(steps));
  }
}

TEST_CASE("scratch: a step goes on in an atomic sequence where the process cannot block") {
  for (const char* const steps : {
           "atomic { t = x; x = t + 1 }",
           "atomic { q?t -> x = t; t = 3 }",
           "atomic { t = x; if :: t > 2 -> y = t :: else -> y = 1 fi; x = t }",
           "atomic { t = 0; do :: t < 3 -> t++ :: t < 5 -> t = t + 2 :: else -> break od; x = t }",
           "atomic { t = x; d_step { a[1] = t; t = 3 }; y = t }",
       }) {
    CAPTURE(steps);
    CHECK(is_scratch(steps));
    CHECK(depends_on_hidden(model_of(steps), false));
  }
  CHECK(is_scratch("atomic { t = x; y = 1; d_step { a[1] = 3; x = a[1] } }"));
}

TEST_CASE("scratch: a step ends where the process may block or hand over control") {
  for (const char* const steps : {
           "atomic { t = x; y < 2 -> x = t }",
           "atomic { t = x; if :: t > 2 -> y = t :: t == 1 -> y = 1 fi }",
           "atomic { t = x; q!t }",
           "atomic { t = x; d_step { y < 2 -> x = t } }",
           "atomic { t = x; run R(); x = t }",
           "atomic { t = x; y = run R(); x = t }",
           "atomic { t = x }; x = t",
           "atomic { t = x; goto L }; L: x = t",
           "{ atomic { t = x; y == 3; x = t } } unless { y == 2; x = t }",
       }) {
    CAPTURE(steps);
    CHECK_FALSE(is_scratch(steps, "proctype R() { skip }"));
  }
  CHECK(is_scratch("atomic { t = x; q!3; y = 1; d_step { t = 2; x = t } }"));
  CHECK(is_scratch("atomic { q?_; t = x; x = t }"));
  CHECK_FALSE(is_scratch("atomic { r!3; t = x; r!1; x = t }", "chan r = [0] of { byte };"));
  CHECK_FALSE(is_scratch("atomic { r?t; x = t }", "chan r = [0] of { byte };"));
}

TEST_CASE("scratch: what is read from outside of the statements of processes is not") {
  const std::string steps = "d_step { t = x; x = t + 1 }";
  CHECK(is_scratch(steps, "ltl p { [] (x < 3) }"));
  CHECK_FALSE(is_scratch(steps, "ltl p { [] (t < 3) }"));
  CHECK_FALSE(is_scratch(steps, "never { do :: t == 3 :: else od }"));
  CHECK_FALSE(is_scratch(steps, "active proctype R() provided (t < 3) { x = 1 }"));
  CHECK_FALSE(is_scratch(steps, "proctype R() { byte own = t; x = own }"));
  CHECK_FALSE(is_scratch("atomic { t = x; x = 1; x = t }", "active proctype R() { set_priority(0, 3) }"));
  CHECK_FALSE(is_scratch(steps, "active proctype R() { c_code { now.t = 3; } }"));
}

TEST_CASE("scratch: without hidden variables, or without a look at them, nothing depends on them") {
  CHECK_FALSE(depends_on_hidden(compile_text("byte x; active proctype P() { x = 1; x = x + 1 }"), false));
  CHECK(is_scratch("t = x; y = 1"));
}

}  // namespace
}  // namespace cmc::test
