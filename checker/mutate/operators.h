#pragma once

#include <optional>
#include <string>
#include <vector>

#include "checker/check/model_file.h"
#include "checker/mutate/mutant.h"

namespace cmc::mutate {

// All mutants of a model, of all operators, by place, also in the files that it includes. `sources`
// has the model as file 0, and gets the others. None: the model has errors, which are appended to `messages`.
[[nodiscard]] std::optional<std::vector<Mutant>> make_mutants(const ModelRequest& request, promela::Sources& sources,
                                                              std::string& messages);

}  // namespace cmc::mutate
