#include "checker/properties/decide.h"

#include "base/clock.h"
#include "checker/result/turn.h"
#include "tests/support/compile.h"
#include "tests/support/fake_clock.h"

#include "tests/catch.h"

// Which searches decide_properties() asks for, and what it makes of their results. The searches here answer what the
// test wants.

namespace cmc {
namespace {

using test::compile_text;
using test::FakeClock;

constexpr const char* kTwoClaims = R"(
byte x;
active proctype P() { do :: x < 3 -> x++ :: else -> x = 0 od }
never first { do :: x == 5 -> break :: else od }
never second { accept: do :: x == 1 od }
)";

constexpr const char* kTrace = R"(
chan q = [1] of { byte };
active proctype P() { do :: q!1 :: q?1 od }
trace { do :: q!1; q?1 od }
)";

std::vector<PropertyEntry> default_entries(const Model& model) {
  std::vector<PropertyEntry> entries = properties_of(model);
  std::erase_if(entries, [](const PropertyEntry& entry) { return !entry.by_default; });
  return entries;
}

FoundError error_of(RuntimeErrorKind kind) {
  FoundError error;
  error.kind = ErrorKind{{}, kind};
  error.message = "wrong";
  return error;
}

// A search that found everything, or stopped at these errors.
SearchResult result_with(std::vector<FoundError> errors, bool all_expanded) {
  SearchResult result;
  result.error_count = errors.size();
  result.errors = std::move(errors);
  result.all_expanded = all_expanded;
  result.states_stored = 1;
  return result;
}

TEST_CASE("decide: a property is searched with its own options") {
  const Model model = compile_text(kTwoClaims);
  std::vector<std::string> searched;
  SearchOptions options;
  options.fairness = Fairness::kWeak;
  const auto results =
      decide_properties(model, default_entries(model), options,
                        [&](const PropertyEntry& entry, const Model& product, const SearchOptions& each) {
                          searched.push_back(entry.name);
                          const bool safety = entry.kind == PropertyKind::kSafety;
                          CHECK(product.claim.exists() != safety);
                          CHECK(each.check_end_states == safety);
                          CHECK(each.only_observers != safety);
                          CHECK(each.find_cycles == (entry.name == "second"));
                          CHECK((each.fairness == Fairness::kWeak) == (entry.name == "second"));
                          CHECK(product.properties.size() == (safety ? 0 : 1));
                          return result_with({}, true);
                        });
  CHECK(searched == std::vector<std::string>{"safety", "first", "second"});
  REQUIRE(results.size() == 3);
  CHECK(results[1].fairness == Fairness::kNone);
  CHECK(results[2].fairness == Fairness::kWeak);
  CHECK(worst_verdict(results) == Verdict::kHolds);
}

TEST_CASE("decide: limits in time are for all searches together") {
  const Model model = compile_text(kTwoClaims);
  FakeClock clock;
  SearchOptions options;
  options.clock = &clock;
  options.time_limit_seconds = 5;
  size_t searches = 0;
  const auto results = decide_properties(model, default_entries(model), options,
                                         [&](const PropertyEntry&, const Model&, const SearchOptions&) {
                                           ++searches;
                                           clock.now += 3;
                                           SearchResult result = result_with({}, true);
                                           result.wall_seconds = 3;
                                           return result;
                                         });
  CHECK(searches == 2);
  CHECK(results[1].result.wall_seconds == 3);
  CHECK(results[2].result.verdict() == Verdict::kIncomplete);
  CHECK(results[2].result.reasons.at(0).kind == ReasonKind::kTime);
  CHECK(results[2].result.wall_seconds == 0);
  CHECK(worst_verdict(results) == Verdict::kIncomplete);
}

TEST_CASE("decide: no property waits for the search of another one, and each is told at once") {
  const Model model = compile_text(kTwoClaims);
  FakeClock clock;
  SearchOptions options;
  options.clock = &clock;
  std::vector<std::string> told;
  const auto results = decide_properties(
      model, default_entries(model), options,
      [&](const PropertyEntry& entry, const Model&, const SearchOptions& each) {
        if (entry.name != "safety") return result_with({error_of(RuntimeErrorKind::kClaimEnd)}, false);
        for (int i = 0; i < 1000; ++i) {
          clock.now += 1;
          if (each.turn->is_over()) each.turn->wait();
        }
        return result_with({}, true);
      },
      [&](const PropertyResult& decided) { told.push_back(decided.entry.name); });
  CHECK(told == std::vector<std::string>{"first", "second", "safety"});
  CHECK(results[0].entry.name == "safety");
  CHECK(results[1].result.verdict() == Verdict::kViolated);
}

TEST_CASE("decide: a search that was set aside begins anew") {
  const Model model = compile_text(kTwoClaims);
  int begun = 0;
  const auto results = decide_properties(model, default_entries(model), {},
                                         [&](const PropertyEntry& entry, const Model&, const SearchOptions&) {
                                           if (entry.name != "first" || ++begun > 1) return result_with({}, true);
                                           SearchResult result;
                                           result.set_aside = true;
                                           result.reasons.push_back({ReasonKind::kMemory, "set aside"});
                                           return result;
                                         });
  CHECK(begun == 2);
  CHECK(worst_verdict(results) == Verdict::kHolds);
}

