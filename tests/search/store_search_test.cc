#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

#include "checker/generator/wrappers/spin_steps.h"
#include "checker/plain/simple_search.h"
#include "checker/reference/reference.h"
#include "checker/result/replay.h"
#include "checker/search/key_search.h"
#include "checker/vm/generator.h"
#include "ir/effects.h"
#include "storage/files/file_system.h"
#include "storage/options/identities.h"
#include "tests/search/searches.h"
#include "tests/support/ballast.h"
#include "tests/support/compile.h"
#include "tests/support/memory_files.h"
#include "tests/support/model_files.h"
#include "tests/support/part_of_day.h"
#include "tests/support/same_results.h"

#include "tests/catch.h"

// Searches beyond memory against searches in RAM.

namespace cmc::test {
namespace {

using Order = SearchOptions::Order;
constexpr Order kStoreOrders[] = {Order::kAuto, Order::kDepthFirst, Order::kBreadthFirst};

SearchResult run_simple(const Model& model, Order order, uint64_t max_errors = 0) {
  SearchOptions options;
  options.order = order;
  options.max_errors = max_errors;
  return run_search(*make_generator(model), model, options);
}

// A directory of one test's own.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "cmc-store-test-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] std::string path() const { return path_.string(); }
  [[nodiscard]] bool empty() const { return std::filesystem::is_empty(path_); }

 private:
  std::filesystem::path path_;
};

// Another file system behind a lock: those of tests are not thread-safe.
class LockedFiles final : public FileSystem {
 public:
  explicit LockedFiles(FileSystem& files) : files_(files) {}

  Result<std::unique_ptr<File>> open(const std::string& path, Open how, FileAccess access) override {
    const std::lock_guard lock(mutex_);
    auto file = files_.open(path, how, access);
    if (!file.ok()) return Error{file.error()};
    return std::unique_ptr<File>(std::make_unique<LockedFile>(*this, std::move(file).value()));
  }
  Status remove(const std::string& path) override {
    const std::lock_guard lock(mutex_);
    return files_.remove(path);
  }

 private:
  class LockedFile final : public File {
   public:
    LockedFile(LockedFiles& owner, std::unique_ptr<File> file)
        : File(file->path()), owner_(owner), file_(std::move(file)) {}
    Status read(uint64_t offset, std::span<std::byte> buffer) override {
      const std::lock_guard lock(owner_.mutex_);
      return file_->read(offset, buffer);
    }
    Status write(uint64_t offset, ByteView bytes) override {
      const std::lock_guard lock(owner_.mutex_);
      return file_->write(offset, bytes);
    }
    Status truncate(uint64_t size) override {
      const std::lock_guard lock(owner_.mutex_);
      return file_->truncate(size);
    }
    Status close() override {
      const std::lock_guard lock(owner_.mutex_);
      return file_->close();
    }

   private:
    LockedFiles& owner_;
    std::unique_ptr<File> file_;
  };

