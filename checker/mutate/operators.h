#pragma once

#include <optional>
#include <string>
#include <vector>

#include "checker/check/model_file.h"
#include "checker/mutate/mutant.h"

namespace cmc::mutate {

// All mutants of a model, of all operators, by place. `sources` has the file; what other files hold is left as it is.
// None: the model has errors, which are appended to `messages`.
[[nodiscard]] std::optional<std::vector<Mutant>> make_mutants(const ModelRequest& request, promela::Sources& sources,
                                                              uint32_t file, std::string& messages);

}  // namespace cmc::mutate
