#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "ir/components.h"

// What steps of processes look at and change, as sets of components: the ground of partial-order reduction
// (stubborn.h).

namespace cmc {

// A set of components; those that it does not have room for are not in it.
class ComponentSet {
 public:
  void add(uint32_t component) {
    const size_t word = component / 64;
    if (word >= words_.size()) words_.resize(word + 1);
    words_[word] |= uint64_t{1} << component % 64;
  }
  void add(const ComponentSet& others) {
    if (words_.size() < others.words_.size()) words_.resize(others.words_.size());
    for (size_t i = 0; i < others.words_.size(); ++i) words_[i] |= others.words_[i];
  }
  [[nodiscard]] bool contains(uint32_t component) const {
    return component / 64 < words_.size() && (words_[component / 64] >> component % 64 & 1) != 0;
  }
  [[nodiscard]] bool meets(const ComponentSet& other) const { return common(other).has_value(); }
  // The first component of both.
  [[nodiscard]] std::optional<uint32_t> common(const ComponentSet& other) const {
    for (size_t i = 0; i < std::min(words_.size(), other.words_.size()); ++i) {
      const uint64_t both = words_[i] & other.words_[i];
      if (both != 0) return static_cast<uint32_t>(i * 64) + static_cast<uint32_t>(std::countr_zero(both));
    }
    return std::nullopt;
  }
  [[nodiscard]] ComponentSet both(const ComponentSet& other) const {
    ComponentSet both = *this;
    both.words_.resize(std::min(words_.size(), other.words_.size()));
    for (size_t i = 0; i < both.words_.size(); ++i) both.words_[i] &= other.words_[i];
    return both;
  }
  [[nodiscard]] bool empty() const {
    for (const uint64_t word : words_) {
      if (word != 0) return false;
    }
    return true;
  }
  friend auto operator<=>(const ComponentSet&, const ComponentSet&) = default;

 private:
  std::vector<uint64_t> words_;
};

// Ways to use a component. Variables are read and written; all others are about channels, whose two ends do not
// disturb each other.
enum class Access : uint8_t {
  kRead,
  kWrite,
  kSend,          // at the tail
  kReceive,       // at the head
  kTestNotFull,   // as a guard, which a receive can only make true
  kTestNotEmpty,  // as a guard, which a send can only make true
  kLook,          // at its length, or at messages that stay
  kChange,        // anything else: sorted sends, random receives, in the middle of an atomic sequence
};
inline constexpr size_t kAccesses = 8;

struct AccessSets {
  std::array<ComponentSet, kAccesses> sets;
  [[nodiscard]] ComponentSet& operator[](Access access) { return sets[static_cast<size_t>(access)]; }
  [[nodiscard]] const ComponentSet& operator[](Access access) const { return sets[static_cast<size_t>(access)]; }
  friend auto operator<=>(const AccessSets&, const AccessSets&) = default;
};

// What an edge does with a local variable, or needs to know of it.
struct LocalUse {
  enum class Kind : uint8_t {
    kSet,       // to `value`
    kAdd,       // `value`, which is positive; a sum above `most` wraps around
    kChange,    // otherwise
    kIs,        // it is taken only if the local is `value`
    kIsNot,     // likewise
    kIsAtMost,  // likewise
  } kind = Kind::kChange;
  uint32_t offset = 0;  // in the frame
  int32_t value = 0;
  int32_t most = 0;
  friend auto operator<=>(const LocalUse&, const LocalUse&) = default;
};

// An edge of a cycle of locations, and the channels and locals that it uses.
struct CycleEdge {
  LocationId source = 0;
  LocationId target = 0;
  ComponentId receives = kControlComponent;  // from that channel; control: from none, or unknown
  ComponentId sends = kControlComponent;     // likewise
  bool receives_any = false;                 // perhaps, from a channel that is not known
  bool sends_any = false;                    // likewise
  bool creates = false;                      // a process
  bool shared = false;                       // it looks at more than locals
  std::vector<LocalUse> locals;
  friend auto operator<=>(const CycleEdge&, const CycleEdge&) = default;
};

// What a process may do from a state of it on, whatever the others do.
struct Future {
  AccessSets uses;
  ComponentSet destroys;           // channels that go when it ends, which is not before younger processes have
  ComponentSet tested_handshakes;  // rendezvous channels at which it tests that nobody is ready
  bool any_channel = false;        // it may use channels that are not known
  bool uses_channels = false;
  bool creates = false;           // processes
  bool ends = false;              // it may reach its end and go
  bool sees_processes = false;    // how many there are
  bool sees_all = false;          // it may look at other processes
  std::vector<CycleEdge> cycles;  // through its location, or locations that it can reach
  friend auto operator<=>(const Future&, const Future&) = default;
};

// What the steps of a process at its location touch, and what would change which there are: of processes outside,
// who must not be left out.
struct Present {
  AccessSets against;        // by what the other may do
  ComponentSet writes;       // of its steps
  bool any_channel = false;  // it may use channels that are not known
  bool uses_channels = false;
  bool creates = false;       // a step creates a process
  bool ends = false;          // a step is its end
  bool waits_to_end = false;  // for younger processes
  bool sees_processes = false;
  std::vector<uint8_t> partners;  // in a handshake
  struct Place {
    uint8_t pid = 0;
    LocationId location = 0;
    friend auto operator<=>(const Place&, const Place&) = default;
  };
  std::vector<Place> passes;  // locations that are left in the steps
  friend auto operator<=>(const Present&, const Present&) = default;
};

}  // namespace cmc
