#pragma once

#include <cstdint>
#include <vector>

#include "checker/generator/product_generator.h"
#include "checker/keyspace/key_space.h"
#include "storage/sets/key.h"

namespace cmc {

// What the key of a product's state says about its claim and about the labels of its processes. All of it is a
// function of the numbers of a few components, and remembered by them. One per worker and layout.
class ClaimFacts {
 public:
  explicit ClaimFacts(const KeySpace& space);

  [[nodiscard]] bool exists() const { return model_.claim.exists(); }
  [[nodiscard]] const ClaimTraits& traits() const { return traits_; }

  // Behind a state in which the system is blocked: only the claim moves.
  template <unsigned W>
  [[nodiscard]] bool blocked(const Key<W>& key) {
    return claim(key.data()).blocked;
  }
  template <unsigned W>
  [[nodiscard]] LocationId location(const Key<W>& key) {
    return claim(key.data()).location;
  }
  template <unsigned W>
  [[nodiscard]] bool claim_accepts(const Key<W>& key) {
    return claim(key.data()).accepting;
  }
  // The claim or a process is at an accepting location.
  template <unsigned W>
  [[nodiscard]] bool accepting(const Key<W>& key) {
    return claim_accepts(key) || (process_accepts_ && some_process(key.data(), kAccepting));
  }
  // No process is at a progress location.
  template <unsigned W>
  [[nodiscard]] bool non_progress(const Key<W>& key) {
    return !process_labels_ || !some_process(key.data(), kProgress);
  }

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

  [[nodiscard]] const Claim& claim(const uint64_t* key) {
    const uint32_t number = field_(key);
    if (number >= claims_.size() || !claims_[number].known) [[unlikely]]
      learn_claim(key, number);
    return claims_[number];
  }
  [[nodiscard]] bool some_process(const uint64_t* key, Label label) {
    const uint32_t control = control_field_(key);
    if (control >= controls_.size() || controls_[control].empty()) [[unlikely]]
      learn_control(key, control);
    const std::vector<ProctypeId>& proctypes = controls_[control];
    for (uint32_t pid = 0; pid < proctypes.size(); ++pid) {
      Frame& frame = frames_[pid];
      const uint32_t number = frame.field(key);
      if (number >= frame.labels.size()) [[unlikely]]
        frame.labels.resize(number + 1);
      Labels& labels = frame.labels[number];
      if (labels.labels == 0 || labels.proctype != proctypes[pid]) [[unlikely]]
        learn_labels(key, pid, proctypes[pid], labels);
      if ((labels.labels & label) != 0) return true;
    }
    return false;
  }
  void learn_claim(const uint64_t* key, uint32_t number);
  void learn_control(const uint64_t* key, uint32_t control);
  void learn_labels(const uint64_t* key, uint32_t pid, ProctypeId proctype, Labels& labels);

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
