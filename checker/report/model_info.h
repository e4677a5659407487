#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "checker/report/style/style.h"
#include "ir/model.h"

// The overview of a model (cmc info): one object, of which the text and the JSON (schema cmc.info/1) are views.

namespace cmc {

struct ModelInfo {
  struct Variable {
    std::string name;  // with dimensions: "a[3].x"
    std::string type;  // "byte", "unsigned:3", "mtype:colour"
    uint32_t offset = 0;
    uint32_t bytes = 0;
    bool hidden = false;
    bool parameter = false;
  };
  struct Channel {
    std::string name;
    uint32_t capacity = 0;
    std::vector<std::string> fields;
    uint32_t offset = 0;
    uint32_t bytes = 0;
  };
  struct Proctype {
    std::string name;
    std::string place;  // file:line
    uint32_t active = 0;
    uint32_t locations = 0;
    uint32_t edges = 0;
    uint32_t frame_bytes = 0;
    std::vector<Variable> variables;
    std::vector<Channel> channels;
  };
  struct PropertyLine {
    std::string kind;
    std::string name;
    std::string place;    // may be empty
    std::string formula;  // ltl: in SPIN's syntax
    bool by_default = true;
  };
  // What the first states take in the set of the fast engine, as `cmc check` keeps them in RAM.
  struct StateCost {
    uint64_t states = 0;  // that were looked at
    bool all = false;     // the model has no more
    uint32_t key_bits = 0;
    double bytes = 0;           // of a state in the set
    uint64_t memory_bytes = 0;  // the limit of `cmc check` here; 0: none
  };
  std::string file;
  std::string sha1;
  std::vector<Variable> globals;
  std::vector<Channel> channels;
  std::vector<Proctype> proctypes;
  std::vector<PropertyLine> properties;
  std::vector<PropertyLine> undecided;
  uint32_t header_bytes = 0;
  uint32_t global_bytes = 0;   // everything before the first frame
  uint32_t initial_bytes = 0;  // of the initial state
  std::optional<StateCost> cost;
};

[[nodiscard]] ModelInfo describe_model(const Model& model, std::string file, std::string sha1);
[[nodiscard]] std::string info_text(const ModelInfo& info, const Palette& palette);
[[nodiscard]] std::string info_json(const ModelInfo& info);

}  // namespace cmc
