#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/result.h"
#include "checker/generator/generator.h"
#include "ir/model.h"

// Runs a model as a program. Its processes take steps until none can go on; the world around it then takes messages
// out of its external channels (external.h) and puts messages into them. `timeout` is the world's clock: it is 1 when
// the world says so.
//
// Where the model leaves a choice, the first executable statement of the youngest process is taken, so a run is a
// function of the messages. Every state is one that a search of the model finds, if messages in external channels may
// come and go.

namespace cmc::program {

class Runner {
 public:
  // `generator` makes single statements of this model, which outlives the runner.
  Runner(const Model& model, std::unique_ptr<SuccessorGenerator> generator);

  // The initial state. Before everything else.
  [[nodiscard]] Status start();

  // Lets processes step until none can. With `timeout`, one step is taken in which timeout is 1, if there is such a
  // step. Returns how many steps were taken, or which error of the model stopped them: then the program is over. An
  // endless run is one: more than kMostSteps steps.
  [[nodiscard]] Result<uint64_t> run(bool timeout);
  static constexpr uint64_t kMostSteps = 100'000'000;

  // `channel`: index into Model::channels. Messages have the layout of its type (ChannelType).
  [[nodiscard]] uint32_t length(uint32_t channel) const;
  [[nodiscard]] bool full(uint32_t channel) const { return length(channel) >= type_of(channel).capacity; }
  // The oldest message; valid until the next call. REQUIRES: there is one.
  [[nodiscard]] std::span<const std::byte> front(uint32_t channel) const;
  void pop(uint32_t channel);
  // Zeroed bytes of a message that is sent with what the caller writes there. REQUIRES: not full.
  [[nodiscard]] std::span<std::byte> push(uint32_t channel);
  [[nodiscard]] const ChannelType& type_of(uint32_t channel) const {
    return model_.channel_types[model_.channels[channel].type];
  }

  // All processes have ended.
  [[nodiscard]] bool ended() const { return load<uint8_t>(state_.data() + model_.process_count_offset()) == 0; }

  [[nodiscard]] ByteView state() const { return state_; }

 private:
  enum class Outcome : uint8_t { kBlocked, kStep, kError };
  [[nodiscard]] Outcome step(bool timeout);
  [[nodiscard]] Outcome step_of(uint8_t pid, bool timeout);
  [[nodiscard]] std::byte* contents(uint32_t channel) { return state_.data() + model_.channels[channel].offset; }
  [[nodiscard]] const std::byte* contents(uint32_t channel) const {
    return state_.data() + model_.channels[channel].offset;
  }

  const Model& model_;
  const std::unique_ptr<SuccessorGenerator> generator_;
  Bytes state_;
  SuccessorBatch batch_;
};

}  // namespace cmc::program
