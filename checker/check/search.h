#pragma once

#include <memory>

#include "checker/check/decider.h"
#include "checker/check/observer.h"
#include "checker/check/plan.h"
#include "checker/check/request.h"
#include "checker/generator/generator.h"
#include "checker/plugin/library.h"
#include "checker/result/progress.h"
#include "checker/result/result.h"

namespace cmc {

// What the searches of a check have in common. All of it lives longer than they do.
struct Surroundings {
  const CheckRequest& request;
  const Decider& decider;
  CheckObserver& observer;
  std::shared_ptr<const plugin::Library> plugin = nullptr;  // of GeneratorKind::kPlugin
};

// Searches a model as its plan says, and asks a solver if the model needs one. If the path to an error was lost it
// looks for one once more. `watcher` may be null.
[[nodiscard]] SearchResult search_model(const Surroundings& around, const Model& model, const SearchOptions& search,
                                        SearchObserver* watcher);

// A generator of single basic steps, as CheckRequest::generator and check_generator say, but never native code.
[[nodiscard]] std::unique_ptr<SuccessorGenerator> make_statement_generator(const CheckRequest& request,
                                                                           const Model& model, GuardDecider* decider);

// The steps of a search of a model, with all that the plan says but partial-order and symmetry reduction.
[[nodiscard]] std::unique_ptr<SuccessorGenerator> make_unreduced_generator(const CheckRequest& request,
                                                                           const Model& model, GuardDecider* decider);

// A generator that follows the paths of a model or product: single basic steps and moves of the claim.
[[nodiscard]] std::unique_ptr<SuccessorGenerator> make_path_generator(const CheckRequest& request, const Model& model,
                                                                      GuardDecider* decider);

}  // namespace cmc
