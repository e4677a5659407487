#include "checker/lsp/name_index.h"

#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "checker/lsp/text_buffer.h"
#include "checker/lsp/words.h"

namespace cmc::lsp {

using promela::Expansion;
using promela::ExpansionId;
using promela::Location;
using promela::Sources;
using promela::Symbol;
namespace ast = promela::ast;

namespace {

// "byte x[3]", "chan c = [2] of { byte }".
std::string declaration_text(const ast::Declaration& declaration, const ast::Declarator& declarator) {
  std::string text = declaration.hidden ? "hidden " : declaration.local ? "local " : declaration.show ? "show " : "";
  text += declaration.type;
  if (!declaration.mtype_set.empty()) text += ':' + declaration.mtype_set;
  text += ' ' + declarator.name;
  if (declarator.has_bits) text += fmt::format(" : {}", declarator.bits);
  if (declarator.is_array)
    text +=
        fmt::format("[{}]", declarator.count_name.empty() ? std::to_string(declarator.count) : declarator.count_name);
  if (declarator.channel) {
    std::string fields;
    for (const ast::ChannelInit::Field& field : declarator.channel->fields) {
      fields += (fields.empty() ? "" : ", ") + field.type + (field.mtype_set.empty() ? "" : ':' + field.mtype_set);
    }
    text += fmt::format(" = [{}] of {{ {} }}", declarator.channel->capacity, fields);
  }
  return text;
}

std::string proctype_text(const ast::Proctype& proctype) {
  using Kind = ast::Proctype::Kind;
  if (proctype.kind != Kind::kProctype) return proctype.name;
  std::string parameters;
  for (const ast::Declaration& declaration : proctype.parameters) {
    for (const ast::Declarator& declarator : declaration.declarators) {
      parameters += (parameters.empty() ? "" : "; ") + declaration_text(declaration, declarator);
    }
  }
  return fmt::format("{}{} {}({})", proctype.active ? "active " : "",
                     proctype.deterministic ? "D_proctype" : "proctype", proctype.name, parameters);
}

}  // namespace

class Indexer {
 public:
  Indexer(NameIndex& index, const promela::Understood& text, const Sources& sources)
      : index_(index), text_(text), sources_(sources) {}

  void run() {
    for (const ast::Unit& unit : text_.program.units) declare(unit);
    for (const ast::Unit& unit : text_.program.units) use(unit);
    for (uint32_t file = 0; file < sources_.file_count(); ++file) macros(file);
  }

 private:
  uint32_t add(Entity entity, const void* key = nullptr) {
    const auto number = static_cast<uint32_t>(index_.entities_.size());
    if (key != nullptr) known_[key] = number;
    by_name_[{entity.kind, entity.name}] = number;
    index_.entities_.push_back(std::move(entity));
    index_.pasted_.push_back(false);
    return number;
  }
  void define(uint32_t number, const Location& location) {
    Entity& entity = index_.entities_[number];
    const std::optional<SourcePlace> place = written(location, entity);
    if (!place) return;
    entity.definition = place;
    index_.occurrences_.insert_or_assign(*place, Occurrence{number, true});
  }
  void refer(uint32_t number, const Location& location) {
    const std::optional<SourcePlace> place = written(location, index_.entities_[number]);
    if (!place) {
      index_.pasted_[number] = true;
    } else {
      index_.occurrences_.try_emplace(*place, Occurrence{number, false});
    }
  }
  void refer(EntityKind kind, const std::string& name, const Location& location) {
    if (const auto found = by_name_.find({kind, name}); found != by_name_.end()) refer(found->second, location);
  }
  void refer(const void* key, const Location& location) {
    if (const auto found = known_.find(key); key != nullptr && found != known_.end()) refer(found->second, location);
  }

  // Where the name of an entity is written that is meant at a location: there, or in the macro that it comes from.
  [[nodiscard]] std::optional<SourcePlace> written(const Location& location, const Entity& entity) const {
    if (const auto place = near(location.place, entity)) return place;
    for (ExpansionId id = location.expansion; id != 0; id = sources_.expansion(id).parent) {
      const Expansion& expansion = sources_.expansion(id);
      if (expansion.kind == Expansion::Kind::kInclude) continue;
      if (const auto place = near(expansion.place, entity)) return place;
    }
    return std::nullopt;
  }
  // Statements and declarations have the place of their first word: the name follows, in their line or the next.
  [[nodiscard]] std::optional<SourcePlace> near(const SourcePlace& place, const Entity& entity) const {
    if (place.line == 0 || place.column == 0 || place.file >= sources_.file_count()) return std::nullopt;
    const bool follows = entity.kind == EntityKind::kProctype || entity.kind == EntityKind::kType ||
                         entity.kind == EntityKind::kLabel || entity.kind == EntityKind::kFormula;
    const std::string& name = entity.name;
    for (uint32_t line = place.line; line < place.line + (follows ? 2 : 1); ++line) {
      const std::string_view text = sources_.line(place.file, line);
      const size_t first = line == place.line ? place.column - 1 : 0;
      for (size_t at = text.find(name, first); at != std::string_view::npos; at = text.find(name, at + 1)) {
        if (!follows && at != first) break;
        const bool begins = at == 0 || !is_word_character(text[at - 1]);
        const bool ends = at + name.size() == text.size() || !is_word_character(text[at + name.size()]);
        if (begins && ends) return SourcePlace{place.file, line, static_cast<uint32_t>(at + 1)};
      }
    }
    return std::nullopt;
  }