  FileSystem& files_;
  std::mutex mutex_;
};

// With files that are in memory.
SearchResult run_in_memory(const Model& model, SearchOptions options) {
  MemoryFileSystem memory;
  LockedFiles locked(memory);
  options.store.files = &locked;
  SearchResult result = run_fast(model, options);
  CHECK(memory.all().empty());
  return result;
}

struct Setting {
  PageCodec codec = PageCodec::kKeys;
  Evaluator evaluator = Evaluator::kAge;
  uint32_t threads = 1;
  uint32_t partitions = 2;
  unsigned hashes = 1;
  uint64_t bloom_bits = 1024;
  uint64_t lossy_capacity = 16;
  uint64_t lookup_buffer = 4;
  uint64_t write_buffer_bytes = 1024;
  bool async_io = false;
  Beyond beyond = Beyond::kCached;
};

// In rounds: threads, partitions, states in RAM, candidates of a turn, bytes of candidates in RAM.
constexpr Setting in_rounds(uint32_t threads, uint32_t partitions, uint64_t states, uint64_t candidates,
                            uint64_t bytes) {
  return {PageCodec::kKeys, Evaluator::kAge, threads,     partitions,     1, 1024, states,
          candidates,       bytes,           threads > 2, Beyond::kSorted};
}
constexpr Setting kRoundSettings[] = {in_rounds(1, 2, 16, 8, 256), in_rounds(2, 3, 64, 100, 1024),
                                      in_rounds(3, 1, 1, 1, 1), in_rounds(1, 7, 2000, 5000, 1 << 16),
                                      in_rounds(3, 16, 300, 50, 4096)};

constexpr Setting kSettings[] = {
    {PageCodec::kKeys, Evaluator::kAge, 1, 2, 1},      {PageCodec::kKeys, Evaluator::kCombined, 1, 3, 3},
    {PageCodec::kKeys, Evaluator::kIncoming, 2, 3, 3}, {PageCodec::kKeys, Evaluator::kOutgoing, 3, 3, 1},
    {PageCodec::kRaw, Evaluator::kOutgoing, 1, 3, 3},  {PageCodec::kRaw, Evaluator::kAge, 2, 2, 1},
    {PageCodec::kZlib, Evaluator::kIncoming, 1, 2, 3}, {PageCodec::kZlib, Evaluator::kCombined, 3, 3, 3},
    {PageCodec::kSha1, Evaluator::kAge, 1, 3, 1},      {PageCodec::kSha1, Evaluator::kCombined, 2, 2, 3},
    {PageCodec::kDiff, Evaluator::kAge, 1, 2, 3},      {PageCodec::kDiff, Evaluator::kIncoming, 2, 3, 1},
};

void apply(const Setting& setting, SearchOptions& options) {
  options.threads = setting.threads;
  StoreSettings& store = options.store;
  options.memo_bytes = uint64_t{1} << 20;
  store.codec = setting.codec;
  store.evaluator = setting.evaluator;
  store.partitions = setting.partitions;
  store.bloom_hashes = setting.hashes;
  store.bloom_bits = setting.bloom_bits;
  store.lossy_capacity = setting.lossy_capacity;
  store.lookup_buffer = setting.lookup_buffer;
  store.page_bytes = 512;
  store.write_buffer_bytes = setting.write_buffer_bytes;
  store.sha1_bits = 64;
  store.zlib_level = 1;
  store.async_io = setting.async_io;
  store.beyond = setting.beyond;
}

std::string text_of(const Setting& setting) {
  return fmt::format("codec {}, evaluator {}, {} threads, {} partitions, {} hashes", static_cast<int>(setting.codec),
                     static_cast<int>(setting.evaluator), setting.threads, setting.partitions, setting.hashes);
}

SearchOptions from_start(const Setting& setting, Order order, uint64_t max_errors = 0) {
  SearchOptions options;
  options.order = order;
  options.max_errors = max_errors;
  options.store.from_start = true;
  apply(setting, options);
  return options;
}

std::set<std::string> reason_kinds(const SearchResult& result) {
  std::set<std::string> kinds;
  for (const Reason& reason : result.reasons) kinds.insert(info(reason.kind).name);
  return kinds;
}

void check_figures(const SearchResult& result) {
  REQUIRE(result.statistics.collected);
  REQUIRE(result.statistics.store.has_value());
  const uint64_t asked = result.transitions - result.statistics.asleep_steps;
  CHECK(check_identities(*result.statistics.store, result.states_stored, asked).empty());
  const StoreFigures& store = *result.statistics.store;
  const uint64_t explicit_partitions = result.statistics.explicit_partitions.value();
  CHECK(explicit_partitions >= store.explicit_lookups);
  CHECK(explicit_partitions <= store.explicit_lookups * store.partitions);
  CHECK((result.statistics.disk_wait_seconds.value() > 0 || store.pages_written == 0));
  uint64_t created = 0;
  for (const auto& [bytes, count] : result.statistics.state_sizes) created += count;
  CHECK(created == result.transitions);
}

// Both have seen everything.
void check_equal(const Model& model, const SearchResult& stored, const SearchResult& simple, Order order,
                 bool lossy) {
  CHECK(stored.all_expanded);
  CHECK(stored.states_stored == simple.states_stored);
  CHECK(stored.transitions == simple.transitions);
  CHECK(stored.states_matched == simple.states_matched);
  CHECK(stored.error_count == simple.error_count);
  CHECK(stored.endless_atomic == simple.endless_atomic);
  CHECK(stored.state_bytes_max == simple.state_bytes_max);
  CHECK(errors_of(stored) == errors_of(simple));
  CHECK(stored.locations.reached == simple.locations.reached);
  std::set<std::string> reasons = reason_kinds(simple);
  // Only a search that asked a page can have taken a state for another one.
  const bool asked = lossy && stored.statistics.store->lookups > 0;
  if (asked) reasons.insert("lossy");
  CHECK(reason_kinds(stored) == reasons);
  if (!asked) CHECK(stored.verdict() == simple.verdict());
  if (asked) CHECK(stored.verdict() != Verdict::kHolds);
  if (order == Order::kBreadthFirst) CHECK(stored.depth_reached == simple.depth_reached);
  check_figures(stored);
  check_paths(model, stored);
}

// Every value of x is a content of its own: there are many re-layouts. Levels are wide.
constexpr const char* kManyLayouts =
    "int x; bit y; active proctype P() {\n"
    "do :: x = (x * 5 + 1) % SIZE :: x = (x * 7 + 3) % SIZE :: x = (x + 11) % SIZE\n"
    "   :: d_step { x % 200 == 199 -> assert(x != 599); y = 1 - y } od }\n"
    "active proctype Q() { y == 1 -> assert(x < SIZE - 100) }";

constexpr const char* kChannels =
    "mtype = { a, b }; chan c = [2] of { mtype, byte }; chan d = [0] of { byte };\n"
    "active [2] proctype P() { byte i; do :: i < 3 -> c!a,i; i++ :: i > 0 -> d!i; i-- od }\n"
    "active proctype Q() { byte v; do :: c?a,v :: d?v -> assert(v != 3) od }";

constexpr const char* kProcesses =
    "byte n; proctype C(byte k) { do :: k > 0 -> k-- :: n < 3 -> n++ ; n-- :: break od }\n"
    "active proctype M() { byte i; do :: i < 3 -> atomic { run C(i + 2); i++ } :: _nr_pr == 1 -> break od }";

// Keys get longer than a word, and than two.
std::string relay(unsigned count, unsigned counter) {
  return "byte turn; byte c;\nactive [" + std::to_string(count) +
         "] proctype P() { byte k; byte a[256]; turn == _pid; a[0] = 1; a[0] = 2; a[64] = 1; a[64] = 2;\n"
         "a[128] = 1; a[128] = 2; a[192] = 1; a[192] = 2; turn++; end: false }\n"
         "active proctype C() { end: do :: c < " +
         std::to_string(counter) + " -> c++ od }";
}

void compare(const Model& model, std::span<const Setting> settings) {
  for (const Order order : kStoreOrders) {
    const SearchResult simple = run_simple(model, order);
    for (Setting setting : settings) {
      // Every check reads all pages: larger models take too long with the very least.
      setting.lossy_capacity = std::max(setting.lossy_capacity, simple.states_stored / 10);
      setting.lookup_buffer = std::max(setting.lookup_buffer, simple.states_stored / 30);
      setting.write_buffer_bytes = std::max(setting.write_buffer_bytes, simple.states_stored * 2);
      INFO((order == Order::kDepthFirst ? "depth" : "breadth") << " first, " << text_of(setting));
      const SearchResult stored = run_in_memory(model, from_start(setting, order));
      check_equal(model, stored, simple, order, setting.codec == PageCodec::kSha1);
      if (simple.states_stored < 1000) continue;
      CHECK(stored.statistics.store->pages_written > 0);
      CHECK(stored.statistics.store->pages_read > 0);
    }
  }
}

TEST_CASE("store: a search with tiny caches finds what one in RAM does: wide levels") {
  compare(compile_text(kManyLayouts, {"SIZE=250"}), kSettings);
  compare(compile_text(kManyLayouts, {"SIZE=2500"}), {kSettings + 2, 2});
}
TEST_CASE("store: a search with tiny caches finds what one in RAM does: channels, processes", "[long]") {
  compare(compile_text(kChannels), kSettings);
  compare(compile_text(kProcesses), kSettings);
}
TEST_CASE("store: a search with tiny caches finds what one in RAM does: keys of several words", "[long]") {
  compare(compile_text(relay(6, 5)), kSettings);
  const Setting wide[] = {kSettings[0], kSettings[3], kSettings[4], kSettings[9]};
  compare(compile_text(relay(14, 2)), wide);
  const Setting wider[] = {kSettings[1], kSettings[7]};
  compare(compile_text(relay(28, 0)), wider);
}

TEST_CASE("store: a search with tiny caches finds what one in RAM does: models", "[long]") {
  const PartOfDay part;
  size_t compared = 0;
  size_t next = 0;
  std::set<std::string> seen;
  for (const ModelRun& run : model_runs()) {
    if (run.slow || run.states == 0 || run.states > 400 || !seen.insert(run.name()).second) continue;
    if (!part.has(seen.size())) continue;
    const Model model = compile_file(run.file, run.defines);
    if (reads_hidden_variable(model)) continue;
    INFO(run.name());
    ++compared;
    compare(model, {&kSettings[next++ % std::size(kSettings)], 1});
  }
  if (part.is_whole()) CHECK(compared > 80);
}

TEST_CASE("store: a search with tiny caches finds what one in RAM does: asynchronous input and output") {
  std::vector<Setting> settings(std::begin(kSettings), std::end(kSettings));
  for (Setting& setting : settings) setting.async_io = true;
  compare(compile_text(kManyLayouts, {"SIZE=700"}), settings);
}

TEST_CASE("store: settings that hold everything need no page") {
  const Model model = compile_text(kManyLayouts, {"SIZE=2500"});
  SearchOptions options;
  options.max_errors = 0;
  options.store.from_start = true;
  for (const Order order : kStoreOrders) {
    options.order = order;
    const SearchResult stored = run_fast(model, options);
    check_equal(model, stored, run_simple(model, order), order, false);
    CHECK(stored.statistics.store->reclaimed == 0);
    CHECK(stored.statistics.store->pages_written == 0);
  }
}

// --- rounds

void compare_rounds(const Model& model, std::span<const Setting> settings) {
  const SearchResult simple = run_simple(model, Order::kAuto);
  for (Setting setting : settings) {
    // With the very least each turn reads all pages.
    setting.lookup_buffer = std::max(setting.lookup_buffer, simple.states_stored / 100);
    setting.lossy_capacity = std::max(setting.lossy_capacity, simple.states_stored / 100);
    INFO(text_of(setting));
    const SearchResult stored = run_in_memory(model, from_start(setting, Order::kAuto));
    CHECK(stored.order == UsedOrder::kRounds);
    check_equal(model, stored, simple, Order::kAuto, false);
    const StoreFigures& figures = *stored.statistics.store;
    CHECK(figures.lossy_left + figures.stored_states == stored.states_stored);
    if (simple.states_stored > 10 * setting.lossy_capacity) CHECK(figures.pages_written > 0);
  }
}

TEST_CASE("rounds: a search with tiny parts finds what one in RAM does: small models") {
  compare_rounds(compile_text(kManyLayouts, {"SIZE=250"}), kRoundSettings);
  compare_rounds(compile_text(kManyLayouts, {"SIZE=2500"}), kRoundSettings);
  compare_rounds(compile_text(kChannels), kRoundSettings);
  compare_rounds(compile_text(kProcesses), kRoundSettings);
  compare_rounds(compile_text("active proctype P() { end: false }"), kRoundSettings);
}
TEST_CASE("rounds: a search with tiny parts finds what one in RAM does: keys of several words", "[long]") {
  compare_rounds(compile_text(relay(6, 5)), kRoundSettings);
  compare_rounds(compile_text(relay(14, 2)), kRoundSettings);
  compare_rounds(compile_text(relay(28, 0)), kRoundSettings);
}
TEST_CASE("rounds: a search with tiny parts finds what one in RAM does: models", "[long]") {
  const PartOfDay part;
  std::set<std::string> seen;
  size_t next = 0;
  for (const ModelRun& run : model_runs()) {
    if (run.slow || run.states == 0 || run.states > 5000 || !seen.insert(run.name()).second) continue;
    if (!part.has(seen.size())) continue;
    const Model model = compile_file(run.file, run.defines);
    if (reads_hidden_variable(model)) continue;
    INFO(run.name());
    compare_rounds(model, {&kRoundSettings[next++ % std::size(kRoundSettings)], 1});
  }
}
TEST_CASE("rounds: the paths to errors are rebuilt") {
  for (const Model& model : {compile_text(kManyLayouts, {"SIZE=650"}), compile_text(kChannels)}) {
    for (const Setting& setting : kRoundSettings) {
      const SearchResult stored = run_in_memory(model, from_start(setting, Order::kAuto, 1));
      REQUIRE(stored.errors.size() == 1);
      CHECK(stored.verdict() == Verdict::kViolated);
      CHECK(stored.errors[0].has_path);
      check_paths(model, stored);
    }
  }
}
// --- orders

// A chain of states two steps apart, each with a side branch that ends at once; at the end the assertion fails.
std::string chain(unsigned length) {
  return "int x; bit side; active proctype P() { do :: side == 0 && x < " + std::to_string(length) +
         " -> x++ :: side == 0 -> side = 1 :: side == 1 -> break :: x == " + std::to_string(length) +
         " -> assert(false) od }";
}

SearchOptions tiny_store(Order order, uint32_t threads) {
  SearchOptions options = from_start({PageCodec::kKeys, Evaluator::kAge, threads, 2, 1, 4096, 100, 20, 1024}, order);
  options.memo_bytes = 0;
  return options;
}

TEST_CASE("rounds: a long chain is found to its end") {
  const Model model = compile_text(chain(20000));
  const SearchResult stored = run_in_memory(model, from_start(in_rounds(1, 4, 4000, 4000, 1 << 14), Order::kAuto));
  REQUIRE(stored.error_count == 2);
  CHECK(stored.depth_reached >= 40001);
  check_figures(stored);
}

TEST_CASE("store: depth-first search with the disk is last in, first out") {
  // About 2^20 states; every path ends in a deadlock after some 60 steps. A queue comes there last.
  const Model model = compile_text(
      "byte n; bit v[20]; active proctype P() { do :: n < 20 -> n++ :: n < 20 -> v[n] = 1; n++ :: n == 20 -> break "
      "od; "
      "false }");
  for (const uint32_t threads : {1u, 2u}) {
    SearchOptions options = tiny_store(Order::kDepthFirst, threads);
    options.max_errors = 1;
    const SearchResult result = run_in_memory(model, options);
    REQUIRE(result.error_count == 1);
    CHECK(result.order == UsedOrder::kDepthFirst);
    CHECK(result.states_stored < 3000);
    CHECK(result.depth_reached >= 40);
    check_paths(model, result);
  }
  SearchOptions options = tiny_store(Order::kAuto, 1);
  options.max_errors = 1;
  const SearchResult queue = run_in_memory(model, options);
  CHECK(queue.order == UsedOrder::kOldestFirst);
  CHECK(queue.states_stored > 20000);
}

TEST_CASE("store: the depth that was reached is that of the deepest path, in every order") {
  const Model model = compile_text(chain(3000));
  for (const Order order : kStoreOrders) {
    for (const uint32_t threads : {1u, 3u}) {
      const SearchResult stored = run_in_memory(model, tiny_store(order, threads));
      REQUIRE(stored.error_count == 2);
      // Behind the chain come the side branch and the end of the process.
      CHECK(stored.depth_reached >= 6001);
      CHECK(stored.depth_reached <= 6005);
      CHECK(stored.errors[0].depth >= 6001);
    }
  }
}

TEST_CASE("store: DFS problems are counted depth first only, and need a candidate") {
  const Model model = compile_text(kManyLayouts, {"SIZE=2500"});
  for (const Order order : kStoreOrders) {
    const SearchResult stored = run_in_memory(model, tiny_store(order, 1));
    CHECK((stored.statistics.dfs_problems > 0) == (order == Order::kDepthFirst));
    CHECK(stored.statistics.dfs_problems_real <= stored.statistics.dfs_problems);
    SearchOptions roomy = tiny_store(order, 1);
    roomy.store.lossy_capacity = 100000;
    CHECK(run_in_memory(model, roomy).statistics.dfs_problems == 0);
  }
}

// --- from RAM to the store in mid-search

void compare_switch(const Model& model, std::span<const Setting> settings, uint64_t more_bytes) {
  const Ballast ballast;
  for (const Order order : kStoreOrders) {
    SearchOptions options;
    options.order = order;
    options.max_errors = 0;
    options.threads = 3;
    const SearchResult in_ram = run_fast(model, options);
    CHECK(!in_ram.statistics.store.has_value());
    for (const Setting& setting : settings) {
      INFO((order == Order::kDepthFirst ? "depth" : "breadth") << " first, " << text_of(setting));
      apply(setting, options);
      options.store.enabled = true;
      options.memory_limit_bytes = Ballast::limit_reached() + more_bytes;
      const SearchResult stored = run_fast(model, options);
      INFO("states " << stored.states_stored << " reason " << (stored.reasons.empty() ? "" : stored.reasons[0].text));
      check_equal(model, stored, in_ram, order, setting.codec == PageCodec::kSha1);
      const StoreFigures& figures = *stored.statistics.store;
      CHECK(figures.pages_written > 0);
      const uint64_t offered = stored.transitions - stored.statistics.asleep_steps + 1;
      CHECK((figures.turns > 0 ? figures.lossy_resolved + figures.lookups : figures.bloom_queries) == offered);
      CHECK(stored.states_before_store > 0);
    }
  }
}

constexpr Setting kSmallSettings[] = {
    {PageCodec::kKeys, Evaluator::kAge, 1, 4, 3, 1 << 16, 2000, 200, 1 << 16},
    {PageCodec::kKeys, Evaluator::kCombined, 3, 4, 1, 1 << 16, 2000, 200, 1 << 16},
    {PageCodec::kZlib, Evaluator::kIncoming, 2, 4, 3, 1 << 16, 2000, 200, 1 << 16},
    in_rounds(1, 4, 2000, 200, 1 << 16),
    in_rounds(3, 4, 2000, 2000, 1 << 14),
};

TEST_CASE("store: a search in RAM goes on with the store at the memory limit: errors before and after", "[long]") {
  compare_switch(compile_text(kManyLayouts, {"SIZE=6000"}), kSmallSettings, 0);
}
TEST_CASE("store: a search in RAM goes on with the store at the memory limit: a deep model", "[long]") {
  const std::string peterson = std::string(CMC_SOURCE_DIR) + "/models/peterson/peterson.pml";
  compare_switch(compile_file(peterson, {"N=3"}), kSmallSettings, 0);
}
TEST_CASE("store: a search in RAM goes on with the store at the memory limit: keys of two words", "[long]") {
  compare_switch(compile_text(relay(8, 250)), {kSmallSettings, 2}, 0);
}

// Memory is full before the jobs begin.
TEST_CASE("store: partial-order reduction that pays in later states only comes to be on") {
  const Ballast ballast;
  const Model model = compile_text(kLateJobs);
  SearchOptions options;
  options.max_errors = 0;
  const SearchResult all = run_fast(model, options);
  options.partial_order = true;
  const SearchResult asked = run_fast(model, options);
  CHECK(4 * asked.states_stored < all.states_stored);
  options.only_if_it_pays = true;
  options.store.enabled = true;
  options.store.keep = true;
  options.memory_limit_bytes = Ballast::limit_reached();
  for (const uint32_t threads : {1u, 2u}) {
    INFO(threads);
    options.threads = threads;
    const Folder folder;
    options.store.directory = folder.path();
    const SearchResult later = run_fast(model, options);
    // Nothing of a search that has begun anew.
    const std::filesystem::directory_iterator kept(folder.path());
    CHECK(std::distance(begin(kept), end(kept)) == 1);
    REQUIRE(later.keys);
    // With two threads it depends on them which states are looked at.
    const bool reduces = threads == 1 || later.keys->reduces;
    CHECK(later.keys->reduces == reduces);
    CHECK(later.states_stored == (reduces ? asked : all).states_stored);
    CHECK(later.transitions == (reduces ? asked : all).transitions);
    CHECK(later.error_count >= asked.error_count);  // some were found before
    CHECK(later.verdict() == Verdict::kViolated);
    CHECK(later.states_before_store > 0);
    check_paths(model, later);
  }
}

TEST_CASE("store: a search that must not use the disk stops at the memory limit") {
  const Ballast ballast;
  SearchOptions options;
  options.max_errors = 0;
  options.memory_limit_bytes = Ballast::limit_reached();
  options.store.enabled = false;
  const SearchResult result = run_fast(compile_text(kManyLayouts, {"SIZE=20000"}), options);
  CHECK(!result.all_expanded);
  CHECK(reason_kinds(result) == std::set<std::string>{"memory"});
}

// --- counterexamples

TEST_CASE("store: the paths to errors are rebuilt, the first one breadth-first is shortest") {
  for (const Model& model : {compile_text(kManyLayouts, {"SIZE=650"}), compile_text(kChannels)}) {
    for (const Order order : kStoreOrders) {
      const SearchResult simple = run_simple(model, order, 1);
      REQUIRE(simple.errors.size() == 1);
      for (const Setting& setting : kSettings) {
        INFO((order == Order::kDepthFirst ? "depth" : "breadth") << " first, " << text_of(setting));
        const SearchResult stored = run_in_memory(model, from_start(setting, order, 1));
        REQUIRE(stored.errors.size() == 1);
        CHECK(stored.verdict() == Verdict::kViolated);
        CHECK(!stored.all_expanded);
        CHECK(stored.errors[0].has_path);
        check_paths(model, stored);
        if (order == Order::kBreadthFirst) {
          CHECK(stored.errors[0].depth == simple.errors[0].depth);
          if (setting.threads == 1) CHECK(stored.errors[0].path.size() == simple.errors[0].path.size());
        }
      }
    }
  }
}

TEST_CASE("store: no more errors are kept than were asked for") {
  const Model model = compile_text(kManyLayouts, {"SIZE=2500"});
  for (const Order order : kStoreOrders) {
    for (const uint64_t most : {2u, 5u}) {
      const SearchResult stored = run_in_memory(model, from_start(kSettings[2], order, most));
      CHECK(stored.error_count == most);
      CHECK(stored.transitions == stored.states_stored + stored.states_matched - 1);
      check_paths(model, stored);
    }
  }
}

// --- faults

// Whatever happens to the disk, "holds" is true.
void check_honest(const SearchResult& result, const SearchResult& expected, const std::string& directory) {
  if (result.reasons.empty()) {
    CHECK(result.all_expanded);
    CHECK(result.states_stored == expected.states_stored);
    CHECK(result.transitions == expected.transitions);
    CHECK(result.error_count == expected.error_count);
  } else {
    CHECK(!result.all_expanded);
    CHECK(result.verdict() != Verdict::kHolds);
    REQUIRE(result.reasons.size() == 1);
    CHECK(info(result.reasons[0].kind).name == std::string("store"));
    CHECK(result.reasons[0].text.find(directory) != std::string::npos);
  }
}

// One operation of the file system fails, another one each time. `each`: every kind of fault is noticed at least
// once. `part`: only these operations.
void try_faults(const Model& model, const SearchOptions& plain, const SearchResult& expected, uint64_t steps,
                bool each, const PartOfDay* part = nullptr) {
  const Folder folder;
  SearchOptions options = plain;
  options.store.directory = folder.path();
  uint64_t operations = 0;
  {
    MemoryFileSystem memory;
    FaultyFiles files(memory, Fault::kNoSpace, ~uint64_t{0});
    LockedFiles locked(files);
    options.store.files = &locked;
    const SearchResult result = run_fast(model, options);
    CHECK(result.all_expanded);
    operations = files.operations();
    CHECK(operations > 20);
    CHECK(memory.all().empty());
  }
  uint64_t all_noticed = 0;
  for (const Fault fault : kFaults) {
    uint64_t noticed = 0;
    for (uint64_t i = 0; i < std::min(steps, operations); ++i) {
      if (part != nullptr && !part->has(i)) continue;
      // All, or some at random: what a search does is periodic.
      const uint64_t at = operations <= steps ? i : (i * 0x9e3779b97f4a7c15ULL >> 32) % operations;
      INFO("fault " << static_cast<int>(fault) << " at operation " << at << " of " << operations);
      MemoryFileSystem memory;
      FaultyFiles files(memory, fault, at);
      LockedFiles locked(files);
      options.store.files = &locked;
      const SearchResult result = run_fast(model, options);
      check_honest(result, expected, folder.path());
      if (!files.happened()) CHECK(result.reasons.empty());
      noticed += result.reasons.empty() ? 0 : 1;
    }
    INFO("fault " << static_cast<int>(fault));
    if (each && (part == nullptr || part->is_whole())) CHECK(noticed > 0);
    all_noticed += noticed;
  }
  if (part == nullptr || part->is_whole()) CHECK(all_noticed > 0);
  CHECK(folder.empty());
}

TEST_CASE("store: no fault of the disk leads to a wrong answer: all operations of a small search", "[long]") {
  const Model model = compile_text(
      "byte x, z; active proctype P() {\n"
      "do :: x = (x * 5 + 1) % 53 :: x = (x * 7 + 3) % 53 :: z = (z + 1) % 3 od }");
  const PartOfDay part;
  for (const Order order : kStoreOrders) {
    const SearchResult simple = run_simple(model, order);
    CHECK(simple.verdict() == Verdict::kHolds);
    const PageCodec codec = order == Order::kDepthFirst ? PageCodec::kKeys : PageCodec::kRaw;
    try_faults(model, from_start({codec, Evaluator::kAge, 1, 2, 1, 64, 32, 32}, order), simple, 60, true, &part);
  }
}

TEST_CASE("store: no fault of the disk leads to a wrong answer: threads, errors", "[long]") {
  const Model model = compile_text(kManyLayouts, {"SIZE=200"});
  const PartOfDay part;
  for (const Order order : kStoreOrders) {
    const SearchResult simple = run_simple(model, order);
    CHECK(simple.error_count > 0);
    Setting setting{PageCodec::kKeys, Evaluator::kAge, 3, 3, 3, 256};
    try_faults(model, from_start(setting, order), simple, 10, false, &part);
    setting.async_io = true;
    try_faults(model, from_start(setting, order), simple, 10, false, &part);
  }
}

TEST_CASE("rounds: no fault of the disk leads to a wrong answer", "[long]") {
  const Model model = compile_text(kManyLayouts, {"SIZE=200"});
  const SearchResult simple = run_simple(model, Order::kAuto);
  const PartOfDay part;
  for (const Setting& setting : {in_rounds(1, 2, 16, 50, 256), in_rounds(3, 2, 16, 50, 256)}) {
    try_faults(model, from_start(setting, Order::kAuto), simple, 40, false, &part);
  }
}

// --- the directory

TEST_CASE("store: a directory that cannot be used is a reason") {
  const Folder folder;
  const std::string file = folder.path() + "/file";
  std::ofstream(file) << "x";
  const Model model = compile_text(kChannels);
  for (const Order order : kStoreOrders) {
    for (const std::string& directory : {file, file + "/below", std::string("/proc/nowhere")}) {
      SearchOptions options = from_start(kSettings[0], order);
      options.store.directory = directory;
      const SearchResult result = run_fast(model, options);
      CHECK(result.verdict() == Verdict::kIncomplete);
      REQUIRE(result.reasons.size() == 1);
      CHECK(info(result.reasons[0].kind).name == std::string("store"));
      CHECK(result.reasons[0].text.find(directory) != std::string::npos);
    }
  }
}

TEST_CASE("store: a directory that cannot be used is a reason in mid-search, too") {
  const Ballast ballast;
  const Model model = compile_text(kManyLayouts, {"SIZE=20000"});
  for (const Order order : kStoreOrders) {
    SearchOptions options;
    options.order = order;
    options.max_errors = 0;
    options.threads = 2;
    options.store.enabled = true;
    options.memory_limit_bytes = Ballast::limit_reached();
    options.store.directory = "/proc/nowhere";
    const SearchResult result = run_fast(model, options);
    CHECK(!result.all_expanded);
    CHECK(result.states_stored > 0);
    CHECK(reason_kinds(result) == std::set<std::string>{"store"});
  }
}

TEST_CASE("store: settings that make no sense are a reason") {
  SearchOptions options = from_start(kSettings[0], Order::kDepthFirst);
  options.store.bloom_hashes = 0;
  const SearchResult result = run_fast(compile_text(kChannels), options);
  CHECK(result.verdict() == Verdict::kIncomplete);
  REQUIRE(result.reasons.size() == 1);
  CHECK(info(result.reasons[0].kind).name == std::string("store"));
  CHECK(result.reasons[0].text.find("hash functions") != std::string::npos);
}

TEST_CASE("store: the directory of a run goes, unless it is kept") {
  const Model model = compile_text(kManyLayouts, {"SIZE=300"});
  for (const uint64_t max_errors : {0u, 1u}) {
    const Folder folder;
    SearchOptions options = from_start(kSettings[2], Order::kDepthFirst, max_errors);
    options.store.directory = folder.path() + "/made/for/it";
    static_cast<void>(run_fast(model, options));
    CHECK(folder.empty());
    options.store.keep = true;
    static_cast<void>(run_fast(model, options));
    CHECK(!std::filesystem::is_empty(options.store.directory));
  }
}

}  // namespace
}  // namespace cmc::test
