#pragma once

#include <memory>
#include <ostream>
#include <set>
#include <string>

#include "checker/generator/wrappers/checked.h"
#include "checker/generator/wrappers/spin_steps.h"
#include "checker/plain/simple_search.h"
#include "checker/reference/reference.h"
#include "checker/result/replay.h"
#include "checker/search/key_search.h"
#include "checker/vm/generator.h"
#include "tests/support/compile.h"

#include "tests/catch.h"

// The same model in every engine.

namespace cmc::test {

struct Found {
  uint64_t states = 0;
  uint64_t transitions = 0;
  std::multiset<std::string> errors;
  std::set<std::string> reasons;
  friend bool operator==(const Found&, const Found&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Found& found) {
    out << found.states << " states, " << found.transitions << " transitions";
    for (const std::string& error : found.errors) out << "; " << error;
    for (const std::string& reason : found.reasons) out << "; " << reason;
    return out;
  }
};

inline Found found_in(const SearchResult& result) {
  Found found{result.states_stored, result.transitions, {}, {}};
  for (const FoundError& error : result.errors) {
    found.errors.insert(std::string(error_kind_name(error.kind)) + " at line " + std::to_string(error.place.line));
  }
  for (const Reason& reason : result.reasons) found.reasons.insert(info(reason.kind).name);
  return found;
}

inline Model compile_s(const std::string& text) { return compile_text(text, {"PROMELA_S"}); }

inline std::unique_ptr<SuccessorGenerator> vm_in_spin_steps(const Model& model, GuardDecider* decider) {
  return close_atomic_chains(make_vm_generator(model, decider), model);
}

inline SearchOptions all_errors(SearchOptions::Order order, uint32_t threads) {
  SearchOptions options;
  options.max_errors = 0;
  options.order = order;
  options.threads = threads;
  options.store.enabled = false;
  return options;
}

// Every counterexample is one.
inline void require_confirmed(SearchResult result, const Model& model, GuardDecider* decider) {
  verify_errors(result, *make_reference_generator(model, decider));
  for (const Reason& reason : result.reasons) {
    INFO(reason.text);
    REQUIRE(reason.kind != ReasonKind::kBug);
  }
}

inline Found run_simple(const Model& model, GuardDecider* decider,
                        SearchOptions::Order order = SearchOptions::Order::kDepthFirst) {
  const auto generator = vm_in_spin_steps(model, decider);
  const SearchResult result = run_search(*generator, model, all_errors(order, 1));
  require_confirmed(result, model, decider);
  return found_in(result);
}

inline Found run_fast(const Model& model, GuardDecider* decider, SearchOptions::Order order, uint32_t threads,
                      uint64_t memo_bytes = 0) {
  SearchOptions options = all_errors(order, threads);
  options.memo_bytes = memo_bytes;
  const auto checker = make_reference_generator(model, decider, ReferenceSteps::kSpin);
  const auto result = run_key_search(
      model, [&] { return vm_in_spin_steps(model, decider); }, options, nullptr, nullptr,
      threads == 1 ? checker.get() : nullptr);
  REQUIRE(result.has_value());
  require_confirmed(*result, model, decider);
  return found_in(*result);
}

// The fast engine beside a decider that does not wait. Counterexamples are replayed by one that knows the answers by
// now.
inline Found run_parking(const Model& model, GuardDecider& decider, PendingGuards& guards, SearchOptions options) {
  options.pending_guards = &guards;
  const auto result = run_key_search(
      model, [&] { return vm_in_spin_steps(model, &decider); }, options);
  REQUIRE(result.has_value());
  CHECK((result->all_expanded || options.time_limit_seconds > 0));
  require_confirmed(*result, model, &decider);
  return found_in(*result);
}
inline Found run_parking(const Model& model, GuardDecider& decider, PendingGuards& guards, SearchOptions::Order order,
                         uint32_t threads) {
  return run_parking(model, decider, guards, all_errors(order, threads));
}

// All engines, which have to agree: reference, virtual machine, fast engine with its memo (checked and in threads).
inline Found run_all(const Model& model, GuardDecider* decider = nullptr) {
  using Order = SearchOptions::Order;
  const auto checked = close_atomic_chains(
      make_checked_generator(make_vm_generator(model, decider), make_reference_generator(model, decider)), model);
  const Found found = found_in(run_search(*checked, model, all_errors(Order::kDepthFirst, 1)));
  CHECK(run_simple(model, decider) == found);
  CHECK(run_simple(model, decider, Order::kBreadthFirst) == found);
  CHECK(run_fast(model, decider, Order::kDepthFirst, 1) == found);
  CHECK(run_fast(model, decider, Order::kBreadthFirst, 2) == found);
  CHECK(run_fast(model, decider, Order::kDepthFirst, 2, 1) == found);
  return found;
}

}  // namespace cmc::test
