#include "checker/cli/engines.h"

#include <atomic>
#include <cstdlib>

#include <fmt/format.h>

#include "base/clock.h"
#include "base/units.h"
#include "checker/cli/native_code.h"
#include "checker/generator/checked.h"
#include "checker/generator/dead_variables.h"
#include "checker/generator/path_steps.h"
#include "checker/generator/product_generator.h"
#include "checker/generator/spin_steps.h"
#include "checker/keys/stubborn.h"
#include "checker/keys/symmetry.h"
#include "checker/plugin/generator.h"
#include "checker/properties/stuttering.h"
#include "checker/reference/reference.h"
#include "checker/report/report.h"
#include "checker/search/key_search.h"
#include "checker/search/simple_search.h"
#include "checker/vm/generator.h"

namespace cmc {
namespace {

constexpr const char* kStatements = "states inside atomic sequences were asked for (--steps statement)";

ReferenceSteps reference_steps(const Options& options) {
  return options.steps == StepMode::kStatement ? ReferenceSteps::kStatement : ReferenceSteps::kSpin;
}

// The generator of a search, from one whose atomic sequences are followed if need be.
std::unique_ptr<SuccessorGenerator> with_reductions(const Options& options,
                                                    std::unique_ptr<SuccessorGenerator> generator,
                                                    const Model& model) {
  const bool product = model.claim.exists();
  if (merges_steps(options, model)) generator = close_local_paths(std::move(generator), model);
  if (options.reset_dead_variables) generator = reset_dead_variables(std::move(generator), model);
  if (product) generator = make_product_generator(std::move(generator), model);
  return generator;
}

// The same, from one of single statements.
std::unique_ptr<SuccessorGenerator> with_steps(const Options& options, std::unique_ptr<SuccessorGenerator> generator,
                                               const Model& model) {
  if (options.steps != StepMode::kStatement) generator = close_atomic_chains(std::move(generator), model);
  return with_reductions(options, std::move(generator), model);
}

bool uses_plugin(const Session& session, const Model& model) {
  return session.plugin != nullptr && plugin::obstacle(model).empty();
}

// The generators of the fast engine, from one of single statements.
std::unique_ptr<SuccessorGenerator> make_fast_generator(const Session& session, const Model& model,
                                                        std::unique_ptr<SuccessorGenerator> statements) {
  const Options& options = session.options;
  std::unique_ptr<SuccessorGenerator> own = with_steps(options, std::move(statements), model);
  if (!uses_plugin(session, model)) return own;
  plugin::Checks checks;
  checks.all = options.check_generator;
  checks.report = [](const std::string& difference) {
    complain(difference);
    std::_Exit(kExitUsage);  // other threads are in the middle of the search
  };
  return plugin::make_plugin_generator(model, session.plugin, std::move(own), std::move(checks));
}

// The reference interpreter cannot tell what it touches, so the fast engine cannot run with it; it can be checked by
// it. Unless it is, or looks for cycles, the fast engine does not wait for answers about solver guards.
// `cut` counts the states of which the check looked at the first successors only.
SearchResult search_checked(const Session& session, const Model& model, const Decider& decider, SearchOptions search,
                            SearchObserver* observer, std::atomic<uint64_t>& cut, const NativeCode& native) {
  const Options& options = session.options;
  const auto make_steps = [&](GuardDecider* asked) -> std::unique_ptr<SuccessorGenerator> {
    if (options.generator == GeneratorKind::kReference) return make_reference_generator(model, asked);
    return native.make_generator(asked);
  };
  if (options.engine == Engine::kFast && options.generator != GeneratorKind::kReference) {
    std::unique_ptr<SuccessorGenerator> checker;
    if (options.check_generator) {
      checker = with_reductions(
          options, make_reference_generator(model, decider.get(), reference_steps(options), &cut), model);
    }
    GuardDecider* asked = decider.get();
    if (decider.oracle != nullptr && !options.check_generator && !search.find_cycles) {
      asked = &decider.oracle->parking();
      search.pending_guards = decider.oracle.get();
    }
    search.confirm_dead_ends = uses_plugin(session, model);
    search.partial_order = reduces_order(options, model);
    search.only_if_it_pays = !options.reductions_given;
    search.proviso = options.proviso;
    search.symmetry = options.symmetry && !obstacle_to_symmetry(options, model);
    const SystemClock clock;
    const double wall = clock.wall_seconds();
    const double cpu = clock.cpu_seconds();
    std::string reason;
    std::optional<SearchResult> result = run_key_search(
        model, [&] { return make_fast_generator(session, model, make_steps(asked)); }, search, observer, &reason,
        checker.get());
    if (result) {
      if (uses_plugin(session, model) && !options.check_generator) {
        result->reasons.push_back(
            {ReasonKind::kLimit, "the successors are those of a plug-in, which --check-generator did not compare"});
      }
      return std::move(*result);
    }
    if (options.verbosity != Verbosity::kQuiet) {
      complain(fmt::format("the simple engine is used{}, because {}",
                           options.store.from_start ? ", without the disk store" : "", reason));
    }
    search.spent_wall_seconds += clock.wall_seconds() - wall;
    search.spent_cpu_seconds += clock.cpu_seconds() - cpu;
  }
  std::unique_ptr<SuccessorGenerator> generator = make_steps(decider.get());
  if (options.steps != StepMode::kStatement) generator = close_atomic_chains(std::move(generator), model);
  if (options.check_generator) {
    generator = make_checked_generator(
        std::move(generator), make_reference_generator(model, decider.get(), reference_steps(options), &cut));
  }
  generator = with_reductions(options, std::move(generator), model);
  return run_search(*generator, model, search, observer);
}

SearchResult search_with_engine(const Session& session, const Model& model, const Decider& decider,
                                SearchOptions search, SearchObserver* observer) {
  std::atomic<uint64_t> cut{0};
  const NativeCode native(session, model);
  SearchResult result = search_checked(session, model, decider, std::move(search), observer, cut, native);
  native.tell();
  if (cut > 0 && session.options.verbosity != Verbosity::kQuiet) {
    complain(
        fmt::format("{} were checked in part only: the reference interpreter follows the atomic sequences "
                    "after a state for {} states",
                    plural(cut.load(), "expansion"), format_count(kMostReferenceStates)));
  }
  return result;
}

// With what the user is to know if solver guards were left undecided.
SearchResult search_with_decider(const Session& session, const Model& model, const Decider& decider,
                                 const SearchOptions& search, SearchObserver* observer) {
  SearchResult result = search_with_engine(session, model, decider, search, observer);
  if (decider.oracle == nullptr) return result;
  if (session.interrupted && !result.interrupted &&
      decider.oracle->undecided() > 0) {  // that is why they are undecided
    result.interrupted = true;
    result.all_expanded = false;
    result.reasons.insert(result.reasons.begin(),
                          {ReasonKind::kInterrupted, "the search was interrupted while the solver was asked"});
  }
  if (const auto trouble = decider.oracle->trouble(); trouble && decider.oracle->undecided() > 0) {
    result.reasons.insert(result.reasons.begin(), {ReasonKind::kSolver, "the solver does not answer: " + *trouble});
  }
  return result;
}

// The error is there, but its path is lost: the disk store's log of paths is damaged. Looks for an error once more,
// with all states in RAM, and says how that ended.
void search_again_for_path(const Session& session, const Model& model, const Decider& decider,
                           const SearchOptions& search, SearchResult& result) {
  SearchOptions again = search;
  again.store = StoreSettings();
  again.max_errors = 1;
  again.spent_wall_seconds = result.wall_seconds;  // which counts what was spent before
  SearchResult second = search_with_engine(session, model, decider, again, nullptr);
  std::string outcome = "a second search, in RAM only, found no error";
  if (const FoundError* found = shortest_counterexample(second); found != nullptr) {
    const auto known = std::ranges::find_if(result.errors, [&](const FoundError& error) {
      return error.kind == found->kind && error.message == found->message;
    });
    if (known != result.errors.end()) {
      *known = *found;
    } else {
      result.errors.push_back(*found);
      ++result.error_count;
    }
    outcome = "the counterexample is of a second search, in RAM only";
  } else if (!second.reasons.empty()) {
    outcome += ": " + second.reasons.front().text;
  }
  result.reasons.push_back({ReasonKind::kStore, std::move(outcome)});
}

bool has_lost_its_path(const SearchResult& result) {
  return result.error_count > 0 && !result.interrupted && !result.set_aside &&
         shortest_counterexample(result) == nullptr;
}

// What keeps the engine from reductions of its own.
const char* obstacle_to_engine(const Options& options) {
  if (options.check_generator) return "the successors of each state are checked";
  if (options.engine == Engine::kSimple) return "the simple engine has none";
  if (options.generator == GeneratorKind::kReference) return "the reference interpreter does not say what it touches";
  return nullptr;
}

}  // namespace

std::optional<std::string> obstacle_to_symmetry(const Options& options, const Model& model) {
  if (const char* const reason = obstacle_to_engine(options)) return reason;
  if (const char* const reason = Symmetry::obstacle(model)) return reason;
  return std::nullopt;
}

std::optional<std::string> obstacle_to_partial_order(const Options& options, const Model& model) {
  if (options.steps == StepMode::kStatement) return kStatements;
  if (const char* const reason = obstacle_to_engine(options)) return reason;
  if (const char* const reason = StubbornSets::obstacle(model)) return reason;
  return obstacle_to_merged_steps(options, model);
}

std::optional<std::string> obstacle_to_merged_steps(const Options& options, const Model& model) {
  if (options.steps == StepMode::kStatement) return kStatements;
  if (!model.claim.exists()) return std::nullopt;
  if (options.fairness != Fairness::kNone) return "fairness asks for every step";
  return obstacle_to_stuttering(model);
}

bool merges_steps(const Options& options, const Model& model) {
  const bool wanted = options.merge_steps || options.steps == StepMode::kPath;
  return wanted && !obstacle_to_merged_steps(options, model);
}

bool reduces_order(const Options& options, const Model& model) {
  return options.partial_order && !obstacle_to_partial_order(options, model);
}

std::string reductions_on(const Options& options, const Model& model, bool reduces_order) {
  std::string names;
  const auto add = [&](bool used, const char* name) {
    if (used) names += fmt::format("{}{}", names.empty() ? "" : ",", name);
  };
  using Proviso = SearchOptions::Proviso;
  add(reduces_order, options.proviso == Proviso::kNone    ? "por-deadlock"
                     : options.proviso == Proviso::kQueue ? "por-queue"
                                                          : "por");
  add(merges_steps(options, model), "merge");
  add(options.reset_dead_variables, "dead-variables");
  add(options.symmetry && !obstacle_to_symmetry(options, model), "symmetry");
  return names;
}

std::unique_ptr<SuccessorGenerator> make_statement_generator(const Options& options, const Model& model,
                                                             GuardDecider* decider) {
  if (options.generator == GeneratorKind::kReference) return make_reference_generator(model, decider);
  if (options.check_generator)
    return make_checked_generator(make_vm_generator(model, decider), make_reference_generator(model, decider));
  return make_vm_generator(model, decider);
}

std::unique_ptr<SuccessorGenerator> make_unreduced_generator(const Options& options, const Model& model,
                                                             GuardDecider* decider) {
  return with_steps(options, make_statement_generator(options, model, decider), model);
}

std::unique_ptr<SuccessorGenerator> make_path_generator(const Options& options, const Model& model,
                                                        GuardDecider* decider) {
  std::unique_ptr<SuccessorGenerator> generator = make_statement_generator(options, model, decider);
  return model.claim.exists() ? make_product_generator(std::move(generator), model) : std::move(generator);
}

SearchResult search_model(const Session& session, const Model& model, const Decider& decider,
                          const SearchOptions& search, SearchObserver* observer) {
  const Options& options = session.options;
  if (session.plugin != nullptr && !uses_plugin(session, model) && options.verbosity != Verbosity::kQuiet) {
    complain(fmt::format("the plug-in is not used in this search, because {}", plugin::obstacle(model)));
  }
  const auto say = [&](const char* reduction, const std::optional<std::string>& obstacle) {
    if (!obstacle || options.verbosity == Verbosity::kQuiet) return;
    complain(fmt::format("{} off in this search, because {}", reduction, *obstacle));
  };
  const bool asked = options.reductions_given;
  if (asked && options.partial_order) say("partial-order reduction is", obstacle_to_partial_order(options, model));
  if (asked && options.symmetry) say("symmetry reduction is", obstacle_to_symmetry(options, model));
  if ((asked && options.merge_steps) || options.steps == StepMode::kPath)
    say("merging of local steps is", obstacle_to_merged_steps(options, model));
  SearchResult result = search_with_decider(session, model, decider, search, observer);
  if (has_lost_its_path(result)) search_again_for_path(session, model, decider, search, result);
  return result;
}

}  // namespace cmc
