#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "checker/keys/futures.h"

namespace cmc {

// Partial-order reduction with stubborn sets of processes (Valmari, "Stubborn sets for reduced state space
// generation", 1989; Valmari, Hansen, "Stubborn set intuition explained", 2017).
//
// A set P of processes is chosen in a state, and of the state's steps those of P are taken. P is closed: if a step of
// a process outside, now or later, may not commute with the steps of one inside, or may change which steps that one
// has, then it is inside, too. What a process does now is known exactly, because the steps that a memo remembers name
// what they touched and change (Present); what others may do later is known from their frames (Future). So, along any
// steps of processes outside, no step of P appears or goes away, and each can be taken first with the same result:
// every deadlock is still reached.
//
// Nothing is put off for ever: in a state in which a chosen step leaves a sticky location (sticky.h) all steps are
// taken, and each cycle of states has such a step. So every assertion that fails somewhere and
// every statement that can be reached is found. Beside a claim that cannot tell repeated states apart, a set is
// chosen only if none of its steps changes what the claim looks at.
//
// What is chosen depends on the state alone, not on what the search has seen: numbers of states and transitions are
// the same in every order, with every number of threads and on disk, and a product with a claim is that of one
// reduced system (Siegel, "What's wrong with on-the-fly partial order reduction", 2019, shows what happens else).
//
// StubbornSets is what the workers of a search share; it is thread-safe.
class StubbornSets {
 public:
  // `initial`: the initial state. `components` stay.
  StubbornSets(const Components& components, ByteView initial);

  // Whether sets can be chosen; if not, why.
  [[nodiscard]] static const char* obstacle(const Model& model) { return Futures::obstacle(model); }

  // Numbers of equal things are equal.
  [[nodiscard]] uint32_t number_of(Present present);
  [[nodiscard]] uint32_t number_of(Future future);

  struct KnownPresent : Present {
    explicit KnownPresent(Present present) : Present(std::move(present)) {}
    bool visible = false;  // it changes what the claim looks at: nothing may be left out beside it
  };
  struct KnownFuture : Future {
    explicit KnownFuture(Future future) : Future(std::move(future)) {}
    uint32_t cycles_number = 0;  // the same for equal cycles
  };
  [[nodiscard]] const KnownPresent* present(uint32_t number);
  [[nodiscard]] const KnownFuture* future(uint32_t number);

  [[nodiscard]] const Components& components() const { return components_; }
  // For one worker.
  [[nodiscard]] Futures make_futures() const { return {components_, initial_}; }

 private:
  const Components& components_;
  const Bytes initial_;
  std::optional<ComponentSet> visible_;
  std::mutex mutex_;
  std::map<Present, uint32_t> present_numbers_;
  std::map<Future, uint32_t> future_numbers_;
  std::map<std::vector<CycleEdge>, uint32_t> cycle_numbers_;
  std::deque<KnownPresent> presents_;
  std::deque<KnownFuture> futures_;
};

// One worker's.
class StubbornChooser {
 public:
  static constexpr size_t kMostProcesses = 64;  // of a state that is reduced

  explicit StubbornChooser(StubbornSets& sets) : sets_(sets), futures_(sets.make_futures()) {
    choices_.resize(kChoices);
    conflicts_.resize(kConflicts);
    handshakes_.resize(kConflicts);
  }

  // What the steps of a process are, as a number. `frame`: the content of piece 0 of its frame.
  [[nodiscard]] uint32_t present_of(uint32_t control_number, ByteView control, uint8_t pid, ByteView frame,
                                    const Futures::Computed& computed) {
    return sets_.number_of(futures_.present(table_of(control_number, control).processes, pid, frame, computed));
  }

  // What is known about a process in the state in which a set is chosen.
  struct Mover {
    uint32_t present = 0;
    uint32_t future = 0;
    uint32_t steps = 0;
    friend bool operator==(const Mover&, const Mover&) = default;
  };
  static constexpr uint32_t kUnknown = 0xffffffff;
  // Number of the process's future, or kUnknown: learn_future() is to be asked.
  [[nodiscard]] uint32_t future_of(uint32_t control_number, uint32_t pid, uint32_t frame_number) {
    if (control_number != control_number_ || table_ == nullptr) return kUnknown;
    const std::vector<uint32_t>& known = table_->futures[pid];
    return frame_number < known.size() ? known[frame_number] : kUnknown;
  }
  uint32_t learn_future(uint32_t control_number, ByteView control, uint8_t pid, uint32_t frame_number,
                        ByteView frame);

  // The chosen processes, one bit each; all if nothing is gained.
  [[nodiscard]] uint64_t choose(std::span<const Mover> movers);

 private:
  // A choice that was made before.
  struct Chosen {
    std::vector<Mover> movers;
    uint64_t pids = 0;
  };
  static constexpr size_t kChoices = size_t{1} << 12;  // remembered
  [[nodiscard]] uint64_t find_choice(std::span<const Mover> movers);
  struct Table {
    Futures::Processes processes;
    std::vector<std::vector<uint32_t>> futures;  // by pid and number of the frame's content
  };
  struct Known {
    uint64_t pair = ~uint64_t{0};
    bool conflict = false;
  };
  static constexpr size_t kConflicts = size_t{1} << 14;  // remembered

  Table& table_of(uint32_t control_number, ByteView control);
  const StubbornSets::KnownPresent& present(uint32_t number);
  const StubbornSets::KnownFuture& future(uint32_t number);
  void set_sticky(std::span<const Mover> movers);
  [[nodiscard]] bool leaves_sticky(uint32_t number);
  [[nodiscard]] uint64_t row(std::span<const Mover> movers, size_t pid);
  [[nodiscard]] uint64_t closure(std::span<const Mover> movers, size_t pid);
  [[nodiscard]] bool conflict(uint32_t present, uint32_t future);
  [[nodiscard]] bool handshake_conflict(uint32_t one, uint32_t other);
  template <class Compute>
  static bool remembered(std::vector<Known>& table, uint32_t one, uint32_t other, const Compute& compute);

  StubbornSets& sets_;
  Futures futures_;
  std::map<uint32_t, Table> tables_;  // by number of control
  Table* table_ = nullptr;            // of control_number_
  uint32_t control_number_ = 0;
  std::vector<const StubbornSets::KnownPresent*> presents_;  // that were asked for
  std::vector<const StubbornSets::KnownFuture*> all_futures_;
  std::vector<Chosen> choices_;    // by hash
  std::vector<Known> conflicts_;   // of steps now and a future
  std::vector<Known> handshakes_;  // of two futures
  bool tests_handshakes_ = false;  // a future that was asked for does
  uint64_t rows_[kMostProcesses] = {};
  uint64_t rows_known_ = 0;
  // Sticky locations by the numbers of the processes' cycles.
  std::map<std::vector<uint32_t>, std::vector<std::vector<LocationId>>> stickies_;
  std::vector<uint32_t> cycles_;  // of the state before
  std::vector<uint32_t> scratch_;
  const std::vector<std::vector<LocationId>>* sticky_ = nullptr;  // for cycles_
};

}  // namespace cmc
