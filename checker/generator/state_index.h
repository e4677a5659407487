#pragma once

#include <cstddef>
#include <cstdint>

#include "ir/model.h"

namespace cmc {

// Where the frames and channels of a state are. Built once per expanded state.
struct StateIndex {
  struct Channel {
    uint32_t offset = 0;  // of its contents, from the start of the state vector
    uint32_t type = 0;    // index into Model::channel_types
  };
  uint32_t process_count = 0;
  uint32_t channel_count = 0;          // ids 1..channel_count exist
  ProctypeId types[kMaxProcesses];     // by pid
  uint32_t frames[kMaxProcesses + 1];  // offset of each frame; [process_count] is the size of the state vector
  Channel channels[kMaxChannels + 1];  // by id; [0] unused
};

// prepare_index enters what is the same in every state (global channels), build_index the rest, unless the index is
// that of a state with the same processes.
void prepare_index(const Model& model, StateIndex& index);
void build_index(const Model& model, const std::byte* state, StateIndex& index);

}  // namespace cmc