  // --- what is declared

  void declare(const ast::Unit& unit) {
    using Kind = ast::Unit::Kind;
    switch (unit.kind) {
      case Kind::kDeclaration: return declare(*unit.declaration, EntityKind::kVariable, "");
      case Kind::kTypedef: return declare(*unit.type);
      case Kind::kMtype:
        for (const auto& [name, location] : unit.mtype->names) {
          define(add({EntityKind::kMtype,
                      name,
                      fmt::format("mtype{} {}", unit.mtype->set.empty() ? "" : ':' + unit.mtype->set, name),
                      unit.mtype->set,
                      {},
                      {},
                      {}}),
                 location);
        }
        return;
      case Kind::kProctype: return declare(*unit.proctype);
      case Kind::kLtl:
        if (unit.ltl->name.empty()) return;
        return define(add({EntityKind::kFormula, unit.ltl->name, "ltl " + unit.ltl->name, {}, {}, {}, {}}),
                      unit.ltl->location);
      case Kind::kEmbeddedC: return;
    }
  }
  void declare(const ast::Typedef& type) {
    define(add({EntityKind::kType, type.name, "typedef " + type.name, {}, {}, {}, {}}, type.structure),
           type.location);
    for (const ast::Declaration& fields : type.fields) {
      for (const ast::Declarator& field : fields.declarators) {
        const Symbol* symbol = type.structure == nullptr ? nullptr : type.structure->field(field.name);
        define(add({EntityKind::kField,
                    field.name,
                    declaration_text(fields, field),
                    type.name,
                    structure_of(symbol),
                    {},
                    {}},
                   symbol),
               field.location);
      }
    }
  }
  static std::string structure_of(const Symbol* symbol) {
    return symbol == nullptr || symbol->structure == nullptr ? "" : symbol->structure->name;
  }
  void declare(const ast::Declaration& declaration, EntityKind kind, const std::string& owner) {
    for (const ast::Declarator& each : declaration.declarators) {
      define(add({kind, each.name, declaration_text(declaration, each), owner, structure_of(each.symbol), {}, {}},
                 each.symbol),
             each.location);
    }
  }
  void declare(const ast::Proctype& proctype) {
    Entity entity{EntityKind::kProctype, proctype.name, proctype_text(proctype), {}, {}, {}, proctype.body.end.place};
    const uint32_t number = add(std::move(entity), &proctype);
    define(number, proctype.location);
    if (!index_.entities_[number].definition) index_.entities_[number].definition = proctype.location.place;
    for (const ast::Declaration& each : proctype.parameters) declare(each, EntityKind::kParameter, proctype.name);
    declare(proctype.body, proctype.name);
  }
  void declare(const ast::Sequence& sequence, const std::string& owner) {
    for (const ast::StatementPtr& step : sequence.steps) declare(step.get(), owner);
  }
  void declare(const ast::Statement* statement, const std::string& owner) {
    if (statement == nullptr) return;
    if (statement->kind == ast::StatementKind::kDeclaration)
      declare(statement->declaration, EntityKind::kVariable, owner);
    if (statement->kind == ast::StatementKind::kLabel && statement->label_symbol != nullptr)
      define(add({EntityKind::kLabel, statement->label, statement->label + ":", owner, {}, {}, {}},
                 statement->label_symbol),
             statement->location);
    for (const ast::Sequence& sequence : statement->sequences) declare(sequence, owner);
    declare(statement->body.get(), owner);
    declare(statement->escape.get(), owner);
  }

  // --- what is used

