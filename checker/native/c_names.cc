#include "checker/native/c_names.h"

#include <fmt/format.h>

#include "base/text.h"

namespace cmc::native {

namespace {

std::string identifier(const std::string& name) {
  std::string result;
  for (const char c : name) result += is_word_character(c) ? c : '_';
  return result;
}

}  // namespace

CNames::CNames(const Model& model) {
  globals_ = define(model.globals, "g_");
  for (const std::vector<Proctype>* types : {&model.proctypes, &model.claims}) {
    for (const Proctype& type : *types) locals_.push_back(define(type.variables, "l_" + identifier(type.name) + "_"));
  }
}

CNames::Names CNames::define(const std::vector<Variable>& variables, const std::string& prefix) {
  Names names;
  std::string list;
  for (const Variable& variable : variables) {
    const std::string plain = prefix + identifier(variable.name);
    std::string name = plain;
    for (int i = 2; !used_.insert(name).second; ++i) name = fmt::format("{}_{}", plain, i);
    list += fmt::format("{}\n  {} = {}", list.empty() ? "" : ",", name, variable.offset);
    names.push_back({std::move(name), variable.offset});
  }
  if (!list.empty()) definitions_ += fmt::format("enum {{{}\n}};\n", list);
  return names;
}

std::string CNames::offset(const VariableReference& reference, Owner owner, uint32_t offset) const {
  static const Names kNone;
  const bool global = reference.space == Space::kGlobal;
  const Names& names = global ? globals_ : owner < locals_.size() ? locals_[owner] : kNone;
  if (reference.variable >= names.size() || names[reference.variable].offset > offset) {
    return fmt::format("{}u", offset);
  }
  const Named& named = names[reference.variable];
  return offset == named.offset ? named.name : fmt::format("{} + {}u", named.name, offset - named.offset);
}

}  // namespace cmc::native
