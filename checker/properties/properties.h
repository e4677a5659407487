#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "checker/generator/generator.h"
#include "checker/generator/guard_decider.h"
#include "ir/model.h"

// What can be asked of a model: one list for the command line, the searches and the reports.

namespace cmc {

enum class PropertyKind : uint8_t {
  kSafety,  // assertions, invalid end states, run-time errors
  kNeverClaim,
  kLtl,
  kTrace,
  kNotrace,
  kAcceptanceCycle,   // through accept labels of processes
  kNonProgressCycle,  // past progress labels of processes
};
[[nodiscard]] const char* property_kind_name(PropertyKind kind);

inline constexpr uint32_t kNoProperty = 0xffffffff;

struct PropertyEntry {
  PropertyKind kind = PropertyKind::kSafety;
  std::string name;
  SourcePlace place;                // line 0: none
  uint32_t property = kNoProperty;  // index into Model::properties; safety and non-progress have none
  bool by_default = true;           // decided if nobody asks for particular ones
};

// Safety first, then what the text states in its order, then accept and non-progress. Accept is asked for by accept
// labels, unless a claim or formula says what they are for; progress labels ask for nothing.
[[nodiscard]] std::vector<PropertyEntry> properties_of(const Model& model);

// What tells it from all others: its name, behind its kind if another one has that name, as in `ltl-safety`.
[[nodiscard]] std::string full_name(const PropertyEntry& entry, std::span<const PropertyEntry> all);

// The model that is searched to decide `entry`: with its claim or trace, which its formula or kind is translated to,
// and with no other property in Model::properties but embedded C. `trace`, unless null, runs beside safety. Error: a
// formula is too large.
[[nodiscard]] Result<Model> make_product(const Model& model, const PropertyEntry& entry,
                                         const PropertyEntry* trace = nullptr);

// The reference interpreter, which follows paths of a product: basic steps, and the moves of its claim.
[[nodiscard]] std::unique_ptr<SuccessorGenerator> make_referee(const Model& product, GuardDecider* decider);

}  // namespace cmc
