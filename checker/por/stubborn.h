#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "checker/generator/generator.h"
#include "checker/keyspace/components.h"
#include "checker/por/hindrances.h"

namespace cmc {

class Symmetry;

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
// For weak fairness (`fair`) it counts, too, whether a process that does not move is disabled now and then. A step
// that is taken first leaves that as it was for processes outside: what they look at, it does not change, but for the
// other end of a channel. A send can make a receive of one outside possible. If nobody but that one receives from the
// channel, it stays possible until that one moves; if others do, it is inside, too. The end of the youngest process
// lets an older one end, which only a new process takes back: all that changes how many there are stays in its order.
// (Peled, "Combining partial order reductions with on-the-fly model-checking", 1996, asks that equivalent runs are
// all fair or none.) Not with rendezvous, where a step of one may offer another one a handshake, and the next one may
// take it back; SPIN refuses that, too.
//
// What is chosen depends on the state alone, not on what the search has seen: numbers of states and transitions are
// the same in every order, with every number of threads and on disk, and a product with a claim is that of one
// reduced system (Siegel, "What's wrong with on-the-fly partial order reduction", 2019, shows what happens else).
//
// StubbornSets is what the workers of a search share; it is thread-safe.
class StubbornSets {
 public:
  // Whether sets see to it that nothing is put off for ever. If not, the search has to, or only deadlocks are
  // preserved.
  enum class Proviso : uint8_t { kSticky, kNone };

  // `initial`: the initial state. `components` and `symmetry` stay. `symmetry`: of processes that change places, so
  // what is sticky does not depend on their order; null: none do. `fair`: runs are to stay weakly fair.
  StubbornSets(const Components& components, ByteView initial, Proviso proviso = Proviso::kSticky,
               const Symmetry* symmetry = nullptr, bool fair = false);
  ~StubbornSets();
  StubbornSets(const StubbornSets&) = delete;
  StubbornSets& operator=(const StubbornSets&) = delete;

  // Why no sets can be chosen for the model; null: they can.
  [[nodiscard]] static const char* obstacle(const Model& model);
  // The same for fair runs, beside that.
  [[nodiscard]] static const char* obstacle_to_fair(const Model& model);

  // What stood against leaving out more, the commonest first: of choosers that are gone.
  [[nodiscard]] std::vector<CountedHindrance> hindrances() const;

 private:
  friend class StubbornChooser;
  class Shared;
  std::unique_ptr<Shared> shared_;
};

// One worker's.
class StubbornChooser {
 public:
  static constexpr size_t kMostProcesses = 64;  // of a state that is reduced
  static constexpr uint32_t kUnknown = 0xffffffff;

  explicit StubbornChooser(StubbornSets& sets);
  ~StubbornChooser();
  StubbornChooser(const StubbornChooser&) = delete;
  StubbornChooser& operator=(const StubbornChooser&) = delete;

  // The processes of a state: the number of control's content, and that content.
  struct Control {
    uint32_t number = 0;
    ByteView content;
  };
  // A computation of the steps of a process.
  struct Computed {
    ByteView state;                        // in which it has them
    std::span<const ComponentId> touched;  // by the computation
    std::span<const ComponentId> changed;  // by the steps
    std::span<const Step> steps;           // of all
    bool moves = false;                    // there are some
  };
  // A number for what the steps look at and change. `frame`: the content of piece 0 of the process's frame.
  [[nodiscard]] uint32_t present_of(const Control& control, uint8_t pid, ByteView frame, const Computed& computed);

  // A number for what the process may do later, by the number of its frame's content; kUnknown: learn_future() is to
  // be asked.
  [[nodiscard]] uint32_t future_of(uint32_t control_number, uint32_t pid, uint32_t frame_number) const;
  [[nodiscard]] uint32_t learn_future(const Control& control, uint8_t pid, uint32_t frame_number, ByteView frame);

  // What is known about a process in the state in which a set is chosen.
  struct Mover {
    uint32_t present = 0;
    uint32_t future = 0;
    uint32_t steps = 0;
    friend bool operator==(const Mover&, const Mover&) = default;
  };
  // The chosen processes, one bit each; all if nothing is gained. `movers`: by pid.
  [[nodiscard]] uint64_t choose(std::span<const Mover> movers);

 private:
  friend class StubbornSets;
  class Worker;
  std::unique_ptr<Worker> worker_;
  StubbornSets::Shared& sets_;
};

}  // namespace cmc
