#include "checker/shorten/fewest_switches.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "checker/generator/product_generator.h"
#include "checker/plain/simple_search.h"
#include "checker/reference/reference.h"
#include "checker/result/replay.h"
#include "checker/result/switches.h"
#include "checker/shorten/shorten.h"
#include "checker/vm/generator.h"
#include "tests/random/random_model.h"
#include "tests/search/searches.h"
#include "tests/support/compile.h"
#include "tests/support/part_of_day.h"

#include "tests/catch.h"

namespace cmc::test {
namespace {

SearchResult shortened(const Model& model, TrailOrder order, SearchOptions options = {}, Budget budget = {kEnough}) {
  const std::unique_ptr<SuccessorGenerator> statements = make_vm_generator(model);
  SearchResult result = run_search(*statements, model, options);
  if (result.error_count > 0) shorten_counterexamples(*statements, model, options, budget, result, {}, order);
  return result;
}

// The fewest switches of the shortest ways to an error that comes first, level by level with the reference
// interpreter: by state and by who moved last.
class SwitchOracle {
 public:
  explicit SwitchOracle(const Model& model) : model_(model), generator_(make_reference_generator(model)) {}

  // Steps and switches; none: there are too many states, or no error.
  std::optional<std::pair<size_t, uint64_t>> run() {
    SuccessorBatch batch;
    generator_->initial(batch);
    if (batch.entries.empty()) return std::nullopt;
    std::map<Bytes, Costs> level;
    const ByteView initial = batch.state(batch.entries.front());
    level[Bytes(initial.begin(), initial.end())][{kNoProcess, kNoProcess}] = 0;
    std::map<Bytes, size_t> depths = {{identity(level.begin()->first), 0}};
    for (size_t depth = 0; depths.size() < 3000 && !level.empty(); ++depth) {
      std::map<Bytes, Costs> next;
      in_state_.reset();
      in_step_.reset();
      for (const auto& [state, costs] : level) expand(state, costs, depth, depths, next);
      if (in_state_) return std::pair(depth, *in_state_);
      if (in_step_) return std::pair(depth + 1, *in_step_);
      level = std::move(next);
    }
    return std::nullopt;
  }

 private:
  using Movers = std::pair<uint8_t, uint8_t>;
  using Costs = std::map<Movers, uint64_t>;

  [[nodiscard]] Bytes identity(const Bytes& state) const {
    return {state.begin() + static_cast<ptrdiff_t>(model_.hidden_bytes), state.end()};
  }
  static std::pair<Movers, uint64_t> walk(Movers last, uint64_t cost, std::span<const Step> steps) {
    for (const Step& step : steps) {
      const bool same = step.pid == last.first || step.pid == last.second ||
                        (step.partner != kNoProcess && (step.partner == last.first || step.partner == last.second));
      if (last.first != kNoProcess && !same) ++cost;
      last = {step.pid, step.partner};
    }
    return {last, cost};
  }
  static void keep(std::optional<uint64_t>& least, uint64_t cost) {
    if (!least || cost < *least) least = cost;
  }
  void expand(const Bytes& state, const Costs& costs, size_t depth, std::map<Bytes, size_t>& depths,
              std::map<Bytes, Costs>& next) {
    SuccessorBatch batch;
    generator_->successors(state, batch);
    for (const auto& [last, cost] : costs) {
      if (batch.invalid_end) keep(in_state_, cost);
      for (const RuntimeError& error : batch.errors) {
        if (is_reason(error.kind)) continue;
        const auto steps = std::span(batch.steps).subspan(error.path_begin, error.path_count);
        keep(steps.empty() ? in_state_ : in_step_, walk(last, cost, steps).second);
      }
      for (const SuccessorBatch::Entry& entry : batch.entries) {
        const ByteView view = batch.state(entry);
        const Bytes after(view.begin(), view.end());
        const auto known = depths.try_emplace(identity(after), depth + 1).first;
        if (known->second != depth + 1) continue;
        const auto steps = std::span(batch.steps).subspan(entry.path_begin, entry.path_count);
        const auto [movers, total] = walk(last, cost, steps);
        const auto [found, is_new] = next[after].try_emplace(movers, total);
        if (!is_new) found->second = std::min(found->second, total);
      }
    }
  }

