#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "ir/model.h"

// A state of a model in plain containers: what the reference interpreter works on. Only variables stay bytes, because
// the IR names them by offset.

namespace cmc::reference {

struct Channel {
  const ChannelType* type = nullptr;
  std::vector<std::vector<int32_t>> messages;  // the oldest first; one value per field, as stored

  [[nodiscard]] bool rendezvous() const { return type->rendezvous(); }
  [[nodiscard]] bool full() const { return !rendezvous() && messages.size() >= type->capacity; }
};

struct Process {
  ProctypeId type = 0;
  uint8_t priority = 1;
  LocationId location = 0;
  Bytes memory;  // its frame; only the bytes of variables count
};

// What runs beside the processes: a never claim or a trace (Observer in ir/model.h).
struct Automaton {
  bool blocked = false;  // of a claim: the state lies behind one in which the system is blocked
  LocationId location = 0;
  Bytes memory;  // its frame; only the bytes of variables count
};

struct State {
  Bytes globals;    // everything before the first frame; only the bytes of variables count
  Automaton claim;  // if the model has one that runs
  Automaton trace;
  uint8_t holder = kNoProcess;
  uint8_t last = 0;
  std::vector<Process> processes;  // by pid
  std::vector<Channel> channels;   // channel id - 1
};

// `bytes` is a state vector of `model` (ir/model.h).
[[nodiscard]] State decode(const Model& model, ByteView bytes);
[[nodiscard]] Bytes encode(const Model& model, const State& state);

// The state before the first initializer.
[[nodiscard]] State empty_state(const Model& model);

// Appends a process at its start location, with zeroed memory and empty channels.
void append_process(const Model& model, State& state, ProctypeId type, uint8_t priority);
// Removes the youngest process with its channels.
void remove_process(const Model& model, State& state);

}  // namespace cmc::reference
