#include "tests/ranks/in_process.h"

#include <random>
#include <utility>

namespace cmc {

class InProcessNetwork::Port final : public Exchange {
 public:
  Port(InProcessNetwork& network, uint32_t rank)
      : network_(network), rank_(rank), random_(network.seed_ * 1000 + rank) {}

  [[nodiscard]] uint32_t rank() const override { return rank_; }
  [[nodiscard]] uint32_t ranks() const override { return static_cast<uint32_t>(network_.boxes_.size()); }
  void send(uint32_t to, Bytes bytes) override {
    Box& box = network_.boxes_[to];
    const std::lock_guard lock(box.mutex);
    box.from.resize(ranks());
    box.from[rank_].push_back(std::move(bytes));
  }
  [[nodiscard]] std::optional<Message> receive() override {
    Box& box = network_.boxes_[rank_];
    const std::lock_guard lock(box.mutex);
    box.from.resize(ranks());
    const bool draws = network_.seed_ != 0;
    if (draws && random_() % 4 == 0) return std::nullopt;
    const auto first = static_cast<uint32_t>(draws ? random_() % ranks() : 0);
    for (uint32_t i = 0; i < ranks(); ++i) {
      const uint32_t sender = (first + i) % ranks();
      if (box.from[sender].empty()) continue;
      Message message{sender, std::move(box.from[sender].front())};
      box.from[sender].pop_front();
      return message;
    }
    return std::nullopt;
  }
  [[nodiscard]] uint64_t unsent_bytes() override {
    uint64_t bytes = 0;
    for (Box& box : network_.boxes_) {
      const std::lock_guard lock(box.mutex);
      if (box.from.empty()) continue;
      for (const Bytes& each : box.from[rank_]) bytes += each.size();
    }
    return bytes;
  }

 private:
  InProcessNetwork& network_;
  const uint32_t rank_;
  std::mt19937_64 random_;
};

std::unique_ptr<Exchange> InProcessNetwork::exchange(uint32_t rank) { return std::make_unique<Port>(*this, rank); }

}  // namespace cmc