TEST_CASE("decide: a search without a proof of completeness does not hold") {
  SearchResult result;
  CHECK(result.verdict() == Verdict::kIncomplete);
  result.all_expanded = true;
  CHECK(result.verdict() == Verdict::kHolds);
}

TEST_CASE("decide: no search begins after an interrupt") {
  const Model model = compile_text(kTwoClaims);
  std::atomic<bool> interrupt = false;
  SearchOptions options;
  options.interrupt = &interrupt;
  const auto results = decide_properties(model, default_entries(model), options,
                                         [&](const PropertyEntry& entry, const Model&, const SearchOptions&) {
                                           CHECK(entry.name == "safety");
                                           interrupt = true;
                                           return result_with({error_of(RuntimeErrorKind::kAssertion)}, false);
                                         });
  CHECK(results[0].result.verdict() == Verdict::kViolated);
  CHECK(results[1].result.interrupted);
  CHECK(results[2].result.reasons.at(0).kind == ReasonKind::kInterrupted);
  CHECK(worst_verdict(results) == Verdict::kViolated);
}

TEST_CASE("decide: safety and a trace share a search, and each has its own errors") {
  const Model model = compile_text(kTrace);
  size_t searches = 0;
  SECTION("both are violated") {
    const auto results = decide_properties(
        model, default_entries(model), {},
        [&](const PropertyEntry& entry, const Model& product, const SearchOptions& options) {
          ++searches;
          CHECK(entry.kind == PropertyKind::kSafety);
          CHECK(product.trace.exists());
          CHECK(!options.only_observers);
          return result_with({error_of(RuntimeErrorKind::kAssertion), error_of(RuntimeErrorKind::kTraceMismatch),
                              error_of(RuntimeErrorKind::kDivisionByZero)},
                             true);
        });
    CHECK(searches == 1);
    REQUIRE(results.size() == 2);
    CHECK(results[0].result.errors.size() == 2);
    CHECK(results[0].result.error_count == 2);
    CHECK(results[1].result.error_count == 1);
    CHECK(results[1].result.errors.at(0).kind.runtime == RuntimeErrorKind::kTraceMismatch);
    CHECK(results[1].result.verdict() == Verdict::kViolated);
  }
  SECTION("an error of safety leaves the trace open") {
    const auto results =
        decide_properties(model, default_entries(model), {},
                          [&](const PropertyEntry& entry, const Model& product, const SearchOptions& options) {
                            CHECK(product.trace.exists());
                            if (++searches == 1) return result_with({error_of(RuntimeErrorKind::kAssertion)}, false);
                            CHECK(entry.kind == PropertyKind::kTrace);
                            CHECK(options.only_observers);
                            return result_with({}, true);
                          });
    CHECK(searches == 2);
    CHECK(results[0].result.verdict() == Verdict::kViolated);
    CHECK(results[1].result.verdict() == Verdict::kHolds);
  }
  SECTION("an error of the trace is told before the search for safety goes on") {
    std::vector<std::string> told;
    const auto results = decide_properties(
        model, default_entries(model), {},
        [&](const PropertyEntry& entry, const Model&, const SearchOptions&) {
          CHECK(entry.kind == PropertyKind::kSafety);
          if (++searches == 1) return result_with({error_of(RuntimeErrorKind::kTraceMismatch)}, false);
          CHECK(told == std::vector<std::string>{"trace"});
          return result_with({}, true);
        },
        [&](const PropertyResult& result) { told.push_back(result.entry.name); });
    CHECK(searches == 2);
    CHECK(told == std::vector<std::string>{"trace", "safety"});
    CHECK(results[0].result.verdict() == Verdict::kHolds);
    CHECK(results[1].result.verdict() == Verdict::kViolated);
  }
  SECTION("a limit leaves both open") {
    const auto results = decide_properties(model, default_entries(model), {},
                                           [&](const PropertyEntry&, const Model&, const SearchOptions&) {
                                             ++searches;
                                             SearchResult result = result_with({}, false);
                                             result.reasons.push_back({ReasonKind::kMemory, "full"});
                                             return result;
                                           });
    CHECK(searches == 1);
    CHECK(results[0].result.verdict() == Verdict::kIncomplete);
    CHECK(results[1].result.verdict() == Verdict::kIncomplete);
  }
}

TEST_CASE("decide: an error of the processes is named even if nobody asked for safety") {
  const Model model = compile_text(kTwoClaims);
  const auto search = [](const PropertyEntry&, const Model&, const SearchOptions& options) {
    SearchResult result = result_with({}, true);
    if (options.only_observers) result.process_error = error_of(RuntimeErrorKind::kAssertion);
    return result;
  };
  std::vector<PropertyEntry> entries = default_entries(model);
  const auto mentions = [](const PropertyResult& result) {
    return std::ranges::any_of(result.warnings, [](const std::string& warning) {
      return warning.find("the property 'safety' is about that") != std::string::npos;
    });
  };
  CHECK(!mentions(decide_properties(model, entries, {}, search).at(1)));
  entries.erase(entries.begin());
  CHECK(mentions(decide_properties(model, entries, {}, search).at(0)));
}

}  // namespace
}  // namespace cmc