  const Model& model_;
  std::unique_ptr<SuccessorGenerator> generator_;
  std::optional<uint64_t> in_state_;
  std::optional<uint64_t> in_step_;
};

}  // namespace

TEST_CASE("fewest switches: processes move in turns only where they must") {
  const Model model = compile_text(
      "byte a, b; active proctype P() { a++; a++; a++ } active proctype Q() { b++; b++; b++; assert(a < 3) }\n");
  const SearchResult first = shortened(model, TrailOrder::kFirst);
  CHECK(first.shortening->cut.empty());
  const SearchResult result = shortened(model, TrailOrder::kSwitches);
  REQUIRE(result.errors.size() == 1);
  CHECK(result.errors[0].path.size() == first.errors[0].path.size());
  CHECK(count_switches(result.errors[0].path) == 1);
  CHECK(result.shortening->cut.empty());
  const std::unique_ptr<SuccessorGenerator> reference = make_reference_generator(model);
  CHECK(verify_error(result.errors[0], *reference).empty());
}

TEST_CASE("fewest switches: a rendezvous is a step of both, and moves of a claim are none") {
  std::vector<Step> path(4);
  path[0].pid = 0;
  path[1].pid = 0;
  path[1].partner = 1;
  path[2].pid = kNoProcess;
  path[3].pid = 1;
  CHECK(count_switches(path) == 0);
  path[3].pid = 2;
  CHECK(count_switches(path) == 1);
  CHECK(count_switches({}) == 0);
}

TEST_CASE("fewest switches: random models have no shorter way with fewer", "[long]") {
  const PartOfDay part;
  int compared = 0;
  int fewer = 0;
  for (uint64_t seed = 1; seed <= 400; ++seed) {
    if (!part.has(seed)) continue;
    const random::Profile& profile = random::profiles()[seed % random::profiles().size()];
    const std::string text = random::random_model(seed, profile, random::RandomProperty::kNone);
    std::optional<Model> model;
    try {
      model = compile_text(text);
    } catch (const std::runtime_error&) {
      continue;
    }
    const auto expected = SwitchOracle(*model).run();
    if (!expected || expected->first == 0) continue;
    SearchOptions options;
    options.state_limit = 200'000;
    const SearchResult result = shortened(*model, TrailOrder::kSwitches, options);
    if (result.error_count == 0) continue;
    INFO(text);
    REQUIRE(result.shortening->cut.empty());
    REQUIRE(count_switches(result.errors[0].path) == expected->second);
    const std::unique_ptr<SuccessorGenerator> reference = make_reference_generator(*model);
    REQUIRE(verify_error(result.errors[0], *reference).empty());
    const SearchResult first = shortened(*model, TrailOrder::kFirst, options);
    REQUIRE(first.errors[0].path.size() == result.errors[0].path.size());
    fewer += count_switches(first.errors[0].path) > expected->second ? 1 : 0;
    ++compared;
  }
  CHECK(compared > (part.is_whole() ? 200 : 0));
  if (part.is_whole()) CHECK(fewer > 10);
}

TEST_CASE("fewest switches: without time for it the counterexample is there, and nothing is promised") {
  const Model model = compile_text(
      "byte x[4]; active [4] proctype P() { byte i; do :: i < 9 -> i++; x[_pid]++ :: else -> break od; "
      "assert(x[0] + x[1] + x[2] + x[3] < 36) }\n");
  const SearchResult result = shortened(model, TrailOrder::kSwitches, {}, {0, 2000, kEnough, kEnough});
  REQUIRE(result.errors.size() == 1);
  CHECK(!result.shortening->cut.empty());
}

}  // namespace cmc::test
