#pragma once

#include <optional>
#include <string>
#include <vector>

#include "checker/generator/generator.h"
#include "ir/model.h"
#include "ir/state_printer.h"

// The values that pass by in one step: messages and what the model prints. They are found by looking at the states
// before and behind the step, and by evaluating the statement's operands with the reference interpreter. What happens
// inside a d_step is one step and not taken apart.

namespace cmc {

struct MessageText {
  enum class Kind : uint8_t { kSent, kReceived, kRead, kHandedOver } kind = Kind::kSent;
  std::string channel;
  std::string values;  // "ack,3"
};

// None: the step sends and receives nothing, or its operands cannot be evaluated.
[[nodiscard]] std::optional<MessageText> message_of_step(const Model& model, ByteView before_bytes, const Step& step,
                                                         const StateImage& before, const StateImage& after);

struct Truncation {
  int32_t value = 0;
  ScalarType type;  // in which it does not fit
};

// Of the values that the step assigns, sends or hands over as arguments of `run`. (What a receive stores in a
// narrower variable is not looked at.)
[[nodiscard]] std::vector<Truncation> truncations_of_step(const Model& model, ByteView before, const Step& step);

// What a printf or printm shows, none if the step is no such statement.
[[nodiscard]] std::optional<std::string> printed_by_step(const Model& model, ByteView before, const Step& step);

}  // namespace cmc
