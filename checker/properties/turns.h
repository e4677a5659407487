#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "base/clock.h"
#include "checker/result/turn.h"

namespace cmc {

// Several searches in one process, one of which goes on at a time, so that an error that is near is found whatever
// another search takes. Each gets looks of 10, 20, 40 ms, ... in turn; between them it keeps everything, waiting
// in a thread of its own, so nothing is searched twice and every count is that of a search alone.
//
// Memory is the sum of what the searches hold between two looks. The one that meets the limit while others hold some
// is set aside: it gives back all that it has, and begins anew when these have ended or wait for the disk; so no
// search is limited by another one, and each begins twice at the most. A search that goes to the disk takes all of
// the memory, and loses nothing by waiting, because it begins anew there: it does so when no other one is in RAM.
//
// A job that tells that it has found an error (Turn::found) leaves the others a million states and as many as it
// has among them, where a statement that is computed counts as four more; so a check ends soon after its first
// violation, and models of usual size, few of whose statements are computed, still have all verdicts.
//
// With a time limit a look is not longer than a fair share of what is left.
class Turns {
 public:
  // Decides something, and returns when it has done so; it asks its turn as Turn says.
  using Job = std::function<void(Turn&)>;

  // `limit_seconds` 0: none; it begins now.
  Turns(const Clock& clock, double limit_seconds);
  ~Turns();
  Turns(const Turns&) = delete;
  Turns& operator=(const Turns&) = delete;

  // Runs the jobs to their ends, each in a thread of its own if there are several; they begin in their order. An
  // exception of any of them is thrown here when all have ended.
  void run(std::span<const Job> jobs);

 private:
  class Seat;

  void go_on_with_next();
  [[nodiscard]] Seat* next() const;
  [[nodiscard]] bool others_in_ram(const Seat& seat, bool begun) const;
  [[nodiscard]] uint64_t rest_after(uint64_t states) const;
  [[nodiscard]] double share_of_rest(const Seat& seat, double now) const;

  const Clock& clock_;
  const double end_;  // by the clock; infinite: no limit
  std::mutex mutex_;
  std::condition_variable changed_;
  // Changed by the thread whose turn it is, which hands that on under the mutex.
  std::vector<std::unique_ptr<Seat>> seats_;
  Seat* current_ = nullptr;
  std::optional<uint64_t> rest_;  // states that each of the others may have when one has found an error
};

}  // namespace cmc
