#include "promela/syntax/parser.h"

#include <algorithm>

#include <fmt/format.h>

// Tokens and units. Declarations: parser_declaration.cc; statements: parser_statement.cc; expressions:
// parser_expression.cc.

namespace cmc::promela {

namespace {

std::vector<Token> with_names_for_in(std::vector<Token> tokens) {
  // `in` is a word of its own only in the head of a for loop; parse_for looks for the name.
  for (Token& token : tokens) {
    if (token.kind == Tok::kKeyword && token.keyword == Keyword::kIn) token.kind = Tok::kName;
  }
  return tokens;
}

// In a formula `<->` is one operator: `<` with `->` right behind it.
void append_joined(std::vector<Token>& tokens, const Token& token) {
  if (token.kind == Tok::kArrow && token.joined && !tokens.empty() && tokens.back().kind == Tok::kLess) {
    tokens.back().kind = Tok::kName;
    tokens.back().text = "equivalent";
  } else {
    tokens.push_back(token);
  }
}

}  // namespace

Parser::Parser(std::vector<Token> tokens, Sources& sources, Diagnostics& diagnostics, Dialect dialect)
    : tokens_(with_names_for_in(std::move(tokens))),
      sources_(sources),
      diagnostics_(diagnostics),
      dialect_(dialect) {}

Parser::Nesting::Nesting(Parser& parser) : parser_(parser) {
  if (++parser_.nesting_ <= kMaxNesting) return;
  --parser_.nesting_;
  parser_.fail(parser_.peek(), fmt::format("nested deeper than {} levels", kMaxNesting));
}

// ---------------------------------------------------------------------------------------------------- tokens

std::string Parser::describe(const Token& token) {
  switch (token.kind) {
    case Tok::kEnd: return "end of the text";
    case Tok::kName:
    case Tok::kNumber:
    case Tok::kKeyword: return fmt::format("'{}'", token.text);
    case Tok::kString: return "a string";
    case Tok::kSemicolon: return token.text.empty() ? "the end of the line" : "';'";
    default: return fmt::format("'{}'", spelling(token.kind));
  }
}

void Parser::fail(const Token& token, const std::string& message) {
  if (token.kind != Tok::kUnknown) diagnostics_.error(token.location, message);  // else the lexer reported it
  throw SyntaxError{};
}

void Parser::fail_expected(const std::string& what) {
  const Token token = peek();
  fail(token, fmt::format("expected {} but found {}", what, describe(token)));
}

bool Parser::accept(Tok kind) {
  if (!at(kind)) return false;
  next();
  return true;
}

bool Parser::accept(Keyword keyword) {
  if (!at(keyword)) return false;
  next();
  return true;
}

Token Parser::expect(Tok kind, const char* context) {
  if (!at(kind)) fail_expected(fmt::format("'{}' {}", spelling(kind), context));
  return next();
}

void Parser::expect(Keyword keyword, const char* context) {
  if (!at(keyword)) fail_expected(fmt::format("'{}' {}", spelling(keyword), context));
  next();
}

Token Parser::expect_name(const char* what) {
  const Token token = peek();
  if (token.kind == Tok::kKeyword) fail(token, fmt::format("'{}' is a keyword and cannot be {}", token.text, what));
  if (token.kind != Tok::kName) fail_expected(what);
  if (mtype_values_.contains(token.text)) {
    fail(token, fmt::format("'{}' is an mtype constant and cannot be {}", token.text, what));
  }
  if (at_word("exists") || at_word("choose") || at_word("least")) {
    fail(token, fmt::format("'{}' is a word of Promela/S (PROMELA_S is defined) and cannot be {}", token.text, what));
  }
  return next();
}

// A name that is not the name of something of another kind: SPIN's lexer tells names apart by what they name.
Token Parser::expect_free_name(const char* what) {
  const Token token = peek();
  const char* known = nullptr;
  if (token.kind == Tok::kName) {
    if (proctypes_.contains(token.text)) known = "a proctype";
    if (typedefs_.contains(token.text)) known = "a type";
    if (inlines_.contains(token.text)) known = "an inline";
  }
  if (known != nullptr && what != fmt::format("the name of {}", known)) {
    fail(token, fmt::format("'{}' is the name of {} and cannot be {}", token.text, known, what));
  }
  return expect_name(what);
}

// ---------------------------------------------------------------------------------------------------- units

// program ::= unit*     Formulas come behind everything else: those of the text, then the appended ones.
ast::Program Parser::parse() {
  ast::Program program;
  parse_units(program);
  if (diagnostics_.too_many_errors()) return program;
  in_ltl_ = true;
  deferred_ltl_.push_back(tokens_.next());  // the end
  tokens_ = TokenStream(std::move(deferred_ltl_));
  parse_units(program);
  for (PendingFormula& appended : appended_) {
    try {
      ast::Unit unit{};
      unit.kind = ast::Unit::Kind::kLtl;
      unit.ltl = parse_appended(appended);
      program.units.push_back(std::move(unit));
    } catch (const SyntaxError&) {
      nesting_ = conditionals_ = 0;
    }
  }
  program.embedded_c = std::move(embedded_c_);
  return program;
}

void Parser::parse_units(ast::Program& program) {
  while (!at(Tok::kEnd) && !diagnostics_.too_many_errors()) {
    braces_ = 0;
    try {
      parse_unit(program);
    } catch (const SyntaxError&) {
      recover_unit();
    }
  }
}

void Parser::append_formula(std::string name, std::optional<std::string> scope, std::vector<Token> tokens) {
  appended_.push_back({std::move(name), std::move(scope), {}});
  for (const Token& token : with_names_for_in(std::move(tokens))) append_joined(appended_.back().tokens, token);
}

std::optional<int32_t> Parser::parse_single_constant() {
  try {
    const int32_t value = parse_constant_expression();
    if (!at(Tok::kEnd)) fail_expected("the end of the constant");
    return value;
  } catch (const SyntaxError&) {
    return std::nullopt;
  }
}

void Parser::recover_unit() {
  tokens_.set_in_sequence(false);
  nesting_ = conditionals_ = 0;
  while (!at(Tok::kEnd)) {
    // No sequence has one of these words, so that a missing brace does not take the rest of the text with it.
    if (peek().starts_line &&
        (at(Keyword::kActive) || at(Keyword::kProctype) || at(Keyword::kInit) || at(Keyword::kNever) ||
         at(Keyword::kTypedef) || at(Keyword::kInline) || at(Keyword::kLtl) || at(Keyword::kDProctype))) {
      return;
    }
    const Token token = next();
    if (token.kind == Tok::kRightBrace && braces_ <= 0) return;
    if (token.kind == Tok::kSemicolon && braces_ == 0) return;
  }
}

// unit ::= proctype | init | never | trace | ltl | declaration | typedef | inline | c_code ... | ;
void Parser::parse_unit(ast::Program& program) {
  using Kind = ast::Unit::Kind;
  const Token token = peek();
  ast::Unit unit{};
  if (token.kind == Tok::kSemicolon || token.kind == Tok::kArrow) {
    next();
    return;
  }
  if (token.kind == Tok::kKeyword) {
    switch (token.keyword) {
      case Keyword::kActive:
      case Keyword::kProctype:
      case Keyword::kDProctype:
        unit.kind = Kind::kProctype;
        unit.proctype = parse_proctype();
        program.units.push_back(std::move(unit));
        return;
      case Keyword::kInit:
        unit.kind = Kind::kProctype;
        unit.proctype = parse_init();
        program.units.push_back(std::move(unit));
        return;
      case Keyword::kNever:
      case Keyword::kTrace:
      case Keyword::kNotrace:
        unit.kind = Kind::kProctype;
        unit.proctype = parse_claim(token.keyword == Keyword::kNever   ? ast::Proctype::Kind::kNever
                                    : token.keyword == Keyword::kTrace ? ast::Proctype::Kind::kTrace
                                                                       : ast::Proctype::Kind::kNotrace);
        program.units.push_back(std::move(unit));
        return;
      case Keyword::kTypedef:
        unit.kind = Kind::kTypedef;
        unit.type = parse_typedef();
        program.units.push_back(std::move(unit));
        return;
      case Keyword::kInline: parse_inline(); return;
      case Keyword::kLtl:
        if (!in_ltl_) {
          defer_ltl();
          return;
        }
        unit.kind = Kind::kLtl;
        unit.ltl = parse_ltl();
        program.units.push_back(std::move(unit));
        return;
      case Keyword::kCCode:
      case Keyword::kCDecl:
      case Keyword::kCState:
      case Keyword::kCTrack:
        next();
        unit.kind = Kind::kEmbeddedC;
        unit.c = std::make_unique<ast::EmbeddedC>();
        unit.c->keyword = std::string(token.text);
        unit.c->location = token.location;
        if (token.keyword == Keyword::kCCode || token.keyword == Keyword::kCDecl) {
          unit.c->text = collect_c_text(token.keyword == Keyword::kCCode);
        } else {
          unit.c->text = std::string(expect(Tok::kString, "with the C declaration").text);
          unit.c->text += " " + std::string(expect(Tok::kString, "with its scope or size").text);
          if (at(Tok::kString)) unit.c->text += " " + std::string(next().text);
        }
        program.units.push_back(std::move(unit));
        return;
      default: break;
    }
  }
  if (at_declaration()) {
    std::unique_ptr<ast::MtypeDeclaration> mtype;
    ast::Declaration declaration = parse_declaration(&mtype);
    unit.kind = mtype ? Kind::kMtype : Kind::kDeclaration;
    unit.mtype = std::move(mtype);
    unit.declaration = std::make_unique<ast::Declaration>(std::move(declaration));
    program.units.push_back(std::move(unit));
    return;
  }
  if (token.kind == Tok::kName) {
    std::vector<std::string_view> words = {"proctype", "active", "init",  "never",   "typedef",   "inline",
                                           "ltl",      "hidden", "trace", "notrace", "D_proctype"};
    fail(token, fmt::format("unknown type or declaration '{}'{}", token.text,
                            type_suggestion(token.text, std::move(words))));
  }
  fail_expected("a declaration, proctype, init, typedef, inline, never claim or ltl formula");
}

// priority ::= [ "priority" CONST ]
int32_t Parser::parse_optional_priority() {
  if (!accept(Keyword::kPriority)) return 0;
  const Token number = peek();
  const int32_t value = parse_constant_expression(2);
  if (value < 1 || value > 255) fail(number, fmt::format("priority {} is outside 1..255", value));
  return value;
}

// proctype ::= [ "active" [ "[" const "]" ] ] ("proctype" | "D_proctype") NAME "(" [ decl_lst ] ")"
//              [ priority ] [ "provided" "(" expr ")" ] body
std::unique_ptr<ast::Proctype> Parser::parse_proctype() {
  auto proctype = std::make_unique<ast::Proctype>();
  if (accept(Keyword::kActive)) {
    proctype->active = true;
    proctype->instances = 1;
    if (accept(Tok::kLeftBracket)) {
      const Token count = peek();
      if (count.kind == Tok::kName && !mtype_values_.contains(count.text)) {
        proctype->instances_name = std::string(next().text);
      } else {
        proctype->instances = parse_constant_expression();
        if (proctype->instances < 0 || proctype->instances > 255) {
          diagnostics_.error(count.location, fmt::format("active [{}]: at most 255 processes", proctype->instances));
        }
      }
      expect(Tok::kRightBracket, "after the number of processes");
    }
  }
  if (!at(Keyword::kProctype) && !at(Keyword::kDProctype)) fail_expected("'proctype'");
  proctype->deterministic = next().keyword == Keyword::kDProctype;
  if (at(Tok::kLeftBracket)) {
    fail(peek(), "the number of processes stands behind 'active': active [...] proctype NAME()");
  }
  const Token name = expect_free_name("the name of a proctype");
  proctype->name = std::string(name.text);
  proctype->location = name.location;
  if (!proctypes_.insert(proctype->name).second) {
    diagnostics_.error(name.location, fmt::format("redefinition of proctype '{}'", proctype->name));
  }
  expect(Tok::kLeftParen, "before the parameters");
  proctype->parameters = parse_declaration_list(Tok::kRightParen);
  expect(Tok::kRightParen, "after the parameters");
  proctype->priority = parse_optional_priority();
  if (accept(Keyword::kProvided)) {
    expect(Tok::kLeftParen, "after 'provided'");
    proctype->provided = parse_full_expression();
    expect(Tok::kRightParen, "after the provided clause");
  }
  proctype->body = parse_body();
  return proctype;
}

// init ::= "init" [ priority ] body
std::unique_ptr<ast::Proctype> Parser::parse_init() {
  auto proctype = std::make_unique<ast::Proctype>();
  proctype->kind = ast::Proctype::Kind::kInit;
  proctype->name = "init";
  proctype->location = next().location;
  proctype->active = true;
  proctype->instances = 1;
  proctype->priority = parse_optional_priority();
  proctype->body = parse_body();
  return proctype;
}

// claim ::= ("never" | "trace" | "notrace") [ NAME ] body
std::unique_ptr<ast::Proctype> Parser::parse_claim(ast::Proctype::Kind kind) {
  auto claim = std::make_unique<ast::Proctype>();
  claim->kind = kind;
  const Token word = next();
  claim->location = word.location;
  claim->name = std::string(word.text);
  if (kind == ast::Proctype::Kind::kNever) {
    const Location location = peek().kind == Tok::kName ? peek().location : word.location;
    claim->name =
        at(Tok::kName) ? std::string(expect_free_name("the name of a claim").text) : fmt::format("never_{}", claims_);
    ++claims_;
    name_claim(claim->name, location);
  } else if (trace_) {
    diagnostics_.error(word.location, "a second trace or notrace; a model has one at most");
    diagnostics_.note(*trace_, "the first one");
  } else {
    trace_ = word.location;
  }
  claim->body = parse_body();
  return claim;
}

// body ::= "{" sequence "}"
ast::Sequence Parser::parse_body() {
  if (!at(Tok::kLeftBrace)) fail_expected("'{' before the body");
  const Token open = next();
  tokens_.set_in_sequence(true);
  ast::Sequence body = parse_sequence();
  body.location = open.location;
  if (body.steps.empty() && diagnostics_.error_count() == 0) {
    diagnostics_.error(open.location, "a body needs at least one statement or declaration");
  }
  tokens_.set_in_sequence(false);
  body.end = peek().location;
  expect(Tok::kRightBrace, "at the end of the body");
  return body;
}

// typedef ::= "typedef" NAME "{" decl_lst "}"
std::unique_ptr<ast::Typedef> Parser::parse_typedef() {
  auto type = std::make_unique<ast::Typedef>();
  next();
  const Token name = expect_free_name("the name of a type");
  type->name = std::string(name.text);
  type->location = name.location;
  if (!typedefs_.insert(type->name).second) {
    diagnostics_.error(name.location, fmt::format("redefinition of type '{}'", type->name));
  }
  expect(Tok::kLeftBrace, "before the fields");
  tokens_.set_in_sequence(true);
  type->fields = parse_declaration_list(Tok::kRightBrace);
  tokens_.set_in_sequence(false);
  expect(Tok::kRightBrace, "after the fields");
  if (type->fields.empty()) diagnostics_.error(name.location, fmt::format("type '{}' has no fields", type->name));
  return type;
}

void Parser::name_claim(const std::string& name, const Location& location) {
  const auto [known, is_new] = claim_names_.emplace(name, location);
  if (is_new) return;
  diagnostics_.error(location, fmt::format("a second claim or formula of the name '{}'", name));
  diagnostics_.note(known->second, "the first one");
}

// Puts an ltl block aside, as SPIN does.
void Parser::defer_ltl() {
  int braces = 0;
  do {
    const Token token = tokens_.next_raw();
    if (token.kind == Tok::kEnd) fail(token, "expected '}' at the end of the ltl formula");
    if (token.kind == Tok::kLeftBrace) ++braces;
    if (token.kind == Tok::kRightBrace) --braces;
    append_joined(deferred_ltl_, token);
  } while (braces > 0 || deferred_ltl_.back().kind != Tok::kRightBrace);
}

// ltl ::= "ltl" [ NAME ] "{" formula [ ";" ] "}"
std::unique_ptr<ast::LtlFormula> Parser::parse_ltl() {
  auto formula = std::make_unique<ast::LtlFormula>();
  const Token word = next();
  formula->location = word.location;
  const Location location = at(Tok::kName) ? peek().location : word.location;
  formula->name = at(Tok::kName) ? std::string(expect_free_name("the name of a formula").text)
                                 : fmt::format("ltl_{}", unnamed_ltl_++);
  name_claim(formula->name, location);
  expect(Tok::kLeftBrace, "before the formula");
  formula->formula = parse_full_expression();
  if (at(Tok::kAssign)) fail(peek(), "'=' in a formula; to compare, write '=='");
  while (at(Tok::kSemicolon)) next();
  expect(Tok::kRightBrace, "after the formula");
  return formula;
}

// formula [ ";" ], the whole text
std::unique_ptr<ast::LtlFormula> Parser::parse_appended(PendingFormula& pending) {
  auto formula = std::make_unique<ast::LtlFormula>();
  tokens_ = TokenStream(std::move(pending.tokens));
  formula->location = peek().location;
  formula->name = std::move(pending.name);
  formula->scope = std::move(pending.scope);
  in_ltl_ = !formula->scope;
  while (formula->name.empty()) {
    const std::string name = fmt::format("ltl_{}", unnamed_ltl_++);
    if (!claim_names_.contains(name)) formula->name = name;
  }
  name_claim(formula->name, formula->location);
  formula->formula = parse_full_expression();
  while (at(Tok::kSemicolon)) next();
  if (!at(Tok::kEnd)) fail_expected(fmt::format("the end of the {}", formula->scope ? "expression" : "formula"));
  return formula;
}

// inline ::= "inline" NAME "(" [ NAME { "," NAME } ] ")" "{" text "}"
void Parser::parse_inline() {
  next();
  const Token name = expect_free_name("the name of an inline");
  Inline definition;
  definition.location = name.location;
  expect(Tok::kLeftParen, "before the parameters of the inline");
  while (!at(Tok::kRightParen)) {
    definition.parameters.emplace_back(expect_free_name("a parameter").text);
    if (!at(Tok::kRightParen)) expect(Tok::kComma, "between parameters");
  }
  next();
  if (!at(Tok::kLeftBrace)) fail_expected("'{' before the body of the inline");
  int braces = 0;
  do {
    const Token token = tokens_.next_raw();
    if (token.kind == Tok::kEnd) {
      diagnostics_.error(name.location, fmt::format("the body of inline '{}' is not closed by '}}'", name.text));
      throw SyntaxError{};
    }
    if (token.kind == Tok::kLeftBrace) ++braces;
    if (token.kind == Tok::kRightBrace) --braces;
    definition.body.push_back(token);
  } while (braces > 0);
  const std::string key(name.text);
  if (const auto known = inlines_.find(key); known != inlines_.end()) {
    diagnostics_.error(name.location, fmt::format("redefinition of inline '{}'", key));
    diagnostics_.note(known->second.location, "defined here before");
    return;
  }
  inlines_.emplace(key, std::move(definition));
}

// The text between braces, with an optional [precondition] before it.
std::string Parser::collect_c_text(bool with_precondition) {
  std::string text;
  if (with_precondition && at(Tok::kLeftBracket)) {
    int brackets = 0;
    do {
      const Token token = tokens_.next_raw();
      if (token.kind == Tok::kEnd) fail(token, "expected ']' after the precondition of c_code");
      if (token.kind == Tok::kLeftBracket) ++brackets;
      if (token.kind == Tok::kRightBracket) --brackets;
    } while (brackets > 0);
  }
  if (!at(Tok::kLeftBrace)) fail_expected("'{' before the C code");
  int braces = 0;
  do {
    const Token token = tokens_.next_raw();
    if (token.kind == Tok::kEnd) fail(token, "expected '}' at the end of the C code");
    if (token.kind == Tok::kLeftBrace && braces++ == 0) continue;
    if (token.kind == Tok::kRightBrace && --braces == 0) break;
    if (token.space_before || token.starts_line) text += ' ';
    text += token.kind == Tok::kNumber || token.kind == Tok::kName || token.kind == Tok::kKeyword ||
                    token.kind == Tok::kString || token.kind == Tok::kUnknown
                ? token.text
                : spelling(token.kind);
  } while (true);
  return text;
}

}  // namespace cmc::promela
