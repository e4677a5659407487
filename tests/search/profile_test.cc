#include "checker/result/profile.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "checker/generator/edge_trace.h"
#include "checker/generator/product_generator.h"
#include "checker/generator/wrappers/dead_variables.h"
#include "checker/generator/wrappers/path_steps.h"
#include "checker/generator/wrappers/spin_steps.h"
#include "checker/result/edge_walk.h"
#include "checker/search/key_search.h"
#include "checker/vm/generator.h"
#include "ir/product.h"
#include "tests/support/compile.h"

#include "tests/catch.h"

// The profile of the fast engine, which counts remembered steps, against counting each step of each state.

namespace cmc::test {
namespace {

using EdgeId = std::tuple<uint32_t, uint32_t, uint32_t>;  // proctype, location, edge
using Counts = std::map<EdgeId, Profile::Counts>;

std::unique_ptr<SuccessorGenerator> merging_generator(const Model& model, bool merges) {
  auto generator = close_atomic_chains(make_vm_generator(model), model);
  if (!merges) return generator;
  return reset_dead_variables(close_local_paths(std::move(generator), model), model);
}

// Goes through all states, one process after the other, and notes what happens.
class Counter {
 public:
  Counter(const Model& model, bool merges)
      : model_(model), walk_(model), trace_(walk_.edges()), generator_(merging_generator(model, merges)) {
    generator_->watch(&trace_);
    const auto add_ids = [&](uint32_t p, const Proctype& proctype) {
      for (uint32_t l = 0; l < proctype.locations.size(); ++l) {
        for (uint32_t e = 0; e < proctype.locations[l].edges.size(); ++e) ids_.emplace_back(p, l, e);
      }
    };
    for (uint32_t p = 0; p < model.proctypes.size(); ++p) add_ids(p, model.proctypes[p]);
  }

  void run() {
    SuccessorBatch first;
    generator_->initial(first);
    add(first.state(first.entries.front()));
    for (size_t i = 0; i < states_.size(); ++i) expand(*states_[i]);
  }

  Counts counts;
  uint64_t transitions = 0;
  [[nodiscard]] size_t states() const { return states_.size(); }

 private:
  void add(ByteView state) {
    const auto [place, added] = seen_.emplace(state.begin(), state.end());
    if (added) states_.push_back(&*place);
  }
  void expand(const Bytes& state) {
    const uint32_t processes = load<uint8_t>(state.data() + model_.process_count_offset());
    bool moves = false;
    for (const bool timeout : {false, true}) {
      if (moves || (timeout && !model_.uses_timeout)) return;
      for (uint32_t pid = processes; pid-- > 0;) moves = ask(state, static_cast<uint8_t>(pid), timeout) || moves;
    }
  }
  bool ask(const Bytes& state, uint8_t pid, bool timeout) {
    SuccessorBatch batch;
    trace_.clear();
    const bool moves = generator_->process_successors(state, pid, timeout, nullptr, batch);
    for (const uint32_t edge : trace_.tried()) {
      counts[ids_[edge]].tried += trace_.count(edge).tried;
      counts[ids_[edge]].executable += trace_.count(edge).executable;
    }
    walk_.enter(state);
    for (const SuccessorBatch::Entry& entry : batch.entries) {
      const auto steps = std::span(batch.steps).subspan(entry.path_begin, entry.path_count);
      ++transitions;
      ++counts[id_of(steps.front().pid, steps.front().location, steps.front().edge)].transitions;
      walk_.walk(steps, [&](const Step& step) {
        ++counts[id_of(step.pid, step.location, step.edge)].executed;
        if (step.partner != kNoProcess) {
          ++counts[id_of(step.partner, step.partner_location, step.partner_edge)].executed;
        }
      });
      add(batch.state(entry));
    }
    return moves;
  }
  EdgeId id_of(uint8_t pid, LocationId location, uint16_t edge) const {
    return ids_.at(walk_.edge_of(pid, location, edge));
  }

