#include <cerrno>
#include <chrono>
#include <ctime>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "studies/latency/deadline.h"
#include "studies/latency/links.h"
#include "studies/latency/shared_block.h"

namespace cmc::latency {

namespace {

// States of a direction.
constexpr uint32_t kEmpty = 0;
constexpr uint32_t kFull = 1;
constexpr uint32_t kSleeping = 2;  // empty, and the receiver sleeps

long futex(std::atomic<uint32_t>& word, int operation, uint32_t value, const timespec* timeout) {
  return ::syscall(SYS_futex, &word, operation, value, timeout, nullptr, 0);
}

class FutexChannel final : public Channel {
 public:
  FutexChannel(SharedBlock& block, Side side, uint32_t active_microseconds)
      : out_(block.outgoing(side)), in_(block.incoming(side)), active_(active_microseconds) {}

  Status send(ByteView message) override {
    out_.put(message);
    if (out_.state.exchange(kFull) == kSleeping) futex(out_.state, FUTEX_WAKE, 1, nullptr);
    return Success{};
  }

  Result<size_t> receive(std::span<std::byte> into) override {
    if (!comes_while_awake() && !comes_while_asleep()) return nothing_came();
    const size_t bytes = in_.take(into);
    in_.state.store(kEmpty);
    return bytes;
  }

 private:
  [[nodiscard]] bool is_full() const { return in_.state.load(std::memory_order_acquire) == kFull; }

  [[nodiscard]] bool comes_while_awake() const {
    if (active_.count() == 0) return is_full();
    const auto until = std::chrono::steady_clock::now() + active_;
    while (!is_full()) {
      if (std::chrono::steady_clock::now() >= until) return false;
      pause_processor();
    }
    return true;
  }

  [[nodiscard]] bool comes_while_asleep() {
    const timespec patience{kPatienceSeconds, 0};
    uint32_t expected = kEmpty;
    if (!in_.state.compare_exchange_strong(expected, kSleeping)) return true;
    while (!is_full()) {
      if (futex(in_.state, FUTEX_WAIT, kSleeping, &patience) != 0 && errno == ETIMEDOUT) return false;
    }
    return true;
  }

  Direction& out_;
  Direction& in_;
  const std::chrono::microseconds active_;
};

}  // namespace

Result<std::unique_ptr<Link>> make_futex_link(uint32_t active_microseconds) {
  return make_shared_link([active_microseconds](SharedBlock& block, Side side) {
    return std::make_unique<FutexChannel>(block, side, active_microseconds);
  });
}

}  // namespace cmc::latency
