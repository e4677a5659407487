#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "checker/properties/properties.h"
#include "checker/result/options.h"
#include "checker/result/result.h"

// All properties in one run: one search for each, in turns (turns.h), so that none waits until another one is over.

namespace cmc {

struct PropertyResult {
  PropertyEntry entry;
  Fairness fairness = Fairness::kNone;   // which runs count; none for a property that needs no endless runs
  std::shared_ptr<const Model> product;  // the model that was searched: paths and places are of it
  SearchResult result;                   // times are those of this search alone
  std::vector<std::string> warnings;     // sentences: what makes the verdict say less than it seems to
};
// Told of each property as soon as it is decided, by one thread at a time.
using PropertyObserver = std::function<void(const PropertyResult& result)>;

// Searches a product. The options differ from those that decide_properties() was given in what the product needs.
using PropertySearch =
    std::function<SearchResult(const PropertyEntry& entry, const Model& product, const SearchOptions& options)>;

// One result for each entry, in their order. Limits in time are for all together, numbers of errors for each. A trace
// is decided together with safety if both are asked for; whichever is still open when an error of the other ends that
// search is searched again alone. What a limit or an interrupt left no time for is incomplete with that reason.
// `search` is called by several threads, one at a time.
[[nodiscard]] std::vector<PropertyResult> decide_properties(const Model& model,
                                                            std::span<const PropertyEntry> entries,
                                                            const SearchOptions& options,
                                                            const PropertySearch& search,
                                                            const PropertyObserver& observer = {});

// Violated if one is, else incomplete if one is.
[[nodiscard]] Verdict worst_verdict(std::span<const PropertyResult> results);

}  // namespace cmc
