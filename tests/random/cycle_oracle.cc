#include "tests/random/cycle_oracle.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "base/components.h"
#include "base/process_memory.h"
#include "checker/generator/half_way.h"
#include "checker/generator/product_generator.h"
#include "checker/generator/wrappers/dead_variables.h"
#include "checker/generator/wrappers/path_steps.h"
#include "checker/generator/wrappers/spin_steps.h"
#include "checker/plain/simple_search.h"
#include "checker/properties/properties.h"
#include "checker/properties/restore_runs.h"
#include "checker/properties/stuttering.h"
#include "checker/reference/reference.h"
#include "checker/result/replay.h"
#include "checker/search/key_search.h"
#include "checker/vm/generator.h"
#include "promela/compile.h"
#include "tests/random/child.h"
#include "tests/random/compare.h"
#include "tests/random/random_source.h"
#include "tests/support/products.h"

namespace cmc::random {
namespace {

constexpr size_t kTextBytes = 4000;

struct Message {
  CmcResult::Outcome outcome = CmcResult::Outcome::kCounted;
  uint64_t states = 0;
  uint64_t transitions = 0;
  uint64_t merged_states = 0;
  uint64_t merged_transitions = 0;
  bool assertion = false;
  bool claim_end = false;
  bool runtime_error = false;
  bool cycle = false;
  bool fair_cycle = false;
  bool merged_cycle = false;
  bool false_cycle = false;
  bool closes_in_atomic = false;
  bool timeout_in_atomic = false;
  char text[kTextBytes] = {};
};

void set_text(Message& message, const std::string& text) {
  std::memcpy(message.text, text.data(), std::min(text.size(), kTextBytes - 1));
}

// Whether `timeout` can be true where an atomic sequence begins: with a claim SPIN's stays true in all of it. Or
// whether the claim asks for it where it has one of its own, before each step of which SPIN's is 0 at first.
bool may_begin_atomic_by_timeout(const Model& model) {
  const auto is_atomic = [](const Proctype& proctype) {
    return std::ranges::any_of(proctype.locations, [](const Location& location) {
      return std::ranges::any_of(location.edges, &Edge::atomic);
    });
  };
  if (claim_traits(model).uses_timeout && is_atomic(model.claims[model.claim.claim])) return true;
  return model.uses_timeout && std::ranges::any_of(model.proctypes, is_atomic);
}

std::unique_ptr<SuccessorGenerator> vm_product(const Model& model) {
  return make_product_generator(close_atomic_chains(make_vm_generator(model), model), model);
}

// Whether a cycle has a step of the product that ends with the one behind an accepting location of a process, in the
// middle of an atomic sequence. SPIN's verifier begins no search for cycles there, but its first search looks, where
// it comes upon its own path, whether it had been in an accepting place just before.
bool closes_behind_accepting_middle(const Model& model) {
  const auto accepts_inside = [](const Proctype& proctype) {
    return std::ranges::any_of(proctype.locations, [&](const Location& location) {
      return std::ranges::any_of(
          location.edges, [&](const Edge& edge) { return edge.atomic && proctype.locations[edge.target].accepting; });
    });
  };
  if (std::ranges::none_of(model.proctypes, accepts_inside)) return false;
  const auto ends_behind_accepting = [&](ByteView from, ByteView to, std::span<const Step> path) {
    if (path.size() < 2 || path[path.size() - 2].pid == kNoProcess || path.back().pid == kNoProcess) return false;
    const auto accepts = [&](uint8_t pid, LocationId location) {
      for (const ByteView state : {from, to}) {  // it may have been created on the way
        if (pid >= load<uint8_t>(state.data() + model.process_count_offset())) continue;
        const auto proctype = load<ProctypeId>(frame_of(model, state, pid) + kFrameProctype);
        return model.proctypes[proctype].locations[location].accepting;
      }
      return false;
    };
    const Step& last = path.back();
    return accepts(last.pid, last.location) ||
           (last.partner != kNoProcess && accepts(last.partner, last.partner_location));
  };
  const auto product = vm_product(model);
  std::map<Bytes, uint32_t> numbers;  // of states without what is hidden
  std::deque<Bytes> states;
  std::vector<std::vector<uint32_t>> targets;
  std::vector<std::pair<uint32_t, uint32_t>> closing;
  const auto number_of = [&](ByteView state) {
    const auto number = static_cast<uint32_t>(states.size());
    const auto [at, is_new] = numbers.try_emplace(Bytes(state.begin() + model.hidden_bytes, state.end()), number);
    if (is_new) states.emplace_back(state.begin(), state.end());
    return at->second;
  };
  SuccessorBatch batch;
  product->initial(batch);
  for (const SuccessorBatch::Entry& entry : batch.entries) number_of(batch.state(entry));
  for (uint32_t number = 0; number < states.size(); ++number) {
    batch.clear();
    product->successors(states[number], batch);
    targets.emplace_back();
    for (const SuccessorBatch::Entry& entry : batch.entries) {
      const ByteView target = batch.state(entry);
      const std::span<const Step> path = std::span(batch.steps).subspan(entry.path_begin, entry.path_count);
      targets.back().push_back(number_of(target));
      if (ends_behind_accepting(states[number], target, path)) closing.emplace_back(number, targets.back().back());
    }
  }
  const auto successor = [&](uint32_t node, size_t i) {
    return i < targets[node].size() ? std::optional(targets[node][i]) : std::nullopt;
  };
  const StrongComponents components = strong_components(static_cast<uint32_t>(states.size()), successor);
  return std::ranges::any_of(
      closing, [&](const auto& edge) { return components.of[edge.first] == components.of[edge.second]; });
}

std::unique_ptr<SuccessorGenerator> reference_product(const Model& model) {
  return std::make_unique<test::ProductWithProcesses>(
      make_reference_product(model, nullptr, ReferenceSteps::kSpin),
      make_reference_generator(model, nullptr, ReferenceSteps::kSpin));
}

SearchOptions search_options(Fairness fairness) {
  SearchOptions options;
  options.max_errors = 0;
  options.max_trails = 1'000'000;
  options.max_reported_errors = 1'000'000;
  options.check_end_states = false;
  options.find_cycles = true;
  options.fairness = fairness;
  return options;
}

bool is_cycle(const FoundError& error) { return error.loop_start != FoundError::kNoLoop; }

// Also one whose path is not known yet: the hull on disk finds none.
bool tells_of_cycle(const FoundError& error) {
  return error.kind == ErrorKind::acceptance_cycle() || error.kind == ErrorKind::non_progress_cycle();
}

// What must be equal in all engines. How often there is an error depends on how many moves of the claim lead to it.
struct Summary {
  std::string counts;
  bool cycle = false;
  std::set<std::string> errors;
};

Summary summary(const SearchResult& result) {
  Summary sum;
  for (const FoundError& error : result.errors) {
    sum.cycle = sum.cycle || tells_of_cycle(error);
    if (!tells_of_cycle(error)) sum.errors.insert(error.message + " at " + std::to_string(error.place.line));
  }
  sum.counts =
      std::to_string(result.states_stored) + " states, " + std::to_string(result.transitions) + " transitions";
  return sum;
}

// `stopped`: the one ended where it found a cycle.
std::string difference(const Summary& one, const Summary& other, bool stopped) {
  if (one.cycle != other.cycle) return one.cycle ? "a cycle" : "no cycle";
  if (stopped) return "";
  if (one.counts != other.counts) return one.counts + " instead of " + other.counts;
  for (const std::string& error : one.errors) {
    if (!other.errors.contains(error)) return "new: " + error;
  }
  for (const std::string& error : other.errors) {
    if (!one.errors.contains(error)) return "not: " + error;
  }
  return "";
}

// Another way to search a product. It may decline; a fast one ends where it finds a cycle.
struct Engine {
  const char* name;
  bool fast = false;
  std::function<std::optional<SearchResult>(SearchOptions)> run;
};

// How far the memory limit is from what this process has: below it, reached before the first state, or never.
std::vector<int64_t> draw_distances(const std::string& text) {
  constexpr int kLimits = 2;
  RandomSource random(fingerprint(text));
  std::vector<int64_t> distances;
  for (int i = 0; i < kLimits; ++i) distances.push_back(int64_t{1024} * random.between(-2048, 8192));
  return distances;
}

std::vector<Engine> engines(const Model& model, SuccessorGenerator& vm, SuccessorGenerator& judge,
                            const std::vector<int64_t>& distances) {
  const auto near_limit = [&](uint32_t threads, CycleAlgorithm cycles, int64_t distance) {
    return [&model, threads, cycles, distance](SearchOptions options) -> std::optional<SearchResult> {
      options.threads = threads;
      options.cycles = cycles;
      options.store.enabled = true;
      const int64_t limit = static_cast<int64_t>(resident_bytes()) + distance;
      options.memory_limit_bytes = static_cast<uint64_t>(std::max<int64_t>(limit, 1 << 20));
      std::optional<SearchResult> result = run_key_search(
          model, [&] { return vm_product(model); }, options);
      const bool cut = result && !result->reasons.empty() && std::ranges::none_of(result->errors, tells_of_cycle);
      return cut ? std::nullopt : result;
    };
  };
  const auto fast = [&](uint32_t threads, uint64_t memo_bytes, CycleAlgorithm cycles = CycleAlgorithm::kAuto) {
    return [&model, threads, memo_bytes, cycles](SearchOptions options) -> std::optional<SearchResult> {
      options.threads = threads;
      options.memo_bytes = memo_bytes;
      options.cycles = cycles;
      return run_key_search(
          model, [&] { return vm_product(model); }, options);
    };
  };
  return {
      {"reference product", false, [&](const SearchOptions& options) { return run_search(judge, model, options); }},
      {"breadth first", false,
       [&](SearchOptions options) {
         options.order = SearchOptions::Order::kBreadthFirst;
         return run_search(vm, model, options);
       }},
      {"fast engine", true, fast(1, 0)},
      {"fast engine, two threads, tiny memo", true, fast(2, 4000)},
      {"hull", true, fast(1, 0, CycleAlgorithm::kHull)},
      {"near the memory limit", true, near_limit(1, CycleAlgorithm::kAuto, distances.at(0))},
      {"hull near the memory limit, two threads", true, near_limit(2, CycleAlgorithm::kHull, distances.at(1))}};
}

// Why a lasso of the result is none; empty: it has none, or it is one.
std::string lasso_fault(SuccessorGenerator& judge, const Model& model, const SearchResult& result,
                        Fairness fairness) {
  const auto error = std::ranges::find_if(result.errors, is_cycle);
  return error == result.errors.end() ? "" : test::lasso_fault(judge, model, *error, fairness);
}

// With merged local steps, dead variables reset and steps left out: the same verdict, and paths that are runs in the
// end. Empty: so it is.
std::string reduction_fault(const Model& model, bool violated, Fairness fairness) {
  const bool fair = fairness == Fairness::kWeak;
  const bool stutters = !obstacle_to_stuttering(model);
  const auto reduced = [&] {
    auto system = close_atomic_chains(make_vm_generator(model), model);
    if (stutters && !fair) system = close_local_paths(std::move(system), model);
    return make_product_generator(reset_dead_variables(std::move(system), model), model);
  };
  for (const bool partial_order : {false, true}) {
    if (partial_order && !stutters) break;
    SearchOptions options = search_options(fairness);
    options.partial_order = partial_order;
    options.threads = partial_order ? 1 : 2;
    auto result = run_key_search(model, reduced, options);
    if (!result) return "";
    if ((result->error_count > 0) != violated) return violated ? "reduced: holds" : "reduced: violated";
    restore_runs(*make_product_generator(make_vm_generator(model), model), model, *result);
    const auto bug = std::ranges::find(result->reasons, ReasonKind::kBug, &Reason::kind);
    if (bug != result->reasons.end()) return "reduced: " + bug->text;
    const auto referee = make_referee(model, nullptr);
    for (const FoundError& error : result->errors) {
      const std::string fault = error.has_path ? verify_error(error, *referee, {&model, fairness}) : "";
      if (!fault.empty()) return "reduced: " + fault;
    }
  }
  return "";
}

void examine_product(const Model& model, const std::vector<int64_t>& distances, Message& message) {
  const auto vm = vm_product(model);
  const auto judge = reference_product(model);
  for (const Fairness fairness : {Fairness::kNone, Fairness::kWeak}) {
    const SearchOptions options = search_options(fairness);
    const SearchResult result = run_search(*vm, model, options);
    message.states = result.states_stored;
    message.transitions = result.transitions;
    for (const FoundError& error : result.errors) {
      const bool runtime = error.kind.error_class == ErrorKind::Class::kRuntimeError;
      const bool assertion = runtime && error.kind.runtime == RuntimeErrorKind::kAssertion;
      const bool claim_end = runtime && error.kind.runtime == RuntimeErrorKind::kClaimEnd;
      message.assertion |= assertion;
      message.claim_end |= claim_end;
      if (runtime && !assertion && !claim_end) {
        message.runtime_error = true;
        set_text(message, error.message);
      }
      if (!is_cycle(error)) continue;
      (fairness == Fairness::kNone ? message.cycle : message.fair_cycle) = true;
    }
    if (const std::string fault = lasso_fault(*judge, model, result, fairness); !fault.empty()) {
      message.outcome = CmcResult::Outcome::kReplayFailed;
      return set_text(message, fault);
    }
    for (const Engine& engine : engines(model, *vm, *judge, distances)) {
      const std::optional<SearchResult> other = engine.run(options);
      if (!other) continue;
      const bool cycle = fairness == Fairness::kNone ? message.cycle : message.fair_cycle;
      std::string found = difference(summary(*other), summary(result), engine.fast && cycle);
      message.outcome = CmcResult::Outcome::kEnginesDiffer;
      if (found.empty()) {
        found = lasso_fault(*judge, model, *other, fairness);
        message.outcome = CmcResult::Outcome::kReplayFailed;
      }
      if (!found.empty()) return set_text(message, std::string(engine.name) + ": " + found);
    }
    message.outcome = CmcResult::Outcome::kEnginesDiffer;
    const std::string fault = reduction_fault(model, result.error_count > 0, fairness);
    if (!fault.empty()) return set_text(message, fault);
    message.outcome = CmcResult::Outcome::kCounted;
  }
  const Model merged_model = test::StutterOfSpin::model_of(model);
  test::StutterOfSpin merged(vm_product(model), model);
  SearchOptions options = search_options(Fairness::kNone);
  options.max_trails = 0;
  const SearchResult result = run_search(merged, merged_model, options);
  message.merged_states = result.states_stored;
  message.merged_transitions = result.transitions;
  message.merged_cycle = std::ranges::any_of(result.errors, is_cycle);
  message.false_cycle = model.uses_timeout && merged.false_cycle();
  message.closes_in_atomic = !message.cycle && closes_behind_accepting_middle(model);
  message.timeout_in_atomic = may_begin_atomic_by_timeout(model);
}

// The product that is asked about.
std::optional<Model> product_of(const Model& model, CycleQuestion question) {
  for (const PropertyEntry& entry : properties_of(model)) {
    const bool claim = entry.kind == PropertyKind::kNeverClaim || entry.kind == PropertyKind::kLtl;
    const bool wanted = question == CycleQuestion::kClaim         ? claim
                        : question == CycleQuestion::kNonProgress ? entry.kind == PropertyKind::kNonProgressCycle
                                                                  : entry.kind == PropertyKind::kAcceptanceCycle;
    if (!wanted) continue;
    Result<Model> product = make_product(model, entry);
    if (product.ok()) return std::move(product.value());
  }
  return std::nullopt;
}

Message examine(const std::string& text, CycleQuestion question) {
  Message message;
  promela::Sources sources;
  promela::Diagnostics diagnostics(sources);
  const uint32_t file = sources.add("model.pml", text);
  const std::optional<Model> model =
      promela::compile(sources, file, promela::CompileOptions{.validate = true}, diagnostics);
  const std::optional<Model> product = model ? product_of(*model, question) : std::nullopt;
  if (!product) {
    message.outcome = CmcResult::Outcome::kRefused;
    set_text(message, model ? "there is no product" : diagnostics.render(false));
    return message;
  }
  examine_product(*product, draw_distances(text), message);
  return message;
}

std::string counts(uint64_t states, uint64_t transitions, bool assertion, bool claim_end) {
  return "states=" + std::to_string(states) + " transitions=" + std::to_string(transitions) +
         (assertion ? " assertion" : "") + (claim_end ? " claim-end" : "");
}

}  // namespace

CmcCycles ask_cmc_cycles(const std::string& model, CycleQuestion question, unsigned cpu_seconds) {
  CmcCycles answer;
  Message message;
  const ChildEnd end = run_in_child(
      cpu_seconds, message, [&] { message = examine(model, question); }, answer.text);
  if (end != ChildEnd::kAnswered) {
    answer.outcome = end == ChildEnd::kTooLate ? CmcResult::Outcome::kTooLarge : CmcResult::Outcome::kCrashed;
    return answer;
  }
  answer.outcome = message.outcome;
  answer.states = message.states;
  answer.transitions = message.transitions;
  answer.assertion = message.assertion;
  answer.claim_end = message.claim_end;
  answer.runtime_error = message.runtime_error;
  answer.cycle = message.cycle;
  answer.fair_cycle = message.fair_cycle;
  answer.merged_states = message.merged_states;
  answer.merged_transitions = message.merged_transitions;
  answer.merged_cycle = message.merged_cycle;
  answer.false_cycle = message.false_cycle;
  answer.closes_in_atomic = message.closes_in_atomic;
  answer.timeout_in_atomic = message.timeout_in_atomic;
  answer.text = message.text;
  return answer;
}

std::string disagreement(CycleQuestion question, const SpinCycles& spin, const CmcCycles& cmc,
                         std::vector<std::string>& known) {
  using Outcome = CmcResult::Outcome;
  const bool counted = spin.product.outcome == SpinResult::Outcome::kCounted;
  if (cmc.outcome == Outcome::kRefused || cmc.outcome == Outcome::kTooLarge) {
    return counted ? outcome_name(cmc.outcome) : "";
  }
  if (cmc.outcome != Outcome::kCounted) return outcome_name(cmc.outcome);
  if (!counted) return "";
  if (cmc.runtime_error) return "run-time error only in CMC";
  // Without -l, pan's np_ is always 1: its counts with -DNP are not those of the property.
  if (question == CycleQuestion::kClaim) {
    const bool equal = spin.product.states == cmc.states && spin.product.transitions == cmc.transitions;
    const bool same_states = spin.product.states == cmc.merged_states;
    if (!same_states || spin.product.transitions != cmc.merged_transitions) {
      if (!cmc.timeout_in_atomic) return same_states ? "transitions" : "states";
      known.emplace_back("`timeout` stays true in an atomic sequence");
    } else if (!equal) {
      known.emplace_back(spin.product.states == cmc.states ? "steps counted twice" : "blocked states merged");
    }
  }
  if (spin.assertion != cmc.assertion) return "assertion errors";
  if (spin.claim_end != cmc.claim_end) return "claim end";
  if (spin.cycle && *spin.cycle != cmc.cycle) {
    const bool lost = cmc.cycle && !cmc.merged_cycle;
    const bool false_cycle = !cmc.cycle && (cmc.merged_cycle || cmc.false_cycle);
    const bool of_claim = question != CycleQuestion::kAccept && (lost || false_cycle);
    if (!of_claim && !cmc.closes_in_atomic) return "cycle";
    known.emplace_back(!of_claim ? "false cycle behind an accept label inside an atomic sequence"
                       : lost    ? "cycle lost with blocked states merged"
                                 : "false cycle behind a blocked state");
  }
  if (spin.fair_cycle && *spin.fair_cycle != cmc.fair_cycle) {
    // Under fairness pan takes over the marks that an earlier path left at the depth of a blocked state.
    const bool stale = question == CycleQuestion::kAccept && spin.fair_stutter;
    const bool false_cycle = question != CycleQuestion::kAccept && cmc.false_cycle;
    if (!cmc.fair_cycle && !stale && !false_cycle) return "fair cycle only in SPIN";
    known.emplace_back(cmc.fair_cycle ? "fair cycle, which was followed, only in CMC"
                       : stale        ? "blocked state accepted by a stale mark"
                                      : "false fair cycle behind a blocked state");
  }
  return "";
}

std::string disagreement(const CmcCycles& formula, const CmcCycles& claim, std::vector<std::string>& known) {
  if (claim.outcome != CmcResult::Outcome::kCounted || claim.runtime_error) return "";
  if (formula.outcome != CmcResult::Outcome::kCounted) return outcome_name(formula.outcome);
  const auto violated = [](const CmcCycles& answer, bool cycle) {
    return answer.assertion || answer.claim_end || cycle;
  };
  // SPIN's claim for a formula that is always true can be followed, and then labels of processes count.
  if (formula.transitions == 0 && !violated(formula, formula.cycle) && claim.cycle && !violated(claim, false)) {
    known.emplace_back("accept labels beside a formula that is always true");
    return "";
  }
  if (violated(formula, formula.cycle) != violated(claim, claim.cycle)) return "formula";
  return violated(formula, formula.fair_cycle) == violated(claim, claim.fair_cycle) ? "" : "formula with fairness";
}

std::string describe(const SpinCycles& spin) {
  if (spin.product.outcome != SpinResult::Outcome::kCounted) return describe(spin.product);
  const auto verdict = [](const std::optional<bool>& cycle) { return !cycle ? "unknown" : *cycle ? "yes" : "no"; };
  return counts(spin.product.states, spin.product.transitions, spin.assertion, spin.claim_end) +
         " cycle=" + verdict(spin.cycle) + " fair-cycle=" + verdict(spin.fair_cycle);
}

std::string describe(const CmcCycles& cmc) {
  const std::string text = cmc.text.empty() ? "" : "; " + cmc.text;
  if (cmc.outcome != CmcResult::Outcome::kCounted) return outcome_name(cmc.outcome) + text;
  return counts(cmc.states, cmc.transitions, cmc.assertion, cmc.claim_end) + " cycle=" + (cmc.cycle ? "yes" : "no") +
         " fair-cycle=" + (cmc.fair_cycle ? "yes" : "no") + " merged-states=" + std::to_string(cmc.merged_states) +
         " merged-transitions=" + std::to_string(cmc.merged_transitions) + text;
}

}  // namespace cmc::random
