#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "checker/keyspace/key_space.h"
#include "checker/keyspace/symmetry.h"

namespace cmc {

// Makes the key of a state that of its representative (symmetry.h). Which one that is depends on the contents of the
// frames only, not on their numbers, which threads give in some order; so counts do not depend on threads.
//
// What a group's fields are changed to depends on these fields and on control, and is remembered by their values.
//
// One per worker and layout.
template <unsigned W>
class KeySorter {
 public:
  KeySorter(KeySpace& space, const Symmetry& symmetry)
      : space_(space), symmetry_(symmetry), control_field_(space.layout().reader(kControlComponent)) {}

  // False: a number does not fit its field: a re-layout is needed first, after which it fits.
  [[nodiscard]] bool sort(Key<W>& key) {
    const Groups& groups = groups_of(key);
    if (groups.all.empty()) return true;
    const Key<W> masked = key & groups.mask;
    Known& known = known_[slot_of(masked)];
    if (!known.exists || !(known.masked == masked)) {
      Key<W> delta{};
      if (!find(key, groups, delta)) return false;
      known = {masked, delta, true};
    }
    key ^= known.delta;
    return true;
  }

 private:
  // Of the states with one content of control.
  struct Groups {
    std::vector<Symmetry::Group> all;
    Key<W> mask{};  // control and the frames of the groups
  };
  struct Known {
    Key<W> masked{};
    Key<W> delta{};
    bool exists = false;
  };
  static constexpr unsigned kKnownBits = W <= 2 ? 14 : 12;

  static size_t slot_of(const Key<W>& key) {
    uint64_t hash = key[0];
    for (unsigned i = 1; i < W; ++i) hash = (hash ^ hash >> 31) * 0xbf58476d1ce4e5b9ULL + key[i];
    return hash * 0x9e3779b97f4a7c15ULL >> (64 - kKnownBits);
  }

  [[nodiscard]] const Groups& groups_of(const Key<W>& key) {
    const uint32_t number = control_field_(key.data());
    if (number >= groups_.size()) groups_.resize(number + 1);
    if (groups_[number] == nullptr) groups_[number] = make_groups(key);
    return *groups_[number];
  }
  [[nodiscard]] std::unique_ptr<Groups> make_groups(const Key<W>& key) const {
    auto groups = std::make_unique<Groups>();
    groups->all = symmetry_.groups(proctypes_of(key));
    const auto add = [&](ComponentId component) {
      const Layout::Field field = space_.layout().field(component);
      groups->mask[field.word] |= field.mask();
    };
    add(kControlComponent);
    for (const Symmetry::Group& group : groups->all) {
      for (const uint8_t pid : group) {
        for (uint32_t piece = 0; piece < pieces_of(key, pid); ++piece) add(component(pid, piece));
      }
    }
    return groups;
  }

  // What changes in the key.
  [[nodiscard]] bool find(const Key<W>& key, const Groups& groups, Key<W>& delta) {
    const uint8_t holder = space_.control_of(space_.control(key.data())).holder;
    bool fits = true;
    for (const Symmetry::Group& group : groups.all) {
      Symmetry::Group sorted = group;
      std::ranges::stable_sort(sorted, [&](uint8_t a, uint8_t b) { return precedes(key, a, b, holder); });
      for (size_t i = 0; i < group.size(); ++i) {
        if (sorted[i] == group[i]) continue;
        fits &= move_frame(key, sorted[i], group[i], delta);
        if (sorted[i] == holder) fits &= move_holder(key, group[i], delta);
      }
    }
    return fits;
  }
  // Pieces of frames are compared one by one, which gives the order of whole frames.
  [[nodiscard]] bool precedes(const Key<W>& key, uint8_t a, uint8_t b, uint8_t holder) const {
    for (uint32_t piece = 0; piece < pieces_of(key, a); ++piece) {
      const ByteView one = space_.content(component(a, piece), key.data());
      const ByteView other = space_.content(component(b, piece), key.data());
      const auto compared =
          std::lexicographical_compare_three_way(one.begin(), one.end(), other.begin(), other.end());
      if (compared != 0) return compared < 0;
    }
    return b == holder && a != b;
  }
  bool move_frame(const Key<W>& key, uint8_t from, uint8_t to, Key<W>& delta) {
    bool fits = true;
    for (uint32_t piece = 0; piece < pieces_of(key, from); ++piece) {
      fits &= space_.change(key.data(), component(to, piece), space_.content(component(from, piece), key.data()),
                            delta.data());
    }
    return fits;
  }
  bool move_holder(const Key<W>& key, uint8_t to, Key<W>& delta) {
    const ByteView control = space_.control(key.data());
    Bytes content(control.begin(), control.end());
    content[Components::kControlHolder] = std::byte{to};
    return space_.change(key.data(), kControlComponent, content, delta.data());
  }

  [[nodiscard]] ByteView proctypes_of(const Key<W>& key) const {
    return space_.control(key.data()).subspan(Components::kControlProctypes);
  }
  [[nodiscard]] uint32_t pieces_of(const Key<W>& key, uint8_t pid) const {
    return static_cast<uint32_t>(space_.components().frame(static_cast<ProctypeId>(proctypes_of(key)[pid])).size());
  }
  [[nodiscard]] ComponentId component(uint8_t pid, uint32_t piece) const {
    return space_.components().pieces().frame(pid, piece);
  }

  KeySpace& space_;
  const Symmetry& symmetry_;
  const FieldReader control_field_;
  std::vector<std::unique_ptr<Groups>> groups_;  // by number of control
  std::vector<Known> known_ = std::vector<Known>(size_t{1} << kKnownBits);
};

}  // namespace cmc
