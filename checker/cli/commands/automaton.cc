#include <algorithm>
#include <cctype>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "checker/automata/translate.h"
#include "checker/cli/commands.h"
#include "ir/print.h"
#include "promela/syntax/token.h"
#include "promela/text/diagnostic.h"

namespace cmc {
namespace {

std::vector<Property> formulas_of(const Model& model) {
  std::vector<Property> formulas = model.properties;
  std::erase_if(formulas, [](const Property& property) { return property.formula == kNoFormula; });
  return formulas;
}

// Those that --property names; else those of --ltl, which come last; else all. Error: there is no such formula.
Result<std::vector<Property>> select(const Options& options, const Model& model) {
  std::vector<Property> formulas = formulas_of(model);
  if (formulas.empty()) return Error{"the model has no formula of linear temporal logic; --ltl FORMULA gives one"};
  std::vector<std::string_view> names;
  for (const Property& formula : formulas) names.push_back(formula.name);
  for (const std::string& name : options.check.properties) {
    if (std::ranges::find(names, name) != names.end()) continue;
    return Error{fmt::format("--property: the model has no formula '{}'{} (its formulas: {})", name,
                             promela::did_you_mean(name, names), fmt::join(names, ", "))};
  }
  if (options.check.properties.empty() && !options.reading.formulas.empty()) {
    return std::vector<Property>(formulas.end() - static_cast<ptrdiff_t>(options.reading.formulas.size()),
                                 formulas.end());
  }
  std::erase_if(formulas, [&](const Property& formula) {
    return !options.check.properties.empty() &&
           std::ranges::find(options.check.properties, formula.name) == options.check.properties.end();
  });
  return formulas;
}

bool is_keyword(std::string_view word) {
  for (auto keyword = 0; keyword <= static_cast<int>(promela::Keyword::kXs); ++keyword) {
    if (word == promela::spelling(static_cast<promela::Keyword>(keyword))) return true;
  }
  return false;
}

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : text + ' ') {
    if (is_word_character(c)) {
      word += c;
    } else if (!word.empty()) {
      words.push_back(std::exchange(word, ""));
    }
  }
  return words;
}

// A model in which the names of the formulas are variables, as `spin -f` takes them.
std::string declarations(const std::vector<std::string>& formulas) {
  static constexpr std::string_view kNoVariables[] = {"U",          "V",     "W",        "X",       "always",
                                                      "eventually", "until", "release",  "implies", "equivalent",
                                                      "true",       "false", "weakuntil"};
  std::set<std::string> names;
  for (const std::string& formula : formulas) {
    for (const std::string& word : words_of(formula)) {
      const bool is_name = std::isalpha(static_cast<unsigned char>(word[0])) != 0 && !is_keyword(word);
      if (is_name && std::ranges::find(kNoVariables, word) == std::end(kNoVariables)) names.insert(word);
    }
  }
  return fmt::format("{}init {{ skip }}\n", names.empty() ? "" : fmt::format("bool {};\n", fmt::join(names, ", ")));
}

std::optional<LoadedModel> load(const Session& session) {
  const Options& options = session.options;
  if (!options.model.empty()) return load_model(session);
  promela::Sources sources;
  const uint32_t file = sources.add("<names in the formulas>", declarations(options.reading.formulas));
  return load_source(options, std::move(sources), file);
}

std::string negated(const std::string& formula) {
  return formula.starts_with('(') ? "!" + formula : "!(" + formula + ")";
}

}  // namespace

int run_automaton(const Session& session) {
  const Options& options = session.options;
  const std::optional<LoadedModel> loaded = load(session);
  if (!loaded) return kExitUsage;
  const Model& model = loaded->model;
  const Result<std::vector<Property>> formulas = select(options, model);
  if (!formulas.ok()) return refuse(formulas.error());
  for (const Property& formula : formulas.value()) {
    const Result<automata::Automaton> violations = automata::automaton_of_violations(model, formula.formula);
    if (!violations.ok()) return refuse(fmt::format("{}: {}", formula.name, violations.error()));
    const std::string title = negated(build_formula_text(model, formula.formula));
    session.output.print(
        automata::automaton_text(model, violations.value(), formula.name, title, options.automaton_format));
  }
  return kExitHolds;
}

}  // namespace cmc
