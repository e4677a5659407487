#include <atomic>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "base/clock.h"
#include "base/sanitizers.h"
#include "checker/checkpoint/checkpoints.h"
#include "checker/checkpoint/key_stream.h"
#include "checker/generator/product_generator.h"
#include "checker/generator/wrappers/spin_steps.h"
#include "checker/reference/reference.h"
#include "checker/result/control.h"
#include "checker/result/replay.h"
#include "checker/search/key_search.h"
#include "checker/vm/generator.h"
#include "ir/product.h"
#include "tests/search/searches.h"
#include "tests/support/ballast.h"
#include "tests/support/compile.h"
#include "tests/support/fake_clock.h"
#include "tests/support/model_files.h"
#include "tests/support/same_results.h"
#include "tests/support/temporary_folder.h"

#include "tests/catch.h"

// A search that is saved, ended and begun again, many times, against one that is not.

namespace cmc::test {
namespace {

using Order = SearchOptions::Order;

enum class Kind { kDepth, kLevels, kRounds, kCached, kCachedDepth, kCachedLevels };
constexpr Kind kKinds[] = {Kind::kDepth,  Kind::kLevels,      Kind::kRounds,
                           Kind::kCached, Kind::kCachedDepth, Kind::kCachedLevels};

bool is_beyond_memory(Kind kind) { return kind >= Kind::kRounds; }
bool goes_in_levels(Kind kind) { return kind == Kind::kLevels || kind == Kind::kCachedLevels; }

// AddressSanitizer keeps what was freed for a while, ThreadSanitizer who used what.
#if CMC_ADDRESS_SANITIZER || CMC_THREAD_SANITIZER
constexpr uint64_t kMemoryLimit = uint64_t{1} << 30;
#else
constexpr uint64_t kMemoryLimit = uint64_t{64} << 20;
#endif

SearchOptions options_for(Kind kind, uint32_t threads) {
  SearchOptions options;
  options.max_errors = 0;
  options.threads = threads;
  options.order = goes_in_levels(kind)         ? Order::kBreadthFirst
                  : kind == Kind::kCachedDepth ? Order::kDepthFirst
                                               : Order::kAuto;
  if (is_beyond_memory(kind)) {
    options.store.from_start = true;
    options.store.beyond = kind == Kind::kRounds ? Beyond::kSorted : Beyond::kCached;
    options.memory_limit_bytes = kMemoryLimit;
    options.store.sized_for_bytes = uint64_t{8} << 20;
    // The caches decide a part only.
    if (kind != Kind::kRounds) options.store.lossy_capacity = options.store.lookup_buffer = 256;
  }
  return options;
}

SearchResult run_once(const Model& model, const SearchOptions& options) {
  std::string reason;
  const auto make_generator = [&] {
    auto steps = close_atomic_chains(make_vm_generator(model), model);
    return options.find_cycles ? make_product_generator(std::move(steps), model) : std::move(steps);
  };
  std::optional<SearchResult> result = run_key_search(model, make_generator, options, nullptr, &reason);
  INFO("reason: " << reason);
  REQUIRE(result.has_value());
  return std::move(*result);
}

void check_same(const SearchResult& one, const SearchResult& other, Kind kind) {
  CHECK(one.all_expanded);
  check_same_figures(one, other);
  CHECK(errors_of(one) == errors_of(other));
  CHECK(one.reasons.size() == other.reasons.size());
  if (goes_in_levels(kind)) CHECK(one.depth_reached == other.depth_reached);
}

// Runs that are interrupted behind every checkpoint, or every other one, until one comes to the end. `change`:
// options of the run with that number.
struct Resumed {
  SearchResult result;
  uint32_t runs = 0;
};
template <class Change>
Resumed run_in_parts(const Model& model, SearchOptions options, uint64_t every_checks, Change&& change) {
  TemporaryFolder folder(TemporaryFolder::Where::kMemory);
  std::atomic<bool> interrupted{false};
  options.interrupt = &interrupted;
  for (uint32_t number = 0;; ++number) {
    Result<std::unique_ptr<Checkpoints>> opened = number == 0 ? Checkpoints::create(folder.path() + "/run", RunFile())
                                                              : Checkpoints::open(folder.path() + "/run");
    INFO((opened.ok() ? "" : opened.error()));
    REQUIRE(opened.ok());
    Checkpoints& run = *opened.value();
    uint32_t commits = 0;
    run.timing = {0, every_checks};
    run.on_commit = [&](const Manifest&) { interrupted = ++commits > number % 3; };
    interrupted = false;
    options.checkpoints = &run;
    options.resumes = number > 0;
    change(options, number);
    SearchResult result = run_once(model, options);
    REQUIRE(number < 10'000);
    if (result.all_expanded || (options.find_cycles && result.error_count > 0))
      return {std::move(result), number + 1};
    REQUIRE(result.reasons.size() >= 1);
    INFO(result.reasons.back().text);
    REQUIRE(result.reasons.back().kind == ReasonKind::kInterrupted);
    REQUIRE(result.reasons.back().text.find("`cmc resume ") != std::string::npos);
  }
}
Resumed run_in_parts(const Model& model, const SearchOptions& options, uint64_t every_checks) {
  return run_in_parts(model, options, every_checks, [](SearchOptions&, uint32_t) {});
}

constexpr const char* kErrors = R"(
byte x, y;
active [2] proctype P() {
  do
  :: x < 40 -> x++; assert(x != 17)
  :: y < 40 -> y++
  :: x > 30 && y > 30 -> break
  od
})";

}  // namespace

// Each model with one of the engines, so that each has a sixth of them.
TEST_CASE("checkpoint: a search in parts is one search") {
  uint32_t compared = 0;
  uint32_t runs = 0;
  for (const ModelRun& each : model_runs()) {
    if (each.slow || each.states < 300 || each.states > 20'000 || each.steps != "spin") continue;
    const Model model = compile_file(each.file, each.defines);
    if (!model.guards.empty() || model.claim.exists()) continue;
    const Kind kind = kKinds[compared % 6];
    const uint32_t threads = 1 + compared / 6 % 2;
    INFO(each.name() << ", kind " << static_cast<int>(kind) << ", " << threads << " threads");
    const SearchOptions options = options_for(kind, threads);
    const SearchResult whole = run_once(model, options);
    const Resumed parts = run_in_parts(model, options, is_beyond_memory(kind) ? 16 : 1 + whole.states_stored / 4096);
    check_same(parts.result, whole, kind);
    check_paths(model, parts.result);
    runs += parts.runs;
    ++compared;
  }
  CHECK(compared > 20);
  CHECK(runs > 2 * compared);
}

TEST_CASE("checkpoint: errors and their paths come through") {
  const Model model = compile_text(kErrors);
  for (const Kind kind : kKinds) {
    const SearchOptions options = options_for(kind, 1);
    const SearchResult whole = run_once(model, options);
    REQUIRE(whole.error_count > 0);
    const Resumed parts = run_in_parts(model, options, 4);
    CHECK(parts.runs > 1);
    check_same(parts.result, whole, kind);
    check_paths(model, parts.result);
  }
}

TEST_CASE("checkpoint: threads and memory change on the way") {
  const Model model = compile_file(std::string(CMC_SOURCE_DIR) + "/models/peterson/peterson_busy.pml", {"N=3"});
  for (const Kind kind : kKinds) {
    const SearchOptions options = options_for(kind, 1);
    const SearchResult whole = run_once(model, options);
    const Resumed parts =
        run_in_parts(model, options, is_beyond_memory(kind) ? 64 : 8, [&](SearchOptions& changed, uint32_t number) {
          changed.threads = 1 + number % 3;
          if (is_beyond_memory(kind)) changed.store.sized_for_bytes = uint64_t{4 + 4 * (number % 2)} << 20;
        });
    CHECK(parts.runs > 2);
    check_same(parts.result, whole, kind);
  }
}

TEST_CASE("checkpoint: layouts change on the way") {
  const Model model = compile_file(std::string(CMC_SOURCE_DIR) + "/models/leader/leader.pml", {"N=4"});
  for (const Kind kind : kKinds) {
    SearchOptions options = options_for(kind, 1);
    options.tight_fields = true;
    const SearchResult whole = run_once(model, options);
    check_same(run_in_parts(model, options, 3).result, whole, kind);
  }
}

// What it does not have again is in files that the one before has, too.
TEST_CASE("checkpoint: a run of pages is written once") {
  const Model model =
      compile_file(std::string(CMC_SOURCE_DIR) + "/models/peterson/peterson_busy.pml", {"N=3", "INIT"});
  for (const Kind kind : {Kind::kRounds, Kind::kCached}) {
    SearchOptions options = options_for(kind, 1);
    options.store.partitions = 1;
    options.store.lossy_capacity = options.store.lookup_buffer = 4096;
    TemporaryFolder folder(TemporaryFolder::Where::kMemory);
    const Result<std::unique_ptr<Checkpoints>> run = Checkpoints::create(folder.path() + "/run", RunFile());
    REQUIRE(run.ok());
    std::set<std::string> before;
    uint64_t commits = 0;
    uint64_t shared = 0;
    run.value()->timing = {0, 16};
    run.value()->on_commit = [&](const Manifest& manifest) {
      std::set<std::string> names;
      uint64_t states = 0;
      for (const CheckpointFile& file : manifest.files_of("states")) {
        CHECK(names.insert(file.name).second);
        shared += before.contains(file.name) ? 1 : 0;
        states += file.states;
      }
      CHECK(states == manifest.states);
      before = std::move(names);
      ++commits;
    };
    options.checkpoints = run.value().get();
    CHECK(run_once(model, options).all_expanded);
    CHECK(commits > 4);
    CHECK(shared > 1);
  }
}

// In rounds, or with the caches if somebody asked for an order.
TEST_CASE("checkpoint: a search in RAM goes on beyond memory") {
  const Model model = compile_file(std::string(CMC_SOURCE_DIR) + "/models/peterson/peterson_busy.pml", {"N=3"});
  for (const Kind kind : {Kind::kRounds, Kind::kCached, Kind::kCachedDepth, Kind::kCachedLevels}) {
    const SearchOptions beyond = options_for(kind, 1);
    SearchOptions options = beyond;
    options.store = StoreSettings();
    options.memory_limit_bytes = 0;
    const SearchResult whole = run_once(model, options);
    CHECK(!whole.statistics.store);
    const Resumed parts = run_in_parts(model, options, 24, [&](SearchOptions& changed, uint32_t number) {
      if (number < 2) return;
      changed.store = beyond.store;
      changed.memory_limit_bytes = beyond.memory_limit_bytes;
    });
    CHECK(parts.runs > 3);
    CHECK(parts.result.statistics.store);
    CHECK(parts.result.order == (kind == Kind::kRounds        ? UsedOrder::kRounds
                                 : kind == Kind::kCachedDepth ? UsedOrder::kDepthFirst
                                 : goes_in_levels(kind)       ? UsedOrder::kBreadthFirst
                                                              : UsedOrder::kOldestFirst));
    check_same(parts.result, whole, kind);
  }
}

// A search in RAM that was killed at its end can have no open state.
TEST_CASE("checkpoint: a search goes on beyond memory where nothing is left to do") {
  uint32_t left_nothing = 0;
  for (int most = 40; most < 80; ++most) {
    const Model model = compile_text("byte x, y; active proctype P() { do :: x < " + std::to_string(most) +
                                     " -> x++ :: y < 40 -> y++ :: x > 30 && y > 30 -> break od }");
    TemporaryFolder folder(TemporaryFolder::Where::kMemory);
    SearchOptions options = options_for(Kind::kDepth, 1);
    const SearchResult whole = run_once(model, options);
    {
      const Result<std::unique_ptr<Checkpoints>> run = Checkpoints::create(folder.path() + "/run", RunFile());
      REQUIRE(run.ok());
      run.value()->timing = {0, 1};
      options.checkpoints = run.value().get();
      CHECK(run_once(model, options).all_expanded);
      REQUIRE(run.value()->last());
      if (run.value()->last()->transitions < whole.transitions) continue;
    }
    for (const Kind kind : {Kind::kRounds, Kind::kCached, Kind::kCachedDepth, Kind::kCachedLevels}) {
      const Result<std::unique_ptr<Checkpoints>> run = Checkpoints::open(folder.path() + "/run");
      REQUIRE(run.ok());
      SearchOptions beyond = options_for(kind, 1);
      beyond.checkpoints = run.value().get();
      beyond.resumes = true;
      const SearchResult result = run_once(model, beyond);
      CHECK(result.statistics.store);
      check_same(result, whole, Kind::kDepth);
    }
    ++left_nothing;
  }
  CHECK(left_nothing > 0);
}

// It turns to partial-order reduction beyond memory, where it comes again before it is saved in RAM: what the
// checkpoint before has of its paths is of another search.
TEST_CASE("checkpoint: a search that has begun anew beyond memory is saved as a whole") {
  const Ballast ballast;
  const Model model = compile_text(kLateJobs);
  SearchOptions options;
  options.max_errors = 0;
  options.partial_order = true;
  const SearchResult asked = run_once(model, options);
  options.only_if_it_pays = true;
  options.store.enabled = true;
  options.memory_limit_bytes = Ballast::limit_reached();
  const Resumed parts = run_in_parts(model, options, 16);
  CHECK(parts.runs > 3);
  REQUIRE(parts.result.keys);
  CHECK(parts.result.keys->reduces);
  CHECK(parts.result.states_stored == asked.states_stored);
  CHECK(parts.result.error_count >= asked.error_count);
  check_paths(model, parts.result);
}

TEST_CASE("checkpoint: a search for cycles in parts is one search") {
  const std::string system =
      "byte x, y, z;\n"
      "active proctype P() { do :: x < 24 -> x++ :: y < 24 -> y++ od }\n"
      "active proctype Q() { do :: z < 8 -> z++ :: WRAP -> z = 0 od }\n";
  const std::string claim = "never { do :: true :: x > 5 -> goto accept od; accept: do :: x > 5 && LAST od }\n";
  struct Search {
    const char* name;
    uint32_t threads;
    CycleAlgorithm cycles;
    Fairness fairness;
    bool on_disk;
  };
  constexpr Search kSearches[] = {{"ndfs", 1, CycleAlgorithm::kNdfs, Fairness::kNone, false},
                                  {"ndfs, 3 threads", 3, CycleAlgorithm::kNdfs, Fairness::kNone, false},
                                  {"hull", 1, CycleAlgorithm::kHull, Fairness::kNone, false},
                                  {"hull, 2 threads", 2, CycleAlgorithm::kHull, Fairness::kWeak, false},
                                  {"components", 1, CycleAlgorithm::kAuto, Fairness::kWeak, false},
                                  {"beyond memory", 1, CycleAlgorithm::kHull, Fairness::kNone, true},
                                  {"beyond memory, fair", 2, CycleAlgorithm::kHull, Fairness::kWeak, true}};
  struct Case {
    std::string wrap, last;
    bool has_cycle;
  };
  // Nothing comes round; only what is not accepting does; Q does for ever, and P waits.
  const Case cases[] = {{"false", "x < 24", false}, {"x < 5", "x < 24", false}, {"x == 24", "true", true}};
  for (const Case& each : cases) {
    std::string text = system + claim;
    text.replace(text.find("WRAP"), 4, each.wrap);
    text.replace(text.find("LAST"), 4, each.last);
    const Model model = with_observers(compile_text(text), 0);
    for (const Search& search : kSearches) {
      INFO(search.name << "\n" << text);
      SearchOptions options = options_for(search.on_disk ? Kind::kCached : Kind::kDepth, search.threads);
      options.find_cycles = true;
      options.check_end_states = false;
      options.only_observers = true;
      options.max_errors = 1;
      options.cycles = search.cycles;
      options.fairness = search.fairness;
      const SearchResult whole = run_once(model, options);
      REQUIRE(whole.verdict() == (each.has_cycle ? Verdict::kViolated : Verdict::kHolds));
      const Resumed parts = run_in_parts(model, options, search.on_disk ? 8 : 2);
      CHECK((each.has_cycle || parts.runs > 2));  // one that is found soon ends the search
      CHECK(parts.result.verdict() == whole.verdict());
      if (!each.has_cycle) check_same_figures(parts.result, whole);
    }
  }
}

TEST_CASE("checkpoint: a limit waits for a boundary, but not for ever") {
  TemporaryFolder folder(TemporaryFolder::Where::kMemory);
  const Result<std::unique_ptr<Checkpoints>> run = Checkpoints::create(folder.path() + "/run", RunFile());
  REQUIRE(run.ok());
  FakeClock clock;
  const std::atomic<bool> interrupted{true};
  SearchOptions options;
  options.checkpoints = run.value().get();
  options.interrupt = &interrupted;
  options.clock = &clock;
  const Model model = compile_text("active proctype P() { skip }");
  SearchControl control(model, options, nullptr);
  control.check({});
  CHECK((control.wants_checkpoint() && !control.stopped()));
  clock.now += 10;
  control.check({});
  CHECK(!control.stopped());
  clock.now += 11;
  control.check({});
  CHECK(control.stopped());
  REQUIRE(control.result().reasons.size() == 1);
  CHECK(control.result().reasons.front().text.find("it was not saved") != std::string::npos);
}

TEST_CASE("checkpoint: keys are read as they were written") {
  TemporaryFolder folder(TemporaryFolder::Where::kMemory);
  const auto round_trip = []<unsigned W>(const std::string& directory) {
    OutStream out(directory, "keys", "states");
    KeyWriter<W> writer(out);
    std::vector<Key<W>> keys;
    Key<W> key{};
    for (unsigned i = 0; i < 10'000; ++i) {
      keys.push_back(key);
      writer.add(key);
      Key<W> step{};
      step[i % W] = i % 7 == 0 ? uint64_t{1} << (i % 48) : i % 300;
      step[W - 1] += 1;
      REQUIRE(wide::add(key, step));
    }
    writer.finish();
    Result<CheckpointFile> file = out.finish(keys.size());
    REQUIRE(file.ok());
    REQUIRE(verify_file(directory, file.value()).ok());
    InStream in(directory, file.value());
    KeyReader<W> reader(in, keys.size());
    size_t count = 0;
    while (reader.next(key)) CHECK((count < keys.size() && key == keys[count++]));
    CHECK((count == keys.size() && in.ok() && in.at_end()));
  };
  round_trip.operator()<1>(folder.path());
  round_trip.operator()<2>(folder.path());
  round_trip.operator()<16>(folder.path());
}

}  // namespace cmc::test
