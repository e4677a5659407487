#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "ir/model.h"

namespace cmc {

// Which global channels expressions can name, as far as the text tells: through global variables that get their
// channels when they are declared and that no statement assigns.
class ChannelNames {
 public:
  // The model stays.
  explicit ChannelNames(const Model& model);

  // Ids of the channels, from 1, each once or more often; none: it is not known. An element without a channel names
  // none.
  [[nodiscard]] std::optional<std::vector<uint32_t>> of(ExpressionId expression) const;

 private:
  void assign(const VariableReference& reference);

  const Model& model_;
  std::vector<bool> assigned_;             // by offset in the state vector: some statement writes there
  std::map<uint32_t, uint32_t> channels_;  // ids by offset of the variable
};

}  // namespace cmc
