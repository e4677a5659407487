#pragma once

#include <string>
#include <vector>

#include "base/bytes.h"
#include "ir/model.h"

// Decodes a state vector into names and value texts. Robust: if the vector does not belong to the model, the image
// holds what could be decoded, and `damage` says what is wrong.

namespace cmc {

struct NamedValue {
  std::string name;   // "x", "x[2]", "s.f[1].g"; "x@12" where "x" would be ambiguous (Variable::distinction)
  std::string value;  // a number, the name of an mtype, a channel's name, or "none" for the channel id 0
  friend bool operator==(const NamedValue&, const NamedValue&) = default;
};

struct ChannelImage {
  uint32_t id = 0;
  std::string name;  // "q", or "Sender[1].q" for a channel owned by process 1
  uint32_t capacity = 0;
  std::vector<std::string> messages;  // first to be received first: "ack,3"
  friend bool operator==(const ChannelImage&, const ChannelImage&) = default;
};

struct ProcessImage {
  uint32_t pid = 0;
  std::string proctype;
  uint32_t priority = 0;
  LocationId location = 0;
  SourcePlace place;  // of the location
  std::vector<NamedValue> locals;
  friend bool operator==(const ProcessImage&, const ProcessImage&) = default;
};

struct StateImage {
  std::vector<NamedValue> globals;  // hidden ones too
  std::vector<ProcessImage> processes;
  std::vector<ChannelImage> channels;
  uint32_t atomic_holder = kNoProcess;
  std::string damage;  // empty: the vector is complete and of the right size
};

[[nodiscard]] StateImage decode_state(const Model& model, ByteView state);

// Value `value` of this type as text; channel ids as numbers.
[[nodiscard]] std::string value_text(const Model& model, const ScalarType& type, int32_t value);

// "byte", "unsigned:3", "mtype:colour"
[[nodiscard]] std::string type_name(const Model& model, const ScalarType& type);
// Name of mtype value `value`; empty if the set has no such value.
[[nodiscard]] std::string mtype_name(const Model& model, uint32_t mtype_set, int32_t value);

}  // namespace cmc
