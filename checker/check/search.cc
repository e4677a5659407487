#include "checker/check/search.h"

#include <algorithm>
#include <atomic>
#include <sstream>

#include <fmt/format.h>

#include "base/clock.h"
#include "base/sha256.h"
#include "base/units.h"
#include "checker/check/native_code.h"
#include "checker/checkpoint/checkpoints.h"
#include "checker/generator/product_generator.h"
#include "checker/generator/wrappers/checked.h"
#include "checker/generator/wrappers/dead_variables.h"
#include "checker/generator/wrappers/path_steps.h"
#include "checker/generator/wrappers/spin_steps.h"
#include "checker/plain/lazy_look.h"
#include "checker/plain/simple_search.h"
#include "checker/plugin/generator.h"
#include "checker/ranks/ranks.h"
#include "checker/reference/reference.h"
#include "checker/report/report.h"
#include "checker/report/style/version.h"
#include "checker/search/key_search.h"
#include "checker/vm/generator.h"
#include "ir/dump.h"

namespace cmc {
namespace {

// The generator of a search, from one whose atomic sequences are followed if need be.
std::unique_ptr<SuccessorGenerator> with_reductions(const Plan& plan, std::unique_ptr<SuccessorGenerator> generator,
                                                    const Model& model, DeadGlobals globals) {
  if (plan.merges_steps) generator = close_local_paths(std::move(generator), model);
  if (plan.resets_dead_variables) generator = reset_dead_variables(std::move(generator), model, globals);
  if (model.claim.exists()) generator = make_product_generator(std::move(generator), model);
  return generator;
}

// The same, from one of single statements.
std::unique_ptr<SuccessorGenerator> with_steps(const Plan& plan, std::unique_ptr<SuccessorGenerator> generator,
                                               const Model& model, DeadGlobals globals) {
  if (plan.closes_chains) generator = close_atomic_chains(std::move(generator), model);
  return with_reductions(plan, std::move(generator), model, globals);
}

// A run that counts for ever closes no cycle.
DeadGlobals dead_globals(const SearchOptions& search) {
  return search.find_cycles ? DeadGlobals::kKept : DeadGlobals::kReset;
}

bool has_lost_its_path(const SearchResult& result) {
  return result.error_count > 0 && !result.interrupted && !result.set_aside &&
         shortest_counterexample(result) == nullptr;
}

// In a log, or on the stack. What goes on beyond memory from states that were found breadth first in RAM has none,
// which its checkpoints say, too.
bool keeps_paths(const SearchOptions& search) {
  const Checkpoints* const run = search.checkpoints;
  return search.store.paths && (run == nullptr || !run->last() || run->last()->has_paths());
}

// The search of one model, or of its product with a claim.
class ModelSearch {
 public:
  ModelSearch(const Surroundings& around, const Model& model, Plan plan)
      : around_(around), request_(around.request), model_(model), plan_(std::move(plan)) {}

  SearchResult run(const SearchOptions& search, SearchObserver* watcher) {
    SearchResult result = search_with_decider(search, watcher);
    // Ranks do it together, or not at all.
    const bool again = search.ranks == nullptr ? has_lost_its_path(result) : search.ranks->goes_again();
    if (again) search_again_for_path(search, result);
    return result;
  }

 private:
  // With what the user is to know if solver guards were left undecided.
  SearchResult search_with_decider(const SearchOptions& search, SearchObserver* watcher) {
    SearchResult result = search_with_engine(search, watcher);
    guards::OracleDecider* const oracle = around_.decider.oracle.get();
    if (oracle == nullptr) return result;
    if (request_.interrupted() && !result.interrupted && oracle->undecided() > 0) {  // that is why they are undecided
      result.interrupted = true;
      result.all_expanded = false;
      result.reasons.insert(result.reasons.begin(),
                            {ReasonKind::kInterrupted, "the search was interrupted while the solver was asked"});
    }
    if (const auto trouble = oracle->trouble(); trouble && oracle->undecided() > 0) {
      result.reasons.insert(result.reasons.begin(), {ReasonKind::kSolver, "the solver does not answer: " + *trouble});
    }
    return result;
  }

  SearchResult search_with_engine(const SearchOptions& search, SearchObserver* watcher) {
    cut_ = 0;
    const NativeCode native(request_, model_);
    SearchResult result = search_checked(search, watcher, native);
    native.tell(around_.observer);
    if (cut_ > 0) {
      note(
          fmt::format("{} were checked in part only: the reference interpreter follows the atomic sequences after a "
                      "state for {} states",
                      plural(cut_.load(), "expansion"), format_count(kMostReferenceStates)));
    }
    return result;
  }

