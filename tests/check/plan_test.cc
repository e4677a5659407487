#include "checker/check/plan.h"

#include <functional>

#include "checker/check/model_file.h"
#include "checker/properties/properties.h"

#include "tests/catch.h"

namespace cmc {
namespace {

LoadedModel load(const std::string& text) {
  promela::Sources sources;
  const uint32_t file = sources.add("model.pml", text);
  std::string messages;
  std::optional<LoadedModel> loaded = compile_model({}, std::move(sources), file, messages);
  INFO(messages);
  REQUIRE(loaded);
  return std::move(*loaded);
}

using Change = std::function<void(CheckRequest&)>;

CheckRequest request_with(const Change& change) {
  CheckRequest request;
  change(request);
  return request;
}

const char* const kTwo = "byte n; active [2] proctype P() { byte t; t = n; n = t + 1 }";

TEST_CASE("plan: a request that names nothing gets reductions without a word about those that do not go") {
  const LoadedModel plain = load(kTwo);
  const Plan simple = plan(CheckRequest(), plain.model);
  CHECK(simple.fast);
  CHECK(simple.closes_chains);
  CHECK(simple.obstacles.empty());
  CHECK(simple.reductions(simple.partial_order) == "por,merge,dead-variables");

  const LoadedModel next = load(std::string(kTwo) + " ltl p { X (n > 0) }");
  const std::vector<PropertyEntry> entries = properties_of(next.model);
  const Result<Model> product = make_product(next.model, entries.back());
  REQUIRE(product.ok());
  const Plan stuttering = plan(CheckRequest(), product.value());
  CHECK(stuttering.obstacles.empty());
  CHECK(stuttering.reductions(stuttering.partial_order) == "dead-variables");
}

TEST_CASE("plan: what was asked for by name and is off is told with its reason") {
  const LoadedModel loaded = load(kTwo);
  struct Row {
    Change change;
    std::string reductions;
    std::vector<std::string> obstacles;
  };
  const auto all = [](CheckRequest& request) {
    request.reductions_given = true;
    request.symmetry = true;
  };
  const std::string checked = "because the successors of each state are checked";
  const std::string statements = "because states inside atomic sequences were asked for (--steps statement)";
  const Row rows[] = {
      {[&](CheckRequest& r) { all(r); }, "por,merge,dead-variables,symmetry", {}},
      {[&](CheckRequest& r) { all(r), r.check_generator = true; }, "merge,dead-variables", {checked, checked}},
      {[&](CheckRequest& r) { all(r), r.steps = StepMode::kStatement; },
       "dead-variables,symmetry",
       {statements, statements}},
      {[](CheckRequest& r) { r.check_generator = true; }, "merge,dead-variables", {}},
      {[](CheckRequest& r) { r.without_reductions(); }, "", {}},
      {[](CheckRequest& r) { r.without_reductions(), r.steps = StepMode::kPath; }, "merge", {}},
      {[](CheckRequest& r) { r.engine = Engine::kSimple; }, "merge,dead-variables", {}},
  };
  for (const Row& row : rows) {
    const Plan planned = plan(request_with(row.change), loaded.model);
    CHECK(planned.reductions(planned.partial_order) == row.reductions);
    REQUIRE(planned.obstacles.size() == row.obstacles.size());
    for (size_t i = 0; i < row.obstacles.size(); ++i)
      CHECK(planned.obstacles[i].text().ends_with("off in this search, " + row.obstacles[i]));
  }
}

TEST_CASE("plan: only the simple engine runs where the fast one cannot") {
  const LoadedModel loaded = load(kTwo);
  CHECK_FALSE(plan(request_with([](CheckRequest& r) { r.engine = Engine::kSimple; }), loaded.model).fast);
  CHECK_FALSE(
      plan(request_with([](CheckRequest& r) { r.generator = GeneratorKind::kReference; }), loaded.model).fast);
  CHECK(plan(request_with([](CheckRequest& r) { r.generator = GeneratorKind::kVm; }), loaded.model).fast);
}

TEST_CASE("plan: a plug-in is searched without reductions") {
  const LoadedModel loaded = load(kTwo);
  const Plan planned =
      plan(request_with([](CheckRequest& r) { r.generator = GeneratorKind::kPlugin; }), loaded.model);
  CHECK(planned.uses_plugin);
  CHECK(planned.reductions(planned.partial_order).empty());
  CHECK_FALSE(planned.changes_paths());
}

TEST_CASE("plan: what cannot be asked for at once is refused") {
  struct Row {
    Change change;
    const char* part;  // of the text; null: no conflict
  };
  const Row rows[] = {
      {[](CheckRequest&) {}, nullptr},
      {[](CheckRequest& r) { r.cycles = CycleAlgorithm::kHull, r.fairness = Fairness::kWeak; }, nullptr},
      {[](CheckRequest& r) { r.cycles = CycleAlgorithm::kNdfs, r.fairness = Fairness::kWeak; }, "fairness"},
      {[](CheckRequest& r) { r.cycles = CycleAlgorithm::kNdfs, r.store.from_start = true; }, "in RAM"},
      {[](CheckRequest& r) {
         r.cycles = CycleAlgorithm::kNdfs;
         r.search = SearchOptions::Order::kBreadthFirst;
       },
       "depth first"},
      {[](CheckRequest& r) { r.cycles = CycleAlgorithm::kHull, r.engine = Engine::kSimple; }, "for the fast engine"},
      {[](CheckRequest& r) { r.profile = true, r.engine = Engine::kSimple; }, "profile"},
      {[](CheckRequest& r) { r.profile = true, r.proviso = SearchOptions::Proviso::kQueue; }, "por-queue"},
      {[](CheckRequest& r) { r.generator = GeneratorKind::kPlugin, r.engine = Engine::kSimple; }, "--engine simple"},
      {[](CheckRequest& r) { r.generator = GeneratorKind::kPlugin, r.reductions_given = true; }, "--reductions none"},
      {[](CheckRequest& r) { r.generator = GeneratorKind::kPlugin; }, nullptr},
      {[](CheckRequest& r) { r.store.beyond = Beyond::kSorted, r.store.codec = PageCodec::kKeys; }, nullptr},
      {[](CheckRequest& r) { r.store.beyond = Beyond::kSorted, r.store.codec = PageCodec::kZlib; }, "--page-codec"},
      {[](CheckRequest& r) { r.store.beyond = Beyond::kSorted, r.store.reclaim_percent = 10; }, "--reclaim-ahead"},
      {[](CheckRequest& r) {
         r.store.beyond = Beyond::kSorted;
         r.search = SearchOptions::Order::kDepthFirst;
       },
       "--search"},
      {[](CheckRequest& r) { r.store.evaluator = Evaluator::kAge; }, nullptr},
  };
  for (const Row& row : rows) {
    const std::optional<std::string> conflict = conflict_in(request_with(row.change), std::nullopt);
    REQUIRE(conflict.has_value() == (row.part != nullptr));
    if (conflict) CHECK(conflict->find(row.part) != std::string::npos);
  }
  const auto plugin = [](CheckRequest& r) { r.generator = GeneratorKind::kPlugin; };
  CHECK(conflict_in(request_with(plugin), Overflow::kError)->find("--overflow") != std::string::npos);
}

}  // namespace
}  // namespace cmc
