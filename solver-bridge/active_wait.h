#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <zmq.h>

#include "base/result.h"

namespace cmc::solver {

// How long a party polls without sleeping before it sleeps.
struct WaitPolicy {
  uint32_t microseconds = kAutoMicroseconds;
  bool is_polite = true;  // sleeps as soon as others want the processor, and at once if there is only one

  // Longer than most questions take, so that most answers find the asker awake.
  static constexpr uint32_t kAutoMicroseconds = 1000;
  static constexpr uint32_t kMostMicroseconds = 1'000'000;

  static constexpr WaitPolicy block() { return {.microseconds = 0, .is_polite = false}; }
  friend bool operator==(const WaitPolicy&, const WaitPolicy&) = default;
};

// "auto", "block", or a number of microseconds.
[[nodiscard]] Result<WaitPolicy> parse_wait(std::string_view text);
[[nodiscard]] std::string text_of(const WaitPolicy& policy);

// Polls actively for a while before it sleeps: to wake a processor up takes longer than most messages do (Karlin, Li,
// Manasse, Owicki: Empirical studies of competitive spinning, 1991). Each round polls all items, also those that tell
// of a death, and yields, so that libzmq's own threads get the processor. The time counts from the last restart(),
// so whatever happens or does not happen, nobody polls actively for longer than that.
//
// README.md has what it saves.
class ActiveWait {
 public:
  explicit ActiveWait(const WaitPolicy& policy);

  // Something was sent or has arrived: an event is likely soon.
  void restart();
  // As zmq_poll; `timeout_ms` may be -1: without end.
  [[nodiscard]] int poll(std::vector<zmq_pollitem_t>& items, long timeout_ms);

 private:
  using Time = std::chrono::steady_clock::time_point;

  [[nodiscard]] bool others_want_the_processor() const;

  const WaitPolicy policy_;
  const bool is_useful_;
  Time active_until_;
};

}  // namespace cmc::solver
