#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "checker/keys/step_computer.h"
#include "checker/keys/system_steps.h"
#include "checker/keyspace/key_space.h"
#include "checker/por/stubborn.h"

namespace cmc {

// Asks a StubbornChooser which processes of a state are to move. One per worker and layout.
class StepChoice {
 public:
  // `frame_fields`: of piece 0, by pid. All stay.
  StepChoice(const KeySpace& space, StubbornSets& sets, std::span<const FieldReader> frame_fields)
      : space_(space),
        frame_fields_(frame_fields),
        control_field_(space.layout().reader(kControlComponent)),
        chooser_(sets) {}

  // A number for what the last computation, of the steps of `pid`, looked at and changed.
  [[nodiscard]] uint32_t present_of(const uint64_t* key, uint32_t pid, const StepComputer& computer);

  // The processes whose steps are to be taken, one bit each. `parts`: the steps that there are. `presents`: by pid.
  // REQUIRES: at most StubbornChooser::kMostProcesses.
  [[nodiscard]] uint64_t choose(const uint64_t* key, uint32_t process_count, std::span<const StepPart> parts,
                                std::span<const uint32_t> presents);

 private:
  const KeySpace& space_;
  const std::span<const FieldReader> frame_fields_;
  const FieldReader control_field_;
  StubbornChooser chooser_;
  std::vector<StubbornChooser::Mover> movers_;
  std::vector<ComponentId> changed_;  // by the last computation
};

}  // namespace cmc
