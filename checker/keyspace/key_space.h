#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "checker/keyspace/components.h"
#include "checker/keyspace/content_groups.h"
#include "checker/keyspace/layout.h"
#include "storage/sets/intern_table.h"

namespace cmc {

// What gives keys their meaning: the contents of all components, each numbered in the order of its appearance, and
// the layout of the numbers in a key. Equal keys of one layout are equal states.
//
// Thread-safe but for relayout(), which needs all users to stand still. An instance belongs to one search.
class KeySpace {
 public:
  explicit KeySpace(const Model& model, FrameDivision division = {});
  KeySpace(const KeySpace&) = delete;
  KeySpace& operator=(const KeySpace&) = delete;

  [[nodiscard]] const Components& components() const { return components_; }
  [[nodiscard]] const Layout& layout() const { return layout_; }

  // The numbers of the initial state's components are all 0, so its key is 0 in every layout. To be called once,
  // first.
  void set_initial(ByteView state);

  // Writes the state vector of a key.
  void unpack(const uint64_t* words, Bytes& state) const;
  // The same, where `state` is the state vector of the key `former`: writes what differs.
  void unpack_changes(const uint64_t* former, const uint64_t* words, Bytes& state) const;

  // What changes in the key of `before` to make it that of `after`: xor-ed into `delta`. Only the touched components,
  // and frames that come or go, are compared; all if `touched` is kAll. False: a number does not fit its field or a
  // field does not exist yet: a relayout() is needed, after which it fits.
  using Touched = std::optional<std::span<const ComponentId>>;
  static constexpr std::nullopt_t kAll = std::nullopt;
  [[nodiscard]] bool difference(const uint64_t* words, ByteView before, ByteView after, const Touched& touched,
                                uint64_t* delta);

  // The same for one component of a state, whose content becomes `content`.
  [[nodiscard]] bool change(const uint64_t* words, ComponentId component, ByteView content, uint64_t* delta);

  // The number of a content, which another rank knows (checker/ranks); it need not fit its field. REQUIRES: the
  // component exists in some state of the model.
  [[nodiscard]] uint32_t number_of(ComponentId component, ByteView content);

  // For a search that goes on: the contents of each component in the order of their numbers; false: it has not that
  // number. Then the layout, in which `states` keys are.
  [[nodiscard]] bool restore(uint32_t component, uint32_t number, ByteView content);
  void restore(Layout layout, uint64_t states);

  // Makes room for all numbers given out so far, and for as many further ones in components that have grown since the
  // last re-layout (spin:leader, whose frames go on growing slowly: 7 re-layouts above 20,000 states become 5); where
  // keys would need more words for that, in half of these components only, if that spares words (sieve with keys of
  // four words takes half as long again, Peterson 5 beyond memory with two a quarter). If numbers need more than
  // `most_words`, a width of keys, fields stay where they are in keys of so many words, and another relayout() is
  // needed. False: no key is wide enough (Layout::words()); the layout is as before.
  [[nodiscard]] bool relayout(uint64_t states, unsigned most_words = kMaxKeyWords);
  // The same as far as keys need no more words for it, before re-layouts become expensive. Whether there is another
  // layout now.
  bool make_room();
  // From now on fields get just as many bits as their numbers need. For tests: re-layouts are as many as can be.
  void keep_fields_tight() { tight_ = true; }
  // Re-layouts take much time from now on, so that room for fewer of them is worth longer keys.
  void expect_costly_relayouts() { costly_ = true; }
  // While there are few states, wide fields cost nothing and save re-layouts. Whether it is time for narrower ones.
  [[nodiscard]] bool wants_trim(uint64_t states) const { return roomy_ && states >= kFewStates; }

  // What is in a set of keys.
  struct Filling {
    uint64_t keys = 0;
    uint64_t room = 0;        // for so many of them, until it grows
    uint64_t whole_keys = 0;  // of them, that have no condensed form
    uint64_t bytes = 0;
    bool is_scarce = false;   // memory: the limit leaves less for it than a quarter of what it has
    bool is_compact = false;  // time counts less than memory

    [[nodiscard]] bool is_nearly_full() const { return keys >= room / 100 * 95; }
    // When it is full.
    [[nodiscard]] double bytes_per_key() const { return static_cast<double>(bytes) / static_cast<double>(room); }
  };
  // Whether it is time to look for components that depend on each other, so that the keys in the set get shorter; or
  // to let them be whole again, because so many new values came that they take more memory than before.
  [[nodiscard]] bool wants_condensing(const Filling& set) const;
  // From the next layout on fields of such components are one behind the other, or where they would be without.
  // `sample`: keys (ContentGroups::find).
  void condense(std::span<const uint64_t> sample, const Filling& set);
  // From now on fields are where they would be without.
  void stop_condensing() { groups_ = {}; }
  // Bits of keys of this layout that depend on each other: for a set of keys.
  [[nodiscard]] std::vector<KeyGroup> key_groups() const { return groups_.bits(layout_); }

  // A finer division of frames, if it pays: so many contents of one component differ that hardly any step is computed
  // twice, and that memory for contents grows with the states. `is_scarce`: memory is, and contents are in RAM.
  [[nodiscard]] std::optional<FrameDivision> finer_division(uint64_t states, bool is_scarce);

  // Removes touched components that the state does not have: control tells that they are absent.
  void drop_absent(ByteView control, std::vector<ComponentId>& touched) const;