  SearchResult search_checked(SearchOptions search, SearchObserver* watcher, const NativeCode& native) {
    search.closes_chains = plan_.closes_chains;
    if (plan_.fast) {
      const SystemClock clock;
      const double wall = clock.wall_seconds();
      const double cpu = clock.cpu_seconds();
      std::string reason;
      if (auto result = search_fast(search, watcher, native, reason)) return std::move(*result);
      note(fmt::format("the simple engine is used{}, because {}",
                       request_.store.from_start ? ", without the disk store" : "", reason));
      search.spent_wall_seconds += clock.wall_seconds() - wall;
      search.spent_cpu_seconds += clock.cpu_seconds() - cpu;
      if (std::exchange(search.checkpoints, nullptr) != nullptr)
        around_.observer.on_note(Importance::kWarning,
                                 "the search is not saved: the simple engine has no checkpoints");
    }
    std::unique_ptr<SuccessorGenerator> generator = make_steps(native, around_.decider.get());
    if (plan_.closes_chains) generator = close_atomic_chains(std::move(generator), model_);
    if (request_.check_generator) generator = make_checked_generator(std::move(generator), make_checker());
    generator = with_reductions(plan_, std::move(generator), model_, dead_globals(search));
    return run_search(*generator, model_, search, watcher);
  }

  // The reference interpreter cannot tell what it touches, so the fast engine cannot run with it; it can be checked
  // by it. Unless it is, or looks for cycles, the fast engine does not wait for answers about solver guards. None:
  // the engine cannot search this model, with the `reason`.
  std::optional<SearchResult> search_fast(SearchOptions search, SearchObserver* watcher, const NativeCode& native,
                                          std::string& reason) {
    std::unique_ptr<SuccessorGenerator> checker;
    if (request_.check_generator) checker = with_reductions(plan_, make_checker(), model_, dead_globals(search));
    GuardDecider* asked = around_.decider.get();
    if (guards::OracleDecider* const oracle = around_.decider.oracle.get();
        oracle != nullptr && !request_.check_generator && !search.find_cycles) {
      asked = &oracle->parking();
      search.pending_guards = oracle;
    }
    search.confirm_dead_ends = plan_.uses_plugin;
    search.partial_order = plan_.partial_order;
    search.only_if_it_pays = !request_.reductions_given;
    search.proviso = plan_.proviso;
    search.symmetry = plan_.symmetry;
    if (search.ranks != nullptr) search.ranks->set_about(about(search));
    std::optional<LookingTurn> looking;
    if (looks_ahead(search)) {
      search.turn = &looking.emplace(
          *search.turn, [&] { return std::make_unique<LazyLook>(make_vm_generator(model_, asked), model_, search); });
    }
    std::optional<SearchResult> result = run_key_search(
        model_, [&] { return make_fast_generator(make_steps(native, asked), dead_globals(search)); }, search, watcher,
        &reason, checker.get());
    if (looking && result) looking->add_to(*result);
    if (result && plan_.uses_plugin && !request_.check_generator) {
      result->reasons.push_back(
          {ReasonKind::kLimit, "the successors are those of a plug-in, which --check-generator did not compare"});
    }
    return result;
  }

  [[nodiscard]] bool looks_ahead(const SearchOptions& search) const {
    return search.takes_first_errors() && search.turn != nullptr && search.only_if_it_pays && plan_.closes_chains &&
           !plan_.uses_plugin && !request_.check_generator && search.checkpoints == nullptr &&
           search.ranks == nullptr && model_.guards.empty() && !model_.claim.exists() && model_.hidden_bytes == 0;
  }

  // What all ranks of a search have to agree on.
  [[nodiscard]] std::string about(const SearchOptions& search) const {
    std::ostringstream dumped;
    dump(model_, dumped);
    return fmt::format("cmc {}, model {}, steps {}, reductions {}, {} errors, end states {}", kVersion,
                       sha256_hex(dumped.str()), name_in(kStepModeNames, request_.steps),
                       plan_.reductions(plan_.partial_order), search.max_errors, search.check_end_states);
  }

