#pragma once

#include <cstdint>
#include <string>

#include "ir/model.h"

namespace cmc::native {

// The C source of a model's native code (interface.h). It is complete, carries the model's places and texts as
// comments, and depends on nothing but the model.
struct Source {
  std::string text;
  std::string sha1;        // CmcModel::source
  uint32_t functions = 0;  // in it
  uint32_t left_out = 0;   // that only the VM can execute
};

// REQUIRES: a valid model (validate.h).
[[nodiscard]] Source write_source(const Model& model);

}  // namespace cmc::native
