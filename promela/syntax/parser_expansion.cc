#include <algorithm>

#include <fmt/format.h>

#include "promela/syntax/parser.h"

// What is replaced by other text while parsing: calls of inlines, and select with constant bounds.

namespace cmc::promela {

using ast::StatementKind;
using ast::StatementPtr;

// [ varref "=" ] INLINE "(" args ")"
StatementPtr Parser::parse_inline_call(const Token& name, std::unique_ptr<ast::VariableRef> result) {
  const Inline& definition = inlines_.find(name.text)->second;
  std::vector<std::vector<Token>> arguments = collect_inline_arguments(name);
  if (arguments.size() != definition.parameters.size()) {
    diagnostics_.error(name.location,
                       fmt::format("inline '{}' takes {} argument{}, not {}", name.text, definition.parameters.size(),
                                   definition.parameters.size() == 1 ? "" : "s", arguments.size()));
    diagnostics_.note(definition.location, "defined here");
    throw SyntaxError{};
  }
  const std::string key(name.text);
  if (tokens_.is_expanding(key)) fail(name, fmt::format("inline '{}' calls itself", key));
  if (tokens_.expansion_depth() >= kMaxInlineDepth) {
    fail(name, fmt::format("inlines nested deeper than {} levels", kMaxInlineDepth));
  }
  const ast::Extent call{result ? result->location : name.written(), tokens_.last().written()};
  warn_of_second_replacement(definition, arguments);
  tokens_.splice(expand_inline(definition, arguments, name), key);
  return_targets_.push_back(result.get());
  StatementPtr body;
  try {
    body = parse_statement();
  } catch (...) {
    return_targets_.pop_back();
    throw;
  }
  return_targets_.pop_back();
  body->is_inline = true;
  body->extent = call;
  return body;
}

std::vector<std::vector<Token>> Parser::collect_inline_arguments(const Token& name) {
  std::vector<std::vector<Token>> arguments;
  if (!at(Tok::kLeftParen)) fail_expected(fmt::format("'(' after the name of inline '{}'", name.text));
  next();
  if (accept(Tok::kRightParen)) return arguments;
  arguments.emplace_back();
  int depth = 0;
  for (;;) {
    const Token token = next();
    if (token.kind == Tok::kEnd)
      fail(name, fmt::format("the arguments of inline '{}' are not closed by ')'", name.text));
    if (depth == 0 && token.kind == Tok::kRightParen) break;
    if (depth == 0 && token.kind == Tok::kComma) {
      arguments.emplace_back();
      continue;
    }
    if (token.kind == Tok::kLeftParen) ++depth;
    if (token.kind == Tok::kRightParen) --depth;
    arguments.back().push_back(token);
  }
  for (const std::vector<Token>& argument : arguments) {
    if (argument.empty()) fail(name, fmt::format("an argument of inline '{}' is empty", name.text));
  }
  return arguments;
}

// SPIN reads the last word of an argument as a word of the body, and replaces it, too, if it names a parameter:
// g(x, 2 + a) of an inline g(a, b) has 2 + x for b. It refuses an argument that is nothing but such a name, and has
// no end where a parameter is the last word of its own argument.
void Parser::warn_of_second_replacement(const Inline& definition, const std::vector<std::vector<Token>>& arguments) {
  const std::vector<std::string>& parameters = definition.parameters;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Token& last = arguments[i].back();
    if (arguments[i].size() == 1 || last.kind != Tok::kName) continue;
    const auto named = std::find(parameters.begin(), parameters.end(), last.text);
    const auto other = static_cast<size_t>(named - parameters.begin());
    if (other == parameters.size() || other == i) continue;
    if (arguments[other].size() == 1 && arguments[other].front().text == last.text) continue;
    const bool is_used = std::any_of(definition.body.begin(), definition.body.end(), [&](const Token& token) {
      return token.kind == Tok::kName && token.text == parameters[i];
    });
    if (!is_used) continue;
    diagnostics_.warning(
        last.location,
        fmt::format("SPIN replaces this '{}', too, by the argument for the parameter of that name, and "
                    "CMC does not; put the argument in parentheses",
                    last.text));
  }
}

std::vector<Token> Parser::expand_inline(const Inline& definition, const std::vector<std::vector<Token>>& arguments,
                                         const Token& call) {
  const ExpansionId inline_id = sources_.add_expansion(
      {Expansion::Kind::kInline, std::string(call.text), call.location.place, call.location.expansion});
  std::map<ExpansionId, ExpansionId> known;
  std::vector<Token> text;
  for (const Token& token : definition.body) {
    size_t parameter = definition.parameters.size();
    if (token.kind == Tok::kName) {
      for (parameter = 0; parameter < definition.parameters.size(); ++parameter) {
        if (definition.parameters[parameter] == token.text) break;
      }
    }
    if (parameter == definition.parameters.size()) {
      text.push_back(token);
      text.back().location.expansion = under_inline(token.location.expansion, inline_id, known);
      continue;
    }
    for (size_t i = 0; i < arguments[parameter].size(); ++i) {
      text.push_back(arguments[parameter][i]);
      text.back().starts_line = i == 0 && token.starts_line;
      text.back().parameter = token.location.place;
    }
  }
  return text;
}

