#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "ir/model.h"

namespace cmc {

// Symmetry reduction for processes that nobody tells apart: the simplest case of Ip, Dill, "Better verification
// through symmetry", 1996, in which no value is the name of a process, so that only frames have to be exchanged.
//
// A proctype is anonymous if nothing in a state or in the text is the pid of one of its processes. Two states in
// which two such processes have exchanged their frames then have the same futures: the same errors, deadlocks and
// statements lie ahead. A search needs only one state of each class: that in which the frames of each group of
// processes are in ascending order, as byte strings. checker/keyspace/SYMMETRY.md has the proof.
//
// It errs to one side: a proctype may be called not anonymous although it is. Immutable.
class Symmetry {
 public:
  // The processes of one anonymous proctype in a state, of which there are two or more: their pids, ascending.
  using Group = std::vector<uint8_t>;

  explicit Symmetry(const Model& model);

  // Why no search of this model or product can exchange processes; null: one can.
  [[nodiscard]] static const char* obstacle(const Model& model);
  // Why processes of a proctype are told apart, as "it ..."; null: they are not.
  [[nodiscard]] const char* obstacle(ProctypeId proctype) const { return obstacles_[proctype]; }

  // Whether there is an anonymous proctype.
  [[nodiscard]] bool any() const;

  // `proctypes`: by pid, one byte each.
  [[nodiscard]] std::vector<Group> groups(ByteView proctypes) const;

  // Of each process of the state's representative, by pid: the pid that it has in `state`.
  [[nodiscard]] std::vector<uint8_t> order(ByteView state) const;
  // Makes a state vector that of its representative.
  void sort(Bytes& state) const;

 private:
  struct Frames;
  [[nodiscard]] std::vector<uint8_t> order(ByteView state, const Frames& frames) const;

  const Model& model_;
  std::vector<const char*> obstacles_;  // by proctype
};

}  // namespace cmc
