#include "checker/mutate/operators.h"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "base/text.h"
#include "checker/mutate/strengthen.h"

namespace cmc::mutate {
namespace {

using promela::ast::ExpressionKind;
using promela::ast::Op;
using promela::ast::Statement;
using promela::ast::StatementKind;
namespace ast = promela::ast;

// What operators are replaced by: the neighbour at the boundary, and the opposite.
struct Exchange {
  Op op;
  std::string_view others[2];
};
constexpr Exchange kExchanges[] = {
    {Op::kLess, {"<=", ">="}},       {Op::kLessEqual, {"<", ">"}}, {Op::kGreater, {">=", "<="}},
    {Op::kGreaterEqual, {">", "<"}}, {Op::kEqual, {"!=", ""}},     {Op::kNotEqual, {"==", ""}},
    {Op::kAdd, {"-", ""}},           {Op::kSubtract, {"+", ""}},   {Op::kMultiply, {"+", ""}},
    {Op::kDivide, {"*", ""}},        {Op::kModulo, {"/", ""}},     {Op::kBitAnd, {"|", ""}},
    {Op::kBitOr, {"&", ""}},         {Op::kBitXor, {"&", ""}},     {Op::kShiftLeft, {">>", ""}},
    {Op::kShiftRight, {"<<", ""}},   {Op::kAnd, {"||", ""}},       {Op::kOr, {"&&", ""}},
};

bool is_relation(const ast::Expression& expression) {
  return expression.kind == ExpressionKind::kBinary && expression.op >= Op::kLess && expression.op <= Op::kNotEqual;
}

// Goes through a syntax tree and collects mutants.
class Mutator {
 public:
  Mutator(const promela::Understood& understood, const promela::Sources& sources)
      : understood_(understood), sources_(sources), written_(sources) {}

  std::vector<Mutant> run() {
    for (const ast::Unit& unit : understood_.program.units) {
      statement_ = {};
      using Kind = ast::Proctype::Kind;
      if (unit.declaration) declaration(*unit.declaration);
      if (unit.type) {
        for (const ast::Declaration& field : unit.type->fields) declaration(field);
      }
      const bool runs =
          unit.proctype && (unit.proctype->kind == Kind::kProctype || unit.proctype->kind == Kind::kInit);
      if (runs) {
        if (unit.proctype->provided) expression(*unit.proctype->provided);
        sequence(unit.proctype->body);
      }
      if (unit.proctype && unit.proctype->kind == Kind::kNever) claim(unit.proctype->name, unit.proctype->body);
      statement_ = {};
      if (unit.ltl) property(Operator::kStrengthenFormula, unit.ltl->name, *unit.ltl->formula);
    }
    return numbered();
  }

 private:
  // By place; a place that several expansions of a macro or inline lead to is changed once.
  std::vector<Mutant> numbered() {
    const auto key = [](const Mutant& m) {
      return std::tie(m.range.file, m.range.begin, m.range.end, m.op, m.replacement, m.property);
    };
    std::ranges::stable_sort(mutants_, {}, key);
    std::vector<Mutant> result;
    for (Mutant& each : mutants_) {
      if (result.empty() || key(result.back()) != key(each)) {
        result.push_back(std::move(each));
        result.back().number = static_cast<uint32_t>(result.size());
      } else if (result.back().statement != each.statement) {
        result.back().statement = {};
      }
    }
    return result;
  }

  void add(Operator op, const std::optional<Range>& range, std::string replacement, std::string property = "") {
    if (!range || written_.text(*range) == replacement || (in_select_ && op != Operator::kChangeConstant)) return;
    const std::string_view text = sources_.text(range->file);
    const auto joins = [](char left, char right) { return is_word_character(left) && is_word_character(right); };
    if (!replacement.empty() && range->begin > 0 && joins(text[range->begin - 1], replacement.front()))
      replacement.insert(0, 1, ' ');
    if (!replacement.empty() && range->end < text.size() && joins(replacement.back(), text[range->end]))
      replacement += ' ';
    mutants_.push_back(
        {0, op, *range, std::move(replacement), written_.place(*range), statement_, std::move(property)});
  }
  void replace_word(Operator op, const promela::Location& location, std::string_view word, std::string replacement) {
    add(op, written_.token(location, word), std::move(replacement));
  }

