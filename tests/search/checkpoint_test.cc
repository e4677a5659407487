#include <atomic>
#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "base/clock.h"
#include "checker/checkpoint/checkpoints.h"
#include "checker/checkpoint/key_stream.h"
#include "checker/generator/wrappers/spin_steps.h"
#include "checker/reference/reference.h"
#include "checker/result/control.h"
#include "checker/result/replay.h"
#include "checker/search/key_search.h"
#include "checker/vm/generator.h"
#include "tests/support/compile.h"
#include "tests/support/model_files.h"
#include "tests/support/same_results.h"
#include "tests/support/temporary_folder.h"

#include "tests/catch.h"

// A search that is saved, ended and begun again, many times, against one that is not.

namespace cmc::test {
namespace {

using Order = SearchOptions::Order;

enum class Kind { kDepth, kLevels, kRounds };

SearchOptions options_for(Kind kind, uint32_t threads) {
  SearchOptions options;
  options.max_errors = 0;
  options.threads = threads;
  options.order = kind == Kind::kLevels ? Order::kBreadthFirst : Order::kAuto;
  if (kind == Kind::kRounds) {
    options.store.from_start = true;
    options.store.beyond = Beyond::kSorted;
    options.memory_limit_bytes = uint64_t{64} << 20;
    options.store.sized_for_bytes = uint64_t{8} << 20;
  }
  return options;
}

SearchResult run_once(const Model& model, const SearchOptions& options) {
  std::string reason;
  std::optional<SearchResult> result = run_key_search(
      model, [&] { return close_atomic_chains(make_vm_generator(model), model); }, options, nullptr, &reason);
  INFO("reason: " << reason);
  REQUIRE(result.has_value());
  return std::move(*result);
}

void check_same(const SearchResult& one, const SearchResult& other, Kind kind) {
  CHECK(one.all_expanded);
  check_same_figures(one, other);
  CHECK(errors_of(one) == errors_of(other));
  CHECK(one.reasons.size() == other.reasons.size());
  if (kind == Kind::kLevels) CHECK(one.depth_reached == other.depth_reached);
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
    if (result.all_expanded) return {std::move(result), number + 1};
    REQUIRE(result.reasons.size() >= 1);
    INFO(result.reasons.back().text);
    REQUIRE(result.reasons.back().text.find("`cmc resume ") != std::string::npos);
  }
}
Resumed run_in_parts(const Model& model, const SearchOptions& options, uint64_t every_checks) {
  return run_in_parts(model, options, every_checks, [](SearchOptions&, uint32_t) {});
}

void check_paths(const Model& model, const SearchResult& result) {
  const std::unique_ptr<SuccessorGenerator> reference = make_reference_generator(model);
  for (const FoundError& error : result.errors) {
    if (error.has_path) CHECK(verify_error(error, *reference).empty());
  }
}

class SteppedClock final : public Clock {
 public:
  double wall_seconds() const override { return now; }
  double cpu_seconds() const override { return now; }
  double now = 1000;
};

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

// Each model with one of the engines, so that each has a third of them.
TEST_CASE("checkpoint: a search in parts is one search") {
  constexpr Kind kKinds[] = {Kind::kDepth, Kind::kLevels, Kind::kRounds};
  uint32_t compared = 0;
  uint32_t runs = 0;
  for (const ModelRun& each : model_runs()) {
    if (each.slow || each.states < 300 || each.states > 20'000 || each.steps != "spin") continue;
    const Model model = compile_file(each.file, each.defines);
    if (!model.guards.empty() || model.claim.exists()) continue;
    const Kind kind = kKinds[compared % 3];
    const uint32_t threads = 1 + compared / 3 % 2;
    INFO(each.name() << ", kind " << static_cast<int>(kind) << ", " << threads << " threads");
    const SearchOptions options = options_for(kind, threads);
    const SearchResult whole = run_once(model, options);
    const Resumed parts = run_in_parts(model, options, kind == Kind::kRounds ? 16 : 1 + whole.states_stored / 4096);
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
  for (const Kind kind : {Kind::kDepth, Kind::kLevels, Kind::kRounds}) {
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
  for (const Kind kind : {Kind::kDepth, Kind::kLevels, Kind::kRounds}) {
    const SearchOptions options = options_for(kind, 1);
    const SearchResult whole = run_once(model, options);
    const Resumed parts =
        run_in_parts(model, options, kind == Kind::kRounds ? 64 : 8, [&](SearchOptions& changed, uint32_t number) {
          changed.threads = 1 + number % 3;
          if (kind == Kind::kRounds) changed.store.sized_for_bytes = uint64_t{4 + 4 * (number % 2)} << 20;
        });
    CHECK(parts.runs > 2);
    check_same(parts.result, whole, kind);
  }
}

TEST_CASE("checkpoint: layouts change on the way") {
  const Model model = compile_file(std::string(CMC_SOURCE_DIR) + "/models/leader/leader.pml", {"N=4"});
  for (const Kind kind : {Kind::kDepth, Kind::kLevels, Kind::kRounds}) {
    SearchOptions options = options_for(kind, 1);
    options.tight_fields = true;
    const SearchResult whole = run_once(model, options);
    check_same(run_in_parts(model, options, 3).result, whole, kind);
  }
}

TEST_CASE("checkpoint: a limit waits for a boundary, but not for ever") {
  TemporaryFolder folder(TemporaryFolder::Where::kMemory);
  const Result<std::unique_ptr<Checkpoints>> run = Checkpoints::create(folder.path() + "/run", RunFile());
  REQUIRE(run.ok());
  SteppedClock clock;
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
