#include "promela/preprocessor/pp_expander.h"

#include <utility>

#include <fmt/format.h>

#include "promela/preprocessor/pp_lexer.h"

namespace cmc::promela {
namespace {

using Kind = CToken::Kind;
using Space = CToken::Space;
using Purpose = TokenReader::Purpose;

constexpr size_t kMaxTokens = 10'000'000;
constexpr int kMaxArgumentDepth = 1000;

CToken padding(Space space) {
  CToken token;
  token.kind = Kind::kPadding;
  token.padding = space;
  return token;
}
CToken padding_like(const CToken& source) { return padding(source.space_before ? Space::kYes : Space::kNo); }

bool is_quoted(const CToken& token) { return token.kind == Kind::kString || token.kind == Kind::kCharacter; }

}  // namespace

void MacroExpander::define(std::shared_ptr<Macro> macro) {
  const std::string_view name = macro->name;
  macros_[name] = std::move(macro);
}

const Macro* MacroExpander::find(std::string_view name) const {
  const auto found = macros_.find(name);
  return found == macros_.end() ? nullptr : found->second.get();
}

void MacroExpander::push(std::vector<CToken> tokens, std::shared_ptr<Macro> macro, bool is_barrier) {
  if (macro != nullptr) macro->disabled = true;
  contexts_.push_back({std::move(tokens), 0, std::move(macro), is_barrier});
}

void MacroExpander::pop() {
  if (contexts_.back().macro != nullptr) contexts_.back().macro->disabled = false;
  contexts_.pop_back();
}

void MacroExpander::give_up(const CToken& where, std::string message) {
  if (!gave_up_) diagnostics_.error(where.location, std::move(message));
  gave_up_ = true;
}

bool MacroExpander::charge(size_t tokens, const CToken& where) {
  made_ += tokens;
  if (made_ > kMaxTokens) give_up(where, "macro expansion makes more than 10 million tokens");
  return !gave_up_;
}

// The next token as it is; padding where a list ends; kEnd as often as asked at a barrier.
CToken MacroExpander::take() {
  if (gave_up_) return {};
  if (contexts_.empty()) return reader_.read(purpose_);
  Context& context = contexts_.back();
  if (context.position < context.tokens.size()) return context.tokens[context.position++];
  if (context.is_barrier) return {};
  pop();
  return padding(Space::kNone);
}

// Of the token that was taken last. It may have been painted meanwhile.
void MacroExpander::put_back(const CToken& token) {
  if (token.kind == Kind::kEnd) return;
  if (contexts_.empty()) {
    reader_.unread(token);
  } else {
    Context& context = contexts_.back();
    context.tokens[--context.position] = token;
  }
}

CToken MacroExpander::next() {
  CToken token = take();
  if (token.paste_left) {
    const CToken left = token;
    paste(token);
    return padding_like(left);
  }
  if (token.kind != Kind::kIdentifier || token.no_expand) return token;
  const auto found = macros_.find(token.text);
  if (found == macros_.end()) return token;
  if (found->second->disabled) {
    token.no_expand = true;
    return token;
  }
  if (prevent_expansion_ > 0) return token;
  const std::shared_ptr<Macro> macro = found->second;
  return enter(token, macro) ? padding_like(token) : token;
}

// Puts the expansion of `name` before the text. False: a function-like macro without arguments, an ordinary name.
bool MacroExpander::enter(const CToken& name, const std::shared_ptr<Macro>& macro) {
  if (macro->builtin != Macro::Builtin::kNone) {
    enter_builtin(name, *macro);
    return true;
  }
  std::vector<Argument> arguments;
  if (macro->function_like) {
    std::optional<std::vector<Argument>> read = read_invocation(name, *macro);
    if (!read) return false;
    arguments = std::move(*read);
  }
  push(substitute(name, *macro, arguments), macro);
  return true;
}

void MacroExpander::enter_builtin(const CToken& name, const Macro& macro) {
  CToken token = name;
  token.text = arena_.emplace_back(reader_.builtin(macro.builtin, name));
  token.kind = token.text.starts_with('"') ? Kind::kString : Kind::kNumber;
  push({token});
}

std::optional<std::vector<MacroExpander::Argument>> MacroExpander::read_invocation(const CToken& name,
                                                                                   const Macro& macro) {
  const Purpose outer = std::exchange(purpose_, Purpose::kParenthesis);
  ++prevent_expansion_;
  std::optional<CToken> space;
  CToken token = next();
  for (; token.kind == Kind::kPadding; token = next()) {
    const bool replace =
        !space || space->padding == Space::kNone || (space->padding == Space::kNo && token.padding == Space::kNone);
    if (replace) space = token;
  }
  std::optional<std::vector<Argument>> arguments;
  if (token.is("(")) {
    purpose_ = Purpose::kArguments;
    arguments = read_arguments(name, macro);
  } else {
    put_back(token);
    if (space) push({*space});
  }
  --prevent_expansion_;
  purpose_ = outer;
  return arguments;
}

std::optional<std::vector<MacroExpander::Argument>> MacroExpander::read_arguments(const CToken& name,
                                                                                  const Macro& macro) {
  std::vector<Argument> arguments(1);
  size_t nesting = 0;
  while (true) {
    CToken token = next();
    if (token.kind == Kind::kEnd) {
      if (!gave_up_) {
        diagnostics_.error(name.location, fmt::format("the arguments of macro '{}' have no closing ')'", name.text));
      }
      return std::nullopt;
    }
    std::vector<CToken>& current = arguments.back().tokens;
    if (token.kind == Kind::kPadding && current.empty()) continue;
    if (token.is("(")) ++nesting;
    if (token.is(")") && nesting-- == 0) break;
    const bool in_variadic = macro.variadic && arguments.size() == macro.parameters.size();
    if (token.is(",") && nesting == 0 && !in_variadic) {
      arguments.emplace_back();
      continue;
    }
    if (!charge(1, name)) return std::nullopt;
    current.push_back(token);
  }
  for (Argument& argument : arguments) {
    while (!argument.tokens.empty() && argument.tokens.back().kind == Kind::kPadding) argument.tokens.pop_back();
  }
  if (!check_count(name, macro, arguments)) return std::nullopt;
  return arguments;
}

bool MacroExpander::check_count(const CToken& name, const Macro& macro, std::vector<Argument>& arguments) {
  const size_t wanted = macro.parameters.size();
  const bool one_empty = arguments.size() == 1 && arguments[0].tokens.empty();
  if (wanted == 0 && one_empty) {
    arguments.clear();
    return true;
  }
  if (macro.variadic && arguments.size() + 1 == wanted) {
    arguments.emplace_back().is_absent = true;
    return true;
  }
  if (arguments.size() == wanted) {
    if (macro.variadic && one_empty) arguments[0].is_absent = true;
    return true;
  }
  const size_t given = wanted > 0 && one_empty ? 0 : arguments.size();
  diagnostics_.error(
      name.location,
      fmt::format("macro '{}' takes {}{} argument{}, but {} {} given", name.text, macro.variadic ? "at least " : "",
                  macro.variadic ? wanted - 1 : wanted, wanted == 1 ? "" : "s", given, given == 1 ? "is" : "are"));
  diagnostics_.note(macro.location, fmt::format("macro '{}' is defined here", name.text));
  return false;
}

// A token of the body as it stands in the text: at the place of the outermost macro, having come from the body.
CToken MacroExpander::place_in_body(CToken token, const CToken& name, const Macro& macro) {
  const Expansion expansion{Expansion::Kind::kMacro, std::string(macro.name), token.location.place,
                            name.location.expansion};
  token.location = {name.location.place, sources_.add_expansion(expansion)};
  token.line = name.line;
  return token;
}

std::vector<CToken> MacroExpander::substitute(const CToken& name, const Macro& macro,
                                              std::vector<Argument>& arguments) {
  std::vector<CToken> result;
  if (!charge(macro.body.size(), name)) return result;
  for (size_t at = 0; at < macro.body.size() && !gave_up_; ++at) {
    const CToken& token = macro.body[at];
    if (token.parameter == 0) {
      result.push_back(place_in_body(token, name, macro));
    } else {
      substitute_parameter(result, name, macro, at, arguments);
    }
  }
  return result;
}

// Operands of ## are taken as written, those of # as a string, all others are expanded first. What is no operand of
// ## is padded on that side.
void MacroExpander::substitute_parameter(std::vector<CToken>& result, const CToken& name, const Macro& macro,
                                         size_t at, std::vector<Argument>& arguments) {
  const CToken& parameter = macro.body[at];
  Argument& argument = arguments[parameter.parameter - 1];
  const bool right_of_paste = at > 0 && macro.body[at - 1].paste_left;
  const bool pasted = parameter.paste_left || right_of_paste;
  if (!pasted && !parameter.stringify) expand_argument(argument, name);
  std::vector<CToken> string;
  if (parameter.stringify) string.push_back(stringify(argument, name));
  const std::vector<CToken>& tokens = parameter.stringify ? string : pasted ? argument.tokens : argument.expanded;
  if (!charge(tokens.size() + 2, name)) return;

  if (right_of_paste && !result.empty()) {
    // GNU: in `, ## __VA_ARGS__` the comma goes if the argument was left out, and is not pasted otherwise.
    const bool is_variadic = macro.variadic && parameter.parameter == macro.parameters.size();
    if (is_variadic && result.back().is(",")) {
      if (argument.is_absent) {
        result.pop_back();
      } else {
        result.back().paste_left = parameter.paste_left && tokens.empty();
      }
    } else if (tokens.empty()) {
      result.back().paste_left = parameter.paste_left;
    }
  }
  if (at > 0 && !right_of_paste) result.push_back(padding_like(parameter));
  if (!tokens.empty()) {
    for (const CToken& token : tokens) {
      CToken& copy = result.emplace_back(token);
      copy.line = name.line;
      if (token.kind == Kind::kPadding) continue;
      const Expansion expansion{Expansion::Kind::kMacro, std::string(macro.name), parameter.location.place,
                                token.location.expansion};
      copy.location.expansion = sources_.add_expansion(expansion);
    }
    result.back().paste_left = parameter.paste_left;
  }
  if (!parameter.paste_left) result.push_back(padding(Space::kNone));
}

void MacroExpander::expand_argument(Argument& argument, const CToken& name) {
  if (argument.is_expanded) return;
  argument.is_expanded = true;
  if (argument.tokens.empty()) return;
  if (depth_ >= kMaxArgumentDepth) {
    give_up(name, "macro calls are nested too deeply in arguments");
    return;
  }
  ++depth_;
  push(argument.tokens, nullptr, true);
  for (CToken token = next(); token.kind != Kind::kEnd; token = next()) {
    if (!charge(1, name)) break;
    argument.expanded.push_back(token);
  }
  while (!contexts_.back().is_barrier) pop();
  pop();
  --depth_;
}

CToken MacroExpander::stringify(const Argument& argument, const CToken& name) {
  std::string text = "\"";
  Space space = Space::kNone;
  for (const CToken& token : argument.tokens) {
    if (token.kind == Kind::kPadding) {
      if (space == Space::kNone || (space == Space::kNo && token.padding == Space::kNone)) space = token.padding;
      continue;
    }
    if (space == Space::kNone) space = token.space_before ? Space::kYes : Space::kNo;
    if (text.size() > 1 && space == Space::kYes) text += ' ';
    space = Space::kNone;
    for (const char c : token.text) {
      if (is_quoted(token) && (c == '"' || c == '\\')) text += '\\';
      text += c;
    }
  }
  size_t backslashes = 0;
  while (text[text.size() - 1 - backslashes] == '\\') ++backslashes;
  if (backslashes % 2 == 1) {
    diagnostics_.warning(name.location, "invalid string: the final '\\' is ignored");
    text.pop_back();
  }
  text += '"';
  charge(text.size() / 16, name);
  CToken token;
  token.kind = Kind::kString;
  token.text = arena_.emplace_back(std::move(text));
  token.location = name.location;
  return token;
}

// Pastes `left` with what follows it in the current list and puts the result before it.
void MacroExpander::paste(CToken left) {
  bool again = true;
  while (again) {
    Context& context = contexts_.back();
    if (context.position == context.tokens.size()) break;
    const CToken right = context.tokens[context.position];
    again = right.paste_left;
    if (right.kind == Kind::kPadding) {
      ++context.position;
      continue;
    }
    if (!charge((left.text.size() + right.text.size()) / 16, left)) break;
    std::string& text = arena_.emplace_back(std::string(left.text) + std::string(right.text));
    const std::optional<CToken> pasted = lex_single(text, arena_);
    if (!pasted) {
      diagnostics_.error(left.location,
                         fmt::format("pasting '{}' and '{}' does not give one token", left.text, right.text));
      break;
    }
    ++context.position;
    left.kind = pasted->kind;
    left.text = pasted->text;
    left.no_expand = false;
  }
  left.paste_left = false;
  left.parameter = 0;
  push({left});
}

std::vector<CToken> MacroExpander::expand_line(std::vector<CToken> line, Defined defined) {
  const Purpose outer_purpose = std::exchange(purpose_, Purpose::kText);
  const int outer_prevention = std::exchange(prevent_expansion_, 0);
  push(std::move(line), nullptr, true);
  std::vector<CToken> result;
  for (CToken token = next(); token.kind != Kind::kEnd; token = next()) {
    if (token.kind == Kind::kPadding) continue;
    if (!charge(1, token)) break;
    const bool is_operator = defined == Defined::kOperator && token.is_name("defined");
    result.push_back(is_operator ? resolve_defined(token) : token);
  }
  while (!contexts_.back().is_barrier) pop();
  pop();
  prevent_expansion_ = outer_prevention;
  purpose_ = outer_purpose;
  return result;
}

CToken MacroExpander::resolve_defined(const CToken& word) {
  const auto next_solid = [this] {
    CToken token = next();
    while (token.kind == Kind::kPadding) token = next();
    return token;
  };
  ++prevent_expansion_;
  CToken name = next_solid();
  const bool parenthesis = name.is("(");
  if (parenthesis) name = next_solid();
  if (name.kind != Kind::kIdentifier) {
    diagnostics_.error(word.location, "operator 'defined' needs the name of a macro");
    put_back(name);
  } else if (parenthesis) {
    const CToken close = next_solid();
    if (!close.is(")")) {
      diagnostics_.error(word.location, "missing ')' after 'defined'");
      put_back(close);
    }
  }
  --prevent_expansion_;
  CToken result = word;
  result.kind = Kind::kNumber;
  result.text = find(name.text) != nullptr ? "1" : "0";
  return result;
}

}  // namespace cmc::promela
