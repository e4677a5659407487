#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "checker/generator/product_generator.h"
#include "checker/keyspace/key_space.h"
#include "ir/scalar.h"

namespace cmc {

// What the key of a product's state says about its claim and about the labels of its processes. All of it is a
// function of the numbers of a few components, and remembered by them. One per worker and layout.
template <unsigned W>
class ClaimFacts {
 public:
  explicit ClaimFacts(const KeySpace& space) : space_(space), model_(space.components().model()) {
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

  [[nodiscard]] bool exists() const { return model_.claim.exists(); }
  [[nodiscard]] const ClaimTraits& traits() const { return traits_; }

  // Behind a state in which the system is blocked: only the claim moves.
  [[nodiscard]] bool blocked(const Key<W>& key) { return claim(key).blocked; }
  [[nodiscard]] LocationId location(const Key<W>& key) { return claim(key).location; }
  // The claim or a process is at an accepting location.
  [[nodiscard]] bool accepting(const Key<W>& key) {
    return claim(key).accepting || (process_accepts_ && some_process(key, kAccepting));
  }
  // No process is at a progress location.
  [[nodiscard]] bool non_progress(const Key<W>& key) { return !process_labels_ || !some_process(key, kProgress); }

 private:
  struct Claim {
    bool known = false;
    bool blocked = false;
    bool accepting = false;
    LocationId location = 0;
  };
  enum Label : uint8_t { kKnown = 1, kAccepting = 2, kProgress = 4 };
  struct Labels {
    uint8_t labels = 0;
    ProctypeId proctype = 0;  // the one that the labels are of
  };
  struct Frame {
    FieldReader field;
    std::vector<Labels> labels;  // by number
  };

  [[nodiscard]] const Claim& claim(const Key<W>& key) {
    const uint32_t number = field_(key.data());
    if (number >= claims_.size() || !claims_[number].known) [[unlikely]]
      learn_claim(key, number);
    return claims_[number];
  }
  [[gnu::noinline]] void learn_claim(const Key<W>& key, uint32_t number) {
    if (number >= claims_.size()) claims_.resize(number + 1);
    const ByteView frame = space_.content(component_, key.data());
    const LocationId location = load<LocationId>(frame.data() + kFrameLocation);
    claims_[number] = {true, load<uint8_t>(frame.data() + kFrameProctype) != 0,
                       model_.claims[model_.claim.claim].locations[location].accepting, location};
  }

  [[nodiscard]] bool some_process(const Key<W>& key, Label label) {
    const uint32_t control = control_field_(key.data());
    if (control >= controls_.size() || controls_[control].empty()) [[unlikely]]
      learn_control(key, control);
    const std::vector<ProctypeId>& proctypes = controls_[control];
    for (uint32_t pid = 0; pid < proctypes.size(); ++pid) {
      Frame& frame = frames_[pid];
      const uint32_t number = frame.field(key.data());
      if (number >= frame.labels.size()) [[unlikely]]
        frame.labels.resize(number + 1);
      Labels& labels = frame.labels[number];
      if (labels.labels == 0 || labels.proctype != proctypes[pid]) [[unlikely]]
        learn_labels(key, pid, proctypes[pid], labels);
      if ((labels.labels & label) != 0) return true;
    }
    return false;
  }
  [[gnu::noinline]] void learn_control(const Key<W>& key, uint32_t control) {
    if (control >= controls_.size()) controls_.resize(control + 1);
    const ByteView content = space_.control(key.data());
    std::vector<ProctypeId>& proctypes = controls_[control];
    for (const std::byte each : content.subspan(Components::kControlProctypes)) {
      proctypes.push_back(static_cast<ProctypeId>(each));
    }
  }
  // Piece 0 of a frame begins behind the proctype.
  [[gnu::noinline]] void learn_labels(const Key<W>& key, uint32_t pid, ProctypeId proctype, Labels& labels) {
    const ByteView frame = space_.content(space_.components().pieces().frame(pid, 0), key.data());
    const LocationId number = load<LocationId>(frame.data() + (kFrameLocation - kFramePriority));
    const Location& location = model_.proctypes[proctype].locations[number];
    labels.proctype = proctype;
    labels.labels =
        static_cast<uint8_t>(kKnown | (location.accepting ? kAccepting : 0) | (location.progress ? kProgress : 0));
  }

  const KeySpace& space_;
  const Model& model_;
  ClaimTraits traits_;
  ComponentId component_ = 0;
  FieldReader field_;
  FieldReader control_field_;
  bool process_labels_ = false;
  bool process_accepts_ = false;
  std::vector<Claim> claims_;                      // by number
  std::vector<std::vector<ProctypeId>> controls_;  // by number: the proctype of each process
  std::vector<Frame> frames_;                      // by pid
};

}  // namespace cmc