  void property(Operator op, const std::string& name, const ast::Expression& formula) {
    for (const Stronger& each : stronger_parts(formula, op == Operator::kStrengthenAssertion)) {
      add(op, written_.part(each.part->extent), each.value ? "true" : "false", name);
    }
  }

  // Guards only: a claim with a transition less forbids less, so that it always holds.
  void claim(const std::string& name, const ast::Sequence& sequence) {
    for (const ast::StatementPtr& each : sequence.steps) claim(name, *each);
  }
  void claim(const std::string& name, const Statement& statement) {
    if (statement.kind == StatementKind::kElse) {
      add(Operator::kStrengthenClaim, written_.token(statement.location, "else"), "true", name);
    } else if (statement.kind == StatementKind::kExpression) {
      for (const Stronger& each : weaker_parts(*statement.expression))
        add(Operator::kStrengthenClaim, written_.part(each.part->extent), each.value ? "true" : "false", name);
      const std::optional<Range> whole = written_.part(statement.extent);
      const bool is_constant = statement.expression->kind == ExpressionKind::kNumber;
      if (whole && !is_constant)
        add(Operator::kNegateClaim, whole, fmt::format("!({})", written_.text(*whole)), name);
    }
    for (const ast::StatementPtr* each : {&statement.body, &statement.escape}) {
      if (*each) claim(name, **each);
    }
    for (const ast::Sequence& each : statement.sequences) claim(name, each);
  }

  // --- declarations

  void declaration(const ast::Declaration& declaration) {
    for (const ast::Declarator& each : declaration.declarators) {
      const bool is_list = each.initializer && each.initializer->kind == ExpressionKind::kList;
      if (each.initializer && !is_list) expression(*each.initializer);
      if (each.channel) capacity(*each.channel);
    }
  }

  void capacity(const ast::ChannelInit& channel) {
    const std::optional<Range> open = written_.token(channel.location, "[");
    if (!open) return;
    const size_t begin = written_.skip_space(open->file, open->end);
    const size_t end = sources_.text(open->file).find(']', begin);
    if (end == std::string_view::npos) return;
    const Range range{open->file, begin, end};
    for (const int32_t other : {channel.capacity - 1, channel.capacity + 1}) {
      if (other >= 0) add(Operator::kChangeCapacity, range, std::to_string(other));
    }
  }

  // --- statements

  void sequence(const ast::Sequence& sequence) {
    for (const ast::StatementPtr& each : sequence.steps) statement(*each);
    for (size_t i = 0; i + 1 < sequence.steps.size(); ++i) swap(*sequence.steps[i], *sequence.steps[i + 1]);
  }

  void swap(const Statement& first, const Statement& second) {
    const auto is_plain = [](const Statement& each) {
      const bool condition =
          each.kind == StatementKind::kExpression && each.expression->kind != ExpressionKind::kNumber;
      return condition || each.kind == StatementKind::kAssign || each.kind == StatementKind::kSend ||
             each.kind == StatementKind::kReceive;
    };
    if (!is_plain(first) || !is_plain(second)) return;
    const std::optional<Range> one = written_.part(first.extent);
    const std::optional<Range> two = written_.part(second.extent);
    if (!one || !two || one->file != two->file || one->end > two->begin || written_.text(*one) == written_.text(*two))
      return;
    statement_ = first.location.place;
    add(Operator::kSwapStatements, Range{one->file, one->begin, two->end},
        fmt::format("{}{}{}", written_.text(*two), written_.text(Range{one->file, one->end, two->begin}),
                    written_.text(*one)));
  }

  // A select with constants is read as the selection or loop that SPIN makes of it, which is not written.
  void statement(const Statement& statement) {
    const bool selects = statement.kind != StatementKind::kSelect && !in_select_ &&
                         written_.token(statement.extent.first, "select").has_value();
    if (selects) in_select_ = true;
    visit(statement);
    if (selects) in_select_ = false;
  }