  const Model& model_;
  EdgeWalk walk_;
  EdgeTrace trace_;
  std::unique_ptr<SuccessorGenerator> generator_;
  std::vector<EdgeId> ids_;
  std::set<Bytes> seen_;
  std::vector<const Bytes*> states_;
};

SearchOptions options_for(uint32_t threads) {
  SearchOptions options;
  options.threads = threads;
  options.max_errors = 0;
  options.store.enabled = false;
  options.profile = true;
  return options;
}

SearchResult search(const Model& model, const SearchOptions& options, bool merges = false) {
  auto result = run_key_search(
      model, [&] { return merging_generator(model, merges); }, options);
  REQUIRE(result);
  REQUIRE(result->profile);
  return std::move(*result);
}

void check_totals(const SearchResult& result) {
  const Profile& profile = *result.profile;
  Profile::Counts sum;
  uint64_t samples = 0;
  for (const Profile::Edge& edge : profile.edges) {
    sum += edge;
    samples += edge.samples;
    CHECK(edge.executable <= edge.tried);
    CHECK(edge.transitions <= edge.executed);
    CHECK(edge.samples > 0);
  }
  CHECK(sum.transitions == result.transitions);
  CHECK(profile.counts.transitions == result.transitions);
  CHECK(samples == profile.samples);
  if (profile.knows_first_reached) CHECK(sum.first_reached == result.states_stored - 1);
  CHECK(profile.asked >= result.transitions / 255);
  CHECK(profile.cost.total() <= result.cpu_seconds * 1.001);
}

std::filesystem::path models() { return std::filesystem::path(CMC_SOURCE_DIR) / "models"; }

struct Case {
  std::string file;
  std::vector<std::string> defines = {};
};
// Rendezvous, atomic sequences, d_steps, timeouts, unless, priorities, provided, processes that come and go.
const std::vector<Case> kCases = {
    {"peterson/peterson3.pml"},     {"leader/leader.pml", {"N=4"}}, {"features/handshake.pml"},
    {"features/client_server.pml"}, {"features/d_step.pml"},        {"features/exception.pml"},
    {"features/mailbox.pml"},       {"features/priorities.pml"},    {"features/provided.pml"},
    {"features/sieve.pml"},         {"classics/msi.pml"},           {"classics/alternating_bit.pml"},
};

TEST_CASE("profile: counts are those of all steps of all states", "[long]") {
  for (const Case& each : kCases) {
    for (const bool merges : {false, true}) {
      CAPTURE(each.file, merges);
      const Model model = compile_file(models() / each.file, each.defines);
      Counter counter(model, merges);
      counter.run();
      for (const uint32_t threads : {1u, 3u}) {
        for (const uint64_t memo : {uint64_t{0}, uint64_t{1}}) {
          SearchOptions options = options_for(threads);
          options.memo_bytes = memo;
          options.tight_fields = threads == 3;
          const SearchResult result = search(model, options, merges);
          CAPTURE(threads, memo);
          REQUIRE(result.states_stored == counter.states());
          check_totals(result);
          CHECK(result.transitions == counter.transitions);
          CHECK(result.profile->edges.size() == counter.counts.size());
          for (const Profile::Edge& edge : result.profile->edges) {
            CAPTURE(edge.proctype, edge.location, edge.edge);
            const Profile::Counts& expected = counter.counts[{edge.proctype, edge.location, edge.edge}];
            CHECK(edge.tried == expected.tried);
            CHECK(edge.executable == expected.executable);
            CHECK(edge.executed == expected.executed);
            CHECK(edge.transitions == expected.transitions);
          }
        }
      }
    }
  }
}

TEST_CASE("profile: totals hold with reductions and in each order") {
  for (const Case& each : kCases) {
    CAPTURE(each.file);
    const Model model = compile_file(models() / each.file, each.defines);
    for (const auto order : {SearchOptions::Order::kDepthFirst, SearchOptions::Order::kBreadthFirst}) {
      SearchOptions options = options_for(2);
      options.order = order;
      options.symmetry = true;
      options.partial_order = true;
      check_totals(search(model, options, true));
    }
  }
}

TEST_CASE("profile: with the disk store it does not know which states are new") {
  const Model model = compile_file(models() / "leader/leader.pml", {"N=4"});
  SearchOptions options = options_for(2);
  options.store.enabled = options.store.from_start = true;
  options.store.lossy_capacity = 1000;
  const SearchResult result = search(model, options);
  CHECK_FALSE(result.profile->knows_first_reached);
  check_totals(result);
}

TEST_CASE("profile: steps of the claim are in that of a product") {
  const char* const kSystem = "byte x; active proctype P() { do :: x < 5 -> x++ :: x > 0 -> x-- od }\n";
  const char* const kEnding = "byte x; active proctype P() { x = 1; x = 2 }\n";
  const char* const kClaim =
      "never { do :: x != 3 :: x == 3 -> break od; do :: x < 4 :: atomic { x > 1; x > 2 } od }";
  for (const char* const system : {kSystem, kEnding}) {
    for (const bool reduces : {false, true}) {
      CAPTURE(system, reduces);
      const Model plain = compile_text(std::string(system) + kClaim);
      const auto never =
          std::ranges::find(plain.properties, Property::Kind::kNeverClaim, [](const Property& p) { return p.kind; });
      const Model model = with_observers(plain, never->claim);
      const auto make = [&] { return make_product_generator(merging_generator(model, false), model); };
      SearchOptions options = options_for(2);
      options.partial_order = reduces;
      const auto result = run_key_search(model, make, options);
      REQUIRE(result);
      REQUIRE(result->profile);
      check_totals(*result);
      if (reduces) continue;
      Counts counts;
      const auto generator = make();
      EdgeWalk walk(model);
      std::map<uint32_t, uint64_t> executed;
      std::set<Bytes> seen;
      std::vector<Bytes> states;
      SuccessorBatch batch;
      generator->initial(batch);
      const auto add = [&](ByteView state) {
        if (seen.emplace(state.begin(), state.end()).second) states.emplace_back(state.begin(), state.end());
      };
      add(batch.state(batch.entries.front()));
      for (size_t i = 0; i < states.size(); ++i) {
        batch.clear();
        const Bytes state = states[i];
        generator->successors(state, batch);
        walk.enter(state);
        for (const SuccessorBatch::Entry& entry : batch.entries) {
          for (const Step& step : std::span(batch.steps).subspan(entry.path_begin, entry.path_count)) {
            ++executed[walk.edge_of(step.pid, step.location, step.edge)];
          }
          add(batch.state(entry));
        }
      }
      REQUIRE(result->states_stored == states.size());
      size_t claim_edges = 0;
      for (const Profile::Edge& edge : result->profile->edges) {
        CHECK(edge.executed == executed[walk.number(edge.proctype, edge.location, edge.edge)]);
        claim_edges += edge.proctype == model.proctypes.size() && edge.executed > 0 ? 1 : 0;
      }
      CHECK(claim_edges > 0);
    }
  }
}

TEST_CASE("profile: the slow line of a model costs the most") {
  const Model model = compile_text(
      "byte a, b; int sum;\n"
      "active proctype Quick() { do :: a = (a + 1) % 20 od }\n"
      "active proctype Slow() {\n"
      "  int i;\n"
      "  do\n"
      "  :: b = (b + 3) % 20\n"
      "  :: d_step { i = 0; do :: i < 20000 -> i++ :: else -> break od; b = (b + a + i) % 20; i = 0 }\n"
      "  od\n"
      "}\n");
  const SearchResult result = search(model, options_for(1));
  check_totals(result);
  const auto& edges = result.profile->edges;
  const auto costliest =
      std::ranges::max_element(edges, {}, [](const Profile::Edge& edge) { return edge.cost.total(); });
  const Edge& taken = model.proctypes[costliest->proctype].locations[costliest->location].edges[costliest->edge];
  CHECK(model.statements[taken.statement].place.line == 7);
  CHECK(costliest->cost.execution > 0.5 * result.profile->cost.total());
  CHECK(costliest->changed_bytes > 0);
  CHECK(costliest->copied_bytes > costliest->changed_bytes);
}

TEST_CASE("profile: a search with one finds the same states as one without") {
  // Without a profile, halves of handshakes are remembered apart, and steps of edges.
  for (const char* const file : {"features/handshake.pml", "features/client_server.pml", "classics/msi.pml"}) {
    CAPTURE(file);
    const Model model = compile_file(models() / file, {});
    SearchOptions options = options_for(1);
    const SearchResult profiled = search(model, options);
    check_totals(profiled);
    options.profile = false;
    const auto plain = run_key_search(
        model, [&] { return merging_generator(model, false); }, options);
    REQUIRE(plain);
    CHECK(plain->states_stored == profiled.states_stored);
    CHECK(plain->transitions == profiled.transitions);
    CHECK(plain->errors.size() == profiled.errors.size());
  }
}

TEST_CASE("profile: a step with more outcomes than shapes are kept of is counted as others") {
  constexpr uint32_t kChoices = 520;
  std::string text = "short a, b; int w; active proctype P() { atomic { if ";
  for (uint32_t i = 0; i < kChoices; ++i) text += ":: a = " + std::to_string(i) + " ";
  text += "fi; if ";
  for (uint32_t i = 0; i < kChoices; ++i) text += ":: b = " + std::to_string(i) + " ";
  text += "fi; w = a * " + std::to_string(kChoices) + " + b } }";
  const Model model = compile_text(text);
  const SearchResult result = search(model, options_for(1));
  check_totals(result);
  CHECK(result.states_stored > kChoices * kChoices);
  size_t chosen = 0;
  for (const Profile::Edge& edge : result.profile->edges) chosen += edge.executed == kChoices ? 1 : 0;
  CHECK(chosen == 2 * kChoices);
}

TEST_CASE("profile: a search that is not asked makes none") {
  const Model model = compile_file(models() / "peterson/peterson2.pml");
  SearchOptions options = options_for(1);
  options.profile = false;
  const auto result = run_key_search(
      model, [&] { return merging_generator(model, false); }, options);
  REQUIRE(result);
  CHECK_FALSE(result->profile);
}

}  // namespace
}  // namespace cmc::test
