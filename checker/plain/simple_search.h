#pragma once

#include "checker/generator/generator.h"
#include "checker/result/progress.h"
#include "checker/result/result.h"

namespace cmc {

// The simple engine: explores every state that `generator` reaches, each once, as whole state vectors in a plain set,
// with one thread. It is the yardstick of the fast engine (key_search.h). Depth-first (also kAuto) is the order of
// SPIN's verifier, so its counts, also of the depth, are SPIN's; breadth-first finds a shortest path to the first
// error. `generator` must be made for `model`; `observer` may be null.
//
// The caller has to replay the paths of the errors: see verify_errors().
[[nodiscard]] SearchResult run_search(SuccessorGenerator& generator, const Model& model, const SearchOptions& options,
                                      SearchObserver* observer = nullptr);

}  // namespace cmc
