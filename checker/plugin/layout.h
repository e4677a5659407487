#pragma once

#include <string>

#include "ir/model.h"

namespace cmc::plugin {

// The SHA-1 of all that decides what a model does and where its variables are.
[[nodiscard]] std::string model_sha1(const Model& model);

// The header for a plug-in of this model, in C: CMC_MODEL_SHA1 and, as constants, offsets of variables and of the
// contents of channels, sizes, and the numbers of proctypes, locations and mtype constants.
[[nodiscard]] std::string header(const Model& model);

}  // namespace cmc::plugin
