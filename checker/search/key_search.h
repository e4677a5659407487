#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "checker/generator/generator.h"
#include "checker/result/progress.h"
#include "checker/result/result.h"

namespace cmc {

// Makes a generator for the step mode that is wanted, which can note what it touches; called once per thread.
using GeneratorFactory = std::function<std::unique_ptr<SuccessorGenerator>()>;

// The fast engine: explores the same states as run_search(), as keys of interned components with memoised steps
// (checker/keys), with any number of threads. Counts and verdict are the same; the order of exploration is free, so
// which errors are found first, and the depth of a depth-first search, may differ. Breadth-first goes level by level:
// the path of the first error is shortest.
//
// `checker`, if given, computes every step again, and a difference is an internal error; then there is one thread.
//
// None: the model is not one for this engine (it reads hidden variables that another step may have written, or keys
// would be wider than kMaxKeyWords words); `reason`, if given, then says why.
[[nodiscard]] std::optional<SearchResult> run_key_search(const Model& model, const GeneratorFactory& make_generator,
                                                         const SearchOptions& options,
                                                         SearchObserver* observer = nullptr,
                                                         std::string* reason = nullptr,
                                                         SuccessorGenerator* checker = nullptr);

}  // namespace cmc
