#include "checker/check/plan.h"

#include <fmt/format.h>

#include "checker/keyspace/symmetry.h"
#include "checker/plugin/generator.h"
#include "checker/por/stubborn.h"
#include "checker/properties/stuttering.h"

namespace cmc {
namespace {

using Why = std::optional<std::string>;  // none: there is no obstacle

constexpr const char* kStatements = "states inside atomic sequences were asked for (--steps statement)";

Why reason_of(const char* text) { return text == nullptr ? Why() : Why(text); }

// What keeps the engine from reductions of its own.
Why obstacle_to_engine(const CheckRequest& request) {
  if (request.check_generator) return "the successors of each state are checked";
  if (request.engine == Engine::kSimple) return "the simple engine has none";
  if (request.generator == GeneratorKind::kReference) return "the reference interpreter does not say what it touches";
  return std::nullopt;
}

Why obstacle_to_symmetry(const CheckRequest& request, const Model& model) {
  if (Why reason = obstacle_to_engine(request)) return reason;
  return reason_of(Symmetry::obstacle(model));
}

// `of_fair_runs`: to reductions that keep those; null: there is none.
Why obstacle_beside_claim(const CheckRequest& request, const Model& model, const char* of_fair_runs) {
  if (!model.claim.exists()) return std::nullopt;
  if (request.fairness != Fairness::kNone && of_fair_runs != nullptr) return of_fair_runs;
  return obstacle_to_stuttering(model);
}

Why obstacle_to_merged_steps(const CheckRequest& request, const Model& model) {
  if (request.steps == StepMode::kStatement) return kStatements;
  return obstacle_beside_claim(request, model, "fairness asks for every step");
}

Why obstacle_to_partial_order(const CheckRequest& request, const Model& model) {
  if (request.steps == StepMode::kStatement) return kStatements;
  if (Why reason = obstacle_to_engine(request)) return reason;
  if (Why reason = reason_of(StubbornSets::obstacle(model))) return reason;
  return obstacle_beside_claim(request, model, StubbornSets::obstacle_to_fair(model));
}

// A plug-in's steps are those of SPIN, and it does not say which statements they are.
std::optional<std::string> conflict_with_plugin(const CheckRequest& request, std::optional<Overflow> overflow) {
  const bool reduces =
      request.partial_order || request.merge_steps || request.reset_dead_variables || request.symmetry;
  const char* wrong = nullptr;
  if (request.engine == Engine::kSimple) {
    wrong = "does not work with --engine simple";
  } else if (overflow.value_or(Overflow::kIgnored) != Overflow::kIgnored) {
    wrong = "does not say whether values fit; leave out --overflow";
  } else if (request.steps != StepMode::kSpin) {
    wrong = "makes steps as SPIN does; leave out --steps";
  } else if (request.reductions_given && reduces) {
    wrong = "works with --reductions none only, because a plug-in does not say which statements it executes";
  }
  if (wrong == nullptr) return std::nullopt;
  return fmt::format("--generator plugin {}", wrong);
}

const char* conflict_with_profile(const CheckRequest& request) {
  if (runs_simple_engine(request)) {
    return "only the fast engine makes a profile, and it does not search here";
  }
  if (request.partial_order && request.proviso == SearchOptions::Proviso::kQueue) {
    return "with --reductions por-queue, states are expanded twice, which a profile does not tell apart; use "
           "--reductions por";
  }
  return nullptr;
}

// Nested depth-first search keeps all states in RAM, in one order, and counts all runs.
const char* conflict_with_cycles(const CheckRequest& request) {
  if (runs_simple_engine(request)) {
    return "--cycles is for the fast engine; the simple one has its own search for cycles";
  }
  if (request.cycles != CycleAlgorithm::kNdfs) return nullptr;
  if (request.fairness != Fairness::kNone) {
    return "--cycles ndfs does not support fairness; leave out --cycles, or use --cycles hull";
  }
  if (request.store.from_start) {
    return "--cycles ndfs keeps all states in RAM; leave out the options of the disk store, or use --cycles hull";
  }
  if (request.search == SearchOptions::Order::kBreadthFirst) {
    return "--cycles ndfs searches depth first; leave out --search bfs, or use --cycles hull";
  }
  return nullptr;
}

// Sorted rounds have an order of their own, and no caches.
std::optional<std::string> conflict_with_rounds(const CheckRequest& request) {
  if (request.store.beyond != Beyond::kSorted) return std::nullopt;
  const char* other = request.store.only_for_caches();
  if (request.search != SearchOptions::Order::kAuto) other = "--search";
  if (other == nullptr) return std::nullopt;
  return fmt::format("--beyond sorted has no use for {0}; leave out {0}, or use --beyond cached", other);
}

// There are checkpoints of all searches of the fast engine whose states have keys.
std::optional<std::string> conflict_with_checkpoints(const CheckRequest& request) {
  const char* wrong = nullptr;
  if (runs_simple_engine(request)) {
    wrong = "only the fast engine has checkpoints, and it does not search here";
  } else if (request.profile) {
    wrong = "a profile is of one process; leave out the options of the profile";
  } else if (request.store.codec.value_or(PageCodec::kKeys) != PageCodec::kKeys) {
    wrong = "checkpoints have keys, not state vectors or digests; leave out --page-codec, or use --page-codec keys";
  }
  return wrong == nullptr ? std::nullopt : Why(fmt::format("{}: {}", request.saving.option(), wrong));
}

// It has every state, and the successors of each, as the reference interpreter has them.
const char* conflict_with_certificate(const CheckRequest& request) {
  const bool reduces =
      request.partial_order || request.merge_steps || request.reset_dead_variables || request.symmetry;
  if (request.reductions_given && reduces) return "--certificate: it has all states; use --reductions none";
  if (request.steps == StepMode::kPath)
    return "--certificate: --steps path leaves states out; use --steps spin or statement";
  if (request.generator == GeneratorKind::kPlugin) return "--certificate: a plug-in's states have none";
  if (request.cycles != CycleAlgorithm::kAuto || request.fairness != Fairness::kNone)
    return "--certificate: only safety has one; leave out --cycles and --fairness";
  return nullptr;
}

}  // namespace

bool runs_simple_engine(const CheckRequest& request) {
  return request.engine == Engine::kSimple || request.generator == GeneratorKind::kReference;
}

std::optional<std::string> conflict_with_ranks(const CheckRequest& request) {
  const char* wrong = nullptr;
  if (runs_simple_engine(request)) {
    wrong = "only the fast engine searches on several machines; leave out --engine and --generator reference";
  } else if (request.profile) {
    wrong = "a profile is of one process; leave out the options of the profile";
  } else if (request.cycles != CycleAlgorithm::kAuto || request.fairness != Fairness::kNone) {
    wrong = "a search for cycles is on one machine; leave out --cycles and --fairness, and add --property safety";
  } else if (request.search != SearchOptions::Order::kAuto) {
    wrong = "sorted rounds have no other order; leave out --search";
  } else if (request.store.beyond == Beyond::kCached) {
    wrong = "only sorted rounds are on several machines; leave out --beyond";
  } else if (const char* const other = request.store.only_for_caches()) {
    return fmt::format("sorted rounds have no use for {0}; leave out {0}", other);
  }
  return reason_of(wrong);
}

std::optional<std::string> conflict_in(const CheckRequest& request, std::optional<Overflow> overflow) {
  if (request.generator == GeneratorKind::kPlugin) {
    if (auto conflict = conflict_with_plugin(request, overflow)) return conflict;
  }
  if (request.profile) {
    if (const char* const conflict = conflict_with_profile(request)) return conflict;
  }
  if (auto conflict = conflict_with_rounds(request)) return conflict;
  const SavingRequest& saving = request.saving;
  const bool saves_now_and_then = saving.every_seconds != SavingRequest().every_seconds || saving.every_checks > 0;
  if (saving.directory.empty() && saves_now_and_then)
    return "without --checkpoint nothing is saved; leave out how often";
  if (saving.directory.empty() && !saving.mirror.empty())
    return "without --checkpoint nothing is saved; leave out --mirror";
  if (!saving.directory.empty()) {
    if (auto conflict = conflict_with_checkpoints(request)) return conflict;
    if (const char* const conflict = request.saving.certificate ? conflict_with_certificate(request) : nullptr)
      return conflict;
  }
  if (request.cycles == CycleAlgorithm::kAuto) return std::nullopt;
  return reason_of(conflict_with_cycles(request));
}

Plan plan(const CheckRequest& request, const Model& model) {
  Plan plan;
  plan.fast = !runs_simple_engine(request);
  plan.closes_chains = request.steps != StepMode::kStatement;
  plan.proviso = request.proviso;
  const bool plugin = request.generator == GeneratorKind::kPlugin;
  if (plugin) {
    plan.no_plugin = plugin::obstacle(model);
    plan.uses_plugin = plan.no_plugin.empty();
    return plan;  // without reductions: conflict_with_plugin()
  }
  // `wanted` if nothing is in the way; what is in the way of something that was `asked` for is told.
  const auto decide = [&](bool wanted, bool asked, const char* what, const Why& obstacle) {
    if (asked && obstacle) plan.obstacles.push_back({what, *obstacle});
    return wanted && !obstacle;
  };
  const bool given = request.reductions_given;
  const bool path = request.steps == StepMode::kPath;
  plan.partial_order = decide(request.partial_order, given && request.partial_order, "partial-order reduction is",
                              obstacle_to_partial_order(request, model));
  plan.symmetry = decide(request.symmetry, given && request.symmetry, "symmetry reduction is",
                         obstacle_to_symmetry(request, model));
  plan.merges_steps = decide(request.merge_steps || path, (given && request.merge_steps) || path,
                             "merging of local steps is", obstacle_to_merged_steps(request, model));
  plan.resets_dead_variables = request.reset_dead_variables;
  return plan;
}

std::string Plan::reductions(bool reduces_order) const {
  std::string names;
  const auto add = [&](bool used, const char* name) {
    if (used) names += fmt::format("{}{}", names.empty() ? "" : ",", name);
  };
  using Proviso = SearchOptions::Proviso;
  add(reduces_order, proviso == Proviso::kNone ? "por-deadlock" : proviso == Proviso::kQueue ? "por-queue" : "por");
  add(merges_steps, "merge");
  add(resets_dead_variables, "dead-variables");
  add(symmetry, "symmetry");
  return names;
}

}  // namespace cmc