  // The error is there, but not its path: none were kept, or the disk store's log of them is damaged. Looks for an
  // error once more, with paths, or with all states in RAM, and says how that ended.
  void search_again_for_path(const SearchOptions& search, SearchResult& result) {
    SearchOptions again = search;
    // A search for cycles beyond memory finds out that there is one, never its path.
    const bool all_cycles = !result.errors.empty() && std::ranges::all_of(result.errors, [](const FoundError& error) {
      return error.kind.is_cycle();
    });
    const bool in_ram = (keeps_paths(search) || all_cycles) && search.ranks == nullptr;
    if (in_ram) again.store = StoreSettings();
    again.store.paths = true;
    const char* const how = in_ram ? "in RAM only" : "with paths";
    again.checkpoints = nullptr;
    again.resumes = false;
    again.max_errors = 1;
    again.spent_wall_seconds = result.wall_seconds;  // which counts what was spent before
    SearchResult second = search_with_engine(again, nullptr);
    std::string outcome;
    if (const FoundError* found = shortest_counterexample(second); found != nullptr) {
      const auto known = std::ranges::find_if(result.errors, [&](const FoundError& error) {
        return error.kind == found->kind && error.message == found->message;
      });
      if (known != result.errors.end()) {
        *known = *found;
      } else if (search.max_errors > 0 && result.error_count >= search.max_errors) {  // no more are asked for
        result.errors.back() = *found;
      } else {
        result.errors.push_back(*found);
        ++result.error_count;
      }
      outcome = fmt::format("the counterexample is of a second search, {}", how);
      if (!in_ram) return note(outcome);
    } else {
      const std::string end = second.reasons.empty() ? "did not find the error"
                                                     : "ended before the error: " + second.reasons.front().text;
      outcome = fmt::format("there is no counterexample: a second search, {}, {}", how, end);
    }
    result.reasons.push_back({ReasonKind::kStore, std::move(outcome)});
  }

  std::unique_ptr<SuccessorGenerator> make_steps(const NativeCode& native, GuardDecider* asked) const {
    if (request_.generator == GeneratorKind::kReference) return make_reference_generator(model_, asked);
    return native.make_generator(asked);
  }
  // From one of single statements.
  std::unique_ptr<SuccessorGenerator> make_fast_generator(std::unique_ptr<SuccessorGenerator> statements,
                                                          DeadGlobals globals) const {
    std::unique_ptr<SuccessorGenerator> own = with_steps(plan_, std::move(statements), model_, globals);
    if (!plan_.uses_plugin) return own;
    plugin::Checks checks;
    checks.all = request_.check_generator;
    checks.report = [&observer = around_.observer](const std::string& difference) {
      observer.on_wrong_plugin(difference);
    };
    return plugin::make_plugin_generator(model_, around_.plugin, std::move(own), std::move(checks));
  }
  std::unique_ptr<SuccessorGenerator> make_checker() {
    const ReferenceSteps steps = plan_.closes_chains ? ReferenceSteps::kSpin : ReferenceSteps::kStatement;
    return make_reference_generator(model_, around_.decider.get(), steps, &cut_);
  }
  void note(const std::string& text) { around_.observer.on_note(Importance::kNote, text); }

  const Surroundings& around_;
  const CheckRequest& request_;
  const Model& model_;
  const Plan plan_;
  std::atomic<uint64_t> cut_{0};  // states of which the check looked at the first successors only
};

}  // namespace

std::unique_ptr<SuccessorGenerator> make_statement_generator(const CheckRequest& request, const Model& model,
                                                             GuardDecider* decider) {
  if (request.generator == GeneratorKind::kReference) return make_reference_generator(model, decider);
  if (request.check_generator)
    return make_checked_generator(make_vm_generator(model, decider), make_reference_generator(model, decider));
  return make_vm_generator(model, decider);
}

std::unique_ptr<SuccessorGenerator> make_unreduced_generator(const CheckRequest& request, const Model& model,
                                                             GuardDecider* decider) {
  return with_steps(plan(request, model), make_statement_generator(request, model, decider), model,
                    DeadGlobals::kKept);
}

std::unique_ptr<SuccessorGenerator> make_path_generator(const CheckRequest& request, const Model& model,
                                                        GuardDecider* decider) {
  std::unique_ptr<SuccessorGenerator> generator = make_statement_generator(request, model, decider);
  return model.claim.exists() ? make_product_generator(std::move(generator), model) : std::move(generator);
}

SearchResult search_model(const Surroundings& around, const Model& model, const SearchOptions& search,
                          SearchObserver* watcher) {
  Plan planned = plan(around.request, model);
  if (!planned.no_plugin.empty()) {
    around.observer.on_note(Importance::kNote,
                            fmt::format("the plug-in is not used in this search, because {}", planned.no_plugin));
  }
  for (const Obstacle& each : planned.obstacles) around.observer.on_note(Importance::kNote, each.text());
  return ModelSearch(around, model, std::move(planned)).run(search, watcher);
}

}  // namespace cmc
