#include "checker/keyspace/symmetry.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "checker/generator/wrappers/path_steps.h"
#include "checker/generator/wrappers/spin_steps.h"
#include "checker/reference/reference.h"
#include "checker/result/replay.h"
#include "checker/search/key_search.h"
#include "checker/vm/generator.h"
#include "tests/support/compile.h"
#include "tests/support/part_of_day.h"

#include "tests/catch.h"

// Symmetry reduction against the whole graph, whose classes are found by trying all ways to exchange processes.

namespace cmc::test {
namespace {

// Frames of a state as strings, and how they can be exchanged.
class Exchanges {
 public:
  explicit Exchanges(const Model& model) : model_(model), symmetry_(model) {}

  // The least of all states that the exchange of processes that nobody tells apart makes of this one.
  [[nodiscard]] std::string least(const std::string& state) const {
    std::vector<std::string> frames;
    size_t at = model_.global_bytes;
    while (at < state.size()) {
      const uint32_t size = model_.proctypes[static_cast<uint8_t>(state[at])].frame_bytes;
      frames.push_back(state.substr(at, size));
      at += size;
    }
    const size_t holder_at = model_.atomic_holder_offset();
    std::vector<size_t> places(frames.size());  // of each frame
    for (size_t i = 0; i < places.size(); ++i) places[i] = i;
    std::string least = state;
    do {
      bool allowed = true;
      for (size_t i = 0; i < frames.size(); ++i) {
        const auto proctype = static_cast<uint8_t>(frames[i][0]);
        const bool alike = frames[i][0] == frames[places[i]][0] && symmetry_.obstacle(proctype) == nullptr;
        allowed = allowed && (places[i] == i || alike);
      }
      if (!allowed) continue;
      std::vector<std::string> moved(frames.size());
      for (size_t i = 0; i < frames.size(); ++i) moved[places[i]] = frames[i];
      std::string other = state.substr(0, model_.global_bytes);
      const auto holder = static_cast<uint8_t>(other[holder_at]);
      if (holder != kNoProcess) other[holder_at] = static_cast<char>(places[holder]);
      for (const std::string& frame : moved) other += frame;
      least = std::min(least, other);
    } while (std::ranges::next_permutation(places).found);
    return least;
  }

