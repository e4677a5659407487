#include "promela/compile.h"

#include <deque>
#include <utility>

#include "base/check.h"
#include "ir/validate.h"
#include "promela/lower/lower.h"
#include "promela/sema/sema.h"
#include "promela/syntax/parser.h"
#include "promela/syntax/token.h"

namespace cmc::promela {

namespace {

// A model that breaks an invariant could make a generator read outside of a state: nothing may run it.
void require_valid(const Model& model) {
  const std::vector<std::string> problems = validate(model);
  if (problems.empty()) return;
  std::string message = "the front end produced a model that breaks invariants of the intermediate representation:";
  for (const std::string& problem : problems) message += "\n  " + problem;
  internal_error(message);
}

std::optional<ast::Program> parse(Sources& sources, uint32_t main_file, const CompileOptions& options,
                                  Diagnostics& diagnostics) {
  std::deque<std::string> arena;
  std::vector<uint32_t> formulas;
  for (const AppendedFormula& formula : options.formulas) formulas.push_back(sources.add("--ltl", formula.text));
  const Preprocessed text = preprocess(sources, main_file, formulas, options.preprocessor, diagnostics, arena);
  if (diagnostics.error_count() > 0)
    return std::nullopt;  // as in SPIN: macros may be missing, and all that they stand for
  Parser parser(tokenize(text.main, diagnostics, arena), sources, diagnostics, text.dialect);
  for (size_t i = 0; i < formulas.size(); ++i) {
    const AppendedFormula& formula = options.formulas[i];
    parser.append_formula(formula.name, formula.scope, tokenize(text.appended[i], diagnostics, arena));
  }
  ast::Program program = parser.parse();
  // Errors leave gaps in the tree; what sema says about the rest is worth hearing only if the syntax is right.
  if (diagnostics.error_count() > 0) return std::nullopt;
  return program;
}

}  // namespace

bool parses(Sources& sources, uint32_t main_file, const CompileOptions& options, Diagnostics& diagnostics) {
  return parse(sources, main_file, options, diagnostics).has_value();
}

std::optional<Understood> understand(Sources& sources, uint32_t main_file, const CompileOptions& options,
                                     Diagnostics& diagnostics) {
  std::optional<ast::Program> program = parse(sources, main_file, options, diagnostics);
  if (!program) return std::nullopt;
  Analysis analysis = analyse(*program, diagnostics);
  if (diagnostics.error_count() > 0) return std::nullopt;
  return Understood{std::move(*program), std::move(analysis)};
}

std::optional<Model> compile(Sources& sources, uint32_t main_file, const CompileOptions& options,
                             Diagnostics& diagnostics) {
  std::optional<Understood> text = understand(sources, main_file, options, diagnostics);
  if (!text) return std::nullopt;
  Model model = lower(text->program, text->analysis, sources, options.escapes_like_java, diagnostics);
  if (diagnostics.error_count() > 0) return std::nullopt;
  if (options.validate) require_valid(model);
  return model;
}

}  // namespace cmc::promela