// The same chain of expansions with the call of an inline below its outermost one.
ExpansionId Parser::under_inline(ExpansionId original, ExpansionId inline_id,
                                 std::map<ExpansionId, ExpansionId>& known) {
  if (original == 0) return inline_id;
  if (const auto found = known.find(original); found != known.end()) return found->second;
  Expansion expansion = sources_.expansion(original);
  expansion.parent = under_inline(expansion.parent, inline_id, known);
  return known[original] = sources_.add_expansion(std::move(expansion));
}

// ---------------------------------------------------------------------------------------------------- select

namespace {

bool is_alphanumeric(std::string_view text) {
  for (const char c : text) {
    if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'))) return false;
  }
  return true;
}

Token punctuation(Tok kind, const Token& like) {
  Token token = like;
  token.kind = kind;
  token.starts_line = false;
  token.joined = false;
  token.text = spelling(kind);
  return token;
}

Token keyword(Keyword word, const Token& like) {
  Token token = punctuation(Tok::kKeyword, like);
  token.keyword = word;
  token.text = spelling(word);
  return token;
}

Token number(int32_t value, const Token& like) {
  Token token = punctuation(Tok::kNumber, like);
  token.value = value;
  token.text = "number";
  return token;
}

}  // namespace

// "select" "(" varref ":" expr ".." expr ")"
// Outside inlines, and with a plain name (no underscore) and constants as bounds, SPIN's lexer turns it into a
// selection (up to 33 values) or into a loop without else; the state space depends on it.
StatementPtr Parser::parse_select() {
  const Token word = next();
  expect(Tok::kLeftParen, "after 'select'");
  const Token name = peek();
  auto variable = parse_variable();
  expect(Tok::kColon, "after the variable of select");
  const Token first = peek();
  auto from = parse_expression();
  expect(Tok::kDotDot, "in the range of select");
  const Token second = peek();
  auto to = parse_expression();
  expect(Tok::kRightParen, "after the range of select");

  const bool constants = first.kind == Tok::kNumber && second.kind == Tok::kNumber &&
                         from->kind == ast::ExpressionKind::kNumber && to->kind == ast::ExpressionKind::kNumber;
  const bool plain = !variable->index && !variable->field && is_alphanumeric(name.text);
  if (!constants || !plain || tokens_.expansion_depth() > 0) {
    StatementPtr statement = make(StatementKind::kSelect, word.location);
    statement->variable = std::move(variable);
    statement->expression = std::move(from);
    statement->to = std::move(to);
    return statement;
  }
  if (from->value > to->value)
    fail(first, fmt::format("the range {}..{} of select is empty", from->value, to->value));
  std::vector<Token> text;
  const auto add_assignment = [&](int32_t value) {
    text.push_back(punctuation(Tok::kName, name));
    text.back().text = name.text;
    text.push_back(punctuation(Tok::kAssign, name));
    text.push_back(number(value, first));
  };
  if (int64_t{to->value} - from->value <= 32) {
    text.push_back(keyword(Keyword::kIf, word));
    for (int32_t value = from->value;; ++value) {
      text.push_back(punctuation(Tok::kDoubleColon, word));
      add_assignment(value);
      if (value == to->value) break;
    }
    text.push_back(keyword(Keyword::kFi, word));
  } else {  // x = from; do :: (x < to) -> x++ :: break od
    const auto add_name = [&] {
      text.push_back(punctuation(Tok::kName, name));
      text.back().text = name.text;
    };
    const auto add = [&](Tok kind) { text.push_back(punctuation(kind, word)); };
    add_assignment(from->value);
    add(Tok::kSemicolon);
    text.push_back(keyword(Keyword::kDo, word));
    add(Tok::kDoubleColon);
    add(Tok::kLeftParen);
    add_name();
    add(Tok::kLess);
    text.push_back(number(to->value, second));
    add(Tok::kRightParen);
    add(Tok::kArrow);
    add_name();
    add(Tok::kPlusPlus);
    add(Tok::kDoubleColon);
    text.push_back(keyword(Keyword::kBreak, word));
    text.push_back(keyword(Keyword::kOd, word));
  }
  tokens_.splice(std::move(text), "");
  return parse_statement();
}

}  // namespace cmc::promela
