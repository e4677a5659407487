#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ir/model.h"
#include "promela/syntax/ast.h"

// What sema finds out about names: variables with their types and places in the state vector, structures, labels.

namespace cmc::promela {

// A block scope: `{ ... }`. A proctype's outermost scope (its parameters) has no parent; globals belong to no scope.
struct Scope {
  const Scope* parent = nullptr;
  [[nodiscard]] bool encloses(const Scope* inner) const {
    for (; inner != nullptr; inner = inner->parent) {
      if (inner == this) return true;
    }
    return false;
  }
};

[[nodiscard]] inline ScalarType scalar_type(BasicType basic, uint8_t bits) {
  ScalarType type;
  type.basic = basic;
  type.bits = bits;
  type.bytes = bits <= 8 ? 1 : bits <= 16 ? 2 : 4;
  return type;
}

// A variable or a field of a structure.
struct Symbol {
  std::string name;
  Location location;
  const Structure* structure = nullptr;  // of a typedef type; else `type` holds
  ScalarType type;
  bool is_array = false;
  uint32_t count = 1;
  bool hidden = false;
  bool parameter = false;
  int proctype = -1;  // owner: index into Analysis::proctypes, or -1: global or field
  const Scope* scope = nullptr;
  const ast::Expression* initializer = nullptr;
  const ast::ChannelInit* channel = nullptr;
  uint32_t offset = 0;      // bytes: in the state vector, the frame or the structure
  uint32_t first_leaf = 0;  // index of its first Variable in Model::globals, Proctype::variables or the structure

  [[nodiscard]] bool is_channel() const { return structure == nullptr && type.basic == BasicType::kChan; }
  [[nodiscard]] uint32_t element_bytes() const;
  [[nodiscard]] uint64_t bytes() const { return uint64_t{element_bytes()} * count; }
};

struct Structure {
  std::string name;
  std::vector<Symbol> fields;
  uint32_t bytes = 0;
  uint32_t leaves = 0;  // scalar or array-of-scalar members, transitively

  [[nodiscard]] const Symbol* field(std::string_view field_name) const {
    for (const Symbol& symbol : fields) {
      if (symbol.name == field_name) return &symbol;
    }
    return nullptr;
  }
};

inline uint32_t Symbol::element_bytes() const { return structure != nullptr ? structure->bytes : type.bytes; }

// A label, as SPIN's scoping identifies it. Its place is found when the control flow is built.
struct LabelSymbol {
  std::string name;
  const Scope* scope = nullptr;
};

struct MtypeSet {
  std::string name;
  std::vector<std::string> values;  // value v is values[v-1]
};

struct AnalysedProctype {
  ast::Proctype* syntax = nullptr;
  std::vector<Symbol*> variables;  // in order of declaration, parameters first
  std::deque<LabelSymbol> labels;
  std::map<std::string, std::vector<LabelSymbol*>, std::less<>> labels_by_name;  // in order of appearance
  std::deque<Scope> scopes;
  uint32_t frame_bytes = kFrameHeaderBytes;
  uint32_t leaves = 0;
  [[nodiscard]] bool runs() const {
    return syntax->kind == ast::Proctype::Kind::kProctype || syntax->kind == ast::Proctype::Kind::kInit;
  }
  [[nodiscard]] bool is_never() const { return syntax->kind == ast::Proctype::Kind::kNever; }
  [[nodiscard]] bool is_trace() const {
    return syntax->kind == ast::Proctype::Kind::kTrace || syntax->kind == ast::Proctype::Kind::kNotrace;
  }
};

// The result of sema: owns symbols and structures; the tree's `symbol` pointers lead here.
struct Analysis {
  std::deque<Symbol> symbols;
  std::deque<Structure> structures;
  std::map<std::string, Structure*, std::less<>> structure_names;
  std::vector<MtypeSet> mtype_sets;                          // [0]: unnamed
  std::vector<Symbol*> globals;                              // in order of declaration
  std::vector<std::unique_ptr<AnalysedProctype>> proctypes;  // also claims and traces, in order of the text
  std::vector<const ast::Expression*> remote_labels;         // in order of the text
  bool uses_priority = false;
  bool uses_last = false;
  bool uses_timeout = false;
  bool has_rendezvous = false;

  [[nodiscard]] const AnalysedProctype* proctype(std::string_view name) const {
    for (const auto& candidate : proctypes) {
      if (candidate->syntax->kind == ast::Proctype::Kind::kProctype && candidate->syntax->name == name) {
        return candidate.get();
      }
    }
    return nullptr;
  }
};

// Predefined variables.
[[nodiscard]] inline bool is_predefined(std::string_view name) {
  return name == "_pid" || name == "_nr_pr" || name == "_last" || name == "_priority" || name == "_";
}

}  // namespace cmc::promela
