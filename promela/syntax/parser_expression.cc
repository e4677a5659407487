#include <fmt/format.h>

#include "promela/syntax/parser.h"

// Expressions, by precedence climbing over SPIN's operator table.

namespace cmc::promela {

using ast::ExpressionKind;
using ast::ExpressionPtr;
using ast::Op;

namespace {

constexpr int kLtlLevels = 4;  // 0: -> <->, 1: ||, 2: &&, 3: U V W

bool is_probe(const ast::Expression& e) {
  if (e.kind == ExpressionKind::kChannelQuery) return e.op != Op::kLength;
  if (e.kind == ExpressionKind::kBinary && (e.op == Op::kAnd || e.op == Op::kOr)) {
    return is_probe(*e.operands[0]) || is_probe(*e.operands[1]);
  }
  return false;
}

ExpressionPtr make_expression(ExpressionKind kind, const Location& location) {
  auto expression = std::make_unique<ast::Expression>();
  expression->kind = kind;
  expression->location = location;
  return expression;
}

Op temporal_word(std::string_view word) {
  static constexpr std::pair<std::string_view, Op> kWords[] = {{"U", Op::kUntil},
                                                               {"V", Op::kRelease},
                                                               {"W", Op::kWeakUntil},
                                                               {"X", Op::kNext},
                                                               {"always", Op::kAlways},
                                                               {"eventually", Op::kEventually},
                                                               {"until", Op::kUntil},
                                                               {"stronguntil", Op::kUntil},
                                                               {"weakuntil", Op::kWeakUntil},
                                                               {"release", Op::kRelease},
                                                               {"next", Op::kNext},
                                                               {"implies", Op::kImplies},
                                                               {"equivalent", Op::kEquivalent}};
  for (const auto& [text, op] : kWords) {
    if (word == text) return op;
  }
  return Op::kNone;
}

}  // namespace

// Sets the height of a finished node and bounds it.
ExpressionPtr Parser::finish(ExpressionPtr expression) {
  for (const ExpressionPtr& operand : expression->operands) {
    expression->depth = std::max(expression->depth, operand->depth + 1);
  }
  if (expression->variable && expression->variable->index) {
    expression->depth = std::max(expression->depth, expression->variable->index->depth + 1);
  }
  for (const ast::GuardTarget& target : expression->targets) {
    expression->depth = std::max({expression->depth, target.low->depth + 1, target.high->depth + 1});
  }
  if (expression->depth > kMaxExpressionDepth) {
    diagnostics_.error(expression->location,
                       fmt::format("expression nested deeper than {} levels", kMaxExpressionDepth));
    throw SyntaxError{};
  }
  return expression;
}

// SPIN's grammar lets full, empty, nfull and nempty occur under && and || only, so that nobody negates them.
void Parser::reject_probe(const ast::Expression& operand, std::string_view op) {
  if (!is_probe(operand)) return;
  std::string message = fmt::format("'{}' cannot be an operand of '{}'", to_text(operand), op);
  if (op == "!" && operand.kind == ExpressionKind::kChannelQuery) {
    const Op opposite = operand.op == Op::kFull      ? Op::kNotFull
                        : operand.op == Op::kNotFull ? Op::kFull
                        : operand.op == Op::kEmpty   ? Op::kNotEmpty
                                                     : Op::kEmpty;
    message += fmt::format("; use {}({})", spelling(opposite), to_text(*operand.variable));
  }
  diagnostics_.error(operand.location, message);
}

ExpressionPtr Parser::parse_full_expression() { return parse_binary(0, nullptr); }

Parser::BinaryOperator Parser::binary_operator() {
  const Token& token = peek();
  if (in_ltl_) {
    if (token.kind == Tok::kArrow) return {Op::kImplies, 0};
    if (token.kind == Tok::kName) {
      const Op op = temporal_word(token.text);
      if (op == Op::kImplies || op == Op::kEquivalent) return {op, 0};
      if (op == Op::kUntil || op == Op::kWeakUntil || op == Op::kRelease) return {op, 3};
    }
  }
  switch (token.kind) {
    case Tok::kOrOr: return {Op::kOr, 1};
    case Tok::kAndAnd: return {Op::kAnd, 2};
    case Tok::kPipe: return {Op::kBitOr, kLtlLevels};
    case Tok::kCaret: return {Op::kBitXor, kLtlLevels + 1};
    case Tok::kAmpersand: return {Op::kBitAnd, kLtlLevels + 2};
    case Tok::kEqual: return {Op::kEqual, kLtlLevels + 3};
    case Tok::kNotEqual: return {Op::kNotEqual, kLtlLevels + 3};
    case Tok::kGreater: return {Op::kGreater, kLtlLevels + 4};
    case Tok::kLess: return {Op::kLess, kLtlLevels + 4};
    case Tok::kGreaterEqual: return {Op::kGreaterEqual, kLtlLevels + 4};
    case Tok::kLessEqual: return {Op::kLessEqual, kLtlLevels + 4};
    case Tok::kShiftLeft: return {Op::kShiftLeft, kLtlLevels + 5};
    case Tok::kShiftRight: return {Op::kShiftRight, kLtlLevels + 5};
    case Tok::kPlus: return {Op::kAdd, kLtlLevels + 6};
    case Tok::kMinus: return {Op::kSubtract, kLtlLevels + 6};
    case Tok::kStar: return {Op::kMultiply, kLtlLevels + 7};
    case Tok::kSlash: return {Op::kDivide, kLtlLevels + 7};
    case Tok::kPercent: return {Op::kModulo, kLtlLevels + 7};
    default: return {};
  }
}

// expr ::= expr op expr, all left-associative; `left`, if given, has been read already
ExpressionPtr Parser::parse_binary(int minimum, ExpressionPtr left) {
  const Nesting nesting(*this);
  if (!left) left = parse_unary();
  if (left->extent.first.place.line == 0) left->extent = {left->variable->location, tokens_.last().written()};
  for (;;) {
    const BinaryOperator op = binary_operator();
    if (op.op == Op::kNone || op.level < minimum) return left;
    const Token token = next();
    const bool temporal = op.op >= Op::kAlways;
    auto binary = make_expression(temporal ? ExpressionKind::kTemporal : ExpressionKind::kBinary, token.location);
    binary->op = op.op;
    binary->operands.push_back(std::move(left));
    binary->operands.push_back(parse_binary(op.level + 1, nullptr));
    if (!temporal && op.op != Op::kAnd && op.op != Op::kOr && !in_ltl_) {
      reject_probe(*binary->operands[0], spelling(op.op));
      reject_probe(*binary->operands[1], spelling(op.op));
    }
    binary->extent = {binary->operands[0]->extent.first, tokens_.last().written()};
    left = finish(std::move(binary));
  }
}

ExpressionPtr Parser::parse_unary() {
  const Location first = peek().written();
  ExpressionPtr expression = parse_operand();
  expression->extent = {first, tokens_.last().written()};
  return expression;
}

// unary ::= ("-" | "!" | "~") unary | ltl: ("[]" | "<>" | "X") unary | primary
ExpressionPtr Parser::parse_operand() {
  const Nesting nesting(*this);
  const Token token = peek();
  if (in_ltl_) {
    Op op = token.kind == Tok::kName ? temporal_word(token.text) : Op::kNone;
    if (token.kind == Tok::kLeftBracket) op = Op::kAlways;
    if (token.kind == Tok::kLess) op = Op::kEventually;
    if (op == Op::kAlways || op == Op::kEventually || op == Op::kNext) {
      next();
      if (token.kind == Tok::kLeftBracket) expect(Tok::kRightBracket, "to complete '[]'");
      if (token.kind == Tok::kLess) expect(Tok::kGreater, "to complete '<>'");
      auto temporal = make_expression(ExpressionKind::kTemporal, token.location);
      temporal->op = op;
      temporal->operands.push_back(parse_unary());
      return finish(std::move(temporal));
    }
  }
  const Op op = token.kind == Tok::kMinus   ? Op::kNegate
                : token.kind == Tok::kBang  ? Op::kNot
                : token.kind == Tok::kTilde ? Op::kComplement
                                            : Op::kNone;
  if (op == Op::kNone) return parse_primary();
  next();
  auto unary = make_expression(ExpressionKind::kUnary, token.location);
  unary->op = op;
  unary->operands.push_back(parse_unary());
  if (!in_ltl_) reject_probe(*unary->operands[0], spelling(op));
  return finish(std::move(unary));
}

ExpressionPtr Parser::parse_primary() {
  const Token token = peek();
  switch (token.kind) {
    case Tok::kLeftParen: return parse_parenthesised();
    case Tok::kNumber: {
      auto number = make_expression(ExpressionKind::kNumber, token.location);
      number->value = next().value;
      return number;
    }
    case Tok::kName: return parse_name_expression();
    case Tok::kKeyword: return parse_keyword_expression();
    case Tok::kAssign: fail_compound_assignment(token);
    default: fail_expected("an expression");
  }
}

// x += 1, x := 1
void Parser::fail_compound_assignment(const Token& equals) {
  const Token& before = tokens_.last();
  switch (before.kind) {
    case Tok::kColon:
    case Tok::kPlus:
    case Tok::kMinus:
    case Tok::kStar:
    case Tok::kSlash:
    case Tok::kPercent:
    case Tok::kPipe:
    case Tok::kCaret:
    case Tok::kAmpersand:
    case Tok::kShiftLeft:
    case Tok::kShiftRight: break;
    default: fail_expected("an expression");
  }
  if (!equals.joined) fail_expected("an expression");
  const std::string right = before.kind == Tok::kColon ? "" : fmt::format("x {} ", spelling(before.kind));
  fail(before, fmt::format("'{}=' is no operator of Promela; write x = {}...", spelling(before.kind), right));
}

// "(" expr ")" | "(" expr "->" expr ":" expr ")"
ExpressionPtr Parser::parse_parenthesised() {
  const Token open = next();
  ExpressionPtr inner = parse_full_expression();
  if (!in_ltl_ && at(Tok::kArrow)) {
    next();
    auto conditional = make_expression(ExpressionKind::kConditional, open.location);
    conditional->operands.push_back(std::move(inner));
    ++conditionals_;
    conditional->operands.push_back(parse_full_expression());
    --conditionals_;
    expect(Tok::kColon, "in the conditional expression ( condition -> value : value )");
    conditional->operands.push_back(parse_full_expression());
    inner = finish(std::move(conditional));
  }
  if (at(Tok::kAssign)) fail(peek(), "'=' in a condition; to compare, write '=='");
  expect(Tok::kRightParen, "to close the parenthesis");
  return inner;
}

ExpressionPtr Parser::parse_keyword_expression() {
  const Token token = peek();
  const auto one_operand = [&](ExpressionKind kind) {
    next();
    auto expression = make_expression(kind, token.location);
    expect(Tok::kLeftParen, "before the argument");
    expression->operands.push_back(parse_expression());
    expect(Tok::kRightParen, "after the argument");
    return finish(std::move(expression));
  };
  const auto query = [&](Op op) {
    next();
    auto expression = make_expression(ExpressionKind::kChannelQuery, token.location);
    expression->op = op;
    expect(Tok::kLeftParen, "before the channel");
    expression->variable = parse_variable();
    expect(Tok::kRightParen, "after the channel");
    return finish(std::move(expression));
  };
  const auto constant = [&](int32_t value) {
    next();
    auto number = make_expression(ExpressionKind::kNumber, token.location);
    number->value = value;
    return number;
  };
  switch (token.keyword) {
    case Keyword::kTrue:
    case Keyword::kSkip: return constant(1);
    case Keyword::kFalse: return constant(0);
    case Keyword::kLen: return query(Op::kLength);
    case Keyword::kFull: return query(Op::kFull);
    case Keyword::kEmpty: return query(Op::kEmpty);
    case Keyword::kNfull: return query(Op::kNotFull);
    case Keyword::kNempty: return query(Op::kNotEmpty);
    case Keyword::kEnabled: return one_operand(ExpressionKind::kEnabled);
    case Keyword::kPcValue: return one_operand(ExpressionKind::kPcValue);
    case Keyword::kGetPriority: return one_operand(ExpressionKind::kGetPriority);
    case Keyword::kTimeout: next(); return make_expression(ExpressionKind::kTimeout, token.location);
    case Keyword::kNp: next(); return make_expression(ExpressionKind::kNonProgress, token.location);
    case Keyword::kRun: return parse_run();
    case Keyword::kCExpr: {
      next();
      auto embedded = make_expression(ExpressionKind::kEmbeddedC, token.location);
      embedded->name = collect_c_text(true);
      embedded_c_.push_back(token.location);
      return embedded;
    }
    default: fail_expected("an expression");
  }
}

// run ::= "run" NAME "(" [ args ] ")" [ "priority" CONST ]
ExpressionPtr Parser::parse_run() {
  auto run = make_expression(ExpressionKind::kRun, next().location);
  run->name = std::string(expect_name("the name of a proctype").text);
  expect(Tok::kLeftParen, "before the arguments");
  if (!at(Tok::kRightParen)) run->operands = parse_arguments();
  expect(Tok::kRightParen, "after the arguments");
  run->value = parse_optional_priority();
  return finish(std::move(run));
}

// exists ::= "exists" "(" targets ")" "(" expr ")"
ExpressionPtr Parser::parse_exists() {
  auto exists = make_expression(ExpressionKind::kExists, next().location);
  exists->targets = parse_guard_targets();
  expect(Tok::kLeftParen, "before the condition");
  exists->operands.push_back(parse_full_expression());
  expect(Tok::kRightParen, "after the condition");
  return finish(std::move(exists));
}

// targets ::= "(" varref ":" expr ".." expr { "," varref ":" expr ".." expr } ")"
std::vector<ast::GuardTarget> Parser::parse_guard_targets() {
  expect(Tok::kLeftParen, "before what is looked for");
  std::vector<ast::GuardTarget> targets;
  do {
    ast::GuardTarget& target = targets.emplace_back();
    target.variable = parse_variable();
    expect(Tok::kColon, "before the range");
    target.low = parse_expression();
    expect(Tok::kDotDot, "in the range");
    target.high = parse_expression();
  } while (accept(Tok::kComma));
  expect(Tok::kRightParen, "after the ranges");
  if (at(Tok::kSemicolon) && peek().text.empty()) next();  // implied by the end of a line, but there is more to come
  return targets;
}

// arg ::= expr { "," expr }
std::vector<ExpressionPtr> Parser::parse_arguments() {
  std::vector<ExpressionPtr> arguments;
  do {
    arguments.push_back(parse_expression());
  } while (accept(Tok::kComma));
  return arguments;
}

// NAME: an mtype constant, a remote reference, a poll or a variable
ExpressionPtr Parser::parse_name_expression() {
  if (at_word("exists")) return parse_exists();
  const Token name = next();
  if (mtype_values_.contains(name.text)) {
    auto constant = make_expression(ExpressionKind::kMtypeConstant, name.location);
    constant->name = std::string(name.text);
    constant->value = mtype_values_.find(name.text)->second;
    return constant;
  }
  if (proctypes_.contains(name.text)) return parse_remote(name);
  if (in_ltl_ && temporal_word(name.text) != Op::kNone) {
    fail(name, fmt::format("'{}' is an operator of formulas and cannot be a variable in one", name.text));
  }
  if (inlines_.contains(name.text)) {
    fail(name, fmt::format("inline '{}' cannot be used in an expression", name.text));
  }
  auto variable = parse_variable_after(name);
  if (at(Tok::kAt) || (at(Tok::kColon) && conditionals_ == 0)) fail_unknown_proctype(name);
  if (at(Tok::kQuestion) || at(Tok::kQuestionQuestion)) return parse_poll(std::move(variable));
  auto expression = make_expression(ExpressionKind::kVariable, name.location);
  expression->variable = std::move(variable);
  return finish(std::move(expression));
}

// remote ::= PROCTYPE [ "[" expr "]" ] ( "@" NAME | ":" NAME [ "[" expr "]" ] )
ExpressionPtr Parser::parse_remote(const Token& name) {
  auto remote = make_expression(ExpressionKind::kRemoteLabel, name.location);
  remote->name = std::string(name.text);
  if (accept(Tok::kLeftBracket)) {
    remote->operands.push_back(parse_expression());
    expect(Tok::kRightBracket, "after the process id");
  }
  if (accept(Tok::kAt)) {
    remote->label = std::string(expect_free_name("a label").text);
  } else if (accept(Tok::kColon)) {
    remote->kind = ExpressionKind::kRemoteVariable;
    remote->variable = parse_variable();
  } else {
    fail(name,
         fmt::format("'{0}' is a proctype, which has no value; '{0}@LABEL' asks where a process is, '{0}:NAME' is "
                     "one of its variables",
                     name.text));
  }
  return finish(std::move(remote));
}

void Parser::fail_unknown_proctype(const Token& name) {
  const std::vector<std::string_view> names(proctypes_.begin(), proctypes_.end());
  const std::string hint = diagnostics_.suggestion(name.text, names);
  fail(name, fmt::format("unknown proctype '{}' in a remote reference{}", name.text,
                         hint.empty() ? "; it must be declared before" : hint));
}

// poll ::= varref ("?" | "??") "[" rargs "]"
ExpressionPtr Parser::parse_poll(std::unique_ptr<ast::VariableRef> channel) {
  const Token op = next();
  auto poll = make_expression(ExpressionKind::kPoll, op.location);
  poll->random = op.kind == Tok::kQuestionQuestion;
  poll->variable = std::move(channel);
  if (!at(Tok::kLeftBracket)) {
    fail(op,
         "a receive has an effect and cannot be part of an expression; to test for a message write q?[...], to "
         "choose a value (condition -> value : value)");
  }
  next();
  poll->arguments = parse_receive_arguments();
  expect(Tok::kRightBracket, "after the message fields");
  return finish(std::move(poll));
}

// varref ::= NAME [ "[" expr "]" ] [ "." varref ]
std::unique_ptr<ast::VariableRef> Parser::parse_variable() {
  return parse_variable_after(expect_free_name("a variable"));
}

std::unique_ptr<ast::VariableRef> Parser::parse_variable_after(const Token& name) {
  const Nesting nesting(*this);
  auto variable = std::make_unique<ast::VariableRef>();
  variable->name = std::string(name.text);
  variable->location = name.location;
  if (at(Tok::kLeftBracket)) {
    next();
    variable->index = parse_expression();
    expect(Tok::kRightBracket, "after the index");
  }
  if (accept(Tok::kDot)) variable->field = parse_variable_after(expect_free_name("a field"));
  return variable;
}

// rargs ::= rarg [ "," rargs ] | rarg "(" rargs ")" | "(" rargs ")"
// rarg ::= varref | "eval" "(" expr ")" | ["-"] CONST
std::vector<ast::ReceiveArg> Parser::parse_receive_arguments() {
  const Nesting nesting(*this);
  std::vector<ast::ReceiveArg> arguments;
  while (!at(Tok::kLeftParen)) {
    ast::ReceiveArg argument;
    const Token token = peek();
    const bool mtype = token.kind == Tok::kName && mtype_values_.contains(token.text);
    if (accept(Keyword::kEval)) {
      argument.kind = ast::ReceiveArg::Kind::kEval;
      expect(Tok::kLeftParen, "after 'eval'");
      argument.value = parse_expression();
      expect(Tok::kRightParen, "after the expression of 'eval'");
    } else if (token.kind == Tok::kName && !mtype) {
      argument.variable = parse_variable();
    } else {
      argument.kind = ast::ReceiveArg::Kind::kConstant;
      const bool negative = accept(Tok::kMinus);
      if (!mtype && !at(Tok::kNumber) && !at(Keyword::kTrue) && !at(Keyword::kFalse) && !at(Keyword::kSkip)) {
        fail_expected("a variable, a constant or eval(...) as message field");
      }
      argument.value = parse_primary();
      if (negative) argument.value->value = static_cast<int32_t>(0U - static_cast<uint32_t>(argument.value->value));
    }
    arguments.push_back(std::move(argument));
    if (!accept(Tok::kComma) && !at(Tok::kLeftParen)) return arguments;
  }
  next();
  for (ast::ReceiveArg& more : parse_receive_arguments()) arguments.push_back(std::move(more));
  expect(Tok::kRightParen, "after the message fields");
  return arguments;
}

// margs ::= expr { "," expr } | expr "(" args ")"
std::vector<ExpressionPtr> Parser::parse_send_arguments() {
  std::vector<ExpressionPtr> arguments;
  arguments.push_back(parse_expression());
  if (accept(Tok::kLeftParen)) {
    for (ExpressionPtr& more : parse_arguments()) arguments.push_back(std::move(more));
    expect(Tok::kRightParen, "after the message fields");
    return arguments;
  }
  while (accept(Tok::kComma)) arguments.push_back(parse_expression());
  return arguments;
}

}  // namespace cmc::promela
