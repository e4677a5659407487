#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "checker/ranks/exchange.h"

namespace cmc {

// Ranks that are threads of one process. With a seed, whose message is received next is drawn, and
// sometimes none is although there are some.
class InProcessNetwork {
 public:
  explicit InProcessNetwork(uint32_t ranks, uint64_t seed = 0) : boxes_(ranks), seed_(seed) {}

  // For one thread. The network lives longer.
  [[nodiscard]] std::unique_ptr<Exchange> exchange(uint32_t rank);

 private:
  class Port;
  // Of a rank: what the others have sent.
  struct Box {
    std::mutex mutex;
    std::vector<std::deque<Bytes>> from;  // by sender
  };

  std::deque<Box> boxes_;
  const uint64_t seed_;
};

}  // namespace cmc
