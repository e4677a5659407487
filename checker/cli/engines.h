#pragma once

#include <optional>
#include <string>

#include "checker/cli/commands.h"
#include "checker/search/progress.h"
#include "checker/search/result.h"

namespace cmc {

// Searches a model with the generator and the engine that the options of the command name, and asks a solver if the
// model needs one. If the path to an error was lost it looks for one once more. `observer` may be null.
[[nodiscard]] SearchResult search_model(const Session& session, const Model& model, const Decider& decider,
                                        const SearchOptions& search, SearchObserver* observer);

// Why a reduction that was asked for is off in a search of this model or product; none: it is not.
[[nodiscard]] std::optional<std::string> obstacle_to_partial_order(const Options& options, const Model& model);
[[nodiscard]] std::optional<std::string> obstacle_to_symmetry(const Options& options, const Model& model);
[[nodiscard]] std::optional<std::string> obstacle_to_merged_steps(const Options& options, const Model& model);
[[nodiscard]] bool merges_steps(const Options& options, const Model& model);

[[nodiscard]] bool reduces_order(const Options& options, const Model& model);
// The reductions that are on in such a search: "por,merge"; empty: none. `reduces_order`: partial-order reduction is.
[[nodiscard]] std::string reductions_on(const Options& options, const Model& model, bool reduces_order);

// The steps of a search of a model, with all that the options say but partial-order and symmetry reduction.
[[nodiscard]] std::unique_ptr<SuccessorGenerator> make_unreduced_generator(const Options& options, const Model& model,
                                                                           GuardDecider* decider);

// A generator that follows the paths of a model or product: single basic steps and moves of the claim.
[[nodiscard]] std::unique_ptr<SuccessorGenerator> make_path_generator(const Options& options, const Model& model,
                                                                      GuardDecider* decider);

}  // namespace cmc
