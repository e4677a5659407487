#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "promela/syntax/ast.h"
#include "promela/syntax/token_stream.h"

// A recursive-descent parser for SPIN 6.5's Promela; the grammar rule stands above each function. Inlines are
// expanded while parsing, as SPIN does it: the body with its parameters replaced, token by token, is read in place of
// the call.
//
// After a syntax error the parser skips to the next statement or unit and goes on, so that one run reports several
// independent errors. Nesting is limited (kMaxNesting), so that no input exhausts the stack.

namespace cmc::promela {

class Parser {
 public:
  static constexpr int kMaxNesting = 400;
  static constexpr uint32_t kMaxExpressionDepth = 1000;
  static constexpr size_t kMaxInlineDepth = 16;  // SPIN's limit
  static constexpr size_t kMaxSteps =
      2'000'000;  // statements after expansion: bounds what nested inlines can blow up to

  Parser(std::vector<Token> tokens, Sources& sources, Diagnostics& diagnostics, Dialect dialect = Dialect::kPromela);

  // One more formula, or expression, which is read behind the text: AppendedFormula (promela/compile.h).
  void append_formula(std::string name, std::optional<std::string> scope, std::vector<Token> tokens);
  [[nodiscard]] ast::Program parse();
  // The tokens as one constant expression; none: an error was reported.
  [[nodiscard]] std::optional<int32_t> parse_single_constant();

 private:
  struct SyntaxError {};
  struct Inline {
    Location location;
    std::vector<std::string> parameters;
    std::vector<Token> body;  // with its braces
  };
  struct PendingFormula {
    std::string name;
    std::optional<std::string> scope;
    std::vector<Token> tokens;
  };
  // Counts nesting of everything that recurses; fails at the limit.
  class Nesting {
   public:
    explicit Nesting(Parser& parser);
    ~Nesting() { --parser_.nesting_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;

   private:
    Parser& parser_;
  };

  // tokens
  [[nodiscard]] const Token& peek() { return tokens_.peek(); }
  Token next() {
    const Token token = tokens_.next();
    braces_ += token.kind == Tok::kLeftBrace ? 1 : token.kind == Tok::kRightBrace ? -1 : 0;
    return token;
  }
  [[nodiscard]] bool at(Tok kind) { return peek().kind == kind; }
  [[nodiscard]] bool at(Keyword keyword) { return peek().kind == Tok::kKeyword && peek().keyword == keyword; }
  bool accept(Tok kind);
  bool accept(Keyword keyword);
  Token expect(Tok kind, const char* context);
  void expect(Keyword keyword, const char* context);
  Token expect_name(const char* what);
  Token expect_free_name(const char* what);
  // A word that only Promela/S has.
  [[nodiscard]] bool at_word(std::string_view word) {
    return dialect_ == Dialect::kPromelaS && peek().kind == Tok::kName && peek().text == word;
  }
  [[noreturn]] void fail(const Token& token, const std::string& message);
  [[noreturn]] void fail_expected(const std::string& what);
  [[nodiscard]] static std::string describe(const Token& token);

  // units
  void parse_units(ast::Program& program);
  void parse_unit(ast::Program& program);
  void recover_unit();
  [[nodiscard]] std::unique_ptr<ast::Proctype> parse_proctype();
  [[nodiscard]] std::unique_ptr<ast::Proctype> parse_init();
  [[nodiscard]] std::unique_ptr<ast::Proctype> parse_claim(ast::Proctype::Kind kind);
  [[nodiscard]] std::unique_ptr<ast::Typedef> parse_typedef();
  // Notes the name of a claim or formula, for pan -N; it is the only one of its name.
  void name_claim(const std::string& name, const Location& location);
  void defer_ltl();
  [[nodiscard]] std::unique_ptr<ast::LtlFormula> parse_ltl();
  [[nodiscard]] std::unique_ptr<ast::LtlFormula> parse_appended(PendingFormula& pending);
  void parse_inline();
  [[nodiscard]] ast::Sequence parse_body();
  [[nodiscard]] int32_t parse_optional_priority();
  [[nodiscard]] std::string collect_c_text(bool with_precondition);

  // declarations
  [[nodiscard]] bool at_declaration();
  // One declaration, or an mtype definition (then the declaration is empty and `mtype` is set).
  [[nodiscard]] ast::Declaration parse_declaration(std::unique_ptr<ast::MtypeDeclaration>* mtype);
  [[nodiscard]] ast::Declarator parse_declarator(const std::string& type);
  [[nodiscard]] std::unique_ptr<ast::ChannelInit> parse_channel_init();
  [[nodiscard]] std::unique_ptr<ast::MtypeDeclaration> parse_mtype_names(std::string set, Location location);
  [[nodiscard]] std::vector<ast::Declaration> parse_declaration_list(Tok end);
  [[nodiscard]] int32_t parse_constant_expression(int level = 0);

