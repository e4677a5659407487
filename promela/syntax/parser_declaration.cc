#include <fmt/format.h>

#include "promela/syntax/parser.h"

// Declarations, typedef fields, mtype names and constant expressions.

namespace cmc::promela {

namespace {

bool is_basic_type(const Token& token) {
  if (token.kind != Tok::kKeyword) return false;
  switch (token.keyword) {
    case Keyword::kBit:
    case Keyword::kBool:
    case Keyword::kByte:
    case Keyword::kShort:
    case Keyword::kInt:
    case Keyword::kUnsigned:
    case Keyword::kMtype:
    case Keyword::kChan:
    case Keyword::kPid: return true;
    default: return false;
  }
}

bool is_visibility(const Token& token) {
  return token.kind == Tok::kKeyword &&
         (token.keyword == Keyword::kHidden || token.keyword == Keyword::kShow || token.keyword == Keyword::kLocal);
}

constexpr std::string_view kTypes[] = {"bit", "bool", "byte", "short", "int", "unsigned", "mtype", "chan", "pid"};

// The types of other languages, and what Promela has for them.
constexpr std::pair<std::string_view, std::string_view> kForeignTypes[] = {
    {"boolean", "bool"},
    {"char", "byte"},
    {"double", "int, without fractions"},
    {"float", "int, without fractions"},
    {"int16_t", "short"},
    {"int32_t", "int"},
    {"integer", "int"},
    {"long", "int"},
    {"real", "int, without fractions"},
    {"string", "mtype, for names"},
    {"uint8_t", "byte"},
};

}  // namespace

std::string Parser::type_suggestion(std::string_view word, std::vector<std::string_view> candidates) const {
  for (const auto& [foreign, own] : kForeignTypes) {
    if (word == foreign) return fmt::format("; Promela has {}", own);
  }
  candidates.insert(candidates.end(), std::begin(kTypes), std::end(kTypes));
  for (const std::string& name : typedefs_) candidates.push_back(name);
  return diagnostics_.suggestion(word, candidates);
}

bool Parser::at_declaration() {
  const Token& token = peek();
  return is_basic_type(token) || is_visibility(token) || (token.kind == Tok::kName && typedefs_.contains(token.text));
}

// decl_lst ::= [ one_decl { ";" one_decl } [ ";" ] ]
std::vector<ast::Declaration> Parser::parse_declaration_list(Tok end) {
  std::vector<ast::Declaration> list;
  skip_separators();
  while (!at(end)) {
    if (!at_declaration()) {
      const Token token = peek();
      if (token.kind == Tok::kName) {
        fail(token, fmt::format("unknown type '{}'{}", token.text, type_suggestion(token.text)));
      }
      fail_expected("a declaration");
    }
    list.push_back(parse_declaration(nullptr));
    if (!at(end) && !at(Tok::kSemicolon) && !at(Tok::kArrow))
      fail_expected(fmt::format("';' or '{}'", spelling(end)));
    skip_separators();
  }
  return list;
}

// one_decl ::= [vis] TYPE [":" NAME] ivar { "," ivar } | [vis] TYPENAME ivar { "," ivar }
//            | [vis] "mtype" [":" NAME] ["="] "{" names "}"
ast::Declaration Parser::parse_declaration(std::unique_ptr<ast::MtypeDeclaration>* mtype) {
  ast::Declaration declaration;
  declaration.location = peek().location;
  if (is_visibility(peek())) {
    const Keyword word = next().keyword;
    declaration.hidden = word == Keyword::kHidden;
    declaration.show = word == Keyword::kShow;
    declaration.local = word == Keyword::kLocal;
  }
  const Token type = peek();
  if (!is_basic_type(type) && !(type.kind == Tok::kName && typedefs_.contains(type.text))) fail_expected("a type");
  next();
  declaration.type = type.kind == Tok::kKeyword && type.keyword == Keyword::kBool ? "bit" : std::string(type.text);
  const bool is_mtype = type.kind == Tok::kKeyword && type.keyword == Keyword::kMtype;
  if (at(Tok::kColon)) {
    if (!is_mtype) fail_expected(fmt::format("the name of a variable of type {}", declaration.type));
    next();
    declaration.mtype_set = std::string(expect_free_name("the name of an mtype set").text);
  }
  if (is_mtype && (at(Tok::kAssign) || at(Tok::kLeftBrace))) {
    if (mtype == nullptr) fail(type, "mtype constants can only be declared globally");
    accept(Tok::kAssign);
    *mtype = parse_mtype_names(declaration.mtype_set, type.location);
    return declaration;
  }
  do {
    if (!declaration.declarators.empty() && is_basic_type(peek())) {
      fail(peek(), fmt::format("',' separates names of one type: write ';' before '{}'", peek().text));
    }
    declaration.declarators.push_back(parse_declarator(declaration.type));
    const ast::Declarator& last = declaration.declarators.back();
    const bool ends_in_brace =
        last.channel || (last.initializer && last.initializer->kind == ast::ExpressionKind::kList);
    if (ends_in_brace && at(Tok::kComma)) {
      diagnostics_.warning(peek().location,
                           "SPIN refuses a ',' after '}'; give the next name a declaration of its own");
    }
  } while (accept(Tok::kComma));
  return declaration;
}

// names ::= NAME { [","] NAME }     The LAST name gets the smallest value, as in SPIN.
std::unique_ptr<ast::MtypeDeclaration> Parser::parse_mtype_names(std::string set, Location location) {
  auto mtype = std::make_unique<ast::MtypeDeclaration>();
  mtype->set = std::move(set);
  mtype->location = location;
  expect(Tok::kLeftBrace, "before the mtype names");
  while (!at(Tok::kRightBrace)) {
    const Token name = peek();
    if (name.kind == Tok::kName && mtype_values_.contains(name.text)) {
      diagnostics_.error(name.location, fmt::format("mtype constant '{}' is declared twice", name.text));
      next();
    } else {
      mtype->names.emplace_back(std::string(expect_free_name("an mtype constant").text), name.location);
    }
    while (at(Tok::kComma) || at(Tok::kSemicolon)) next();
  }
  next();
  std::vector<std::string>& values = mtype_sets_[mtype->set];
  if (values.size() + mtype->names.size() > 255) {
    diagnostics_.error(location, "more than 255 mtype constants in one set");
    throw SyntaxError{};
  }
  for (auto name = mtype->names.rbegin(); name != mtype->names.rend(); ++name) {
    if (mtype_values_.contains(name->first)) {
      diagnostics_.error(name->second, fmt::format("mtype constant '{}' is declared twice", name->first));
      continue;
    }
    values.push_back(name->first);
    mtype_values_.emplace(name->first, static_cast<int32_t>(values.size()));
  }
  return mtype;
}

// ivar ::= NAME [":" CONST | "[" const_expr "]"] [ "=" ( "{" CONST {"," CONST} "}" | ch_init | expr ) ]
ast::Declarator Parser::parse_declarator(const std::string& type) {
  ast::Declarator declarator;
  const Token name = expect_free_name("the name of a variable");
  declarator.name = std::string(name.text);
  declarator.location = name.location;
  if (accept(Tok::kColon)) {
    const Token width = expect(Tok::kNumber, "as the width in bits");
    declarator.has_bits = true;
    declarator.bits = width.value;
    if (type != "unsigned") {
      diagnostics_.error(width.location, fmt::format("only an unsigned can have a width, not a {}", type));
    } else if (width.value < 1 || width.value > 31) {
      diagnostics_.error(width.location, fmt::format("width {} is outside 1..31", width.value));
      declarator.bits = 16;
    }
  } else if (accept(Tok::kLeftBracket)) {
    const Token bound = peek();
    declarator.is_array = true;
    if (bound.kind == Tok::kName && !mtype_values_.contains(bound.text)) {
      declarator.count_name = std::string(next().text);
    } else {
      declarator.count = parse_constant_expression();
      if (declarator.count <= 0) {
        diagnostics_.error(bound.location, fmt::format("array '{}' has size {}", declarator.name, declarator.count));
        declarator.count = 1;
      }
    }
    expect(Tok::kRightBracket, "after the array size");
    if (type == "chan" && at(Keyword::kOf)) {
      fail(peek(),
           fmt::format("'=' is missing before the capacity; write chan {} = [...] of {{ ... }}", declarator.name));
    }
  }
  if (type == "unsigned" && !declarator.has_bits) {
    diagnostics_.error(name.location,
                       fmt::format("unsigned '{}' needs a width: unsigned {} : 8", declarator.name, declarator.name));
    declarator.bits = 16;
  }
  if (!accept(Tok::kAssign)) return declarator;
  if (at(Tok::kLeftBracket)) {
    declarator.channel = parse_channel_init();
  } else if (at(Tok::kLeftBrace)) {
    auto list = std::make_unique<ast::Expression>();
    list->kind = ast::ExpressionKind::kList;
    list->location = next().location;
    do {
      const Token element = peek();
      auto number = std::make_unique<ast::Expression>();
      number->location = element.location;
      if (element.kind != Tok::kNumber && !(element.kind == Tok::kName && mtype_values_.contains(element.text)) &&
          !(element.kind == Tok::kKeyword &&
            (element.keyword == Keyword::kTrue || element.keyword == Keyword::kFalse))) {
        fail_expected("a constant in the list");
      }
      number->value = parse_constant_expression(2);
      list->operands.push_back(std::move(number));
    } while (accept(Tok::kComma));
    while (at(Tok::kSemicolon)) next();
    expect(Tok::kRightBrace, "after the list of initial values");
    declarator.initializer = std::move(list);
  } else {
    declarator.initializer = parse_full_expression();
  }
  return declarator;
}

// ch_init ::= "[" const_expr "]" "of" "{" type { "," type } "}"
std::unique_ptr<ast::ChannelInit> Parser::parse_channel_init() {
  auto channel = std::make_unique<ast::ChannelInit>();
  channel->location = next().location;
  const Token capacity = peek();
  channel->capacity = parse_constant_expression();
  if (channel->capacity < 0 || channel->capacity > 65535) {
    diagnostics_.error(capacity.location, fmt::format("channel capacity {} is outside 0..65535", channel->capacity));
    channel->capacity = 1;
  }
  expect(Tok::kRightBracket, "after the channel's capacity");
  expect(Keyword::kOf, "before the channel's message type");
  expect(Tok::kLeftBrace, "before the message type");
  do {
    const Token type = peek();
    ast::ChannelInit::Field field;
    field.location = type.location;
    if (!is_basic_type(type) && !(type.kind == Tok::kName && typedefs_.contains(type.text))) {
      fail_expected("a type of a message field");
    }
    next();
    field.type = type.kind == Tok::kKeyword && type.keyword == Keyword::kBool ? "bit" : std::string(type.text);
    if (field.type == "unsigned") fail(type, "unsigned cannot be the type of a message field");
    if (at(Tok::kColon)) {
      next();
      if (field.type != "mtype") fail(type, "only mtype fields have a set");
      field.mtype_set = std::string(expect_free_name("the name of an mtype set").text);
    }
    channel->fields.push_back(std::move(field));
  } while (accept(Tok::kComma));
  while (at(Tok::kSemicolon)) next();
  expect(Tok::kRightBrace, "after the message type");
  return channel;
}

// const_expr ::= CONST | "-" const_expr | "(" const_expr ")" | const_expr (+ - * / %) const_expr
// level 0: sums, 1: products, 2: one factor
int32_t Parser::parse_constant_expression(int level) {
  const Nesting nesting(*this);
  const auto wrap = [](int64_t value) { return static_cast<int32_t>(static_cast<uint32_t>(value)); };
  int32_t value = 0;
  if (level == 2) {
    const Token token = peek();
    if (token.kind == Tok::kNumber) {
      value = next().value;
    } else if (token.kind == Tok::kName && mtype_values_.contains(token.text)) {
      value = mtype_values_.find(next().text)->second;
    } else if (at(Keyword::kTrue) || at(Keyword::kSkip)) {
      next();
      value = 1;
    } else if (at(Keyword::kFalse)) {
      next();
    } else if (accept(Tok::kMinus)) {
      value = wrap(-int64_t{parse_constant_expression(2)});
    } else if (accept(Tok::kLeftParen)) {
      value = parse_constant_expression(0);
      expect(Tok::kRightParen, "in the constant expression");
    } else {
      fail_expected("a constant");
    }
  } else {
    value = parse_constant_expression(level + 1);
    while (level == 0 ? at(Tok::kPlus) || at(Tok::kMinus) : at(Tok::kStar) || at(Tok::kSlash) || at(Tok::kPercent)) {
      const Token op = next();
      const int64_t left = value;
      const int64_t right = parse_constant_expression(level + 1);
      if ((op.kind == Tok::kSlash || op.kind == Tok::kPercent) && right == 0) fail(op, "division by zero");
      value = wrap(op.kind == Tok::kPlus    ? left + right
                   : op.kind == Tok::kMinus ? left - right
                   : op.kind == Tok::kStar  ? left * right
                   : op.kind == Tok::kSlash ? left / right
                                            : left % right);
    }
  }
  return value;
}

}  // namespace cmc::promela
