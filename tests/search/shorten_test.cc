#include "checker/shorten/shorten.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "base/clock.h"
#include "checker/generator/product_generator.h"
#include "checker/generator/wrappers/spin_steps.h"
#include "checker/plain/simple_search.h"
#include "checker/reference/reference.h"
#include "checker/result/replay.h"
#include "checker/search/key_search.h"
#include "checker/vm/generator.h"
#include "ir/product.h"
#include "tests/random/random_model.h"
#include "tests/search/searches.h"
#include "tests/support/compile.h"
#include "tests/support/fake_clock.h"
#include "tests/support/part_of_day.h"
#include "tests/support/products.h"

#include "tests/catch.h"

// Counterexamples behind the search: the least one of the shortest, whatever found an error.

namespace cmc::test {
namespace {

std::unique_ptr<SuccessorGenerator> statements_of(const Model& model) {
  return model.claim.exists() ? make_product_generator(make_vm_generator(model), model) : make_vm_generator(model);
}
std::unique_ptr<SuccessorGenerator> spin_steps_of(const Model& model) {
  std::unique_ptr<SuccessorGenerator> steps = close_atomic_chains(make_vm_generator(model), model);
  return model.claim.exists() ? make_product_generator(std::move(steps), model) : std::move(steps);
}

// All ways to search a model that must not matter.
std::vector<SearchResult> search_in_all_ways(const Model& model, SearchOptions options) {
  using Order = SearchOptions::Order;
  std::vector<SearchResult> results;
  for (const Order order : {Order::kDepthFirst, Order::kBreadthFirst}) {
    options.order = order;
    results.push_back(run_search(*spin_steps_of(model), model, options));
    results.push_back(run_search(*statements_of(model), model, options));
    for (const uint32_t threads : {1u, 3u}) {
      options.threads = threads;
      options.partial_order = threads > 1 && !model.claim.exists();
      std::optional<SearchResult> result = run_key_search(
          model, [&] { return spin_steps_of(model); }, options);
      if (result) results.push_back(std::move(*result));
    }
  }
  return results;
}

// --- the oracle for runs that end: distances forwards and backwards, then the least step that gets nearer

using StepRank = std::tuple<uint8_t, LocationId, uint16_t, uint8_t, LocationId, uint16_t, uint32_t>;

std::vector<StepRank> rank_of(std::span<const Step> steps) {
  std::vector<StepRank> ranks;
  for (const Step& step : steps) {
    ranks.emplace_back(step.pid, step.location, step.edge, step.partner, step.partner_location, step.partner_edge,
                       step.witness);
  }
  return ranks;
}

class EndOracle {
 public:
  explicit EndOracle(const Model& model) : model_(model), generator_(make_reference_generator(model)) {}

  // The path to the first error; none: there are too many states, or no error.
  std::optional<std::vector<Step>> path() {
    constexpr size_t kMostStates = 4000;
    SuccessorBatch batch;
    generator_->initial(batch);
    if (batch.entries.empty()) return std::nullopt;
    std::vector<std::vector<Bytes>> levels{{copy(batch.state(batch.entries.front()))}};
    std::set<Bytes> known{identity(levels[0][0])};
    for (;;) {
      std::vector<Bytes> next;
      bool in_state = false;
      bool in_step = false;
      for (const Bytes& state : levels.back()) {
        expand(state, batch);
        in_state = in_state || batch.invalid_end || has_error(batch, true);
        in_step = in_step || has_error(batch, false);
        for (const SuccessorBatch::Entry& entry : batch.entries) {
          if (known.insert(identity(batch.state(entry))).second) next.push_back(copy(batch.state(entry)));
        }
        if (known.size() > kMostStates) return std::nullopt;
      }
      if (in_state || in_step) return least_path(levels, in_state);
      if (next.empty()) return std::nullopt;
      levels.push_back(std::move(next));
    }
  }

