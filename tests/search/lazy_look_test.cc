#include "checker/plain/lazy_look.h"

#include <cstdint>
#include <memory>
#include <optional>

#include "checker/plain/simple_search.h"
#include "checker/reference/reference.h"
#include "checker/result/replay.h"
#include "checker/vm/generator.h"
#include "ir/product.h"
#include "tests/keys/models.h"
#include "tests/support/compile.h"
#include "tests/support/random_models.h"

#include "tests/catch.h"

// Looks that go on to the end, against the simple engine.

namespace cmc::test {
namespace {

constexpr uint64_t kAll = 1'000'000;

bool look_agrees(const Model& model) {
  if (model.claim.exists() || model.hidden_bytes > 0) return false;
  SearchOptions options;
  options.state_limit = 3000;
  const SearchResult simple = run_search(*make_vm_generator(model), model, options);
  if (simple.error_count == 0 && !simple.all_expanded) return false;
  LazyLook look(make_vm_generator(model), model, options);
  static_cast<void>(look.go_on(kAll, true));
  CHECK(look.error().has_value() == (simple.error_count > 0));
  if (!look.error()) return true;
  SearchResult found;
  found.errors = {*look.error()};
  found.error_count = 1;
  verify_errors(found, *make_reference_generator(model), {&model, Fairness::kNone});
  CHECK(found.reasons.empty());
  CHECK(found.errors.front().has_path);
  return true;
}

TEST_CASE("lazy look: it finds an error where there is one") {
  for_each_small_model([](const Model& model) { look_agrees(model); });
}

TEST_CASE("lazy look: it finds an error where there is one: random models", "[long]") {
  uint64_t compared = 0;
  for (const random::Profile& profile : random::profiles()) {
    for (uint64_t seed = 200; seed < 220; ++seed) {
      INFO(profile.name << " " << seed);
      const std::optional<Model> model = compile_random(seed, profile);
      if (model) compared += look_agrees(*model) ? 1 : 0;
    }
  }
  CHECK(compared > 100);
}

TEST_CASE("lazy look: a dive asks one process at a time, a search with many ends it") {
  const Model wide = compile_text(R"(
byte x[60]; byte done;
active [60] proctype P() { x[_pid] = 1; x[_pid] = 2; done++; assert(done < 60) }
)");
  LazyLook dive(make_vm_generator(wide), wide, {});
  static_cast<void>(dive.go_on(400));
  CHECK(dive.error().has_value());
  const Model full = compile_text("byte x[8]; active [8] proctype P() { do :: x[_pid] < 9 -> x[_pid]++ od }");
  SearchOptions options;
  options.check_end_states = false;
  LazyLook search(make_vm_generator(full), full, options);
  uint32_t looks = 0;
  while (search.go_on(10'000) && looks < 1000) ++looks;
  CHECK(looks < 2);
}

constexpr const char* kQueueOfChoices = R"(
chan q = [4] of { short }; byte lost;
active proctype Shop() {
  short kind;
  do
  :: atomic { select(kind : 0 .. 4095); if :: nfull(q) -> q ! kind :: full(q) -> lost++ fi; kind = 0 };
     assert(lost == 0)
  od
}
active proctype Clerk() { short k; do :: q ? k; k = 0 od }
)";

TEST_CASE("lazy look: of the outcomes of an atomic sequence it takes one at a time") {
  const Model queue = compile_text(kQueueOfChoices);
  LazyLook dive(make_vm_generator(queue), queue, {});
  CHECK(dive.go_on(50'000));
  CHECK(!dive.go_on(10'000));  // the fifth order is lost behind 57,407 calls; each state has 4,096 successors
  CHECK(dive.error().has_value());
}

TEST_CASE("lazy look: an outcome that is known is no dead end as long as another one is new") {
  const Model counter = compile_text(R"(
short n; active proctype P() { byte a; do :: n < 20000 -> atomic { select(a : 0 .. 3); n = n + a / 3; a = 0 } od }
)");
  LazyLook dive(make_vm_generator(counter), counter, {});
  uint32_t looks = 0;
  while (dive.is_diving() && dive.go_on(10'000) && looks < 1000) ++looks;
  CHECK(dive.error().has_value());
}

TEST_CASE("lazy look: an atomic sequence without an end ends it") {
  const Model endless = compile_text("byte x; active proctype P() { atomic { do :: x = (x + 1) % 200 od } }");
  LazyLook look(make_vm_generator(endless), endless, {});
  CHECK(!look.go_on(kAll, true));
  CHECK(!look.error().has_value());
}

TEST_CASE("lazy look: for a trace alone, an error of the processes is none") {
  const Model text = compile_text(R"(
chan q = [2] of { byte };
active proctype P() { if :: q ! 1; assert(false) :: q ! 2; q ! 1 fi }
notrace { q ! 2; q ! 1 }
)");
  const Model product = with_observers(text, kNoClaim, 0);
  SearchOptions options;
  options.check_end_states = false;
  options.only_observers = true;
  LazyLook look(make_vm_generator(product), product, options);
  static_cast<void>(look.go_on(kAll, true));
  REQUIRE(look.error().has_value());
  CHECK(look.error()->kind == ErrorKind{{}, RuntimeErrorKind::kNotraceMatched});
}

struct NoTurn final : Turn {
  bool is_over() override { return false; }
  void wait() override {}
  bool must_set_aside() override { return false; }
  void wait_for_disk() override {}
  void found(uint64_t) override {}
  bool has_enough(uint64_t, uint64_t) override { return false; }
  double seconds_left() override { return 1; }
};

TEST_CASE("lazy look: statements that a search computes for one state give it calls") {
  const Model queue = compile_text(kQueueOfChoices);
  const SearchOptions options;
  NoTurn turn;
  LookingTurn looking(turn, [&] { return std::make_unique<LazyLook>(make_vm_generator(queue), queue, options); });
  CHECK(!looking.has_enough(1, 0));
  CHECK(!looking.has_enough(1, 50'000));
  CHECK(looking.has_enough(1, 100'000));
  SearchResult result;
  looking.add_to(result);
  CHECK(result.error_count == 1);
}

}  // namespace
}  // namespace cmc::test
