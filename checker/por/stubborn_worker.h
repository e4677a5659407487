#pragma once

#include <bit>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "checker/por/conflicts.h"
#include "checker/por/stubborn_shared.h"

// The inside of stubborn.h: what one worker knows, and how it chooses.

namespace cmc {

// Answers about pairs of numbers below 2^31, as many as there is room for. Room is made as more is asked.
class Answers {
 public:
  template <class Compute>
  bool get(uint32_t one, uint32_t other, bool younger, const Compute& compute) {
    const uint64_t question = uint64_t{one} << 33 | uint64_t{other} << 2 | (younger ? 2 : 0);
    uint64_t& known = known_[(question * 0x9e3779b97f4a7c15ULL) >> (64 - std::countr_zero(known_.size()))];
    if ((known & ~uint64_t{1}) == question) return (known & 1) != 0;
    const bool answer = compute();
    known = question | (answer ? 1 : 0);
    if (++computed_ > known_.size() && known_.size() < kMost) {
      known_.assign(kGrowth * known_.size(), kNothing);
      computed_ = 0;
    }
    return answer;
  }

 private:
  static constexpr size_t kFirst = size_t{1} << 9;
  static constexpr size_t kMost = size_t{1} << 15;
  static constexpr size_t kGrowth = 8;
  static constexpr uint64_t kNothing = ~uint64_t{1};
  std::vector<uint64_t> known_ = std::vector<uint64_t>(kFirst, kNothing);  // question, and the answer in the last bit
  size_t computed_ = 0;                                                    // since there was more room
};

// Whether what a process does now conflicts with a future, for one number of the former: answers for small numbers of
// futures in an array, two bits for each (one for younger processes).
class ConflictRow {
 public:
  static constexpr uint32_t kFutures = 512;

  // None: it is not known yet, or there is no room for it.
  [[nodiscard, gnu::always_inline]] bool knows(uint32_t future, bool younger) const {
    return future < answers_.size() && (answers_[future] >> (younger ? 2 : 0) & 2) != 0;
  }
  // REQUIRES: it is known.
  [[nodiscard, gnu::always_inline]] bool get(uint32_t future, bool younger) const {
    return (answers_[future] >> (younger ? 2 : 0) & 1) != 0;
  }
  void set(uint32_t future, bool younger, bool answer) {
    if (future >= kFutures) return;
    if (future >= answers_.size()) answers_.resize(future + 1);
    answers_[future] |= static_cast<uint8_t>((answer ? 3 : 2) << (younger ? 2 : 0));
  }

 private:
  std::vector<uint8_t> answers_;  // by future
};

class StubbornChooser::Worker {
 public:
  explicit Worker(StubbornSets::Shared& sets) : sets_(sets), futures_(sets.futures()) {}
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  // Since it was asked last.
  [[nodiscard]] std::vector<CountedHindrance> take_hindrances() {
    for (Chosen& each : choices_) {
      count(each);
      each.uses = 0;
    }
    std::vector<CountedHindrance> all = hindrances_;
    for (CountedHindrance& each : hindrances_) each.count = 0;
    return all;
  }

  uint32_t present_of(const Control& control, uint8_t pid, ByteView frame, const Computed& computed) {
    return sets_.number_of(futures_.present(table_of(control).processes, pid, frame, computed));
  }
  [[nodiscard]] uint32_t future_of(uint32_t control_number, uint32_t pid, uint32_t frame_number) const {
    if (control_number != control_number_ || table_ == nullptr) return kUnknown;
    const std::vector<uint32_t>& known = table_->futures[pid];
    return frame_number < known.size() ? known[frame_number] : kUnknown;
  }
  uint32_t learn_future(const Control& control, uint8_t pid, uint32_t frame_number, ByteView frame);
  [[nodiscard]] uint64_t choose(std::span<const Mover> movers);

 private:
  // A choice that was made before.
  struct Chosen {
    std::vector<Mover> movers;
    uint32_t control = 0;  // its number, if it matters
    uint64_t pids = 0;
    uint64_t uses = 0;
    std::vector<uint32_t> hindrances;  // of each process that could move, if more than one is chosen
  };
  static constexpr size_t kFirstChoices = size_t{1} << 6;  // that there is room for
  static constexpr size_t kMostChoices = size_t{1} << 12;
  static constexpr size_t kGrowth = 8;
  // Where few choices are made twice, they are not remembered for a while.
  static constexpr uint32_t kWindow = 1 << 12;
  static constexpr uint32_t kPause = 1 << 16;
  static constexpr uint32_t kSample = 16;  // of choices that are not remembered, one in so many says what hinders it
  [[nodiscard]] uint64_t remembered_choice(std::span<const Mover> movers);
  [[nodiscard]] uint64_t find_choice(std::span<const Mover> movers);
  // What stands in the way of each process alone, as numbers.
  void find_hindrances(std::span<const Mover> movers, std::vector<uint32_t>& out);
  [[nodiscard]] Hindrance hindrance(std::span<const Mover> movers, size_t pid);
  void make_room();
  void count(const Chosen& choice) {
    for (const uint32_t number : choice.hindrances) hindrances_[number].count += choice.uses;
  }
  struct Table {
    Futures::Processes processes;
    std::vector<std::vector<uint32_t>> futures;  // by pid and number of the frame's content
    std::map<Bytes, uint32_t> alike;             // the same, by what matters of frames
  };

