#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "promela/preprocessor/pp_token.h"
#include "promela/text/diagnostic.h"
#include "promela/text/source.h"

namespace cmc::promela {

// Where the expander gets its tokens: files with their directives carried out.
class TokenReader {
 public:
  // What the expander wants the token for. While it looks for the `(` behind the name of a function-like macro,
  // directives are not carried out, and lines are not noted until the token is read again.
  enum class Purpose : uint8_t { kText, kParenthesis, kArguments };

  virtual ~TokenReader() = default;
  virtual CToken read(Purpose purpose) = 0;
  virtual void unread(const CToken& token) = 0;
  [[nodiscard]] virtual std::string builtin(Macro::Builtin which, const CToken& use) = 0;
};

// The macros and their expansion as C defines it, with gcc's choices where C leaves them (rescanning beyond the end
// of an expansion enables the macro again), and with gcc's padding, from which its printer decides about spaces. A
// stack of token lists stands before the reader's text. Arguments are collected first, expanded on their own when a
// parameter asks for it, and put into a copy of the body.
class MacroExpander {
 public:
  MacroExpander(Sources& sources, Diagnostics& diagnostics, std::deque<std::string>& arena, TokenReader& reader)
      : sources_(sources), diagnostics_(diagnostics), arena_(arena), reader_(reader) {}

  void define(std::shared_ptr<Macro> macro);
  void undefine(std::string_view name) { macros_.erase(name); }
  [[nodiscard]] const Macro* find(std::string_view name) const;

  // The next token of the expanded text; padding included.
  CToken next();
  // A directive's tokens expanded, without padding. In conditions `defined X` becomes 1 or 0.
  enum class Defined : uint8_t { kOrdinaryName, kOperator };
  std::vector<CToken> expand_line(std::vector<CToken> line, Defined defined);

  // Too many tokens were made, or too deep a nesting was met (reported): the text ends here.
  [[nodiscard]] bool gave_up() const { return gave_up_; }

 private:
  struct Context {
    std::vector<CToken> tokens;
    size_t position = 0;
    std::shared_ptr<Macro> macro;  // disabled until the context is left
    bool is_barrier = false;       // its end is the end of the text: an argument or a directive
  };
  struct Argument {
    std::vector<CToken> tokens;
    std::vector<CToken> expanded;
    bool is_expanded = false;
    bool is_absent = false;  // the variadic one was left out
  };

  CToken take();
  void put_back(const CToken& token);
  void push(std::vector<CToken> tokens, std::shared_ptr<Macro> macro = nullptr, bool is_barrier = false);
  void pop();
  bool charge(size_t tokens, const CToken& where);
  void give_up(const CToken& where, std::string message);

  bool enter(const CToken& name, const std::shared_ptr<Macro>& macro);
  void enter_builtin(const CToken& name, const Macro& macro);
  std::optional<std::vector<Argument>> read_invocation(const CToken& name, const Macro& macro);
  std::optional<std::vector<Argument>> read_arguments(const CToken& name, const Macro& macro);
  bool check_count(const CToken& name, const Macro& macro, std::vector<Argument>& arguments);
  std::vector<CToken> substitute(const CToken& name, const Macro& macro, std::vector<Argument>& arguments);
  void substitute_parameter(std::vector<CToken>& result, const CToken& name, const Macro& macro, size_t at,
                            std::vector<Argument>& arguments);
  void expand_argument(Argument& argument, const CToken& name);
  [[nodiscard]] CToken place_in_body(CToken token, const CToken& name, const Macro& macro);
  [[nodiscard]] CToken stringify(const Argument& argument, const CToken& name);
  void paste(CToken left);
  CToken resolve_defined(const CToken& word);

  Sources& sources_;
  Diagnostics& diagnostics_;
  std::deque<std::string>& arena_;
  TokenReader& reader_;
  std::unordered_map<std::string_view, std::shared_ptr<Macro>> macros_;
  std::vector<Context> contexts_;
  TokenReader::Purpose purpose_ = TokenReader::Purpose::kText;
  int prevent_expansion_ = 0;
  int depth_ = 0;
  size_t made_ = 0;
  bool gave_up_ = false;
};

}  // namespace cmc::promela