  // statements
  [[nodiscard]] ast::Sequence parse_sequence();
  [[nodiscard]] bool at_sequence_end();
  void skip_separators();
  [[noreturn]] void fail_separator(const ast::Statement* before);
  // What to write for a word that is no type: what Promela has for one of another language, or the name that is
  // nearest among the types and 'candidates'.
  [[nodiscard]] std::string type_suggestion(std::string_view word,
                                            std::vector<std::string_view> candidates = {}) const;
  void recover_statement(int selections = 0);
  [[nodiscard]] ast::StatementPtr parse_step();
  [[nodiscard]] ast::StatementPtr parse_statement();
  [[nodiscard]] ast::StatementPtr parse_keyword_statement();
  [[nodiscard]] ast::StatementPtr parse_name_statement();
  [[nodiscard]] ast::StatementPtr parse_expression_statement(ast::ExpressionPtr left);
  [[nodiscard]] ast::StatementPtr parse_assignment(std::unique_ptr<ast::VariableRef> variable);
  [[nodiscard]] ast::StatementPtr parse_send(std::unique_ptr<ast::VariableRef> channel);
  [[nodiscard]] ast::StatementPtr parse_receive(std::unique_ptr<ast::VariableRef> channel);
  [[nodiscard]] ast::StatementPtr parse_options(ast::StatementKind kind, Keyword end);
  [[nodiscard]] ast::StatementPtr parse_for();
  [[nodiscard]] ast::StatementPtr parse_select();
  [[nodiscard]] ast::StatementPtr parse_choose();
  [[nodiscard]] ast::StatementPtr parse_braced(ast::StatementKind kind);
  [[nodiscard]] ast::StatementPtr parse_inline_call(const Token& name, std::unique_ptr<ast::VariableRef> result);
  [[nodiscard]] std::vector<std::vector<Token>> collect_inline_arguments(const Token& name);
  void warn_of_second_replacement(const Inline& definition, const std::vector<std::vector<Token>>& arguments);
  [[nodiscard]] std::vector<Token> expand_inline(const Inline& definition,
                                                 const std::vector<std::vector<Token>>& arguments, const Token& call);
  [[nodiscard]] ExpansionId under_inline(ExpansionId original, ExpansionId inline_id,
                                         std::map<ExpansionId, ExpansionId>& known);
  [[nodiscard]] ast::StatementPtr make(ast::StatementKind kind, const Location& location);

  // expressions
  [[nodiscard]] ast::ExpressionPtr parse_full_expression();
  [[nodiscard]] ast::ExpressionPtr parse_expression() { return parse_binary(0, nullptr); }
  [[nodiscard]] ast::ExpressionPtr parse_binary(int minimum, ast::ExpressionPtr left);
  [[nodiscard]] ast::ExpressionPtr parse_unary();
  [[nodiscard]] ast::ExpressionPtr parse_operand();
  [[nodiscard]] ast::ExpressionPtr parse_primary();
  [[nodiscard]] ast::ExpressionPtr parse_parenthesised();
  [[nodiscard]] ast::ExpressionPtr parse_keyword_expression();
  [[nodiscard]] ast::ExpressionPtr parse_name_expression();
  [[nodiscard]] ast::ExpressionPtr parse_run();
  [[nodiscard]] ast::ExpressionPtr parse_exists();
  [[nodiscard]] std::vector<ast::GuardTarget> parse_guard_targets();
  [[nodiscard]] ast::ExpressionPtr parse_remote(const Token& name);
  [[noreturn]] void fail_compound_assignment(const Token& equals);
  [[noreturn]] void fail_unknown_proctype(const Token& name);
  [[nodiscard]] ast::ExpressionPtr parse_poll(std::unique_ptr<ast::VariableRef> channel);
  [[nodiscard]] std::unique_ptr<ast::VariableRef> parse_variable();
  [[nodiscard]] std::unique_ptr<ast::VariableRef> parse_variable_after(const Token& name);
  [[nodiscard]] std::vector<ast::ReceiveArg> parse_receive_arguments();
  [[nodiscard]] std::vector<ast::ExpressionPtr> parse_send_arguments();
  [[nodiscard]] std::vector<ast::ExpressionPtr> parse_arguments();
  [[nodiscard]] ast::ExpressionPtr finish(ast::ExpressionPtr expression);
  void reject_probe(const ast::Expression& operand, std::string_view op);

  // Operator at the current token with its binding strength, or kNone; consume with next_operator.
  struct BinaryOperator {
    ast::Op op = ast::Op::kNone;
    int level = 0;
  };
  [[nodiscard]] BinaryOperator binary_operator();

  TokenStream tokens_;
  Sources& sources_;
  Diagnostics& diagnostics_;
  const Dialect dialect_;
  std::map<std::string, int32_t, std::less<>> mtype_values_;
  std::map<std::string, std::vector<std::string>, std::less<>> mtype_sets_;  // names by value - 1
  std::set<std::string, std::less<>> typedefs_;
  std::set<std::string, std::less<>> proctypes_;
  std::map<std::string, Inline, std::less<>> inlines_;
  std::map<std::string, Location, std::less<>> claim_names_;
  std::optional<Location> trace_;
  std::vector<Token> deferred_ltl_;
  std::vector<PendingFormula> appended_;
  std::vector<const ast::VariableRef*> return_targets_;  // of the inlines being read: x of `x = name()`, or null
  std::vector<Location> embedded_c_;
  size_t step_count_ = 0;
  int nesting_ = 0;
  int braces_ = 0;  // open ones in the current unit
  bool in_ltl_ = false;
  int conditionals_ = 0;  // open ones before their colon: ( condition -> value : value )
  int claims_ = 0;
  int unnamed_ltl_ = 0;
};

}  // namespace cmc::promela
