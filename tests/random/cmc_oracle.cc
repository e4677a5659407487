#include "tests/random/cmc_oracle.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "checker/generator/wrappers/checked.h"
#include "checker/generator/wrappers/dead_variables.h"
#include "checker/generator/wrappers/path_steps.h"
#include "checker/generator/wrappers/spin_steps.h"
#include "checker/plain/simple_search.h"
#include "checker/reference/reference.h"
#include "checker/result/replay.h"
#include "checker/search/key_search.h"
#include "checker/vm/generator.h"
#include "promela/compile.h"
#include "tests/random/child.h"

namespace cmc::random {
namespace {

constexpr size_t kTextBytes = 4000;

// What the child sends.
struct Message {
  CmcResult::Outcome outcome = CmcResult::Outcome::kCrashed;
  uint64_t states = 0;
  uint64_t transitions = 0;
  uint64_t assertion_errors = 0;
  uint64_t all_errors = 0;
  uint64_t runtime_errors = 0;
  uint32_t declined = 0;
  char text[kTextBytes] = {};
};

void set_text(Message& message, const std::string& text) {
  std::memcpy(message.text, text.data(), std::min(text.size(), kTextBytes - 1));
}

// All errors, whatever their order and paths; just how many, if they are not all listed.
std::vector<std::string> sorted_errors(const SearchResult& result) {
  std::vector<std::string> errors{std::to_string(result.error_count)};
  if (result.errors.size() < result.error_count) return errors;
  for (const FoundError& error : result.errors) {
    errors.push_back(std::string(error_kind_name(error.kind)) + " " + error.message + " " +
                     std::to_string(error.place.line));
  }
  std::sort(errors.begin(), errors.end());
  return errors;
}

// Caches and pages so small that most states are looked for on disk.
void make_tiny(StoreSettings& store) {
  store.from_start = true;
  store.bloom_bits = 1024;
  store.bloom_hashes = 2;
  store.lossy_capacity = 32;
  store.evaluator = Evaluator::kCombined;
  store.lookup_buffer = 16;
  store.partitions = 3;
  store.page_bytes = 512;
  store.write_buffer_bytes = 4096;
}

// Compares the fast engine with what the simple one found: both search strategies, one and two threads, a memo so
// small that it forgets all the time, keys whose fields have no room to grow, and a disk store with next to nothing
// in RAM. Counts in `declined` the searches that the fast engine leaves to the simple one.
std::string compare_engines(const Model& model, const SearchResult& expected, uint32_t& declined) {
  struct Configuration {
    const char* name;
    SearchOptions::Order order;
    uint32_t threads;
    uint64_t memo_bytes;
    bool compact;
    bool check;
    bool store = false;
    bool tight_fields = false;
    bool only_by_edges = false;
  };
  using Order = SearchOptions::Order;
  static constexpr Configuration kConfigurations[] = {
      {"checked", Order::kDepthFirst, 1, 0, false, true},
      {"tiny memo", Order::kDepthFirst, 1, 2000, true, false},
      {"two threads", Order::kDepthFirst, 2, 0, true, false},
      {"breadth-first, threads, tiny memo", Order::kBreadthFirst, 2, 4000, false, false},
      {"breadth-first", Order::kBreadthFirst, 1, 0, false, false},
      {"tiny fields", Order::kDepthFirst, 1, 0, false, false, false, true},
      {"breadth-first, two threads, tiny fields", Order::kBreadthFirst, 2, 0, false, false, false, true},
      {"by edges, checked", Order::kDepthFirst, 1, 0, false, true, false, false, true},
      {"by edges, two threads, tiny memo and fields", Order::kBreadthFirst, 2, 4000, false, false, false, true, true},
      {"tiny store, depth-first", Order::kDepthFirst, 1, 0, false, false, true},
      {"tiny store, breadth-first, two threads", Order::kBreadthFirst, 2, 0, false, false, true},
      {"tiny store, two threads, tiny memo and fields", Order::kAuto, 2, 2000, false, false, true, true},
  };
  constexpr uint64_t kMostStoreStates = 2000;  // more take too long
  const auto reference = make_reference_generator(model);
  for (const Configuration& configuration : kConfigurations) {
    if (configuration.store && expected.states_stored > kMostStoreStates) continue;
    SearchOptions options;
    options.max_errors = 0;
    options.max_trails = 3;
    options.max_reported_errors = 1'000'000;
    options.order = configuration.order;
    options.threads = configuration.threads;
    options.memo_bytes = configuration.memo_bytes;
    options.compact_set = configuration.compact;
    options.tight_fields = configuration.tight_fields;
    options.only_by_edges = configuration.only_by_edges;
    if (configuration.store) make_tiny(options.store);
    std::unique_ptr<SuccessorGenerator> checker;
    if (configuration.check) checker = make_reference_generator(model, nullptr, ReferenceSteps::kSpin);
    const std::optional<SearchResult> result = run_key_search(
        model, [&] { return close_atomic_chains(make_vm_generator(model), model); }, options, nullptr, nullptr,
        checker.get());
    if (!result) {
      ++declined;
      continue;
    }
    const std::string name = std::string("fast engine, ") + configuration.name + ": ";
    if (result->states_stored != expected.states_stored || result->transitions != expected.transitions) {
      return name + std::to_string(result->states_stored) + " states, " + std::to_string(result->transitions) +
             " transitions instead of " + std::to_string(expected.states_stored) + ", " +
             std::to_string(expected.transitions);
    }
    if (sorted_errors(*result) != sorted_errors(expected)) return name + "other errors";
    if (result->locations.reached != expected.locations.reached) return name + "other locations reached";
    if (result->endless_atomic != expected.endless_atomic) return name + "other endless atomic sequences";
    if (result->state_bytes_max != expected.state_bytes_max) return name + "another largest state";
    for (const FoundError& error : result->errors) {
      if (!error.has_path) continue;
      if (const std::string failure = verify_error(error, *reference); !failure.empty()) return name + failure;
    }
  }
  return "";
}

// Step mode `path` and dead variables: other counts, but the same errors, reachable by paths that the reference
// interpreter confirms; and the fast engine counts what the simple one does. Where `path` takes too long, it is left
// out: it walks through all local states of a process from each of its states, if they are on cycles.
std::string compare_reductions(const Model& model, const SearchResult& expected, uint32_t& declined) {
  using Make = std::unique_ptr<SuccessorGenerator> (*)(const Model&);
  static constexpr std::pair<const char*, Make> kReductions[] = {
      {"path", [](const Model& m) { return close_local_paths(close_atomic_chains(make_vm_generator(m), m), m); }},
      {"dead variables",
       [](const Model& m) {
         return reset_dead_variables(close_atomic_chains(make_vm_generator(m), m), m, DeadGlobals::kReset);
       }},
      {"both",
       [](const Model& m) {
         return reset_dead_variables(close_local_paths(close_atomic_chains(make_vm_generator(m), m), m), m,
                                     DeadGlobals::kReset);
       }},
  };
  const auto different = [](std::vector<std::string> errors) {
    errors.front() = "";  // how many there are depends on the reduction
    errors.erase(std::unique(errors.begin(), errors.end()), errors.end());
    return errors;
  };
  const auto reference = make_reference_generator(model);
  SearchOptions options;
  options.max_errors = 0;
  options.max_reported_errors = 1'000'000;
  options.max_trails = 3;
  options.threads = 2;
  options.memo_bytes = 4000;
  options.time_limit_seconds = 10;
  for (const auto& [name, make] : kReductions) {
    const auto generator = make(model);
    const SearchResult simple = run_search(*generator, model, options);
    if (!simple.all_expanded) {
      ++declined;
      continue;
    }
    const std::string prefix = std::string("reduction ") + name + ": ";
    // An atomic sequence that never ends is cut differently where its states differ in dead variables.
    const bool listed = expected.errors.size() == expected.error_count && simple.errors.size() == simple.error_count;
    if (listed && expected.endless_atomic == 0 &&
        different(sorted_errors(simple)) != different(sorted_errors(expected))) {
      return prefix + "other errors";
    }
    if (simple.states_stored > expected.states_stored) return prefix + "more states";
    for (const FoundError& error : simple.errors) {
      if (!error.has_path) continue;
      if (const std::string failure = verify_error(error, *reference); !failure.empty()) return prefix + failure;
    }
    for (const bool only_by_edges : {false, true}) {
      options.only_by_edges = only_by_edges;
      const std::optional<SearchResult> fast = run_key_search(
          model, [&model, &make = make] { return make(model); }, options);
      if (!fast || !fast->all_expanded) {
        ++declined;
        continue;
      }
      if (fast->states_stored != simple.states_stored || fast->transitions != simple.transitions ||
          sorted_errors(*fast) != sorted_errors(simple)) {
        return prefix + (only_by_edges ? "by edges: " : "fast engine: ") + std::to_string(fast->states_stored) +
               " states, " + std::to_string(fast->transitions) + " transitions instead of " +
               std::to_string(simple.states_stored) + ", " + std::to_string(simple.transitions);
      }
    }
  }
  return "";
}

// Partial-order reduction: the same different errors, as many deadlocks, the same locations reached; and the same
// counts in every order, with threads and on disk.
std::string compare_partial_order(const Model& model, const SearchResult& expected) {
  if (expected.errors.size() != expected.error_count) return "";
  struct Configuration {
    const char* name;
    SearchOptions::Order order;
    uint32_t threads;
    uint64_t memo_bytes;
    bool store;
    bool tight_fields;
  };
  using Order = SearchOptions::Order;
  static constexpr Configuration kConfigurations[] = {
      {"depth-first", Order::kDepthFirst, 1, 0, false, false},
      {"breadth-first, two threads, tiny memo", Order::kBreadthFirst, 2, 4000, false, false},
      {"depth-first, eight threads, tiny fields", Order::kDepthFirst, 8, 0, false, true},
      {"tiny store", Order::kAuto, 1, 2000, true, true},
  };
  constexpr uint64_t kMostStoreStates = 1000;
  const auto different = [](const SearchResult& result) {
    std::set<std::string> errors;
    for (const FoundError& error : result.errors) {
      if (!error.kind.is_invalid_end_state())
        errors.insert(std::string(error_kind_name(error.kind)) + " " + error.message + " " +
                      std::to_string(error.place.line));
    }
    return errors;
  };
  const auto deadlocks = [](const SearchResult& result) {
    return std::ranges::count_if(result.errors,
                                 [](const FoundError& error) { return error.kind.is_invalid_end_state(); });
  };
  const auto reference = make_reference_generator(model);
  struct Beside {
    const char* name;
    bool merges;
    bool resets;
    bool symmetry;
    SearchOptions::Proviso proviso;
  };
  using Proviso = SearchOptions::Proviso;
  static constexpr Beside kBeside[] = {{"", false, false, false, Proviso::kSticky},
                                       {", merged", true, false, false, Proviso::kSticky},
                                       {", dead variables reset", false, true, false, Proviso::kSticky},
                                       {", as by default", true, true, false, Proviso::kSticky},
                                       {", all", true, true, true, Proviso::kSticky},
                                       {", queue", false, false, false, Proviso::kQueue},
                                       {", only deadlocks", false, false, false, Proviso::kNone}};
  for (const auto& [beside, merges, resets, symmetry, proviso] : kBeside) {
    std::optional<SearchResult> first;
    for (const Configuration& configuration : kConfigurations) {
      if (configuration.store && expected.states_stored > kMostStoreStates) continue;
      SearchOptions options;
      options.partial_order = true;
      options.symmetry = symmetry;
      options.proviso = proviso;
      options.max_errors = 0;
      options.max_trails = 3;
      options.max_reported_errors = 1'000'000;
      options.time_limit_seconds = 10;
      options.order = configuration.order;
      options.threads = configuration.threads;
      options.memo_bytes = configuration.memo_bytes;
      options.tight_fields = configuration.tight_fields;
      if (configuration.store) make_tiny(options.store);
      std::optional<SearchResult> result = run_key_search(
          model,
          [&, merges = merges, resets = resets] {
            auto system = close_atomic_chains(make_vm_generator(model), model);
            if (merges) system = close_local_paths(std::move(system), model);
            return resets ? reset_dead_variables(std::move(system), model, DeadGlobals::kReset) : std::move(system);
          },
          options);
      if (!result || !result->all_expanded) break;
      const std::string name = std::string("partial order") + beside + ": " + configuration.name + ": ";
      if (result->states_stored > expected.states_stored) return name + "more states";
      const bool errors_count = ((!merges && !resets) || expected.endless_atomic == 0) && proviso != Proviso::kNone;
      if (errors_count && different(*result) != different(expected)) return name + "other errors";
      if (!merges && !resets && deadlocks(*result) != deadlocks(expected)) return name + "other deadlocks";
      if ((deadlocks(*result) == 0) != (deadlocks(expected) == 0)) return name + "deadlock or none";
      if (errors_count && result->locations.reached != expected.locations.reached)
        return name + "other locations reached";
      for (const FoundError& error : result->errors) {
        if (!error.has_path) continue;
        if (const std::string failure = verify_error(error, *reference); !failure.empty()) return name + failure;
      }
      if (!first) {
        first = std::move(result);
      } else if (proviso != Proviso::kQueue &&
                 (result->states_stored != first->states_stored || result->transitions != first->transitions)) {
        return name + std::to_string(result->states_stored) + " states, " + std::to_string(result->transitions) +
               " transitions instead of " + std::to_string(first->states_stored) + ", " +
               std::to_string(first->transitions);
      }
    }
  }
  return "";
}

// None: the message says why it is refused.
std::optional<Model> compiled(const std::string& text, Message& message) {
  promela::Sources sources;
  promela::Diagnostics diagnostics(sources);
  const uint32_t file = sources.add("model.pml", text);
  std::optional<Model> model =
      promela::compile(sources, file, promela::CompileOptions{.validate = true}, diagnostics);
  if (!model) {
    message.outcome = CmcResult::Outcome::kRefused;
    set_text(message, diagnostics.render(false));
  }
  return model;
}

Message examine_partial_order(const std::string& text) {
  Message message;
  const std::optional<Model> model = compiled(text, message);
  if (!model) return message;
  SearchOptions options;
  options.max_errors = 0;
  options.max_trails = 0;
  options.max_reported_errors = 1'000'000;
  options.time_limit_seconds = 5;
  const SearchResult result = run_search(*close_atomic_chains(make_vm_generator(*model), *model), *model, options);
  message.states = result.states_stored;
  message.transitions = result.transitions;
  message.outcome = result.all_expanded ? CmcResult::Outcome::kCounted : CmcResult::Outcome::kTooLarge;
  if (!result.all_expanded) return message;
  if (const std::string failure = compare_partial_order(*model, result); !failure.empty()) {
    message.outcome = CmcResult::Outcome::kEnginesDiffer;
    set_text(message, failure);
  }
  return message;
}

Message examine(const std::string& text) {
  Message message;
  const std::optional<Model> model = compiled(text, message);
  if (!model) return message;
  message.outcome = CmcResult::Outcome::kCounted;
  std::string difference;
  const auto note = [&](const std::string& found) {
    if (difference.empty()) difference = found;
  };
  // Each single step, and where atomic sequences end.
  auto steps = make_checked_generator(make_vm_generator(*model), make_reference_generator(*model), note);
  auto checked = make_checked_generator(close_atomic_chains(std::move(steps), *model),
                                        make_reference_generator(*model, nullptr, ReferenceSteps::kSpin), note);
  SearchOptions options;
  options.max_errors = 0;
  options.max_trails = 3;
  options.max_reported_errors = 1'000'000;
  SearchResult result = run_search(*checked, *model, options);
  message.states = result.states_stored;
  message.transitions = result.transitions;
  message.all_errors = result.error_count;
  for (const FoundError& error : result.errors) {
    if (error.kind.is_invalid_end_state()) continue;
    ++message.assertion_errors;
    if (error.kind == ErrorKind{}) continue;
    if (++message.runtime_errors == 1)
      set_text(message, std::string(error_kind_name(error.kind)) + ": " + error.message);
  }
  if (!difference.empty()) {
    message.outcome = CmcResult::Outcome::kGeneratorsDiffer;
    set_text(message, difference);
    return message;
  }
  const auto reference = make_reference_generator(*model);
  for (const FoundError& error : result.errors) {
    if (!error.has_path) continue;
    const std::string failure = verify_error(error, *reference);
    if (failure.empty()) continue;
    message.outcome = CmcResult::Outcome::kReplayFailed;
    set_text(message, failure);
    return message;
  }
  auto plain = close_atomic_chains(make_vm_generator(*model), *model);
  options.order = SearchOptions::Order::kBreadthFirst;
  const SearchResult again = run_search(*plain, *model, options);
  if (again.states_stored != result.states_stored || again.transitions != result.transitions ||
      again.error_count != result.error_count) {
    message.outcome = CmcResult::Outcome::kOrdersDiffer;
    set_text(message, "breadth first: " + std::to_string(again.states_stored) + " states, " +
                          std::to_string(again.transitions) + " transitions, " + std::to_string(again.error_count) +
                          " errors");
    return message;
  }
  if (const std::string failure = compare_engines(*model, result, message.declined); !failure.empty()) {
    message.outcome = CmcResult::Outcome::kEnginesDiffer;
    set_text(message, failure);
  } else if (const std::string other = compare_reductions(*model, result, message.declined); !other.empty()) {
    message.outcome = CmcResult::Outcome::kEnginesDiffer;
    set_text(message, other);
  } else if (const std::string reduced = compare_partial_order(*model, result); !reduced.empty()) {
    message.outcome = CmcResult::Outcome::kEnginesDiffer;
    set_text(message, reduced);
  }
  return message;
}

CmcResult ask_in_child(unsigned cpu_seconds, const std::function<Message()>& examine) {
  CmcResult result;
  Message message;
  const ChildEnd end = run_in_child(
      cpu_seconds, message, [&] { message = examine(); }, result.text);
  if (end != ChildEnd::kAnswered) {
    result.outcome = end == ChildEnd::kTooLate ? CmcResult::Outcome::kTooLarge : CmcResult::Outcome::kCrashed;
    return result;
  }
  result.outcome = message.outcome;
  result.states = message.states;
  result.transitions = message.transitions;
  result.assertion_errors = message.assertion_errors;
  result.all_errors = message.all_errors;
  result.runtime_errors = message.runtime_errors;
  result.declined = message.declined;
  result.text = message.text;
  return result;
}

}  // namespace

const char* outcome_name(CmcResult::Outcome outcome) {
  static const char* kNames[] = {"counted",           "refused",       "too large",     "crashed",
                                 "generators differ", "orders differ", "replay failed", "engines differ"};
  return kNames[static_cast<size_t>(outcome)];
}

CmcResult ask_cmc(const std::string& model, unsigned cpu_seconds) {
  return ask_in_child(cpu_seconds, [&] { return examine(model); });
}

CmcResult ask_cmc_partial_order(const std::string& model, unsigned cpu_seconds) {
  return ask_in_child(cpu_seconds, [&] { return examine_partial_order(model); });
}

}  // namespace cmc::random
