#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "checker/generator/generator.h"
#include "ir/model.h"

// The text of one step for people: which process does what, and where.

namespace cmc {

struct StepText {
  struct Actor {
    uint8_t pid = kNoProcess;
    std::string process;  // name of its proctype, or of the claim
    std::string file;     // empty: unknown
    uint32_t line = 0;
    std::string text;  // of the statement
    auto operator<=>(const Actor&) const = default;
  };
  Actor actor;
  std::optional<Actor> partner;  // the receiver of a rendezvous
  bool timeout = false;
  auto operator<=>(const StepText&) const = default;
};

// The edge that `pid` takes; null if there is no such process, location or edge, or if the process is elsewhere.
[[nodiscard]] const Edge* find_edge(const Model& model, ByteView state, uint8_t pid, LocationId location,
                                    uint16_t edge);

// REQUIRES: the step is one of `state` (it was made or replayed by a generator).
[[nodiscard]] StepText describe_step(const Model& model, ByteView state, const Step& step);

// "name[pid]", as in Promela's remote references; of the claim its name.
[[nodiscard]] std::string process_label(const StepText::Actor& actor);

// The proctype of a process, null if there is no such process; for kNoProcess the claim that runs.
[[nodiscard]] const Proctype* find_proctype(const Model& model, ByteView state, uint8_t pid);

}  // namespace cmc
