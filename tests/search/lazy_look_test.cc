#include "checker/plain/lazy_look.h"

#include <cstdint>
#include <memory>
#include <optional>

#include "checker/plain/simple_search.h"
#include "checker/reference/reference.h"
#include "checker/result/replay.h"
#include "checker/vm/generator.h"
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

}  // namespace
}  // namespace cmc::test
