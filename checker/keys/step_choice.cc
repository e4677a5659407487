#include "checker/keys/step_choice.h"

#include "checker/keys/steps.h"

namespace cmc {

uint32_t StepChoice::present_of(const uint64_t* key, uint32_t pid, const StepComputer& computer) {
  changed_.clear();
  const auto bits = computer.changed_bits();
  for (const ComponentId component : computer.touched()) {
    if (space_.layout().get(bits.data(), component) != 0) changed_.push_back(component);
  }
  const StubbornChooser::Computed computed{computer.state(), computer.touched(), changed_, computer.places(),
                                           (computer.flags() & StepFlags::kMoves) != 0};
  return chooser_.present_of({control_field_(key), space_.control(key)}, static_cast<uint8_t>(pid),
                             space_.content(own_component(space_.components(), pid), key), computed);
}

uint64_t StepChoice::choose(const uint64_t* key, uint32_t process_count, std::span<const StepPart> parts,
                            std::span<const uint32_t> presents) {
  movers_.assign(process_count, {});
  uint32_t begin = 0;
  for (const StepPart& part : parts) {
    movers_[part.pid].steps = part.end - begin;
    begin = part.end;
  }
  const uint32_t control = control_field_(key);
  for (uint32_t pid = 0; pid < process_count; ++pid) {
    const uint32_t frame = frame_fields_[pid](key);
    StubbornChooser::Mover& mover = movers_[pid];
    mover.present = presents[pid];
    mover.future = chooser_.future_of(control, pid, frame);
    if (mover.future != StubbornChooser::kUnknown) continue;
    mover.future = chooser_.learn_future({control, space_.control(key)}, static_cast<uint8_t>(pid), frame,
                                         space_.content(own_component(space_.components(), pid), key));
  }
  return chooser_.choose(movers_);
}

}  // namespace cmc
