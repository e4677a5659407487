#pragma once

#include <cstdint>

namespace cmc {

// The place of a search among others of the same run, of which one at a time goes on (checker/properties/turns.h).
// A search without a Turn is alone. One thread at a time calls these functions.
class Turn {
 public:
  virtual ~Turn() = default;

  // The search has to let another one go on: it calls wait() soon, when none of its threads is at work.
  [[nodiscard]] virtual bool is_over() = 0;
  // Returns when it is this search's turn again.
  virtual void wait() = 0;

  // The search lacks memory. True: others, which wait for their turns, hold some of it. Then the search gives back
  // all that it has, ends with SearchResult::set_aside, and is begun anew when the others have ended.
  [[nodiscard]] virtual bool must_set_aside() = 0;
  // Before a search uses the disk store, which takes all of the memory: returns when every search that still explores
  // in RAM has ended, and no other one is on disk. From then on the search's turn is not over before it ends.
  virtual void wait_for_disk() = 0;

  // The search has found an error in so many states: the others go on for a while only.
  virtual void found(uint64_t states) = 0;
  // Another one has found an error, and this one, with so many states, for which it has computed so many statements,
  // has had its while.
  [[nodiscard]] virtual bool has_enough(uint64_t states, uint64_t computed) = 0;

  // Of the time limit of the run, what is left for this search; infinite: there is none.
  [[nodiscard]] virtual double seconds_left() = 0;
};

// The turn of a search that is a part of another one's: what is not overridden is that of the other one.
class PartOfTurn : public Turn {
 public:
  explicit PartOfTurn(Turn& turn) : turn_(turn) {}

  [[nodiscard]] bool is_over() override { return turn_.is_over(); }
  void wait() override { turn_.wait(); }
  [[nodiscard]] bool must_set_aside() override { return turn_.must_set_aside(); }
  void wait_for_disk() override { turn_.wait_for_disk(); }
  void found(uint64_t states) override { turn_.found(states); }
  [[nodiscard]] bool has_enough(uint64_t states, uint64_t computed) override {
    return turn_.has_enough(states, computed);
  }
  [[nodiscard]] double seconds_left() override { return turn_.seconds_left(); }

 private:
  Turn& turn_;
};

}  // namespace cmc
