#include "solver-bridge/protocol/active_wait.h"

#include <algorithm>

#include <sched.h>

namespace cmc::solver {

namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

// A thread of libzmq passes a message on in a fraction of this. Whoever needs longer has other work to do.
constexpr microseconds kLongYield{50};

bool has_several_processors() {
  cpu_set_t processors;
  return ::sched_getaffinity(0, sizeof processors, &processors) != 0 || CPU_COUNT(&processors) > 1;
}

int poll_once(std::vector<zmq_pollitem_t>& items, long timeout_ms) {
  return zmq_poll(items.data(), static_cast<int>(items.size()), timeout_ms);
}

}  // namespace

ActiveWait::ActiveWait(const WaitPolicy& policy)
    : policy_(policy), is_useful_(policy.microseconds > 0 && (!policy.is_polite || has_several_processors())) {}

void ActiveWait::restart() {
  if (is_useful_) active_until_ = Clock::now() + microseconds(policy_.microseconds);
}

bool ActiveWait::others_want_the_processor() const {
  const Time before = Clock::now();
  ::sched_yield();
  return policy_.is_polite && Clock::now() - before > kLongYield;
}

int ActiveWait::poll(std::vector<zmq_pollitem_t>& items, long timeout_ms) {
  const Time start = Clock::now();
  Time now = start;
  while (is_useful_ && now < active_until_ && (timeout_ms < 0 || now - start < milliseconds(timeout_ms))) {
    if (const int code = poll_once(items, 0); code != 0) return code;
    if (others_want_the_processor()) active_until_ = now;
    now = Clock::now();
  }
  if (timeout_ms < 0) return poll_once(items, -1);
  const auto waited = std::chrono::duration_cast<milliseconds>(now - start).count();
  return poll_once(items, std::max(0L, timeout_ms - static_cast<long>(waited)));
}

}  // namespace cmc::solver