 private:
  const Model& model_;
  const Symmetry symmetry_;
};

// What has to be the same in all states of a class.
struct Expanded {
  std::multiset<std::string> successors;  // least ones
  std::multiset<std::string> errors;
  bool stuck = false;
  friend bool operator==(const Expanded&, const Expanded&) = default;
};

struct Classes {
  uint64_t states = 0;  // of the whole graph
  uint64_t transitions = 0;
  uint64_t stuck = 0;
  std::map<std::string, Expanded> all;
  std::set<std::string> errors;
};

std::string text_of(const RuntimeError& error) {
  return std::string(runtime_error_name(error.kind)) + " " + error.message + " " + std::to_string(error.place.line);
}

// Hidden variables, which nobody reads, do not count.
std::string identity(const Model& model, ByteView bytes) {
  std::string state(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  std::fill_n(state.begin(), model.hidden_bytes, '\0');
  return state;
}

// None: the graph is too large.
std::optional<Classes> explore(const Model& model, size_t most) {
  const auto generator = make_reference_generator(model, nullptr, ReferenceSteps::kSpin);
  const Exchanges exchanges(model);
  Classes classes;
  SuccessorBatch batch;
  generator->initial(batch);
  std::set<std::string> known{identity(model, batch.state(batch.entries.front()))};
  std::vector<std::string> open(known.begin(), known.end());
  for (size_t i = 0; i < open.size(); ++i) {
    if (open.size() > most) return std::nullopt;
    const std::string state = open[i];
    batch.clear();
    generator->successors(std::as_bytes(std::span(state)), batch);
    Expanded expanded;
    expanded.stuck = batch.invalid_end;
    for (const RuntimeError& error : batch.errors) expanded.errors.insert(text_of(error));
    for (const SuccessorBatch::Entry& entry : batch.entries) {
      const std::string next = identity(model, batch.state(entry));
      expanded.successors.insert(exchanges.least(next));
      if (known.insert(next).second) open.push_back(next);
    }
    classes.errors.insert(expanded.errors.begin(), expanded.errors.end());
    const auto [found, is_new] = classes.all.try_emplace(exchanges.least(state), expanded);
    // What the reduction rests on.
    CHECK(found->second == expanded);
    if (!is_new) continue;
    classes.transitions += expanded.successors.size();
    classes.stuck += expanded.stuck ? 1 : 0;
  }
  classes.states = open.size();
  return classes;
}

struct Way {
  const char* name;
  SearchOptions::Order order;
  uint32_t threads;
  uint64_t memo_bytes;
  bool store;
  bool tight_fields;
};
using Order = SearchOptions::Order;
constexpr Way kConfigurations[] = {
    {"depth-first", Order::kDepthFirst, 1, 0, false, false},
    {"depth-first, two threads", Order::kDepthFirst, 2, 0, false, true},
    {"breadth-first, tiny memo", Order::kBreadthFirst, 1, 4000, false, true},
    {"breadth-first, two threads", Order::kBreadthFirst, 2, 0, false, false},
    {"tiny store", Order::kAuto, 1, 0, true, true},
    {"tiny store, depth first, two threads", Order::kDepthFirst, 2, 0, true, false},
    {"tiny store, breadth first", Order::kBreadthFirst, 1, 0, true, false},
};

SearchOptions options_of(const Way& configuration) {
  SearchOptions options;
  options.max_errors = 0;
  options.max_trails = 5;
  options.order = configuration.order;
  options.threads = configuration.threads;
  options.memo_bytes = configuration.memo_bytes;
  options.tight_fields = configuration.tight_fields;
  if (!configuration.store) return options;
  options.store.from_start = true;
  options.store.bloom_bits = 1024;
  options.store.bloom_hashes = 2;
  options.store.lossy_capacity = 32;
  options.store.lookup_buffer = 16;
  options.store.partitions = 3;
  options.store.page_bytes = 512;
  options.store.write_buffer_bytes = 4096;
  return options;
}

SearchResult search_symmetric(const Model& model, const SearchOptions& options, bool merges) {
  std::optional<SearchResult> result = run_key_search(
      model,
      [&] {
        auto generator = close_atomic_chains(make_vm_generator(model), model);
        return merges ? close_local_paths(std::move(generator), model) : std::move(generator);
      },
      options);
  REQUIRE(result.has_value());
  REQUIRE(result->all_expanded);
  return std::move(*result);
}

std::set<std::string> errors_of(const SearchResult& result) {
  std::set<std::string> errors;
  for (const FoundError& error : result.errors) {
    if (error.kind.is_invalid_end_state()) continue;
    errors.insert(std::string(error_kind_name(error.kind)) + " " + error.message + " " +
                  std::to_string(error.place.line));
  }
  return errors;
}

uint64_t stuck_of(const SearchResult& result) {
  return static_cast<uint64_t>(std::ranges::count_if(
      result.errors, [](const FoundError& error) { return error.kind.is_invalid_end_state(); }));
}

// Runs of the model end in the errors.
void check_some_paths(const Model& model, const SearchResult& result) {
  const auto reference = make_reference_generator(model);
  uint64_t paths = 0;
  for (const FoundError& error : result.errors) {
    if (!error.has_path) continue;
    ++paths;
    CHECK(verify_error(error, *reference).empty());
  }
  CHECK((paths > 0) == (result.error_count > 0));
}

void check_alone(const Model& model, const Classes& classes, const SearchResult& whole) {
  for (const Way& configuration : kConfigurations) {
    INFO(configuration.name);
    SearchOptions options = options_of(configuration);
    options.symmetry = true;
    const SearchResult result = search_symmetric(model, options, false);
    CHECK(result.states_stored == classes.all.size());
    CHECK(result.transitions == classes.transitions);
    CHECK(stuck_of(result) == classes.stuck);
    CHECK(errors_of(result) == classes.errors);
    CHECK(result.locations.reached == whole.locations.reached);
    check_some_paths(model, result);
  }
}

void check_beside(const Model& model, const Classes& classes, const SearchResult& whole, bool partial_order,
                  bool merges) {
  INFO((partial_order ? "por " : "") << (merges ? "merge" : ""));
  std::optional<std::pair<uint64_t, uint64_t>> counts;
  for (const Way& configuration : kConfigurations) {
    INFO(configuration.name);
    SearchOptions options = options_of(configuration);
    options.symmetry = true;
    options.partial_order = partial_order;
    const SearchResult result = search_symmetric(model, options, merges);
    if (!merges) CHECK(result.states_stored <= classes.all.size());
    if (!merges) CHECK(stuck_of(result) == classes.stuck);
    CHECK((stuck_of(result) > 0) == (classes.stuck > 0));
    if (!merges || whole.endless_atomic == 0) {
      CHECK(errors_of(result) == classes.errors);
      CHECK(result.locations.reached == whole.locations.reached);
    }
    check_some_paths(model, result);
    const std::pair these{result.states_stored, result.transitions};
    CHECK(counts.value_or(these) == these);
    counts = these;
  }
}

// The number of states, and of classes; 0, 0: too large.
std::pair<uint64_t, uint64_t> check_model(const std::string& text) {
  INFO(text);
  const Model model = compile_text(text);
  REQUIRE(Symmetry::obstacle(model) == nullptr);
  const std::optional<Classes> classes = explore(model, 10000);
  if (!classes) return {};
  const SearchResult whole = search_symmetric(model, options_of(kConfigurations[0]), false);
  REQUIRE(whole.states_stored == classes->states);
  REQUIRE(errors_of(whole) == classes->errors);
  check_alone(model, *classes, whole);
  check_beside(model, *classes, whole, true, false);
  check_beside(model, *classes, whole, false, true);
  check_beside(model, *classes, whole, true, true);
  return {classes->states, classes->all.size()};
}

TEST_CASE("symmetric search: one state of each class is stored", "[long]") {
  const auto factor = [](const std::string& text) {
    const auto [states, classes] = check_model(text);
    return static_cast<double>(states) / static_cast<double>(classes);
  };
  // Local counters, nothing else: of 3^4 states 15.
  CHECK(factor("active [4] proctype P() { byte x; do :: atomic { x < 2 -> x++ } od }") == Approx(81.0 / 15));
  // A semaphore and an assertion that fails.
  CHECK(factor("bit free = 1; byte n; active [3] proctype P() { do :: atomic { free -> free = 0 } n++; "
               "assert(n == 1); n--; free = 1 od } active proctype Q() { do :: n == 2 -> n = 0 :: n == 1 -> "
               "free = 1 od }") > 2);
  // Handshakes, `else`, and processes that get stuck.
  CHECK(
      factor("chan r = [0] of { byte }; byte got; active [3] proctype P() { byte v; do :: r!v + 1 :: r?v -> got = v; "
             "if :: v > 1 -> (false) :: else fi od }") > 1.5);
  // Two groups, a holder of atomicity that blocks, timeout.
  CHECK(
      factor(
          "chan q = [1] of { byte }; byte n; active [2] proctype P() { byte v; do :: atomic { q!1; q!2; v = 1 - v } "
          "od } active [2] proctype Q() { byte w; do :: q?w; n = 1 :: timeout -> w = 0; assert(n == 0) od }") > 1.5);
  // Processes that appear late and differ by a parameter; others that come and go.
  CHECK(factor("byte n; proctype P(bit z) { do :: n < 2 -> n = n + z :: n == 2 -> n = 0 od } proctype Q() { n = 1 } "
               "init { run P(1); run P(0); run P(1); do :: _nr_pr < 5 -> run Q() :: n == 1 -> run P(0); break od }") >
        1);
  // A run-time error, a d_step, unless, and a long local array.
  CHECK(
      factor("byte a[2]; byte i; active [2] proctype P() { byte l[70]; byte k; do :: d_step { k = 1 - k; l[69] = k } "
             "a[i] = k :: { i++; l[0] = i } unless { i > 2 } od }") > 1);
  // Hidden variables that nobody reads.
  CHECK(factor("hidden byte h; byte x; active [3] proctype P() { byte y; do :: h = y; y = x :: x = (x + 1) % 3; "
               "assert(y != 2) od }") > 1.5);
}

TEST_CASE("symmetric search: frames are exchanged in pieces, also when their arrays are divided during the search") {
  const std::string text =
      "bit taken; active [2] proctype P() { byte i; bit a[10]; atomic { !taken -> taken = 1 } "
      "do :: i < 9 -> a[i] = 1; i++ :: i < 9 -> i++ od }";
  const auto [states, classes] = check_model(text);
  CHECK(states == 2 * classes - 1);
  SearchOptions options = options_of(kConfigurations[1]);
  options.symmetry = true;
  const SearchResult result = search_symmetric(compile_text(text), options, false);
  CHECK(result.states_stored == classes);
  CHECK(std::ranges::any_of(result.keys->components,
                            [](const auto& each) { return each.name.find("P[1] part") != std::string::npos; }));
}

// A random model of processes that never end.
class Text {
 public:
  explicit Text(uint32_t seed) : seed_(seed) {}

  std::string model() {
    std::string text =
        "byte g = 1; byte h; chan q = [" + std::to_string(number(3)) + "] of { byte }; chan r = [0] of { byte };\n";
    text += "active [" + std::to_string(2 + number(2)) + "] proctype P() { byte x; byte y; " + loop() + " }\n";
    if (number(2) == 0) text += "active proctype Q() { byte x; byte y; " + loop() + " }\n";
    if (number(3) == 0) text += "active [2] proctype R() { byte x; byte y; " + loop() + " }\n";
    if (number(3) == 0)
      text += "proctype S(byte x) { byte y; " + loop() + " }\ninit { byte x; byte y; run S(" + value() + "); " +
              statement(1) + "; run S(1) }\n";
    return text;
  }

 private:
  uint32_t number(uint32_t end) {
    seed_ = seed_ * 1664525 + 1013904223;
    return (seed_ >> 8) % end;
  }
  std::string pick(std::initializer_list<const char*> all) {
    return all.begin()[number(static_cast<uint32_t>(all.size()))];
  }
  std::string variable() { return pick({"x", "y", "g", "h", "x"}); }
  std::string value() { return pick({"0", "1", "x", "g", "1 - x", "(h + 1) % 3", "len(q)", "_nr_pr % 2"}); }
  std::string condition() { return variable() + pick({" == ", " != ", " < "}) + pick({"0", "1", "2", "x", "g"}); }
  std::string simple() {
    switch (number(9)) {
      case 0: return pick({"q", "r"}) + "!" + value();
      case 1: return pick({"q", "r"}) + "?" + variable();
      case 2: return condition();
      case 3: return "assert(" + condition() + ")";
      case 4: return pick({"q", "r"}) + "?eval(" + pick({"x", "g", "1"}) + ")";
      default: return variable() + " = " + value();
    }
  }
  std::string sequence(uint32_t depth) {
    std::string text = statement(depth);
    for (uint32_t more = number(2); more > 0; --more) text += "; " + statement(depth);
    return text;
  }
  std::string statement(uint32_t depth) {
    if (depth == 0) return simple();
    switch (number(12)) {
      case 0: return "atomic { " + sequence(depth - 1) + " }";
      case 1: return "d_step { " + condition() + "; " + variable() + " = " + value() + "; x = 0 }";
      case 2: return "y = y; if :: " + simple() + " :: " + simple() + " :: else fi";
      case 3: return "if :: " + simple() + " :: " + sequence(depth - 1) + " fi";
      case 4: return "{ " + sequence(depth - 1) + " } unless { " + condition() + " }";
      case 5: return "timeout";
      default: return simple();
    }
  }
  std::string loop() {
    std::string text = number(4) == 0 ? "end: do" : "do";
    for (uint32_t branches = 1 + number(3); branches > 0; --branches) text += " :: " + sequence(2);
    return text + " od";
  }

  uint32_t seed_;
};

TEST_CASE("symmetric search: what is left out at first fits its fields when it is taken after all") {
  const Model model = compile_text(
      "active proctype A() { byte x; do :: x < 1 -> x++ :: x >= 1 -> x = 0 od } active [3] proctype B() { byte y; do "
      ":: y = (y + 8) % 17 :: y = (y * 7 + 8) % 17 :: y == 16 -> assert(false) od }");
  std::optional<uint64_t> transitions;
  for (const bool tight_fields : {false, true}) {
    INFO((tight_fields ? "tight fields" : "wide fields"));
    SearchOptions options;
    options.order = Order::kBreadthFirst;
    options.max_errors = 0;
    options.max_trails = SearchOptions::kEachTrail;
    options.partial_order = options.symmetry = options.closes_chains = true;
    options.proviso = SearchOptions::Proviso::kQueue;
    options.tight_fields = tight_fields;
    const auto result = run_key_search(
        model, [&] { return close_atomic_chains(make_vm_generator(model), model); }, options);
    REQUIRE(result);
    CHECK(result->reasons.empty());
    CHECK(std::ranges::all_of(result->errors, &FoundError::has_path));
    CHECK(transitions.value_or(result->transitions) == result->transitions);
    transitions = result->transitions;
  }
}

TEST_CASE("symmetric search: random models have the verdicts of a plain search", "[long]") {
  const PartOfDay part;
  uint64_t whole = 0;
  uint64_t reduced = 0;
  for (uint32_t seed = 1; seed <= 60; ++seed) {
    if (!part.has(seed)) continue;
    const auto [states, classes] = check_model(Text(seed).model());
    whole += states;
    reduced += classes;
  }
  if (!part.is_whole()) return;
  CHECK(reduced > 2500);
  CHECK(whole > reduced * 3 / 2);
}

TEST_CASE("symmetric search: many random models have the verdicts of a plain search", "[.][slow]") {
  const PartOfDay part;
  for (uint32_t seed = 1000; seed < 2000; ++seed) {
    if (part.has(seed)) static_cast<void>(check_model(Text(seed).model()));
  }
}

}  // namespace
}  // namespace cmc::test