  // What is known of a number of Present.
  struct Now {
    const StubbornSets::Shared::KnownPresent* present = nullptr;  // null: nothing yet
    uint64_t partners = 0;                                        // in a handshake, one bit each
    bool waits = false;                                           // perhaps, for the youngest process to end
    ConflictRow conflicts;
  };
  struct Sticky {
    std::vector<std::vector<LocationId>> locations;  // by pid
    std::vector<uint8_t> left;                       // by number of Present: 1 + whether it leaves one; 0: not known
  };

  Table& table_of(const Control& control);
  [[nodiscard, gnu::always_inline]] Now& now_of(uint32_t number) {
    if (number >= nows_.size() || nows_[number].present == nullptr) [[unlikely]]
      learn_present(number);
    return nows_[number];
  }
  void learn_present(uint32_t number);
  const StubbornSets::Shared::KnownPresent& present(uint32_t number) { return *now_of(number).present; }
  const StubbornSets::Shared::KnownFuture& future(uint32_t number);
  // A channel by which a step of the one may make the other one able to move, and a third take that back.
  [[nodiscard]] std::optional<ComponentId> unsteady(const Now& its, std::span<const Mover> movers, size_t other);
  void set_sticky(std::span<const Mover> movers);
  // Those of the processes that leave sticky locations.
  [[nodiscard]] uint64_t sticky_of(std::span<const Mover> movers, uint64_t able);
  [[nodiscard]] bool leaves_sticky(uint32_t number);
  [[nodiscard]] uint64_t row(std::span<const Mover> movers, size_t pid);
  // None if one of `useless` is in it.
  [[nodiscard]] std::optional<uint64_t> closure(std::span<const Mover> movers, size_t pid, uint64_t useless);
  // `younger`: the other one is.
  [[nodiscard, gnu::always_inline]] bool conflict(Now& its, const Mover& one, const Mover& other, bool younger) {
    const bool known = its.conflicts.knows(other.future, younger);
    const bool found = known ? its.conflicts.get(other.future, younger) : learn_conflict(its, one, other, younger);
    return found || (tests_handshakes_ && tests_handshake(one, other));
  }
  [[nodiscard]] bool learn_conflict(Now& its, const Mover& one, const Mover& other, bool younger);
  [[nodiscard]] bool tests_handshake(const Mover& one, const Mover& other);
  [[nodiscard]] Cause cause(const Mover& one, const Mover& other, bool younger);

  StubbornSets::Shared& sets_;
  Futures futures_;
  std::map<uint32_t, Table> tables_;  // by number of control
  Table* table_ = nullptr;            // of control_number_
  uint32_t control_number_ = 0;
  static constexpr uint32_t kRows = 2048;  // of conflicts
  std::vector<Now> nows_;                  // by number; of those that were asked for
  std::vector<const StubbornSets::Shared::KnownFuture*> all_futures_;
  std::vector<Chosen> choices_ = std::vector<Chosen>(kFirstChoices);  // by hash
  size_t forgotten_ = 0;                                              // since there was more room
  uint32_t asked_ = 0;                                                // since the window began
  uint32_t found_ = 0;                                                // likewise
  uint32_t pause_ = 0;                                                // choices that will not be remembered
  uint64_t unremembered_ = 0;
  std::vector<uint32_t> numbers_;  // of the hindrances of one choice
  Answers conflicts_;              // of steps now and a future, for which rows have no room
  Answers handshakes_;             // of two futures
  bool tests_handshakes_ = false;  // a future that was learned does
  uint64_t rows_[kMostProcesses] = {};
  uint64_t rows_known_ = 0;
  // Sticky locations by the numbers of the processes' cycles, and who they are.
  std::map<std::vector<uint32_t>, Sticky> stickies_;
  std::vector<uint32_t> cycles_;  // of the state before
  std::vector<uint32_t> scratch_;
  Sticky* sticky_ = nullptr;  // for cycles_
  std::map<Hindrance, uint32_t> hindrance_numbers_;
  std::vector<CountedHindrance> hindrances_;  // by number
};

}  // namespace cmc
