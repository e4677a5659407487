#include <fmt/format.h>

#include "promela/syntax/parser.h"

// Sequences and statements. Inlines and select: parser_expansion.cc.

namespace cmc::promela {

using ast::StatementKind;
using ast::StatementPtr;

StatementPtr Parser::make(StatementKind kind, const Location& location) {
  auto statement = std::make_unique<ast::Statement>();
  statement->kind = kind;
  statement->location = location;
  return statement;
}

bool Parser::at_sequence_end() {
  return at(Tok::kEnd) || at(Tok::kRightBrace) || at(Tok::kDoubleColon) || at(Keyword::kFi) || at(Keyword::kOd);
}

void Parser::skip_separators() {
  while (at(Tok::kSemicolon) || at(Tok::kArrow)) next();
}

// Skips to a separator or to the end of the sequence that the error is in, out of so many selections and loops.
void Parser::recover_statement(int selections) {
  int braces = 0;
  while (!at(Tok::kEnd)) {
    if (braces == 0 && at(Tok::kRightBrace)) return;
    if (braces == 0 && selections <= 0 && (at(Tok::kSemicolon) || at_sequence_end())) return;
    const Token token = next();
    if (token.kind == Tok::kLeftBrace) ++braces;
    if (token.kind == Tok::kRightBrace) --braces;
    if (token.kind == Tok::kKeyword && (token.keyword == Keyword::kIf || token.keyword == Keyword::kDo)) ++selections;
    if (token.kind == Tok::kKeyword && (token.keyword == Keyword::kFi || token.keyword == Keyword::kOd)) --selections;
  }
}

// Behind a statement is what mostly means something else in other languages.
void Parser::fail_separator(const ast::Statement* before) {
  const Token found = peek();
  const ast::Expression* const condition =
      before != nullptr && before->kind == StatementKind::kExpression ? before->expression.get() : nullptr;
  const std::string expected = fmt::format("expected ';' or '->' between statements but found {}", describe(found));
  if (found.kind == Tok::kAssign && condition != nullptr) {
    if (condition->kind == ast::ExpressionKind::kMtypeConstant)
      fail(found, fmt::format("'{}' is an mtype constant and cannot be assigned", condition->name));
    fail(found, "'=' in a condition; to compare, write '=='");
  }
  if (found.kind == Tok::kPlusPlus || found.kind == Tok::kMinusMinus)
    fail(found, fmt::format("{}; {} is no operator: x{} is a statement of its own", expected, describe(found),
                            spelling(found.kind)));
  if (found.kind == Tok::kName && condition != nullptr && condition->kind == ast::ExpressionKind::kVariable &&
      tokens_.last().kind == Tok::kName && tokens_.last().text == condition->variable->name) {
    fail(found, fmt::format("{}; '{}' is no type{}", expected, condition->variable->name,
                            type_suggestion(condition->variable->name)));
  }
  if (found.kind == Tok::kLeftParen && before != nullptr && before->kind == StatementKind::kAssign &&
      before->expression->kind == ast::ExpressionKind::kVariable && tokens_.last().kind == Tok::kName) {
    std::vector<std::string_view> candidates;
    for (const auto& [known, definition] : inlines_) candidates.push_back(known);
    fail(found, fmt::format("'{0}' is not an inline{1}", before->expression->variable->name,
                            diagnostics_.suggestion(before->expression->variable->name, candidates)));
  }
  fail(found, expected);
}

// sequence ::= step { separator step } [ separator ]     A separator may be left out behind `}` and `else`.
ast::Sequence Parser::parse_sequence() {
  const Nesting nesting(*this);
  const int depth = nesting_;
  ast::Sequence sequence;
  sequence.location = peek().location;
  skip_separators();
  while (!at_sequence_end() && !diagnostics_.too_many_errors()) {
    try {
      const ast::Statement* last = nullptr;
      if (StatementPtr step = parse_step()) last = sequence.steps.emplace_back(std::move(step)).get();
      if (++step_count_ > kMaxSteps)
        fail(peek(), "the text has more than 2 million statements after expanding inlines");
      const bool optional = tokens_.last().kind == Tok::kRightBrace ||
                            (tokens_.last().kind == Tok::kKeyword && tokens_.last().keyword == Keyword::kElse);
      if (!at_sequence_end() && !at(Tok::kSemicolon) && !at(Tok::kArrow) && !optional) {
        fail_separator(last);
      }
    } catch (const SyntaxError&) {
      nesting_ = depth;
      recover_statement();
    }
    skip_separators();
  }
  sequence.end = peek().location;
  return sequence;
}

// step ::= one_decl | ("xr" | "xs") varref { "," varref } | stmnt [ "unless" stmnt ]
StatementPtr Parser::parse_step() {
  const Token token = peek();
  if (at_declaration()) {
    StatementPtr step = make(StatementKind::kDeclaration, token.location);
    step->declaration = parse_declaration(nullptr);
    return step;
  }
  if (at(Keyword::kXr) || at(Keyword::kXs)) {
    StatementPtr step = make(StatementKind::kExclusive, next().location);
    step->text = std::string(token.text);
    do {
      step->variables.push_back(parse_variable());
    } while (accept(Tok::kComma));
    return step;
  }
  StatementPtr statement = parse_statement();
  if (!at(Keyword::kUnless)) return statement;
  next();
  StatementPtr unless = make(StatementKind::kUnless, statement->location);
  unless->extent.first = statement->extent.first;
  unless->body = std::move(statement);
  unless->escape = parse_statement();
  unless->extent.last = tokens_.last().written();
  return unless;
}

StatementPtr Parser::parse_statement() {
  const Nesting nesting(*this);
  const Token first = peek();
  StatementPtr statement = first.kind == Tok::kKeyword     ? parse_keyword_statement()
                           : first.kind == Tok::kName      ? parse_name_statement()
                           : first.kind == Tok::kLeftBrace ? parse_braced(StatementKind::kBlock)
                                                           : parse_expression_statement(nullptr);
  if (statement->is_inline) return statement;
  statement->extent = {first.written(), tokens_.last().written()};
  // As in SPIN, also a statement that begins with an argument stands in the body of the inline.
  if (first.parameter.line > 0) statement->location = first.written();
  return statement;
}

StatementPtr Parser::parse_expression_statement(ast::ExpressionPtr left) {
  StatementPtr statement = make(StatementKind::kExpression, left ? left->location : peek().location);
  statement->expression = left ? parse_binary(0, std::move(left)) : parse_full_expression();
  return statement;
}

StatementPtr Parser::parse_keyword_statement() {
  const Token token = peek();
  switch (token.keyword) {
    case Keyword::kIf: return parse_options(StatementKind::kIf, Keyword::kFi);
    case Keyword::kDo: return parse_options(StatementKind::kDo, Keyword::kOd);
    case Keyword::kFor: return parse_for();
    case Keyword::kSelect: return parse_select();
    case Keyword::kAtomic: next(); return parse_braced(StatementKind::kAtomic);
    case Keyword::kDStep: next(); return parse_braced(StatementKind::kDStep);
    case Keyword::kBreak: return make(StatementKind::kBreak, next().location);
    case Keyword::kElse: return make(StatementKind::kElse, next().location);
    case Keyword::kGoto: {
      StatementPtr statement = make(StatementKind::kGoto, next().location);
      statement->label = std::string(expect_free_name("a label").text);
      return statement;
    }
    case Keyword::kAssert: {
      StatementPtr statement = make(StatementKind::kAssert, next().location);
      statement->expression = parse_full_expression();
      return statement;
    }
    case Keyword::kPrintf: {
      StatementPtr statement = make(StatementKind::kPrintf, next().location);
      expect(Tok::kLeftParen, "before the format");
      statement->text = std::string(expect(Tok::kString, "as the format of printf").text);
      if (accept(Tok::kComma)) statement->operands = parse_arguments();
      expect(Tok::kRightParen, "after the arguments of printf");
      return statement;
    }
    case Keyword::kPrintm: {
      StatementPtr statement = make(StatementKind::kPrintm, next().location);
      expect(Tok::kLeftParen, "before the argument of printm");
      statement->expression = parse_primary();
      expect(Tok::kRightParen, "after the argument of printm");
      return statement;
    }
    case Keyword::kSetPriority: {
      StatementPtr statement = make(StatementKind::kSetPriority, next().location);
      expect(Tok::kLeftParen, "before the process id");
      statement->operands.push_back(parse_expression());
      expect(Tok::kComma, "between process id and priority");
      statement->operands.push_back(parse_expression());
      expect(Tok::kRightParen, "after the priority");
      return statement;
    }
    case Keyword::kReturn: {
      next();
      const ast::VariableRef* result = return_targets_.empty() ? nullptr : return_targets_.back();
      if (result == nullptr) fail(token, "'return' is allowed only in an inline that is called as x = name(...)");
      StatementPtr statement = make(StatementKind::kAssign, token.location);
      statement->variable = ast::clone(*result);
      statement->expression = parse_full_expression();
      return statement;
    }
    case Keyword::kCCode: {
      StatementPtr statement = make(StatementKind::kEmbeddedC, next().location);
      statement->text = collect_c_text(true);
      embedded_c_.push_back(token.location);
      return statement;
    }
    case Keyword::kFi:
    case Keyword::kOd:
      fail(token,
           fmt::format("'{}' without a matching '{}'", token.text, token.keyword == Keyword::kFi ? "if" : "do"));
    case Keyword::kRun:
    case Keyword::kLen:
    case Keyword::kFull:
    case Keyword::kEmpty:
    case Keyword::kNfull:
    case Keyword::kNempty:
    case Keyword::kEnabled:
    case Keyword::kPcValue:
    case Keyword::kGetPriority:
    case Keyword::kTimeout:
    case Keyword::kNp:
    case Keyword::kTrue:
    case Keyword::kFalse:
    case Keyword::kSkip:
    case Keyword::kCExpr: return parse_expression_statement(nullptr);
    default: fail_expected("a statement");
  }
}

// A statement that begins with a name: label, inline call, assignment, send, receive or expression.
StatementPtr Parser::parse_name_statement() {
  if (at_word("exists")) return parse_expression_statement(nullptr);
  if (at_word("choose") || at_word("least")) return parse_choose();
  const Token name = peek();
  if (mtype_values_.contains(name.text) || proctypes_.contains(name.text)) return parse_expression_statement(nullptr);
  next();
  if (inlines_.contains(name.text)) return parse_inline_call(name, nullptr);
  if (at(Tok::kColon)) {
    next();
    StatementPtr statement = make(StatementKind::kLabel, name.location);
    statement->label = std::string(name.text);
    if (at_declaration()) fail(peek(), "a label is not allowed before a declaration");
    if (!at_sequence_end() && !at(Tok::kSemicolon) && !at(Tok::kArrow)) statement->body = parse_statement();
    return statement;
  }
  if (at(Tok::kLeftParen) && !name.text.empty()) {
    if (name.text == "while")
      fail(name, "'while' is no statement of Promela; a loop is: do :: condition -> ... :: else -> break od");
    next();
    const bool is_call = !at(Tok::kName) || (next(), !at(Tok::kColon) && !at_word("in"));
    std::vector<std::string_view> candidates = {"assert", "printf", "printm", "len"};
    if (!is_call) candidates = {"for", "select"};  // (name : low .. high), (name in array)
    for (const auto& [known, definition] : inlines_) candidates.push_back(known);
    fail(name, fmt::format("'{}' is not an inline{}", name.text, diagnostics_.suggestion(name.text, candidates)));
  }
  auto variable = parse_variable_after(name);
  switch (peek().kind) {
    case Tok::kAt:
    case Tok::kColon: fail_unknown_proctype(name);
    case Tok::kAssign:
    case Tok::kPlusPlus:
    case Tok::kMinusMinus: return parse_assignment(std::move(variable));
    case Tok::kBang:
    case Tok::kBangBang: return parse_send(std::move(variable));
    case Tok::kQuestion:
    case Tok::kQuestionQuestion: return parse_receive(std::move(variable));
    default: {
      auto expression = std::make_unique<ast::Expression>();
      expression->kind = ast::ExpressionKind::kVariable;
      expression->location = name.location;
      expression->variable = std::move(variable);
      return parse_expression_statement(finish(std::move(expression)));
    }
  }
}

// varref "=" ( expr | INLINE "(" args ")" ) | varref "++" | varref "--"
StatementPtr Parser::parse_assignment(std::unique_ptr<ast::VariableRef> variable) {
  const Token op = next();
  StatementPtr statement = make(StatementKind::kAssign, variable->location);
  if (op.kind == Tok::kAssign) {
    if (peek().kind == Tok::kName && inlines_.contains(peek().text)) {
      return parse_inline_call(next(), std::move(variable));
    }
    statement->expression = parse_full_expression();
  } else {
    auto sum = std::make_unique<ast::Expression>();
    sum->kind = ast::ExpressionKind::kBinary;
    sum->op = op.kind == Tok::kPlusPlus ? ast::Op::kAdd : ast::Op::kSubtract;
    sum->location = op.location;
    auto old_value = std::make_unique<ast::Expression>();
    old_value->kind = ast::ExpressionKind::kVariable;
    old_value->location = variable->location;
    old_value->variable = ast::clone(*variable);
    auto one = std::make_unique<ast::Expression>();
    one->value = 1;
    one->location = op.location;
    sum->operands.push_back(finish(std::move(old_value)));
    sum->operands.push_back(std::move(one));
    statement->expression = finish(std::move(sum));
  }
  statement->variable = std::move(variable);
  return statement;
}

// varref ("!" | "!!") margs
StatementPtr Parser::parse_send(std::unique_ptr<ast::VariableRef> channel) {
  StatementPtr statement = make(StatementKind::kSend, channel->location);
  statement->sorted = next().kind == Tok::kBangBang;
  statement->variable = std::move(channel);
  statement->operands = parse_send_arguments();
  return statement;
}

// varref ("?" | "??") ( rargs | "<" rargs ">" | "[" rargs "]" ... as an expression )
StatementPtr Parser::parse_receive(std::unique_ptr<ast::VariableRef> channel) {
  const Token op = next();
  if (at(Tok::kLeftBracket)) {
    auto poll = std::make_unique<ast::Expression>();
    poll->kind = ast::ExpressionKind::kPoll;
    poll->location = op.location;
    poll->random = op.kind == Tok::kQuestionQuestion;
    poll->variable = std::move(channel);
    next();
    poll->arguments = parse_receive_arguments();
    expect(Tok::kRightBracket, "after the message fields");
    return parse_expression_statement(finish(std::move(poll)));
  }
  StatementPtr statement = make(StatementKind::kReceive, channel->location);
  statement->random = op.kind == Tok::kQuestionQuestion;
  statement->variable = std::move(channel);
  statement->poll = accept(Tok::kLess);
  statement->arguments = parse_receive_arguments();
  if (statement->poll) expect(Tok::kGreater, "after the message fields");
  return statement;
}

// ("if" | "do") { "::" sequence } ("fi" | "od")
StatementPtr Parser::parse_options(StatementKind kind, Keyword end) {
  const Token word = next();
  StatementPtr statement = make(kind, word.location);
  while (at(Tok::kSemicolon)) next();
  if (!at(Tok::kDoubleColon)) {
    const Token found = peek();
    if (found.kind != Tok::kUnknown)  // else the lexer reported it
      diagnostics_.error(
          found.location,
          fmt::format("expected '::' after '{0}' but found {1}; write: {0} :: condition -> ... :: else -> ... {2}",
                      word.text, describe(found), spelling(end)));
    recover_statement(1);
    throw SyntaxError{};
  }
  while (at(Tok::kDoubleColon)) {
    const Token option = next();
    const size_t errors = diagnostics_.error_count();
    ast::Sequence sequence = parse_sequence();
    sequence.location = option.location;
    if (sequence.steps.empty() && diagnostics_.error_count() == errors) {
      diagnostics_.error(option.location, "an option needs at least one statement");
    }
    statement->sequences.push_back(std::move(sequence));
  }
  if (!at(end)) {
    const Token token = peek();
    diagnostics_.error(token.location, fmt::format("expected '{}' but found {}", spelling(end), describe(token)));
    diagnostics_.note(word.location, fmt::format("to match this '{}'", word.text));
    if (!at(Keyword::kFi) && !at(Keyword::kOd)) throw SyntaxError{};
  }
  next();
  return statement;
}

// "for" "(" varref ":" expr ".." expr ")" block | "for" "(" varref "in" varref ")" block
StatementPtr Parser::parse_for() {
  StatementPtr statement = make(StatementKind::kFor, next().location);
  expect(Tok::kLeftParen, "after 'for'");
  if (!at_declaration()) statement->variable = parse_variable();
  if (at_declaration() || at(Tok::kAssign)) {
    diagnostics_.error(peek().location,
                       fmt::format("expected ':' or 'in' after the variable of the for loop but found {}; "
                                   "write: for (i : low .. high) {{ ... }}, i declared before",
                                   describe(peek())));
    for (int open = 1; open > 0 && !at(Tok::kEnd) && !at(Tok::kLeftBrace);) {
      const Tok kind = next().kind;
      open += kind == Tok::kLeftParen ? 1 : kind == Tok::kRightParen ? -1 : 0;
    }
  } else if (peek().kind == Tok::kName && peek().text == "in") {
    next();
    statement->over = parse_variable();
    expect(Tok::kRightParen, "after the head of the for loop");
  } else {
    expect(Tok::kColon, "or 'in' after the variable of the for loop");
    statement->expression = parse_expression();
    expect(Tok::kDotDot, "in the range of the for loop");
    statement->to = parse_expression();
    expect(Tok::kRightParen, "after the head of the for loop");
  }
  while (at(Tok::kSemicolon)) next();
  StatementPtr block = parse_braced(StatementKind::kBlock);
  statement->sequences = std::move(block->sequences);
  return statement;
}

// ( "choose" | "least" ) targets "where" "(" expr ")" [ "max" CONST ]     `max`: of choose only
StatementPtr Parser::parse_choose() {
  StatementPtr statement = make(StatementKind::kChoose, peek().location);
  statement->least = next().text == "least";
  statement->targets = parse_guard_targets();
  if (!at_word("where")) fail_expected("'where' before the condition");
  next();
  expect(Tok::kLeftParen, "before the condition");
  statement->expression = parse_full_expression();
  expect(Tok::kRightParen, "after the condition");
  if (statement->least || !at_word("max")) return statement;
  next();
  const Token number = peek();
  const int32_t most = parse_constant_expression(2);
  if (most < 1) fail(number, fmt::format("'max {}': at least one witness has to be asked for", most));
  statement->most_witnesses = static_cast<uint32_t>(most);
  return statement;
}

// "{" sequence "}"
StatementPtr Parser::parse_braced(StatementKind kind) {
  if (!at(Tok::kLeftBrace)) fail_expected("'{'");
  const Token open = next();
  StatementPtr statement = make(kind, open.location);
  const size_t errors = diagnostics_.error_count();
  statement->sequences.push_back(parse_sequence());
  if (!at(Tok::kRightBrace)) {
    const Token token = peek();
    diagnostics_.error(token.location, fmt::format("expected '}}' but found {}", describe(token)));
    diagnostics_.note(open.location, "to match this '{'");
    throw SyntaxError{};
  }
  next();
  if (statement->sequences[0].steps.empty() && diagnostics_.error_count() == errors)
    diagnostics_.error(open.location, "a block needs at least one statement");
  return statement;
}

}  // namespace cmc::promela
