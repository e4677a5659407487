#include "checker/keys/claim_facts.h"

namespace cmc {

ClaimFacts::ClaimFacts(const KeySpace& space) : space_(space), model_(space.components().model()) {
  if (!exists()) return;
  component_ = space.components().pieces().global_component[model_.claim.offset];
  traits_ = claim_traits(model_);
  field_ = space.layout().reader(component_);
  control_field_ = space.layout().reader(kControlComponent);
  for (const Proctype& proctype : model_.proctypes) {
    for (const Location& location : proctype.locations) {
      process_labels_ |= location.accepting || location.progress;
      process_accepts_ |= location.accepting;
    }
  }
  if (!process_labels_) return;
  for (uint32_t pid = 0; pid < kMaxProcesses; ++pid) {
    frames_.push_back({space.layout().reader(space.components().pieces().frame(pid, 0)), {}});
  }
}

void ClaimFacts::learn_claim(const uint64_t* key, uint32_t number) {
  if (number >= claims_.size()) claims_.resize(number + 1);
  const ByteView frame = space_.content(component_, key);
  const LocationId location = load<LocationId>(frame.data() + kFrameLocation);
  claims_[number] = {true, load<uint8_t>(frame.data() + kFrameProctype) != 0,
                     model_.claims[model_.claim.claim].locations[location].accepting, location};
}

void ClaimFacts::learn_control(const uint64_t* key, uint32_t control) {
  if (control >= controls_.size()) controls_.resize(control + 1);
  const ByteView content = space_.control(key);
  std::vector<ProctypeId>& proctypes = controls_[control];
  for (const std::byte each : content.subspan(Components::kControlProctypes)) {
    proctypes.push_back(static_cast<ProctypeId>(each));
  }
}

// Piece 0 of a frame begins behind the proctype.
void ClaimFacts::learn_labels(const uint64_t* key, uint32_t pid, ProctypeId proctype, Labels& labels) {
  const ByteView frame = space_.content(space_.components().pieces().frame(pid, 0), key);
  const LocationId number = load<LocationId>(frame.data() + (kFrameLocation - kFramePriority));
  const Location& location = model_.proctypes[proctype].locations[number];
  labels.proctype = proctype;
  labels.labels =
      static_cast<uint8_t>(kKnown | (location.accepting ? kAccepting : 0) | (location.progress ? kProgress : 0));
}

}  // namespace cmc
