#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "checker/trace/places.h"
#include "ir/model.h"

namespace cmc {

// A part of the state that an expression reads.
struct Operand {
  std::string name;   // "flag[0]", "user[1].n", "len(q)"
  std::string value;  // "?" if it cannot be evaluated
  std::optional<ByteRange> bytes;
};

// What decides the value of the expression in this state, as process `pid` (or the claim) sees it, each once: of a
// conjunction that is false its false parts, of a disjunction that is true its true ones, otherwise everything that
// is read, but for indices.
[[nodiscard]] std::vector<Operand> deciding_operands(const Model& model, ByteView state, uint8_t pid,
                                                     ExpressionId expression);

// The value of an expression; none: it cannot be evaluated.
[[nodiscard]] std::optional<int32_t> value_of(const Model& model, ByteView state, uint8_t pid, ExpressionId id);

}  // namespace cmc
