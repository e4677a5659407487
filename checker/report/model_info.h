#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "checker/report/style/style.h"
#include "ir/model.h"

// The overview of a model (cmc info), as text and as JSON (schema cmc.info/1).

namespace cmc {

// What the first states take in the set of the fast engine, as `cmc check` keeps them in RAM.
struct StateCost {
  uint64_t states = 0;  // that were looked at
  bool all = false;     // the model has no more
  uint32_t key_bits = 0;
  double bytes = 0;           // of a state in the set
  uint64_t memory_bytes = 0;  // the limit of `cmc check` here; 0: none
};

struct ModelInfo {
  const Model& model;
  std::string file;
  std::string sha1;
  std::optional<StateCost> cost;
};

[[nodiscard]] std::string info_text(const ModelInfo& info, const Palette& palette);
[[nodiscard]] std::string info_json(const ModelInfo& info);

}  // namespace cmc
