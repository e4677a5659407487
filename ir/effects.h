#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "ir/model.h"

// What the edges of a location read and write, as a sound over-approximation: if two states agree on the part of the
// state that `reads` names, the process at this location has the same steps in both, with the same effects on the
// part that `writes` names, and nothing outside of it changes (but for the three header bytes, which follow from the
// step).
//
// An engine that forms components and memoises steps can put globals that occur together in these sets into one
// component: a step is a function of the components in `reads`.
//
// What the sets mean:
//  - The own frame (locals, location, priority, contents of the channels that the process owns) is always read and
//    written and is not listed.
//  - `run` writes the number of processes and creates a frame; it reads the proctypes of all processes, which decide
//    the new pid and the ids of its channels, and what the initializers of the new process read.
//  - A rendezvous has two parties: a send that may be one includes everything that a receive by another process, or a
//    d_step that runs in its middle, may read and write.
//  - `enabled`, and every location of a model with priorities, includes what the tests of all edges of all processes
//    read. `provided` is part of every location of its proctype.
//  - `timeout` depends on whether any process can move: `everything`.
// The sets may be too large, never too small: a channel variable that is ever assigned or received into may name any
// channel; a remote reference may read any other frame.

namespace cmc {

struct AccessSet {
  std::vector<uint32_t> globals;   // indices into Model::globals; sorted, without repetition
  std::vector<uint32_t> channels;  // indices into Model::channels; sorted, without repetition
  bool any_channel = false;        // any channel, of any process too; `channels` lists all global ones then
  bool other_locals = false;       // locals of other processes and the contents of the channels that they own
  bool other_locations = false;
  bool priorities = false;  // of other processes
  bool processes = false;   // how many there are, and their proctypes
  bool last = false;        // `_last`
  bool everything = false;  // the whole state
  friend bool operator==(const AccessSet&, const AccessSet&) = default;
};

struct Effects {
  AccessSet reads;
  AccessSet writes;
  bool may_meet = false;  // may be a party to a rendezvous
};

struct ModelEffects {
  std::vector<std::vector<Effects>> locations;  // by proctype and location
};

[[nodiscard]] ModelEffects effects(const Model& model);

// The bytes from the reference's offset on among which all elements lie that it can name.
[[nodiscard]] uint32_t extent(const VariableReference& reference);

// Calls visit(reference) for each variable that the statement writes, those in the body of a d_step too.
void for_each_written(const Model& model, const Statement& statement,
                      const std::function<void(const VariableReference&)>& visit);

// Whether any expression reads a variable declared `hidden`. If none does, states that differ in hidden variables
// only have equal futures.
[[nodiscard]] bool reads_hidden_variable(const Model& model);

}  // namespace cmc
