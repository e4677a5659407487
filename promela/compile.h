#pragma once

#include <optional>

#include "ir/model.h"
#include "promela/diagnostic.h"
#include "promela/preprocessor.h"
#include "promela/source.h"

// The front end as a whole: from a Promela text to the IR.

namespace cmc::promela {

#ifdef NDEBUG
inline constexpr bool kValidateAlways = false;
#else
inline constexpr bool kValidateAlways = true;
#endif

struct CompileOptions {
  PreprocessorOptions preprocessor = {};
  bool escapes_like_java = false;   // -J: inner escapes of nested unless statements before outer ones
  bool validate = kValidateAlways;  // check the model's invariants (ir/validate.h); a broken one is an internal error
};

// Compiles file `main_file` of `sources`. Diagnostics are filled; a model is returned iff there was no error.
[[nodiscard]] std::optional<Model> compile(Sources& sources, uint32_t main_file, const CompileOptions& options,
                                           Diagnostics& diagnostics);

}  // namespace cmc::promela