  struct Control {
    uint32_t process_count = 0;
    uint8_t holder = kNoProcess;
  };
  [[nodiscard]] ByteView control(const uint64_t* words) const { return content(kControlComponent, words); }
  [[nodiscard]] Control control_of(ByteView content) const {
    return {components_.process_count(content), static_cast<uint8_t>(content[Components::kControlHolder])};
  }
  // Whether every process is at a valid end, and the trace, if there is one, where it may end, or no process is left.
  [[nodiscard]] bool valid_end(const uint64_t* words) const;

  [[nodiscard]] ByteView content(ComponentId component, const uint64_t* words) const {
    return table(component).get(layout_.get(words, component));
  }

  // For figures: the components that there are, and how many contents each has.
  [[nodiscard]] uint32_t component_count() const { return component_count_.load(std::memory_order_acquire); }
  [[nodiscard]] uint32_t contents(ComponentId component) const;
  [[nodiscard]] uint64_t memory_bytes() const;
  // The length of a key's state vector, which its control decides.
  [[nodiscard]] uint64_t state_bytes(const uint64_t* words) const { return state_bytes_of(control(words)); }
  [[nodiscard]] uint64_t state_bytes_of(ByteView control) const;
  [[nodiscard]] ByteView control_number(uint32_t number) const { return numbered(kControlComponent, number); }
  [[nodiscard]] ByteView numbered(ComponentId component, uint32_t number) const {
    return table(component).get(number);
  }
  [[nodiscard]] uint64_t largest_state_bytes() const { return largest_state_bytes_.load(std::memory_order_relaxed); }
  [[nodiscard]] uint32_t relayouts() const { return relayouts_; }
  [[nodiscard]] std::string name(ComponentId component) const;

 private:
  [[nodiscard]] bool scalars_pay(ProctypeId proctype, uint32_t pid, const Components& divided) const;
  [[nodiscard]] const InternTable& table(ComponentId component) const {
    return *tables_[component].load(std::memory_order_acquire);
  }
  static constexpr uint64_t kFewStates = 20'000;
  // For further contents: none; double for the components that have grown; four times for these; double for all.
  enum class Room : uint8_t { kNone, kGrowing, kAmple, kDouble };
  using Widths = std::vector<uint8_t>;  // by component
  [[nodiscard]] Widths widths_for(Room room) const;
  struct Roomiest {
    Layout layout;
    bool half = false;  // of the components that have grown, or more, have room
  };
  // Of that room as much as fits into that many words. Components that have outgrown their fields come first, then
  // those that have grown, then (Room::kDouble) those near the first that has outgrown its field: of many processes
  // those that are active one after the other (a proctype that runs itself: 1,992 re-layouts become 280).
  [[nodiscard]] Roomiest roomiest(unsigned words, Room room) const;
  [[nodiscard]] bool has_grown(uint32_t component) const;  // since the last re-layout
  [[nodiscard]] Layout layout_for(const Widths& widths, unsigned least_words) const {
    return Layout(widths, least_words, groups_.components);
  }
  void set_layout(Layout next);
  [[nodiscard]] bool condensing_fails(const Filling& set) const;
  // Of a process, what has had one content gets the room that other processes need for the same: it will move, too.
  void widen_siblings(Widths& widths) const;
  // The last eighth of the processes (half, while there are few states), and as many that are still to come, are as
  // wide as those before.
  void add_processes(Widths& widths) const;
  static constexpr uint32_t kProcessesPerNew = 8;
  static constexpr uint32_t kProcessesPerNewOfFew = 2;
  [[gnu::always_inline]] InternTable& table_for(ComponentId component, bool initial) {
    InternTable* const table = tables_[component].load(std::memory_order_acquire);
    return table != nullptr ? *table : add_table(component, initial);
  }
  [[gnu::noinline]] InternTable& add_table(ComponentId component, bool initial);
  void note_state_bytes(uint64_t bytes);

  Components components_;
  Layout layout_;
  // When one re-layout follows another while the states have grown by less than one in kSoon (one in kVerySoon, if
  // re-layouts are not costly), every component gets room, as far as the words allow: breadth first the last levels
  // bring new contents one by one (leader 8 with the disk: 75 % of the time).
  static constexpr uint64_t kSoon = 8;
  static constexpr uint64_t kVerySoon = 16;
  std::vector<uint32_t> contents_before_;  // by component, at the last re-layout
  uint64_t states_before_ = 0;             // likewise
  ContentGroups groups_;
  uint64_t states_condensed_ = 0;    // when groups_ were found; 0: never
  double bytes_per_key_before_ = 0;  // they were found for the first time
  bool condensing_failed_ = false;
  uint64_t contents_that_did_not_pay_ = 0;  // when a finer division was thought of
  bool costly_ = false;
  bool roomy_ = false;
  bool tight_ = false;
  // Each process that is still to come would cost re-layouts: with few states, if one has come since the re-layout
  // before the last; with many, if one has ever come since they are many.
  bool processes_appear_ = false;
  bool processes_appeared_ = false;                // at the last re-layout
  std::vector<std::atomic<InternTable*>> tables_;  // by component; owned by owned_
  std::vector<std::unique_ptr<InternTable>> owned_;
  mutable std::mutex mutex_;  // of owned_
  std::atomic<uint32_t> component_count_{0};
  std::atomic<uint64_t> largest_state_bytes_{0};
  uint32_t relayouts_ = 0;
};

}  // namespace cmc
