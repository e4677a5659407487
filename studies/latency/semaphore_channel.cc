#include <cerrno>
#include <ctime>

#include "studies/latency/links.h"
#include "studies/latency/shared_block.h"

namespace cmc::latency {

namespace {

class SemaphoreChannel final : public Channel {
 public:
  SemaphoreChannel(SharedBlock& block, Side side) : out_(block.outgoing(side)), in_(block.incoming(side)) {}

  Status send(ByteView message) override {
    out_.put(message);
    if (::sem_post(&out_.token) != 0) return Error{"a semaphore takes no more tokens"};
    return Success{};
  }

  Result<size_t> receive(std::span<std::byte> into) override {
    timespec until{};
    ::clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += kPatienceSeconds;
    while (::sem_clockwait(&in_.token, CLOCK_MONOTONIC, &until) != 0) {
      if (errno != EINTR) return nothing_came();
    }
    return in_.take(into);
  }

 private:
  Direction& out_;
  Direction& in_;
};

class SharedLink final : public Link {
 public:
  SharedLink(SharedBlockPtr block, OpenSide open) : block_(std::move(block)), open_(std::move(open)) {}
  Result<std::unique_ptr<Channel>> open(Side side) override { return open_(*block_, side); }

 private:
  SharedBlockPtr block_;
  OpenSide open_;
};

}  // namespace

Result<SharedBlockPtr> make_shared_block() {
  void* memory = ::mmap(nullptr, sizeof(SharedBlock), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return Error{"there is no shared memory"};
  SharedBlockPtr block(new (memory) SharedBlock);
  for (Direction* direction : {&block->to_responder, &block->to_asker}) {
    constexpr int kBetweenProcesses = 1;
    if (::sem_init(&direction->token, kBetweenProcesses, 0) != 0) return Error{"there are no semaphores"};
  }
  return block;
}

Result<std::unique_ptr<Link>> make_shared_link(OpenSide open) {
  CMC_TRY(SharedBlockPtr block, make_shared_block());
  return std::unique_ptr<Link>(std::make_unique<SharedLink>(std::move(block), std::move(open)));
}

std::unique_ptr<Channel> open_semaphores(SharedBlock& block, Side side) {
  return std::make_unique<SemaphoreChannel>(block, side);
}

Result<std::unique_ptr<Link>> make_semaphore_link() { return make_shared_link(open_semaphores); }

}  // namespace cmc::latency
