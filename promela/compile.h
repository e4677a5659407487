#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/model.h"
#include "promela/preprocessor/preprocessor.h"
#include "promela/sema/symbols.h"
#include "promela/syntax/ast.h"
#include "promela/text/diagnostic.h"
#include "promela/text/source.h"

// The front end as a whole: from a Promela text to the IR.

namespace cmc::promela {

#ifdef NDEBUG
inline constexpr bool kValidateAlways = false;
#else
inline constexpr bool kValidateAlways = true;
#endif

// A formula that is not in the text, as if it stood at the end of it: `ltl name { text }`.
struct AppendedFormula {
  std::string name;  // empty: the next free number, ltl_N
  std::string text;
  // Not a formula but one expression, as a process of this type sees it; of "", as seen from outside of processes.
  // It becomes a formula that is one atom; a process's own variables are among its names, of equal ones the first.
  std::optional<std::string> scope = std::nullopt;
};

struct CompileOptions {
  PreprocessorOptions preprocessor = {};
  bool escapes_like_java = false;              // -J: inner escapes of nested unless statements before outer ones
  std::vector<AppendedFormula> formulas = {};  // in diagnostics, their file is called --ltl
  bool validate = kValidateAlways;  // check the model's invariants (ir/validate.h); a broken one is an internal error
};

// A text as sema understands it, for tools that show it.
struct Understood {
  ast::Program program;
  Analysis analysis;  // refers to the program
};
// The front end up to sema. Diagnostics are filled; none: there was an error.
[[nodiscard]] std::optional<Understood> understand(Sources& sources, uint32_t main_file,
                                                   const CompileOptions& options, Diagnostics& diagnostics);

// Whether it has the form of a model, or of a part of one; what its names mean is not asked.
[[nodiscard]] bool parses(Sources& sources, uint32_t main_file, const CompileOptions& options,
                          Diagnostics& diagnostics);

// Compiles file `main_file` of `sources`. Diagnostics are filled; a model is returned iff there was no error.
[[nodiscard]] std::optional<Model> compile(Sources& sources, uint32_t main_file, const CompileOptions& options,
                                           Diagnostics& diagnostics);

}  // namespace cmc::promela
