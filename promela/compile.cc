#include "promela/compile.h"

#include <deque>

#include "promela/lower.h"
#include "promela/parser.h"
#include "promela/sema.h"
#include "promela/token.h"

namespace cmc::promela {

std::optional<Model> compile(Sources& sources, uint32_t main_file, const CompileOptions& options,
                             Diagnostics& diagnostics) {
  std::deque<std::string> arena;
  Dialect dialect = Dialect::kPromela;
  const std::vector<PpToken> text =
      preprocess(sources, main_file, options.preprocessor, diagnostics, arena, &dialect);
  if (diagnostics.error_count() > 0)
    return std::nullopt;  // as in SPIN: macros may be missing, and all that they stand for
  std::vector<Token> tokens = tokenize(text, diagnostics, arena);
  ast::Program program = Parser(std::move(tokens), sources, diagnostics, dialect).parse();
  // Errors so far leave gaps in the tree; what sema says about the rest is worth hearing only if the syntax is right.
  if (diagnostics.error_count() > 0) return std::nullopt;
  Analysis analysis = analyse(program, diagnostics);
  if (diagnostics.error_count() > 0) return std::nullopt;
  Model model = lower(program, analysis, sources, options.escapes_like_java, diagnostics);
  if (diagnostics.error_count() > 0) return std::nullopt;
  return model;
}

}  // namespace cmc::promela