  void use(const ast::Unit& unit) {
    if (unit.declaration) use(*unit.declaration);
    if (unit.ltl) use(unit.ltl->formula.get());
    if (unit.type) {
      for (const ast::Declaration& fields : unit.type->fields) use(fields);
    }
    if (!unit.proctype) return;
    for (const ast::Declaration& parameters : unit.proctype->parameters) use(parameters);
    use(unit.proctype->provided.get());
    use(unit.proctype->body);
  }
  void use(const ast::Declaration& declaration) {
    refer(EntityKind::kType, declaration.type, declaration.location);
    for (const ast::Declarator& each : declaration.declarators) {
      use(each.initializer.get());
      if (!each.channel) continue;
      for (const ast::ChannelInit::Field& field : each.channel->fields)
        refer(EntityKind::kType, field.type, field.location);
    }
  }
  void use(const ast::Sequence& sequence) {
    for (const ast::StatementPtr& step : sequence.steps) use(step.get());
  }
  void use(const ast::Statement* statement) {
    if (statement == nullptr) return;
    if (statement->kind == ast::StatementKind::kDeclaration) use(statement->declaration);
    if (statement->kind == ast::StatementKind::kGoto) refer(statement->label_symbol, statement->location);
    for (const auto& part : {statement->expression.get(), statement->to.get()}) use(part);
    for (const auto& part : {statement->variable.get(), statement->over.get()}) use(part);
    for (const ast::ExpressionPtr& operand : statement->operands) use(operand.get());
    for (const auto& variable : statement->variables) use(variable.get());
    use(statement->arguments);
    use(statement->targets);
    for (const ast::Sequence& sequence : statement->sequences) use(sequence);
    use(statement->body.get());
    use(statement->escape.get());
  }
  void use(const std::vector<ast::ReceiveArg>& arguments) {
    for (const ast::ReceiveArg& each : arguments) {
      use(each.variable.get());
      use(each.value.get());
    }
  }
  void use(const std::vector<ast::GuardTarget>& targets) {
    for (const ast::GuardTarget& each : targets) {
      use(each.variable.get());
      use(each.low.get());
      use(each.high.get());
    }
  }
  void use(const ast::VariableRef* variable) {
    for (; variable != nullptr; variable = variable->field.get()) {
      refer(variable->symbol, variable->location);
      use(variable->index.get());
    }
  }
  void use(const ast::Expression* expression) {
    if (expression == nullptr) return;
    using Kind = ast::ExpressionKind;
    const Kind kind = expression->kind;
    if (kind == Kind::kMtypeConstant) refer(EntityKind::kMtype, expression->name, expression->location);
    if (kind == Kind::kRun || kind == Kind::kRemoteLabel || kind == Kind::kRemoteVariable)
      refer(EntityKind::kProctype, expression->name, expression->location);
    if (kind == Kind::kRemoteLabel) remote_label(*expression);
    use(expression->variable.get());
    for (const ast::ExpressionPtr& operand : expression->operands) use(operand.get());
    use(expression->arguments);
    use(expression->targets);
  }
  void remote_label(const ast::Expression& expression) {
    for (uint32_t number = 0; number < index_.entities_.size(); ++number) {
      const Entity& entity = index_.entities_[number];
      if (entity.kind == EntityKind::kLabel && entity.name == expression.label && entity.owner == expression.name)
        return refer(number, expression.location);
    }
  }

  // Macros and inlines have one name each for the whole text, as it is written.
  void macros(uint32_t file) {
    const std::string_view text = sources_.text(file);
    const Words all = read_words(text, file);
    for (size_t i = 0; i + 1 < all.words.size(); ++i) {
      const Word& word = all.words[i];
      const Word& name = all.words[i + 1];
      const bool is_macro = word.is_directive && word.text == "define";
      if (!is_macro && (word.is_directive || word.text != "inline")) continue;
      if (name.place.line != word.place.line) continue;
      const EntityKind kind = is_macro ? EntityKind::kMacro : EntityKind::kInline;
      std::string declaration(sources_.line(file, word.place.line));
      if (const size_t brace = declaration.find('{'); !is_macro && brace != std::string::npos)
        declaration.resize(brace);
      while (!declaration.empty() && (declaration.back() == ' ' || declaration.back() == '\t'))
        declaration.pop_back();
      define(add({kind, std::string(name.text), std::move(declaration), {}, {}, {}, {}}), {name.place, 0});
    }
    for (const Word& word : all.words) {
      for (const EntityKind kind : {EntityKind::kMacro, EntityKind::kInline}) {
        const auto found = by_name_.find({kind, std::string(word.text)});
        if (found != by_name_.end()) index_.occurrences_.try_emplace(word.place, Occurrence{found->second, false});
      }
    }
  }

  NameIndex& index_;
  const promela::Understood& text_;
  const Sources& sources_;
  std::map<const void*, uint32_t> known_;  // by symbol, structure, label
  std::map<std::pair<EntityKind, std::string>, uint32_t> by_name_;
};

NameIndex::NameIndex(const promela::Understood& text, const promela::Sources& sources) {
  Indexer(*this, text, sources).run();
}

}  // namespace cmc::lsp
