#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "promela/compile.h"

// Who is meant by a name, everywhere in a text and in the files that it includes.

namespace cmc::lsp {

enum class EntityKind : uint8_t {
  kVariable,
  kParameter,
  kField,
  kProctype,
  kType,
  kMtype,
  kLabel,
  kFormula,
  kMacro,
  kInline
};

// Something that has a name.
struct Entity {
  EntityKind kind = EntityKind::kVariable;
  std::string name;
  std::string declaration;  // without its value: "byte turn[2]", "proctype P(byte id)", "#define N 3"
  std::string owner;        // the proctype, structure or set of mtypes that it belongs to; may be empty
  std::string structure;    // of a variable of a structure: which
  std::optional<SourcePlace> definition;
  SourcePlace end;  // of a proctype, a claim, a structure: where its body ends
};

// A word of the text that means an entity.
struct Occurrence {
  uint32_t entity = 0;
  bool is_definition = false;
};

class NameIndex {
 public:
  NameIndex() = default;
  // Of a text without errors.
  NameIndex(const promela::Understood& text, const promela::Sources& sources);

  [[nodiscard]] const std::vector<Entity>& entities() const { return entities_; }
  // By place.
  [[nodiscard]] const std::map<SourcePlace, Occurrence>& occurrences() const { return occurrences_; }
  // Of the word that begins there. Null: it means nothing that is known.
  [[nodiscard]] const Occurrence* at(const SourcePlace& place) const {
    const auto found = occurrences_.find(place);
    return found == occurrences_.end() ? nullptr : &found->second;
  }
  // A use of the entity is nowhere written as its name: a macro pastes it. Such a name cannot be changed.
  [[nodiscard]] bool is_pasted(uint32_t entity) const { return pasted_[entity]; }

 private:
  friend class Indexer;
  std::vector<Entity> entities_;
  std::map<SourcePlace, Occurrence> occurrences_;
  std::vector<bool> pasted_;  // by entity
};

}  // namespace cmc::lsp
