#pragma once

#include <cstdint>
#include <string>

#include "ir/expression.h"

// What a model's text asks for beside assertions, end states and freedom from run-time errors, as data.

namespace cmc {

inline constexpr uint32_t kNoClaim = 0xffffffff;

// No engine decides these properties yet: each of them makes a verdict "incomplete".
struct Property {
  enum class Kind : uint8_t {
    kNeverClaim,
    kLtl,
    kTrace,
    kNotrace,
    kAcceptanceCycle,   // asked for by an `accept` label of a process
    kNonProgressCycle,  // asked for by a `progress` label of a process
    kEmbeddedC,         // C code, whose effect on the model is unknown
  };
  Kind kind = Kind::kNeverClaim;
  std::string name;  // of the property, or the label; may be empty
  SourcePlace place;
  uint32_t claim = kNoClaim;  // index into Model::claims: never claims, trace and notrace have one
};

// The one table of what properties are called.
struct PropertyKindInfo {
  const char* name;  // in JSON, dumps and lists: "never claim"
  const char* noun;  // the subject of a sentence: "the never claim"
};
[[nodiscard]] const PropertyKindInfo& info(Property::Kind kind);

}  // namespace cmc
