#include "studies/latency/deadline.h"
#include "studies/latency/links.h"
#include "studies/latency/shared_block.h"

namespace cmc::latency {

namespace {

class SpinChannel final : public Channel {
 public:
  SpinChannel(SharedBlock& block, Side side) : block_(block), side_(side) {}

  Status send(ByteView message) override {
    acquire();
    block_.outgoing(side_).put(message);
    block_.turn.store(1 - me());
    release();
    return Success{};
  }

  Result<size_t> receive(std::span<std::byte> into) override {
    Deadline deadline;
    while (block_.turn.load(std::memory_order_acquire) != me()) {
      if (deadline.is_over()) return nothing_came();
      pause_processor();
    }
    acquire();
    const size_t bytes = block_.incoming(side_).take(into);
    release();
    return bytes;
  }

 private:
  [[nodiscard]] uint32_t me() const { return side_ == Side::kAsker ? 0 : 1; }
  void acquire() {
    while (block_.lock.exchange(1, std::memory_order_acquire) != 0) pause_processor();
  }
  void release() { block_.lock.store(0, std::memory_order_release); }

  SharedBlock& block_;
  const Side side_;
};

}  // namespace

Result<std::unique_ptr<Link>> make_spin_link() {
  return make_shared_link([](SharedBlock& block, Side side) { return std::make_unique<SpinChannel>(block, side); });
}

}  // namespace cmc::latency
