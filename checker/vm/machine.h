#pragma once

#include <cstdint>
#include <vector>

#include "checker/generator/machine.h"
#include "checker/vm/compiler.h"
#include "checker/vm/program.h"

// The Machine (checker/generator/machine.h) that runs bytecode. Not thread-safe.

namespace cmc::vm {

class VmMachine {
 public:
  VmMachine(const Model& model, GuardDecider* decider);
  VmMachine(const VmMachine&) = delete;
  VmMachine& operator=(const VmMachine&) = delete;

  [[nodiscard]] const Model& model() const { return model_; }
  [[nodiscard]] GuardDecider* decider() const { return decider_; }
  [[nodiscard]] const Program& program() const { return program_; }

  bool evaluate(const View& view, ExpressionId id, int32_t& value) {
    uint32_t address = program_.expressions[id];
    if (address == kNoCode) [[unlikely]]
      address = compiler_.expression(id);
    Run run;
    if (interpret(address, view, run) == Executability::kFault) return false;
    value = run.result;
    return true;
  }
  Executability test(const View& view, StatementId id) {
    DCHECK(id < program_.statements.size());
    const uint32_t address = program_.statements[id].test;
    if (address == kExecutableAddress) return Executability::kExecutable;
    Run run;
    return interpret(address, view, run);
  }
  bool message(const View& view, StatementId id, RendezvousMessage& message) {
    DCHECK(program_.statements[id].message != kNoCode);
    Run run;
    run.message = &message;
    return interpret(program_.statements[id].message, view, run) != Executability::kFault;
  }
  // Whether execute() runs this d_step as a whole.
  [[nodiscard]] bool runs_block(StatementId id) const {
    return program_.statements[id].execute != kExecutableAddress;
  }
  bool execute(Scratch& scratch, StatementId id) {
    const uint32_t address = program_.statements[id].execute;
    if (address == kExecutableAddress) return true;
    Run run;
    run.scratch = &scratch;
    run.block = id;
    return interpret(address, scratch.view, run) != Executability::kFault;
  }

 private:
  // Input and output of one run of a piece of code, beside the view.
  struct Run {
    Scratch* scratch = nullptr;            // where it writes, if it may
    RendezvousMessage* message = nullptr;  // what a rendezvous send offers
    int32_t result = 0;                    // of an expression
    StatementId block = kNoStatement;      // the d_step that is executed
  };
  struct Field {
    ScalarType type;
    uint32_t offset = 0;  // in the message
  };
  struct ChannelLayout {
    uint32_t capacity = 0;
    uint32_t message_bytes = 0;
    std::vector<Field> fields;
  };
  struct Channel {
    const ChannelLayout* layout = nullptr;
    const std::byte* contents = nullptr;
    [[nodiscard]] uint32_t length() const { return load<uint16_t>(contents); }
    [[nodiscard]] bool rendezvous() const { return layout->capacity == 0; }
    [[nodiscard]] bool full() const { return !rendezvous() && length() >= layout->capacity; }
    [[nodiscard]] uint32_t slot_offset(uint32_t slot) const {
      DCHECK(slot <= layout->capacity);
      return kChannelHeaderBytes + slot * layout->message_bytes;
    }
  };

  Executability interpret(uint32_t address, const View& view, Run& run) {
    DCHECK(address < program_.code.size());
    DCHECK(view.index != nullptr && view.message != nullptr && view.faults != nullptr);
    return view.trace == nullptr ? interpret_as<false>(address, view, run) : interpret_as<true>(address, view, run);
  }
  template <bool kTraced>
  Executability interpret_as(uint32_t address, const View& view, Run& run);
  Executability call(uint32_t address, const View& view, Run& run, int32_t& value);
  bool enabled(const View& view, int32_t pid, int32_t& value);

  // False: there is no such channel; a fault was noted.
  bool find_channel(const View& view, int32_t id, Channel& channel) const {
    if (static_cast<uint32_t>(id) - 1 >= view.index->channel_count) [[unlikely]] {
      return view.fault(RuntimeErrorKind::kUninitializedChannel, id);
    }
    const StateIndex::Channel& entry = view.index->channels[id];
    DCHECK(entry.type < layouts_.size() && entry.offset < view.index->frames[view.index->process_count]);
    channel = Channel{&layouts_[entry.type], view.state + entry.offset};
    DCHECK(channel.length() <= channel.layout->capacity);
    view.touch(channel.contents);
    return true;
  }
  static int32_t field(const View& view, const Channel& channel, uint32_t slot, uint32_t number);
  void insert(const Channel& channel, std::byte* contents, uint32_t slot) const;
  uint32_t sorted_position(const View& view, const Channel& channel, size_t operands) const;
  static void remove(const Channel& channel, std::byte* contents, uint32_t slot);
  void transmit(const Channel& channel, int32_t id, RendezvousMessage& message) const;
  void truncate_message(const View& view, const Channel& channel, size_t operands);
  bool non_progress(const View& view) const;

  const Model& model_;
  GuardDecider* const decider_;
  Program program_;
  Compiler compiler_;
  std::vector<ChannelLayout> layouts_;  // by channel type
  std::vector<int32_t> message_;        // under composition; room for every send and every channel
};

}  // namespace cmc::vm
