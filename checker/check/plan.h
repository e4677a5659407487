#pragma once

#include <optional>
#include <string>
#include <vector>

#include "checker/check/request.h"
#include "ir/model.h"

// What goes with what: the only place that decides it. Nothing here looks at anything but its arguments.

namespace cmc {

// Something that was asked for by name and is off in a search.
struct Obstacle {
  const char* what;  // "partial-order reduction is"
  std::string why;

  [[nodiscard]] std::string text() const { return std::string(what) + " off in this search, because " + why; }
};

// How a model, or its product with a claim, is searched.
struct Plan {
  bool fast = true;  // the fast engine searches, unless it finds out that it cannot; else the simple one does
  bool uses_plugin = false;
  std::string no_plugin;      // why, if one was asked for
  bool closes_chains = true;  // atomic sequences are single steps
  bool partial_order = false;
  SearchOptions::Proviso proviso = SearchOptions::Proviso::kSticky;
  bool merges_steps = false;
  bool resets_dead_variables = false;
  bool symmetry = false;
  std::vector<Obstacle> obstacles;

  // "por,merge"; empty: none. `reduces_order`: whether the search left steps out after all.
  [[nodiscard]] std::string reductions(bool reduces_order) const;
  // Paths of the search are not ones of single statements of the model as it is.
  [[nodiscard]] bool changes_paths() const { return merges_steps || resets_dead_variables; }
};

[[nodiscard]] Plan plan(const CheckRequest& request, const Model& model);

// Whether only the simple engine can search.
[[nodiscard]] bool runs_simple_engine(const CheckRequest& request);

// Why several machines cannot search for it together (CheckRequest::ranks), whatever the model; for the user. None:
// they can.
[[nodiscard]] std::optional<std::string> conflict_with_ranks(const CheckRequest& request);

// What cannot be asked for at once, whatever the model; for the user. None: nothing.
[[nodiscard]] std::optional<std::string> conflict_in(const CheckRequest& request, std::optional<Overflow> overflow);

}  // namespace cmc