  void visit(const Statement& statement) {
    statement_ = statement.location.place;
    switch (statement.kind) {
      case StatementKind::kDeclaration: return declaration(statement.declaration);
      case StatementKind::kLabel:
        if (statement.body) this->statement(*statement.body);
        return;
      case StatementKind::kAssign: return assignment(statement);
      case StatementKind::kSend: return send(statement);
      case StatementKind::kReceive: return receive(statement);
      case StatementKind::kExpression: return condition(statement);
      case StatementKind::kElse: return replace_word(Operator::kDropElse, statement.location, "else", "true");
      case StatementKind::kAssert: return property(Operator::kStrengthenAssertion, "safety", *statement.expression);
      case StatementKind::kBreak: return replace_word(Operator::kDropBreak, statement.location, "break", "skip");
      case StatementKind::kGoto: return add(Operator::kDropGoto, written_.part(statement.extent), "skip");
      case StatementKind::kIf:
      case StatementKind::kDo: return options(statement);
      case StatementKind::kAtomic: replace_word(Operator::kDropAtomic, statement.extent.first, "atomic", ""); break;
      case StatementKind::kDStep:
        replace_word(Operator::kDropDStep, statement.extent.first, "d_step", "atomic");
        break;
      case StatementKind::kUnless: return unless(statement);
      case StatementKind::kFor:
      case StatementKind::kSelect: range(statement); break;
      default: break;
    }
    if (statement.is_inline) add(Operator::kDropCall, written_.part(statement.extent), "skip");
    for (const ast::Sequence& each : statement.sequences) sequence(each);
  }

  void assignment(const Statement& statement) {
    add(Operator::kDropStatement, written_.part(statement.extent), "skip");
    const promela::Location& place = statement.expression->location;
    replace_word(Operator::kReplaceOperator, place, "++", "--");
    replace_word(Operator::kReplaceOperator, place, "--", "++");
    variable(*statement.variable);
    expression(*statement.expression);
  }

  void send(const Statement& statement) {
    const std::optional<Range> whole = written_.part(statement.extent);
    add(Operator::kDropStatement, whole, "skip");
    if (whole) {
      add(Operator::kSendOrder, mark(*whole, statement.sorted ? "!!" : "!"), statement.sorted ? "!" : "!!");
      const std::string_view text = written_.text(*whole);
      add(Operator::kLoseMessage, whole, fmt::format("if :: {} :: skip fi", text));
      add(Operator::kDoubleMessage, whole, fmt::format("{0}; if :: {0} :: skip fi", text));
    }
    variable(*statement.variable);
    for (const ast::ExpressionPtr& each : statement.operands) expression(*each);
  }

  void receive(const Statement& statement) {
    const std::optional<Range> whole = written_.part(statement.extent);
    add(Operator::kDropStatement, whole, "skip");
    if (whole) {
      add(Operator::kReceiveOrder, mark(*whole, statement.random ? "??" : "?"), statement.random ? "?" : "??");
    }
    variable(*statement.variable);
    arguments(statement.arguments);
  }

  // Of a send or receive: behind the channel.
  [[nodiscard]] std::optional<Range> mark(const Range& statement, std::string_view spelling) const {
    int depth = 0;
    for (size_t at = statement.begin; at < statement.end;) {
      const Range token = written_.token_at(statement.file, at);
      const std::string_view text = written_.text(token);
      if (depth == 0 && text == spelling) return token;
      depth += text == "[" ? 1 : text == "]" ? -1 : 0;
      at = written_.skip_space(token.file, token.end);
    }
    return std::nullopt;
  }

  void condition(const Statement& statement) {
    const ast::Expression& what = *statement.expression;
    if (what.kind == ExpressionKind::kNumber) return;
    const std::optional<Range> whole = written_.part(statement.extent);
    if (what.kind == ExpressionKind::kRun) {
      add(Operator::kDropRun, whole, "skip");
    } else if (whole) {
      add(Operator::kDropGuard, whole, "true");
      const bool is_negation = what.kind == ExpressionKind::kUnary && what.op == Op::kNot;
      if (what.kind == ExpressionKind::kChannelQuery) {
        negate_query(what);
      } else if (!is_negation && !is_relation(what)) {
        add(Operator::kNegateGuard, whole, fmt::format("!({})", written_.text(*whole)));
      }
    }
    expression(what);
  }