 private:
  static Bytes copy(ByteView bytes) { return {bytes.begin(), bytes.end()}; }
  [[nodiscard]] Bytes identity(ByteView state) const { return copy(state.subspan(model_.hidden_bytes)); }
  void expand(const Bytes& state, SuccessorBatch& batch) {
    batch.clear();
    generator_->successors(state, batch);
  }
  static bool has_error(const SuccessorBatch& batch, bool in_state) {
    return std::ranges::any_of(batch.errors, [&](const RuntimeError& error) {
      return !is_reason(error.kind) && (error.path_count == 0) == in_state;
    });
  }

  std::vector<Step> least_path(const std::vector<std::vector<Bytes>>& levels, bool in_state) {
    SuccessorBatch batch;
    std::vector<std::set<Bytes>> good(levels.size());  // states from which the error is near enough
    for (const Bytes& state : levels.back()) {
      expand(state, batch);
      if (in_state ? batch.invalid_end || has_error(batch, true) : has_error(batch, false))
        good.back().insert(identity(state));
    }
    for (size_t level = levels.size() - 1; level-- > 0;) {
      for (const Bytes& state : levels[level]) {
        expand(state, batch);
        const bool leads_on = std::ranges::any_of(batch.entries, [&](const SuccessorBatch::Entry& entry) {
          return good[level + 1].contains(identity(batch.state(entry)));
        });
        if (leads_on) good[level].insert(identity(state));
      }
    }
    std::vector<Step> path;
    Bytes state = levels[0][0];
    for (size_t level = 1; level < levels.size(); ++level) {
      expand(state, batch);
      const SuccessorBatch::Entry* best = nullptr;
      for (const SuccessorBatch::Entry& entry : batch.entries) {
        if (!good[level].contains(identity(batch.state(entry)))) continue;
        if (best == nullptr || rank_of(steps(batch, entry.path_begin, entry.path_count)) <
                                   rank_of(steps(batch, best->path_begin, best->path_count)))
          best = &entry;
      }
      REQUIRE(best != nullptr);
      const std::span<const Step> its = steps(batch, best->path_begin, best->path_count);
      path.insert(path.end(), its.begin(), its.end());
      state = copy(batch.state(*best));
    }
    if (in_state) return path;
    expand(state, batch);
    const RuntimeError* first = nullptr;
    for (const RuntimeError& error : batch.errors) {
      if (is_reason(error.kind) || error.path_count == 0) continue;
      if (first == nullptr || rank_of(steps(batch, error.path_begin, error.path_count)) <
                                  rank_of(steps(batch, first->path_begin, first->path_count)))
        first = &error;
    }
    REQUIRE(first != nullptr);
    const std::span<const Step> its = steps(batch, first->path_begin, first->path_count);
    path.insert(path.end(), its.begin(), its.end());
    return path;
  }
  static std::span<const Step> steps(const SuccessorBatch& batch, uint32_t begin, uint32_t count) {
    return std::span(batch.steps).subspan(begin, count);
  }

  const Model& model_;
  std::unique_ptr<SuccessorGenerator> generator_;
};

TEST_CASE("shortening: every search of a random model ends at the least of the shortest counterexamples", "[long]") {
  const PartOfDay part;
  int compared = 0;
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
    const std::optional<std::vector<Step>> expected = EndOracle(*model).path();
    if (!expected || expected->empty()) continue;
    INFO(text);
    SearchOptions options;
    options.memo_bytes = 1 << 20;
    options.state_limit = 200'000;
    const std::unique_ptr<SuccessorGenerator> reference = make_reference_generator(*model);
    for (SearchResult& result : search_in_all_ways(*model, options)) {
      if (result.error_count == 0) continue;  // stopped at the limit, or states were merged
      shorten_counterexamples(*statements_of(*model), *model, options, {kEnough}, result);
      REQUIRE(result.errors.size() == 1);
      REQUIRE(result.shortening);
      CHECK(result.shortening->cut.empty());
      REQUIRE(rank_of(result.errors[0].path) == rank_of(*expected));
      CHECK(verify_error(result.errors[0], *reference).empty());
      ++compared;
    }
  }
  CHECK(compared > (part.is_whole() ? 400 : 0));
}

// --- cycles

class RandomGraph {
 public:
  explicit RandomGraph(uint64_t seed) : random_(seed) {}
  // One or two processes whose locations are the nodes of a graph; they do not wait for each other.
  std::string model() {
    std::string text;
    const uint32_t processes = 1 + below(2);
    for (uint32_t i = 0; i < processes; ++i)
      text += "active proctype P" + std::to_string(i) + "() {\n" + graph(processes == 1 ? 30 : 7) + "}\n";
    return text;
  }

