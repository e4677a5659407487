#include <algorithm>
#include <string>

#include "checker/generator/wrappers/spin_steps.h"
#include "checker/plain/simple_search.h"
#include "checker/plain/simulate.h"
#include "checker/reference/reference.h"
#include "checker/result/replay.h"
#include "checker/vm/generator.h"
#include "promela/compile.h"

#include "tests/catch.h"

// Paths of real models that are hard to replay.

namespace cmc {
namespace {

Model compiled(const std::string& text) {
  promela::Sources sources;
  promela::Diagnostics diagnostics(sources);
  std::optional<Model> model =
      promela::compile(sources, sources.add("test.pml", text), {.validate = true}, diagnostics);
  INFO(diagnostics.render(false));
  REQUIRE(model.has_value());
  return std::move(*model);
}

SearchResult all_errors(const Model& model) {
  const std::unique_ptr<SuccessorGenerator> generator = close_atomic_chains(make_vm_generator(model), model);
  SearchOptions options;
  options.max_errors = 0;
  return run_search(*generator, model, options, nullptr);
}

bool has_step(const SearchResult& result, bool (*wanted)(const Step&)) {
  return std::ranges::any_of(result.errors,
                             [&](const FoundError& error) { return std::ranges::any_of(error.path, wanted); });
}

// As in SPIN's verifier, a d_step without a guard can run between the two halves of a rendezvous. Here the receive
// can take the message only then.
constexpr const char* kStepInsideRendezvous =
    "chan r = [0] of { byte }; byte x;\n"
    "active proctype P() { atomic { x == 0 -> r!2 } }\n"
    "active proctype Q() { r?eval(x); assert(false) }\n"
    "active proctype R() { d_step { printf(\"x\"); x = x + 2 } }\n";

TEST_CASE("model paths: a path through a d_step inside a rendezvous is replayed as a whole") {
  const Model model = compiled(kStepInsideRendezvous);
  const SearchResult result = all_errors(model);
  CHECK(result.error_count > 0);
  CHECK(has_step(result, [](const Step& step) { return step.inside_rendezvous; }));
  const std::unique_ptr<SuccessorGenerator> reference = make_reference_generator(model);
  REQUIRE(result.errors.front().has_path);
  for (const FoundError& error : result.errors) CHECK((!error.has_path || verify_error(error, *reference).empty()));
}

TEST_CASE("model paths: a path that ends inside a rendezvous is refused") {
  const Model model = compiled(kStepInsideRendezvous);
  SearchResult result = all_errors(model);
  const std::unique_ptr<SuccessorGenerator> reference = make_reference_generator(model);
  bool refused = false;
  for (FoundError error : result.errors) {
    const auto inside = std::ranges::find_if(error.path, [](const Step& step) { return step.inside_rendezvous; });
    if (inside == error.path.end()) continue;
    error.path.erase(inside + 1, error.path.end());
    refused = !verify_error(error, *reference).empty();
  }
  CHECK(refused);
}

TEST_CASE("model paths: an error in a provided clause has the path to its state") {
  const Model model = compiled("byte x; active [2] proctype P() provided (8 / (2 - x) > 0) { x++; x++ }");
  const SearchResult result = all_errors(model);
  REQUIRE(result.errors.size() > 0);
  CHECK(error_kind_name(result.errors.front().kind) == std::string("division"));
  const std::unique_ptr<SuccessorGenerator> reference = make_reference_generator(model);
  REQUIRE(result.errors.front().has_path);
  for (const FoundError& error : result.errors) CHECK((!error.has_path || verify_error(error, *reference).empty()));
}

TEST_CASE("model paths: a simulation ends at an error in a provided clause") {
  const Model model = compiled("active proctype P() provided (enabled(0)) { skip }");
  const std::unique_ptr<SuccessorGenerator> reference = make_reference_generator(model);
  const SimulationResult result = simulate(*reference, {});
  CHECK(result.outcome == SimulationResult::Outcome::kError);
  CHECK(result.path.empty());
}

TEST_CASE("model paths: every random run through rendezvous with d_steps inside can be replayed") {
  const Model model = compiled(kStepInsideRendezvous);
  const std::unique_ptr<SuccessorGenerator> reference = make_reference_generator(model);
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    SimulationOptions options;
    options.seed = seed;
    const SimulationResult run = simulate(*reference, options);
    const Replay again = replay(*reference, run.path);
    CHECK(again.failure.empty());
    CHECK(again.end.state == run.state);
  }
}

}  // namespace
}  // namespace cmc
