#include "promela/preprocessor/pp_define.h"

#include <algorithm>

#include <fmt/format.h>

namespace cmc::promela {
namespace {

using Kind = CToken::Kind;

class DefinitionParser {
 public:
  DefinitionParser(const std::vector<CToken>& line, Location where, Diagnostics& diagnostics)
      : line_(line), where_(where), diagnostics_(diagnostics) {}

  std::shared_ptr<Macro> parse() {
    if (line_.empty() || line_[0].kind != Kind::kIdentifier) {
      return fail(line_.empty() ? where_ : line_[0].location, "the name of a macro is expected");
    }
    macro_->name = line_[0].text;
    macro_->location = line_[0].location;
    if (macro_->name == "defined") return fail(macro_->location, "'defined' cannot be the name of a macro");
    at_ = 1;
    macro_->function_like = is_at("(") && !line_[1].space_before;
    if (macro_->function_like && !parse_parameters()) return nullptr;
    return parse_body() ? macro_ : nullptr;
  }

 private:
  std::shared_ptr<Macro> fail(Location at, std::string message) {
    diagnostics_.error(at, std::move(message));
    return nullptr;
  }

  [[nodiscard]] bool is_at(std::string_view punctuator) const {
    return at_ < line_.size() && line_[at_].is(punctuator);
  }
  [[nodiscard]] Location here() const { return at_ < line_.size() ? line_[at_].location : line_.back().location; }

  // '(' [ name { ',' name } ] [ ',' ] [ [ name ] '...' ] ')'
  bool parse_parameters() {
    ++at_;
    if (is_at(")")) {
      ++at_;
      return true;
    }
    while (true) {
      if (!parse_parameter()) return false;
      if (is_at(")")) break;
      if (!is_at(",") || macro_->variadic)
        return fail(here(), "',' or ')' is expected in the parameters of a macro") != nullptr;
      ++at_;
    }
    ++at_;
    return true;
  }

  bool parse_parameter() {
    std::string_view name = "__VA_ARGS__";
    if (at_ < line_.size() && line_[at_].kind == Kind::kIdentifier) {
      name = line_[at_].text;
      if (name == "__VA_ARGS__") return fail(here(), "'__VA_ARGS__' cannot be the name of a parameter") != nullptr;
      if (parameter_number(name) != 0)
        return fail(here(), fmt::format("duplicate macro parameter '{}'", name)) != nullptr;
      ++at_;
    } else if (!is_at("...")) {
      return fail(here(), "the name of a macro's parameter is expected") != nullptr;
    }
    if (is_at("...")) {
      macro_->variadic = true;
      ++at_;
    }
    macro_->parameters.push_back(name);
    return true;
  }

  [[nodiscard]] uint32_t parameter_number(std::string_view name) const {
    const auto found = std::find(macro_->parameters.begin(), macro_->parameters.end(), name);
    return found == macro_->parameters.end() ? 0 : static_cast<uint32_t>(found - macro_->parameters.begin() + 1);
  }

  bool parse_body() {
    std::vector<CToken>& body = macro_->body;
    for (; at_ < line_.size(); ++at_) {
      CToken token = line_[at_];
      if (token.is("##")) {
        if (body.empty() || at_ + 1 == line_.size()) {
          return fail(token.location, "'##' cannot be at either end of a macro's body") != nullptr;
        }
        body.back().paste_left = true;
        continue;
      }
      const bool stringify = macro_->function_like && token.is("#");
      if (stringify) {
        const bool space = token.space_before;
        if (++at_ < line_.size()) token = line_[at_];
        token.space_before = space;
        token.stringify = true;
      }
      if (macro_->function_like && token.kind == Kind::kIdentifier) token.parameter = parameter_number(token.text);
      if (stringify && token.parameter == 0)
        return fail(token.location, "'#' is not followed by a macro parameter") != nullptr;
      if (body.empty()) token.space_before = false;
      body.push_back(token);
    }
    return true;
  }

  const std::vector<CToken>& line_;
  Location where_;
  Diagnostics& diagnostics_;
  size_t at_ = 0;
  std::shared_ptr<Macro> macro_ = std::make_shared<Macro>();
};

}  // namespace

std::shared_ptr<Macro> parse_definition(const std::vector<CToken>& line, Location where, Diagnostics& diagnostics) {
  return DefinitionParser(line, where, diagnostics).parse();
}

bool same_definition(const Macro& a, const Macro& b) {
  const auto same_token = [](const CToken& x, const CToken& y) {
    return x.kind == y.kind && x.text == y.text && x.space_before == y.space_before && x.paste_left == y.paste_left &&
           x.stringify == y.stringify;
  };
  return a.builtin == b.builtin && a.function_like == b.function_like && a.variadic == b.variadic &&
         a.parameters == b.parameters &&
         std::equal(a.body.begin(), a.body.end(), b.body.begin(), b.body.end(), same_token);
}

}  // namespace cmc::promela
