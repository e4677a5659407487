#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "checker/keyspace/components.h"
#include "checker/por/accesses.h"
#include "checker/por/stubborn.h"
#include "ir/model.h"

namespace cmc {

// What processes may do, from the model's text and the frame of a process.
//
// A local that is assigned at no location that the process can still reach is frozen: its value is what it is in the
// frame. References whose indices consist of constants, _pid, frozen locals and globals that nobody assigns name one
// element; others name all. So do channels: the same is true of the variables that they are in (Dwyer, Hatcliff,
// Robby, Ranganath, "Exploiting object escape and locking information in partial-order reductions", 2004, have the
// idea; here a channel that is not known may be any).
//
// Used by one thread at a time.
class Futures {
 public:
  struct Channel {
    ComponentId component = kControlComponent;
    uint32_t offset = 0;    // of its contents in the state vector
    uint32_t capacity = 0;  // messages
  };
  // Who runs, which control says.
  struct Processes {
    std::vector<ProctypeId> proctypes;  // by pid
    std::vector<Channel> channels;      // by channel id; [0] unused
    [[nodiscard]] const Channel* channel_at(ComponentId component) const;
  };

  // `initial`: the initial state.
  Futures(const Components& components, ByteView initial);

  // Why nothing is known about this model; null: it is.
  [[nodiscard]] static const char* obstacle(const Model& model);

  [[nodiscard]] Processes processes(ByteView control) const;
  // What future() depends on: equal for processes of the same future. `frame`: the content of piece 0 of the
  // process's frame.
  [[nodiscard]] Bytes what_matters(const Processes& processes, uint8_t pid, ByteView frame) const;
  // `frame`: as above.
  [[nodiscard]] Future future(const Processes& processes, uint8_t pid, ByteView frame) const;
  // `frame`: as above.
  [[nodiscard]] Present present(const Processes& processes, uint8_t pid, ByteView frame,
                                const StubbornChooser::Computed& computed) const;
  // What expressions of the claim look at. None: at more than variables and channels that are known.
  [[nodiscard]] std::optional<ComponentSet> visible() const;

 private:
  struct Frame;  // a process, and which of its locals are known
  class Reader;  // of statements

  // What follows from a location alone.
  struct Ahead {
    std::vector<bool> reached;   // by location: it can be reached
    std::vector<bool> returns;   // likewise, and leads back
    std::vector<bool> assigned;  // by offset in the frame: a statement on the way writes the local there
    // Scalars that all statements on the way set to the same value.
    struct Constant {
      ScalarType type;
      int32_t value = 0;
    };
    std::map<uint32_t, Constant> constants;  // by offset in the frame
  };
  // Of a local, by a statement.
  struct LocalWrite {
    uint32_t offset = 0;  // in the frame
    uint32_t bytes = 0;
    bool is_constant = false;  // what it writes, at one offset
    Ahead::Constant constant;
  };
  // What statements of an atomic sequence behind its first one do.
  struct Behind {
    bool uses_channels = false;
    bool sees_processes = false;
    bool creates = false;
    friend bool operator==(const Behind&, const Behind&) = default;
  };
  [[nodiscard]] std::vector<LocalWrite> local_writes(const Location& location) const;
  [[nodiscard]] const Ahead& ahead(ProctypeId proctype, LocationId location) const;
  // What of it is left for a process in this frame, whose locals may rule out guards. `of_cycles`: as far as it is
  // the same in all states of a cycle. So locals that are set on the way back to the location do not count there,
  // although they are set to what they are: where they are dead, they may be reset.
  struct Prospect {
    std::vector<bool> reached;  // by location
    std::vector<bool> unknown;  // by offset in the frame: the local there can change
  };
  [[nodiscard]] Prospect prospect(const Processes& processes, Frame frame, bool of_cycles) const;
  [[nodiscard]] std::vector<CycleEdge> cycles(const Processes& processes, Frame frame) const;

  const Components& components_;
  const Model& model_;
  const Bytes initial_;
  std::vector<bool> assigned_;               // by offset in the state vector: some statement writes there
  std::vector<std::vector<bool>> inside_;    // by proctype and location: an atomic edge leads there
  std::vector<std::vector<Behind>> behind_;  // likewise
  std::vector<std::vector<std::vector<LocalWrite>>> writes_;  // likewise, by the statements there
  bool frames_seen_ = false;                                  // processes look at each other
  mutable std::map<std::pair<ProctypeId, LocationId>, Ahead> ahead_;
};

}  // namespace cmc
