#include "tests/promela/front_end.h"

#include <deque>

#include <fmt/format.h>

#include "promela/compile.h"
#include "promela/lower/lower_expression.h"
#include "promela/preprocessor/preprocessor.h"
#include "promela/syntax/parser.h"
#include "promela/syntax/token.h"
#include "promela/text/diagnostic.h"

namespace cmc::promela {

namespace {

using ast::StatementKind;

std::string messages_of(const Diagnostics& diagnostics) {
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics.all()) {
    static constexpr const char* kSeverities[] = {"error", "warning", "note"};
    const SourcePlace& place = diagnostic.location.place;
    text += fmt::format("{}:{}: {}: {}\n", place.line, place.column,
                        kSeverities[static_cast<size_t>(diagnostic.severity)], diagnostic.message);
    for (const Diagnostic& note : diagnostic.notes) {
      text += fmt::format("  {}:{}: {}\n", note.location.place.line, note.location.place.column, note.message);
    }
  }
  return text;
}

std::string options_outline(const std::vector<ast::Sequence>& options) {
  std::string text;
  for (const ast::Sequence& option : options) text += (text.empty() ? "" : "|") + outline(option);
  return text;
}

std::string declaration_outline(const ast::Declaration& declaration) {
  std::string text = declaration.type;
  if (!declaration.mtype_set.empty()) text += ":" + declaration.mtype_set;
  for (const ast::Declarator& declarator : declaration.declarators) {
    text += (&declarator == &declaration.declarators.front() ? " " : ",") + declarator.name;
    if (declarator.has_bits) text += fmt::format(":{}", declarator.bits);
    if (declarator.is_array) text += fmt::format("[{}]", declarator.count);
    if (declarator.initializer) text += "=" + to_text(*declarator.initializer);
    if (!declarator.channel) continue;
    text += fmt::format("=[{}] of", declarator.channel->capacity);
    for (const ast::ChannelInit::Field& field : declarator.channel->fields) text += " " + field.type;
  }
  return text;
}

}  // namespace

Parsed::Parsed(const std::string& text) {
  Sources sources;
  Diagnostics diagnostics(sources);
  std::deque<std::string> arena;
  const uint32_t file = sources.add("test.pml", text);
  std::vector<Token> tokens = tokenize(preprocess(sources, file, {}, diagnostics, arena), diagnostics, arena);
  program = Parser(std::move(tokens), sources, diagnostics).parse();
  messages = messages_of(diagnostics);
}

Compiled::Compiled(const std::string& text, bool escapes_like_java) {
  Sources sources;
  Diagnostics diagnostics(sources);
  CompileOptions options;
  options.validate = true;
  options.escapes_like_java = escapes_like_java;
  model = compile(sources, sources.add("test.pml", text), options, diagnostics);
  messages = messages_of(diagnostics);
}

std::string outline(const ast::Sequence& sequence) {
  std::string text;
  for (const ast::StatementPtr& step : sequence.steps) text += (text.empty() ? "" : ";") + outline(*step);
  return text;
}

std::string outline(const ast::Statement& s) {
  switch (s.kind) {
    case StatementKind::kDeclaration: return declaration_outline(s.declaration);
    case StatementKind::kExclusive: {
      std::string text = s.text;
      for (const auto& variable : s.variables) text += " " + to_text(*variable);
      return text;
    }
    case StatementKind::kLabel: return s.label + ":" + (s.body ? outline(*s.body) : "");
    case StatementKind::kIf: return "if(" + options_outline(s.sequences) + ")";
    case StatementKind::kDo: return "do(" + options_outline(s.sequences) + ")";
    case StatementKind::kFor:
      return fmt::format("for({}{}{}){{{}}}", to_text(*s.variable), s.over ? " in " : ":",
                         s.over ? to_text(*s.over) : to_text(*s.expression) + ".." + to_text(*s.to),
                         options_outline(s.sequences));
    case StatementKind::kSelect:
      return fmt::format("select({}:{}..{})", to_text(*s.variable), to_text(*s.expression), to_text(*s.to));
    case StatementKind::kAtomic: return "atomic{" + options_outline(s.sequences) + "}";
    case StatementKind::kDStep: return "d_step{" + options_outline(s.sequences) + "}";
    case StatementKind::kBlock: return "{" + options_outline(s.sequences) + "}";
    case StatementKind::kUnless: return "(" + outline(*s.body) + " unless " + outline(*s.escape) + ")";
    default: return statement_text(s);
  }
}

std::string outline_of(const std::string& body, const std::string& globals) {
  const Parsed parsed(globals + "\nproctype P() {" + body + "\n}\n");
  if (!parsed.messages.empty()) return parsed.messages;
  for (const ast::Unit& unit : parsed.program.units) {
    if (unit.proctype && unit.proctype->name == "P") return outline(unit.proctype->body);
  }
  return "no process";
}

std::string expression_of(const std::string& expression, const std::string& globals) {
  const Parsed parsed(globals + "\nproctype P() { assert(" + expression + ") }\n");
  if (!parsed.messages.empty()) return parsed.messages;
  return to_text(*parsed.program.units.back().proctype->body.steps.at(0)->expression);
}

}  // namespace cmc::promela
