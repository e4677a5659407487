#include "checker/report/logs/search_log.h"

#include <random>

#include <fmt/format.h>

#include "base/files/file.h"
#include "checker/report/logs/log_json.h"
#include "checker/report/logs/store_fields.h"
#include "tests/report/run.h"

#include "tests/catch.h"

namespace cmc {
namespace {

std::string log_of_2006(const char* name) {
  const Result<std::string> text = read_file(std::string(CMC_SOURCE_DIR "/logs/2006/") + name);
  REQUIRE(text.ok());
  return text.value();
}

SearchLog parsed(const std::string& text) {
  const Result<SearchLog> log = parse_log(text);
  if (!log.ok()) FAIL(log.error());
  return log.value();
}

// Figures for which all identities hold.
SearchLog example() {
  SearchLog log;
  log.complete = true;
  log.visited = 1000;
  log.created = 5000;
  log.seconds = 12.4;
  log.max_state_bytes = 48;
  log.statistics.collected = true;
  log.statistics.single_successor = 10;
  log.statistics.dead_ends = 2;
  log.statistics.dfs_problems = 7;
  log.statistics.dfs_problems_real = 3;
  log.statistics.state_sizes = {{40, 4000}, {48, 1000}};
  StoreFigures s;
  s.bloom_hashes = 3;
  s.bloom_bits = 1 << 20;
  s.bloom_bits_set = 2900;
  s.bloom_entries = s.lossy_elements = 1000;
  s.bloom_queries = 5001;
  s.bloom_resolved = 900;
  s.lossy_queries = 4101;
  s.lossy_resolved = 3601;
  s.cache_failures = s.lookups = 500;
  s.reopened = 100;
  s.revisits = 300;
  s.duplicate_candidates = 100;
  s.reclaimed = 900;
  s.reclaim_runs = 9;
  s.lossy_left = 100;
  s.reclaimed_bytes = 900 * 44;
  s.page_bytes = 65536;
  s.partitions = 16;
  log.statistics.store = s;
  return log;
}

TEST_CASE("search log: a log of 2006 is understood and breaks no identity") {
  const SearchLog lunar = parsed(log_of_2006("lunar4.log"));
  CHECK(lunar.complete);
  CHECK(lunar.visited == 8119319);
  CHECK(lunar.created == 8723018);
  CHECK(lunar.seconds == 1917);
  CHECK(lunar.statistics.dfs_problems == 53431);
  CHECK(lunar.statistics.dfs_problems_real == 53);
  CHECK(lunar.statistics.state_sizes.size() == 15);
  CHECK(lunar.statistics.state_sizes.at(596) == 8633222);
  REQUIRE(lunar.statistics.store);
  CHECK(lunar.statistics.store->bloom_bits == uint64_t{1} << 30);
  CHECK(lunar.statistics.store->reopened == 30779);
  CHECK(lunar.statistics.store->duplicate_candidates == 3344);
  CHECK(lunar.statistics.store->lossy_left == 391945);
  CHECK(lunar.statistics.store->partitions == 128);
  CHECK(check_identities(lunar).empty());

  const SearchLog peterson = parsed(log_of_2006("peterson5.log"));
  CHECK(peterson.visited == 68907937);
  CHECK(peterson.statistics.store->duplicate_candidates == 35102091);
  CHECK(check_identities(peterson).empty());
}

TEST_CASE("search log: the 32-bit wrap of 2006 is noticed") {
  const std::vector<std::string> lunar = log_remarks(parsed(log_of_2006("lunar4.log")));
  REQUIRE(lunar.size() == 1);
  CHECK(contains(lunar[0], "wrapped they were 4,601,224,430"));
  const std::vector<std::string> peterson = log_remarks(parsed(log_of_2006("peterson5.log")));
  REQUIRE(peterson.size() == 1);
  CHECK(contains(peterson[0], "are more than 59,871,171 states of 57 to 152 bytes can have"));
  CHECK(log_remarks(example()).empty());
}

TEST_CASE("search log: what is written is read") {
  SearchLog log = example();
  const std::string text = write_log(log);
  CHECK(
      text ==
      "Search complete: visited 1.000 states, created 5.000 states, search time elapsed: 12s, maximum state size 48\n"
      "Search order: dfs\n"
      "10 single successor states, 2 dead ends, 7 DFS problems (3 real)\n"
      "Double caching: 0 explicit lookups\n"
      "Bloom filter, k=3, size 1.048.576: 0 partial collisions\n"
      "2.900 bits set, 1.000 entries, collision rate: 1.03, fill rate: 0.00\n"
      "5.001 queries, 900 resolved\n"
      "Lossy hashing with 1.000 elements; reclaimed 900 elements with 39.600 bytes in 9 runs\n"
      "0 single replacements\n"
      "4.101 queries, 3.601 resolved\n"
      "Cache failures: 500\n"
      "Diskstore: 500 lookups, 0 maximum lookup size, 300 revisits detected\n"
      "0 pages written, 0 pages read, 65.536 pagesize, 16 partitions, 0 lookupbuf\n"
      "State size histogram: 40:4.000, 48:1.000\n");
  const SearchLog again = parsed("cmc says:\n\n" + text + "verdict: holds\n");
  CHECK(write_log(again) == text);
  CHECK(check_identities(again).empty());
  CHECK(again.statistics.store->duplicate_candidates == 100);
  CHECK(again.statistics.store->reopened == 100);

  // The filter of a bitmap that was made anew has other bits set than were asked for.
  log.statistics.store->bloom_hashes = 1;
  log.statistics.store->bloom_rebuilds = 2;
  log.statistics.store->bloom_bits_set = 890;
  const SearchLog rebuilt = parsed(write_log(log));
  CHECK(contains(write_log(log), "\n2 rebuilds for other keys\n"));
  CHECK(rebuilt.statistics.store->bloom_rebuilds == 2);
  CHECK(check_identities(rebuilt).empty());

  log.complete = false;
  log.reasons = {"memory", "undecided"};
  log.statistics.store.reset();
  const std::string cut = write_log(log);
  CHECK(cut.starts_with("Search incomplete (memory, undecided): visited 1.000 states"));
  CHECK(!contains(cut, "Double caching"));
  CHECK(parsed(cut).reasons == log.reasons);
  CHECK(!parsed(cut).complete);
  CHECK(!parsed(cut).statistics.store);
  CHECK(write_log(parsed(cut)) == cut);
}

TEST_CASE("search log: the wait for the disk is kept, where it belongs") {
  SearchLog log = example();
  CHECK(!parsed(log_of_2006("lunar4.log")).statistics.disk_wait_seconds);
  log.statistics.explicit_partitions = 1234;
  log.statistics.disk_wait_seconds = 1.2345;
  const std::string text = write_log(log);
  const std::string line = "Disk wait: 1.235ms; explicit lookups of 1.234 partitions\n";
  REQUIRE(contains(text, "0 lookupbuf\n" + line + "State size"));
  CHECK(parsed(text).statistics.disk_wait_seconds == 1.235);
  CHECK(parsed(text).statistics.explicit_partitions == 1234);
  CHECK(write_log(parsed(text)) == text);
  CHECK(check_identities(parsed(text)).empty());
  const auto with = [&](const std::string& wait) {
    std::string changed = text;
    return changed.replace(changed.find(line), line.size(), wait);
  };
  CHECK(parse_log(with("")).ok());
  CHECK(!parse_log(with(line + line)).ok());
  CHECK(!parse_log(with("Disk wait: long; explicit lookups of 1 partitions\n")).ok());
  CHECK(!parse_log(with("Disk wait: 1.000.000.000.000.001.000ms; explicit lookups of 1 partitions\n")).ok());
  CHECK(parse_log(line + text).ok());  // in front of the log: no part of it
  log.statistics.store.reset();
  CHECK(!contains(write_log(log), "Disk wait"));
}

TEST_CASE("search log: DFS problems are in logs of depth-first order only") {
  SearchLog log = example();
  for (const UsedOrder order : {UsedOrder::kBreadthFirst, UsedOrder::kOldestFirst}) {
    log.order = order;
    log.statistics.dfs_problems = log.statistics.dfs_problems_real = 0;
    const std::string text = write_log(log);
    CHECK(contains(text, fmt::format("Search order: {}\n10 single successor states, 2 dead ends\n",
                                     name_in(kUsedOrderNames, order))));
    CHECK(!contains(text, "DFS"));
    CHECK(write_log(parsed(text)) == text);
    CHECK(parsed(text).order == order);
    CHECK(check_identities(log).empty());
    log.statistics.dfs_problems = 1;
    CHECK(check_identities(log).size() == 1);
    const std::string shape = "2 dead ends";
    CHECK(!parse_log(std::string(text).insert(text.find(shape) + shape.size(), ", 1 DFS problems (0 real)")).ok());
  }
  CHECK(!parse_log("Search complete: visited 1 states, created 0 states, search time elapsed: 0s, maximum state size "
                   "20\nSearch order: random\n")
             .ok());
}

TEST_CASE("search log: created states of sleeping processes were asked of no cache") {
  SearchLog log = example();
  log.created += 700;
  log.statistics.state_sizes[40] += 700;
  CHECK(!check_identities(log).empty());
  log.statistics.asleep_steps = 700;
  CHECK(check_identities(log).empty());
  const std::string text = write_log(log);
  CHECK(contains(text, "\n700 of sleeping processes, not asked for\n"));
  CHECK(write_log(parsed(text)) == text);
  CHECK(check_identities(parsed(text)).empty());
  CHECK(!contains(write_log(example()), "sleeping"));
  log.statistics.asleep_steps = log.created + 1;
  CHECK(!check_identities(log).empty());
}

TEST_CASE("search log: a search that runs has no figures yet") {
  const std::string text = running_log("at noon by process 7");
  CHECK(text == "Search running: begun at noon by process 7\n");
  const SearchLog log = parsed(text);
  CHECK(log.running);
  CHECK(!log.complete);
  CHECK(log.reasons == std::vector<std::string>{"running"});
  const Result<SearchLog> json = parse_any_log(running_json("m.pml", "0123", "at noon"));
  REQUIRE(json.ok());
  CHECK(json.value().running);
  CHECK(!json.value().complete);
}

TEST_CASE("search log: a broken identity is found") {
  CHECK(check_identities(example()).empty());
  const std::vector<std::pair<uint64_t StoreFigures::*, size_t>> cases = {{&StoreFigures::bloom_entries, 1},
                                                                          {&StoreFigures::bloom_queries, 2},
                                                                          {&StoreFigures::bloom_resolved, 2},
                                                                          {&StoreFigures::lossy_elements, 1},
                                                                          {&StoreFigures::lossy_queries, 2},
                                                                          {&StoreFigures::lossy_resolved, 2},
                                                                          {&StoreFigures::lookups, 2},
                                                                          {&StoreFigures::reopened, 2},
                                                                          {&StoreFigures::revisits, 2},
                                                                          {&StoreFigures::reclaimed, 1},
                                                                          {&StoreFigures::lossy_left, 1},
                                                                          {&StoreFigures::cache_failures, 2},
                                                                          {&StoreFigures::duplicate_candidates, 2}};
  for (const auto& [member, broken] : cases) {
    SearchLog log = example();
    ++((*log.statistics.store).*member);
    CHECK(check_identities(log).size() == broken);
  }
  SearchLog log = example();
  log.statistics.state_sizes[40] -= 1;
  const std::vector<BrokenIdentity> broken = check_identities(log);
  REQUIRE(broken.size() == 1);
  CHECK(broken[0].left == "4999");
  CHECK(broken[0].right == "5000");
}

// The same search in sorted rounds.
SearchLog rounds_example() {
  SearchLog log = example();
  log.order = UsedOrder::kRounds;
  log.statistics.dfs_problems = log.statistics.dfs_problems_real = 0;
  log.statistics.asleep_steps = 2000;
  StoreFigures s;
  s.turns = 20;
  s.lossy_resolved = 1;
  s.cache_failures = s.lookups = 3000;
  s.max_lookup = 400;
  s.duplicate_candidates = 700;
  s.revisits = 1300;
  s.seen_in_memory = 800;
  s.reopened = 1000;
  s.stored_states = 900;
  s.lossy_left = 100;
  s.page_bytes = 8192;
  s.partitions = 4;
  log.statistics.store = s;
  return log;
}

TEST_CASE("search log: a log of sorted rounds is written and read") {
  const std::string text = write_log(rounds_example());
  CHECK(
      text ==
      "Search complete: visited 1.000 states, created 5.000 states, search time elapsed: 12s, maximum state size 48\n"
      "Search order: rounds\n"
      "10 single successor states, 2 dead ends\n"
      "2.000 of sleeping processes, not asked for\n"
      "Sorted rounds: 20 turns, 3.000 candidates, 400 at most in a turn\n"
      "1 left out as met lately, 700 twice in a turn, 800 seen in memory, 500 seen on pages, 1.000 new\n"
      "900 states on pages, 100 in memory\n"
      "0 pages written, 0 pages read, 8.192 pagesize, 4 partitions, 0 lookupbuf\n"
      "State size histogram: 40:4.000, 48:1.000\n");
  const SearchLog again = parsed(text);
  CHECK(write_log(again) == text);
  CHECK(check_identities(again).empty());
  CHECK(again.statistics.store->revisits == 1300);
  for (size_t end = text.find("Sorted"); end < text.find("State size"); ++end) {
    const Result<SearchLog> cut = parse_log(text.substr(0, end));
    CHECK(!cut.ok());
  }
}

TEST_CASE("search log: a broken identity of sorted rounds is found") {
  CHECK(check_identities(rounds_example()).empty());
  const std::vector<std::pair<uint64_t StoreFigures::*, size_t>> cases = {
      {&StoreFigures::lossy_resolved, 1}, {&StoreFigures::lookups, 2},  {&StoreFigures::duplicate_candidates, 1},
      {&StoreFigures::revisits, 1},       {&StoreFigures::reopened, 2}, {&StoreFigures::stored_states, 1},
      {&StoreFigures::lossy_left, 1}};
  for (const auto& [member, broken] : cases) {
    SearchLog log = rounds_example();
    ++((*log.statistics.store).*member);
    CHECK(check_identities(log).size() == broken);
  }
  SearchLog cut = rounds_example();
  cut.statistics.store->lossy_resolved = 0;
  CHECK(check_identities(cut).size() == 1);
  cut.complete = false;
  CHECK(check_identities(cut).empty());
}

TEST_CASE("search log: candidates that a cut search leaves break no identity") {
  SearchLog log = example();
  log.complete = false;
  log.reasons = {"time"};
  log.statistics.store->revisits -= 50;
  CHECK(check_identities(log).empty());
  log.complete = true;
  CHECK(check_identities(log).size() == 2);
}

TEST_CASE("search log: figures that a failure of the store left half counted break no identity") {
  SearchLog log = example();
  log.complete = false;
  log.reasons = {"time", "store"};
  log.statistics.store->bloom_queries += 7;
  CHECK(check_identities(log).empty());
  log.reasons = {"time"};
  CHECK(!check_identities(log).empty());
}

TEST_CASE("search log: a mistake is named with its line") {
  const auto expect = [](const std::string& text, const std::string& message) {
    const Result<SearchLog> log = parse_log(text);
    REQUIRE(!log.ok());
    INFO(log.error());
    CHECK(contains(log.error(), message));
  };
  expect("", "the file is empty");
  expect("one\ntwo\n", "line 2: the text ends; expected: 'Search complete: ...'");
  expect("Search complete: nothing\n", "line 1: expected: visited N states, created N states");
  const std::string text = write_log(example());
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string copy = text;
    copy.replace(copy.find(from), from.size(), to);
    return copy;
  };
  expect(changed("Cache failures: 500", "Cache failures: x"), "line 11: expected: Cache failures: N");
  expect(changed("k=3", "k=99999999999"), "line 5: expected: a smaller k");
  expect(changed("40:4.000", "40:4.00"), "line 14: expected: State size histogram");
  expect(changed("48:1", "40:1"), "line 14: expected: each size once");
  expect(changed("0 explicit", "99999999999999999999 explicit"),
         "line 4: expected: Double caching: N explicit lookups");
  expect(text.substr(0, text.find("Cache")), "line 10: the text ends; expected: Cache failures: N");
  expect(changed("elapsed: 12s", "elapsed: 9999999999999999s"), "line 1: expected: a shorter time");
  const std::string header = text.substr(0, text.find('\n') + 1);
  expect(header + header, "line 2: expected: one log only");
}

// Whatever is accepted can be written and checked.
void survive(const std::string& text) {
  const Result<SearchLog> log = parse_any_log(text);
  if (!log.ok()) {
    CHECK(!log.error().empty());
    return;
  }
  static_cast<void>(check_identities(log.value()));
  static_cast<void>(log_remarks(log.value()));
  CHECK(parse_log(write_log(log.value())).ok());
}

TEST_CASE("search log: a truncated log is not taken for a whole one") {
  for (const std::string& text : {log_of_2006("lunar4.log"), log_of_2006("peterson5.log"), write_log(example())}) {
    const std::string whole = write_log(parsed(text));
    const size_t shape = text.find('\n') + 1;
    for (size_t length = 0; length < text.size(); ++length) {
      const std::string cut = text.substr(0, length);
      survive(cut);
      const Result<SearchLog> log = parse_log(cut);
      if (!log.ok() || write_log(log.value()) == whole) continue;
      // Only what breaks off before the figures begin, or in the last number, can be read; the latter does not add
      // up.
      const bool figures = length > text.find("problems");
      INFO(cut);
      CHECK((!figures || !check_identities(log.value()).empty()));
      CHECK((length >= shape || !log.value().statistics.collected));
    }
  }
}

TEST_CASE("search log: a damaged log is an error or a log") {
  std::mt19937 random(2006);  // NOLINT: the same every time
  const std::string alphabet = "0123456789.,:()=%\n \t\r-~Nk\"{}[]\xff";
  SearchResult result;
  result.all_expanded = true;
  const std::vector<std::string> texts = {log_of_2006("lunar4.log"), write_log(example())};
  for (int i = 0; i < 20000; ++i) {
    std::string text = texts[static_cast<size_t>(i) % texts.size()];
    for (uint64_t changes = 1 + random() % 6; changes > 0; --changes) {
      const size_t at = random() % text.size();
      switch (random() % 4) {
        case 0: text[at] = alphabet[random() % alphabet.size()]; break;
        case 1: text.erase(at, 1 + random() % 20); break;
        case 2: text.insert(at, text.substr(random() % text.size(), random() % 30)); break;
        default: text.insert(at, 1, alphabet[random() % alphabet.size()]);
      }
      if (text.empty()) text = " ";
    }
    survive(text);
  }
}

TEST_CASE("search log: every figure of the store has a row") {
  const size_t words = sizeof(StoreFigures) / sizeof(uint64_t);
  CHECK(store_fields().size() >= words);  // two of them have 32 bits and a gap behind, or share a word
  CHECK(store_fields().size() <= words + 2);
  StoreFigures figures;
  uint64_t value = 1;
  for (const StoreField& row : store_fields()) row.member.set(figures, value++);
  value = 1;
  for (const StoreField& row : store_fields()) CHECK(row.member.get(figures) == value++);
}

TEST_CASE("search log: a log in a JSON result is the same as its text") {
  const Model model =
      compile_text("byte x; active [2] proctype P() { do :: x < 3 -> x++ :: x > 0 -> x-- :: break od }\n");
  for (const auto order : {SearchOptions::Order::kDepthFirst, SearchOptions::Order::kBreadthFirst}) {
    SearchOptions options;
    options.order = order;
    SearchResult result = search_model(model, options);
    CHECK(result.statistics.collected);
    CHECK(result.statistics.dead_ends == 256);  // both have ended, for each x
    CHECK(result.statistics.single_successor > 0);
    CHECK(check_identities(make_log(result)).empty());
    result.statistics.store = example().statistics.store;
    result.statistics.explicit_partitions = 17;
    result.statistics.disk_wait_seconds = 0.5;
    const Result<SearchLog> log = parse_any_log(report_json(report_of(model, result)));
    REQUIRE(log.ok());
    CHECK(write_log(log.value()) == write_log(make_log(result)));
    CHECK(contains(write_log(log.value()), "DFS problems") == (order == SearchOptions::Order::kDepthFirst));
    CHECK(log.value().statistics.store->lossy_left == 100);
    CHECK(log.value().statistics.explicit_partitions == 17);
    CHECK(log.value().statistics.disk_wait_seconds == 0.5);
  }
  CHECK(!parse_any_log("{}").ok());
  CHECK(!parse_any_log("{\"schema\": \"cmc.trail/1\"}").ok());
  CHECK(!parse_any_log("[1, 2").ok());
}

TEST_CASE("search log: a damaged JSON result is an error or a log") {
  SearchResult result;
  result.all_expanded = true;
  result.states_stored = 1000;
  result.transitions = 5000;
  result.statistics = example().statistics;
  const Model model = compile_text("active proctype P() { skip }\n");
  const std::string text = report_json(report_of(model, result));
  CHECK(parse_result_log(text).ok());
  for (size_t length = 0; length + 2 < text.size(); ++length) CHECK(!parse_result_log(text.substr(0, length)).ok());
  std::mt19937 random(7);  // NOLINT: the same every time
  for (int i = 0; i < 3000; ++i) {
    std::string copy = text;
    copy[random() % copy.size()] = static_cast<char>(random() % 256);
    copy.erase(random() % copy.size(), random() % 3);
    survive(copy);
  }
}

TEST_CASE("search log: a search that errors or limits cut has a log that says incomplete") {
  const Model model = compile_text("byte x; active proctype P() { do :: x++ :: x == 9 -> assert(false) od }\n");
  const SearchLog log = make_log(search_model(model));
  CHECK(!log.complete);
  CHECK(log.reasons == std::vector<std::string>{"errors"});
  CHECK(write_log(log).starts_with("Search incomplete (errors): visited "));
  CHECK(check_identities(log).empty());
}

}  // namespace
}  // namespace cmc