  // full(q) cannot be an operand of `!`.
  void negate_query(const ast::Expression& query) {
    static constexpr std::pair<Op, Op> kOpposites[] = {{Op::kFull, Op::kNotFull}, {Op::kEmpty, Op::kNotEmpty}};
    for (const auto& [one, other] : kOpposites) {
      const std::string_view words[] = {promela::spelling(one), promela::spelling(other)};
      if (query.op == one) replace_word(Operator::kNegateGuard, query.location, words[0], std::string(words[1]));
      if (query.op == other) replace_word(Operator::kNegateGuard, query.location, words[1], std::string(words[0]));
    }
  }

  void options(const Statement& statement) {
    for (const ast::Sequence& each : statement.sequences) {
      statement_ = statement.location.place;
      if (statement.sequences.size() > 1 && !each.steps.empty()) {
        add(Operator::kDropOption, written_.part({each.location, each.steps.back()->extent.last}), "");
      }
      sequence(each);
    }
  }

  void unless(const Statement& statement) {
    const std::optional<Range> whole = written_.part(statement.extent);
    const std::optional<Range> body = written_.part(statement.body->extent);
    if (whole && body && whole->file == body->file && whole->end > body->end)
      add(Operator::kDropUnless, Range{body->file, body->end, whole->end}, "");
    this->statement(*statement.body);
    this->statement(*statement.escape);
  }

  void range(const Statement& statement) {
    if (statement.expression) expression(*statement.expression);
    if (statement.to) expression(*statement.to);
  }

  // --- expressions

  void variable(const ast::VariableRef& variable) {
    for (const ast::VariableRef* each = &variable; each != nullptr; each = each->field.get()) {
      if (each->index) expression(*each->index);
    }
  }

  void arguments(const std::vector<ast::ReceiveArg>& arguments) {
    for (const ast::ReceiveArg& each : arguments) {
      if (each.variable) variable(*each.variable);
      if (each.value) expression(*each.value);
    }
  }

  void expression(const ast::Expression& expression) {
    if (expression.kind == ExpressionKind::kNumber) return number(expression);
    if (expression.kind == ExpressionKind::kMtypeConstant) return mtype(expression);
    if (expression.kind == ExpressionKind::kBinary) {
      const auto* const exchange = std::ranges::find(kExchanges, expression.op, &Exchange::op);
      for (const std::string_view other : exchange->others) {
        if (!other.empty())
          replace_word(Operator::kReplaceOperator, expression.location, promela::spelling(expression.op),
                       std::string(other));
      }
    }
    if (expression.kind == ExpressionKind::kUnary && expression.op == Op::kNot)
      replace_word(Operator::kDropNegation, expression.location, "!", "");
    if (expression.variable) variable(*expression.variable);
    arguments(expression.arguments);
    for (const ast::ExpressionPtr& each : expression.operands) this->expression(*each);
  }

  void number(const ast::Expression& number) {
    replace_word(Operator::kChangeConstant, number.location, "true", "false");
    replace_word(Operator::kChangeConstant, number.location, "false", "true");
    const std::string digits = std::to_string(number.value);
    for (const int64_t other : {int64_t{number.value} + 1, int64_t{number.value} - 1, int64_t{0}}) {
      if (other >= 0 && other <= INT32_MAX)
        replace_word(Operator::kChangeConstant, number.location, digits, std::to_string(other));
    }
  }

  void mtype(const ast::Expression& constant) {
    for (const promela::MtypeSet& set : understood_.analysis.mtype_sets) {
      const auto found = std::ranges::find(set.values, constant.name);
      if (found == set.values.end() || set.values.size() < 2) continue;
      const auto next = found + 1 == set.values.end() ? set.values.begin() : found + 1;
      replace_word(Operator::kChangeMtype, constant.location, constant.name, *next);
    }
  }

  const promela::Understood& understood_;
  const promela::Sources& sources_;
  const WrittenText written_;
  SourcePlace statement_;  // that is looked at; line 0: none
  bool in_select_ = false;
  std::vector<Mutant> mutants_;
};

}  // namespace

std::optional<std::vector<Mutant>> make_mutants(const ModelRequest& request, promela::Sources& sources,
                                                std::string& messages) {
  promela::Diagnostics diagnostics(sources);
  const std::optional<promela::Understood> understood =
      promela::understand(sources, 0, compile_options(request), diagnostics);
  messages += diagnostics.render(false);
  if (!understood) return std::nullopt;
  return Mutator(*understood, sources).run();
}

}  // namespace cmc::mutate
