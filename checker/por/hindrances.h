#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "checker/keyspace/components.h"
#include "ir/model.h"

// What stands against leaving out more steps (stubborn.h).

namespace cmc {

// Why the steps of one process were not taken alone in a state.
struct Hindrance {
  enum class Kind : uint8_t {
    kNone,
    kVisible,         // a step changes what the claim looks at
    kCycle,           // a step leaves a sticky location
    kComponent,       // the other may use a variable or channel, too
    kUnknownChannel,  // one of both may use a channel that is not known
    kProcesses,       // both create processes, end, or see how many there are
    kHandshake,       // both take part, or one tests that nobody is ready for one
    kEverything,      // the other may look at anything
  } kind = Kind::kNone;
  ComponentId component = kControlComponent;
  ProctypeId proctype = 0;  // of the process, and where it is
  LocationId location = 0;
  ProctypeId other = 0;  // of the first other process that stands against it
  friend auto operator<=>(const Hindrance&, const Hindrance&) = default;
};
struct CountedHindrance {
  Hindrance hindrance;
  uint64_t count = 0;  // of processes that could move in expanded states
};

// The same for people, by place in the model.
struct HindranceText {
  std::string proctype;
  SourcePlace place;
  std::string text;  // "reader may use mutex, too"
  uint64_t count = 0;
};
// Those of one place and text are one. The commonest first. `control`: the content of a state's control, which may
// name processes.
[[nodiscard]] std::vector<HindranceText> describe(const std::vector<CountedHindrance>& hindrances,
                                                  const Components& components, ByteView control);

}  // namespace cmc
