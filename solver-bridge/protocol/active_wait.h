#pragma once

#include <chrono>
#include <vector>

#include <zmq.h>

#include "solver-bridge/protocol/wait_policy.h"

namespace cmc::solver {

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