 private:
  uint32_t below(uint64_t end) { return static_cast<uint32_t>(random_() % end); }
  std::string graph(uint32_t nodes) {
    std::vector<std::string> names;
    for (uint32_t i = 0; i < nodes; ++i) names.push_back((below(8) == 0 ? "accept" : "n") + std::to_string(i));
    std::string text;
    for (uint32_t i = 0; i < nodes; ++i) {
      text += names[i] + ": if";
      for (uint32_t arcs = 1 + below(2); arcs > 0; --arcs) text += " :: true -> goto " + names[below(nodes)];
      text += " fi;\n";
    }
    return text;
  }
  std::mt19937_64 random_;
};

// Fewest steps into an accepting cycle and once round, from the distances between all nodes; none: there is no cycle.
std::optional<size_t> least_lasso(const Model& model) {
  const std::unique_ptr<SuccessorGenerator> product = make_reference_product(model, nullptr);
  SuccessorBatch batch;
  product->initial(batch);
  std::map<Bytes, size_t> numbers;
  std::vector<Bytes> states;
  const auto number_of = [&](ByteView state) {
    const auto [found, is_new] = numbers.try_emplace(Bytes(state.begin(), state.end()), states.size());
    if (is_new) states.push_back(found->first);
    return found->second;
  };
  number_of(batch.state(batch.entries.front()));
  std::vector<std::vector<size_t>> targets;
  std::vector<bool> accepting;
  for (size_t i = 0; i < states.size(); ++i) {
    batch.clear();
    product->successors(states[i], batch);
    accepting.push_back(accepts(model, states[i]));
    targets.emplace_back();
    for (const SuccessorBatch::Entry& entry : batch.entries) {
      const size_t target = number_of(batch.state(entry));
      targets[i].push_back(target);
    }
  }
  constexpr size_t kFar = 1'000'000;
  std::vector<std::vector<size_t>> distance(states.size(), std::vector<size_t>(states.size(), kFar));  // 1 at least
  for (size_t from = 0; from < states.size(); ++from) {
    std::vector<size_t> queue{from};
    for (size_t i = 0; i < queue.size(); ++i) {
      const size_t next = i == 0 ? 1 : distance[from][queue[i]] + 1;
      for (const size_t target : targets[queue[i]]) {
        if (distance[from][target] != kFar) continue;
        distance[from][target] = next;
        if (target != from) queue.push_back(target);
      }
    }
  }
  size_t best = kFar;
  for (size_t entry = 0; entry < states.size(); ++entry) {
    const size_t stem = entry == 0 ? 0 : distance[0][entry];
    for (size_t node = 0; node < states.size(); ++node) {
      if (!accepting[node]) continue;
      const size_t loop = entry == node ? distance[node][node] : distance[entry][node] + distance[node][entry];
      best = std::min(best, stem + loop);
    }
  }
  if (best >= kFar) return std::nullopt;
  return best;
}

TEST_CASE("shortening: every search of a random graph ends at the same lasso, with the fewest steps", "[long]") {
  const PartOfDay part;
  int compared = 0;
  for (uint64_t seed = 1; seed <= 150; ++seed) {
    if (!part.has(seed)) continue;
    const std::string text = RandomGraph(seed).model();
    INFO(text);
    Model model = compile_text(text);
    model = with_observers(model, add_true_claim(model));
    const std::optional<size_t> expected = least_lasso(model);
    const std::unique_ptr<SuccessorGenerator> reference = make_reference_product(model, nullptr);
    for (const Fairness fairness : {Fairness::kNone, Fairness::kWeak}) {
      SearchOptions options = cycle_options(fairness);
      std::optional<FoundError> first;
      for (SearchResult& result : search_in_all_ways(model, options)) {
        if (fairness == Fairness::kNone) REQUIRE((result.error_count > 0) == expected.has_value());
        if (result.error_count == 0) continue;
        shorten_counterexamples(*statements_of(model), model, options, {kEnough}, result);
        REQUIRE(result.errors.size() == 1);
        CHECK(result.shortening->cut.empty());
        const FoundError& error = result.errors[0];
        if (fairness == Fairness::kNone) REQUIRE(error.depth == *expected);
        REQUIRE(verify_error(error, *reference, {&model, fairness}) == "");
        if (!first) first = error;
        REQUIRE(error.path == first->path);
        REQUIRE(error.loop_start == first->loop_start);
        ++compared;
      }
    }
  }
  CHECK(compared > (part.is_whole() ? 500 : 0));
}

// --- several errors

constexpr const char* kThreeErrors =
    "byte x;\n"
    "active proctype P() { do :: x < 9 -> x++ :: x == 2 -> assert(x != 2) :: x == 5 -> assert(x != 5) od }\n"
    "active proctype Q() { byte a[2]; x == 3; a[x] = 1 }\n";

TEST_CASE("shortening: with --max-errors each error has its first counterexample, in order") {
  const Model model = compile_text(kThreeErrors);
  for (const uint64_t most : {uint64_t{0}, uint64_t{1}, uint64_t{2}, uint64_t{3}}) {
    SearchOptions options;
    options.max_errors = most;
    for (SearchResult& result : search_in_all_ways(model, options)) {
      INFO(most << " errors wanted, " << result.error_count << " found");
      const uint64_t found = result.error_count;
      shorten_counterexamples(*statements_of(model), model, options, {kEnough}, result);
      CHECK(result.error_count == found);
      CHECK(result.errors.size() == found);
      CHECK(result.shortening->cut.empty());
      CHECK(result.errors[0].place.line == 2);
      CHECK(result.errors[0].path.size() == 6);
      if (most == 0) {
        std::vector<size_t> lengths;
        for (size_t i = 0; i < 3; ++i) lengths.push_back(result.errors[i].path.size());
        CHECK(lengths == std::vector<size_t>{6, 8, 10});
        CHECK(result.errors[1].kind == ErrorKind{{}, RuntimeErrorKind::kIndexOutOfBounds});
      }
    }
  }
}

TEST_CASE("shortening: an error of a statement comes before a deadlock that takes as many steps") {
  const Model model = compile_text("byte x; active proctype P() { if :: x = 1; false :: x = 2; assert(false) fi }\n");
  SearchResult result = run_search(*statements_of(model), model, {});
  REQUIRE(result.error_count == 1);
  shorten_counterexamples(*statements_of(model), model, {}, {kEnough}, result);
  // After one step a process waits for ever; the assertion fails with the second step.
  CHECK(result.errors[0].kind == ErrorKind::invalid_end_state());
  CHECK(result.errors[0].path.size() == 1);
  const Model equal =
      compile_text("byte x; active proctype P() { if :: x = 1; x = 2; false :: x = 3; assert(false) fi }\n");
  result = run_search(*statements_of(equal), equal, {});
  shorten_counterexamples(*statements_of(equal), equal, {}, {kEnough}, result);
  CHECK(result.errors[0].kind == ErrorKind{{}, RuntimeErrorKind::kAssertion});
  CHECK(result.errors[0].path.size() == 2);
}

TEST_CASE("shortening: paths of the search are restored only where one is read") {
  const Model model = compile_text("byte x; active proctype P() { do :: x < 9 -> x++ :: assert(x < 5) od }\n");
  const SearchResult found = run_search(*statements_of(model), model, {});
  REQUIRE(found.error_count == 1);
  const auto read_paths = [&](const Budget& budget) {
    SearchResult result = found;
    uint64_t read = 0;
    shorten_counterexamples(*statements_of(model), model, {}, budget, result, {}, TrailOrder::kFirst,
                            [&] { read = std::max<uint64_t>(read, result.errors.size()); });
    return read;
  };
  CHECK(read_paths({kEnough}) == 0);  // another one takes its place
  CHECK(read_paths({0}) == 1);
}

TEST_CASE("shortening: a path that is kept is as long as its run") {
  const Model model = compile_text("byte x; active proctype P() { do :: x < 9 -> x++ :: assert(x < 5) od }\n");
  SearchResult result = run_search(*statements_of(model), model, {});
  REQUIRE(result.error_count == 1);
  const size_t run_steps = result.errors[0].path.size() + 1;
  const auto restore = [&] { result.errors[0].path.resize(run_steps, result.errors[0].path.back()); };
  shorten_counterexamples(*statements_of(model), model, {}, {0}, result, {}, TrailOrder::kFirst, restore);
  CHECK(result.shortening->steps_before == run_steps);
  CHECK(result.shortening->steps_after == run_steps);
}

TEST_CASE("shortening: what restoring takes is no part of the budget") {
  const Model model = compile_text("byte x; active proctype P() { do :: x < 9 -> x++ :: assert(x < 5) od }\n");
  FakeClock clock(0);
  SearchOptions options;
  options.clock = &clock;
  options.max_errors = 2;  // so the kinds of errors are read first
  SearchResult result = run_search(*statements_of(model), model, {});
  REQUIRE(result.error_count == 1);
  shorten_counterexamples(*statements_of(model), model, options, {1}, result, {}, TrailOrder::kFirst,
                          [&] { clock.now += 2; });
  CHECK(result.shortening->cut.empty());
}

// --- too many states

TEST_CASE("shortening: if there are too many states, the path that was found gets shorter") {
  const Model model =
      compile_text("byte x, y; active proctype P() { do :: x++ :: y++ :: x == 3 && y == 200 -> assert(false) od }\n");
  const std::unique_ptr<SuccessorGenerator> statements = statements_of(model);
  SearchOptions options;
  SearchResult result = run_search(*statements, model, options);
  REQUIRE(result.error_count == 1);
  const size_t found = result.errors[0].path.size();
  REQUIRE(found > 10'000);
  FakeClock clock(0.001);
  options.clock = &clock;
  shorten_counterexamples(*statements, model, options, {0.75}, result);
  REQUIRE(result.shortening);
  CHECK(result.shortening->cut == "time");
  CHECK(result.shortening->steps_before == found);
  REQUIRE(result.errors.size() == 1);
  CHECK(result.shortening->steps_after == result.errors[0].path.size());
  CHECK(result.errors[0].path.size() < found / 2);
  CHECK(verify_error(result.errors[0], *make_reference_generator(model)).empty());
}

TEST_CASE("shortening: if there is no time at all, and at an interrupt, the counterexample stays") {
  const Model model =
      compile_text("byte x; active proctype P() { do :: x < 200 -> x++ :: x == 150 -> assert(0) od }\n");
  const std::unique_ptr<SuccessorGenerator> statements = statements_of(model);
  const SearchResult found = run_search(*statements, model, {});
  REQUIRE(found.error_count == 1);
  std::atomic<bool> interrupt{true};
  for (const bool interrupted : {false, true}) {
    SearchOptions options;
    if (interrupted) options.interrupt = &interrupt;
    SearchResult result = found;
    shorten_counterexamples(*statements, model, options, {interrupted ? kEnough : 0}, result);
    CHECK(result.shortening->cut == (interrupted ? "interrupt" : "time"));
    REQUIRE(result.errors.size() == 1);
    CHECK(result.errors[0].path == found.errors[0].path);
  }
}

TEST_CASE("shortening: a lasso is cut short, too, if there are too many states") {
  Model model = compile_text(
      "byte x, y; active proctype P() { do :: x++ :: y++ :: x == 200 -> break od; accept: do :: y++ :: y-- od }\n");
  model = with_observers(model, add_true_claim(model));
  const std::unique_ptr<SuccessorGenerator> statements = statements_of(model);
  SearchOptions options;
  options.check_end_states = false;
  options.find_cycles = true;
  options.max_errors = 1;
  SearchResult result = run_search(*statements, model, options);
  REQUIRE(result.error_count == 1);
  FakeClock clock(0.001);
  options.clock = &clock;
  const size_t steps = result.errors[0].path.size();
  shorten_counterexamples(*statements, model, options, {0.5}, result);
  CHECK(result.shortening->cut == "time");
  REQUIRE(result.errors.size() == 1);
  CHECK(result.errors[0].path.size() <= steps);
  CHECK(verify_error(result.errors[0], *make_reference_product(model, nullptr), {&model, Fairness::kNone}) == "");
}

TEST_CASE("shortening: work counts, too, whatever the clock says") {
  const Model model =
      compile_text("byte x; active proctype P() { do :: x < 200 -> x++ :: x == 9 -> assert(0) od }\n");
  const std::unique_ptr<SuccessorGenerator> statements = statements_of(model);
  const SearchResult found = run_search(*statements, model, {});
  REQUIRE(found.error_count == 1);
  FakeClock clock(0.001);
  SearchOptions options;
  options.clock = &clock;
  SearchResult result = found;
  shorten_counterexamples(*statements, model, options, {0, 1000, kEnough, kEnough}, result);
  CHECK(result.shortening->cut.empty());
  CHECK(result.errors[0].path.size() == 20);
  result = found;
  shorten_counterexamples(*statements, model, options, {0, 1000, kEnough, 0.001}, result);
  CHECK(result.shortening->cut == "time");
  result = found;
  shorten_counterexamples(*statements, model, options, {0, 10, kEnough, kEnough}, result);
  CHECK(result.shortening->cut == "time");
}

TEST_CASE("shortening: a loop is cut short, too, if there are too many states") {
  Model model = compile_text(
      "byte x, y, z; active proctype P() { do :: x == 200 -> break :: x++ :: y++ od;\n"
      "accept: do :: true -> z = (z + 1) % 100 :: z == 1 -> z = 0; skip od }\n");
  model = with_observers(model, add_true_claim(model));
  SearchOptions options;
  options.check_end_states = false;
  options.find_cycles = true;
  options.threads = 1;
  std::optional<SearchResult> result = run_key_search(
      model, [&] { return statements_of(model); }, options);
  REQUIRE(result);
  REQUIRE(result->error_count == 1);
  FoundError& error = result->errors[0];
  REQUIRE(error.path.size() - error.loop_start > 200);
  shorten_counterexamples(*statements_of(model), model, options, {0, 50'000, kEnough, kEnough}, *result);
  CHECK(result->shortening->cut == "time");
  REQUIRE(result->errors.size() == 1);
  CHECK(error.path.size() - error.loop_start == 10);  // of the process and the claim
  CHECK(verify_error(error, *make_reference_product(model, nullptr), {&model, Fairness::kNone}) == "");
}

TEST_CASE("shortening: with little work, too, a lasso stays one and gets no longer", "[long]") {
  const PartOfDay part;
  for (uint64_t seed = 1; seed <= 150; ++seed) {
    if (!part.has(seed)) continue;
    const std::string text = RandomGraph(seed).model();
    INFO(text);
    Model model = compile_text(text);
    model = with_observers(model, add_true_claim(model));
    const std::unique_ptr<SuccessorGenerator> reference = make_reference_product(model, nullptr);
    for (const Fairness fairness : {Fairness::kNone, Fairness::kWeak}) {
      SearchOptions options = cycle_options(fairness);
      for (SearchResult& result : search_in_all_ways(model, options)) {
        if (result.error_count == 0) continue;
        const size_t steps = result.errors[0].path.size();
        FakeClock clock(0.001);
        options.clock = &clock;
        shorten_counterexamples(*statements_of(model), model, options, {0, 5 + seed, kEnough, kEnough}, result);
        REQUIRE(result.errors.size() == 1);
        CHECK(result.errors[0].path.size() <= steps);
        REQUIRE(verify_error(result.errors[0], *reference, {&model, fairness}) == "");
      }
    }
  }
}

TEST_CASE("shortening: the path comes back if it was lost") {
  const Model model = compile_text("byte x; active proctype P() { do :: x < 9 -> x++ :: x == 3 -> assert(0) od }\n");
  SearchResult result = run_search(*statements_of(model), model, {});
  result.errors[0].path.clear();
  result.errors[0].has_path = false;
  shorten_counterexamples(*statements_of(model), model, {}, {kEnough}, result);
  REQUIRE(result.errors.size() == 1);
  CHECK(result.errors[0].has_path);
  CHECK(result.errors[0].path.size() == 8);
}

}  // namespace
}  // namespace cmc::test
