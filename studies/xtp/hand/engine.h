#pragma once

#include <array>
#include <vector>

#include "studies/xtp/endpoint.h"

// The protocol of models/xtp/engine.inc as a programmer writes it who wants speed: a message has one buffer from the
// user to the network, which keeps it until it is acknowledged; the user reads what has arrived where the network has
// put it. The engine itself copies a message once, from that buffer to the network.

namespace cmc::xtp {

class HandEngine final : public Endpoint {
 public:
  // All outlive the engine.
  HandEngine(Link& out, Link& in, User& user, const Timer& timer, const EndpointOptions& options);

  [[nodiscard]] std::byte* room() override;
  void send(size_t bytes, bool first) override;
  bool close() override;
  bool abort() override;
  bool work() override;
  [[nodiscard]] uint64_t deadline_ns() const override;
  [[nodiscard]] EndpointCounts counts() const override { return counts_; }

 private:
  enum class Status : uint8_t { kClosed, kOpening, kOpen, kClosing, kAborting };
  static constexpr uint32_t kNumbers = 256;  // sequence numbers: S of the model

  struct Kept {
    uint32_t length = 0;
    std::array<std::byte, kMaxPayloadBytes> payload;
  };

  void emit(PacketType type, uint32_t key, uint32_t sequence, bool status_requested, const Kept* kept);
  void emit_empty(PacketType type, uint32_t key, bool status_requested) {
    emit(type, key, next_, status_requested, nullptr);
  }
  void take_packet(std::span<const std::byte> packet);
  void take_ours(Header header, std::span<const std::byte> payload);
  void take_first(Header header, std::span<const std::byte> payload);
  void take_acknowledgement(const Header& header);
  void take_data(const Header& header, std::span<const std::byte> payload);
  void close_down();
  void repeat();
  [[nodiscard]] bool waits() const;
  [[nodiscard]] bool window_open() const { return status_ == Status::kOpen && !shut_ && kept_count_ < credit_; }

  Link& out_;
  Link& in_;
  User& user_;
  const Timer& timer_;
  const EndpointOptions options_;

  Status status_ = Status::kClosed;
  uint32_t mine_ = 0;  // keys, as in the model
  uint32_t theirs_ = 0;
  uint32_t last_ = 0;
  uint32_t next_ = 0;
  uint32_t expected_ = 0;
  uint32_t credit_ = 0;
  bool shut_ = false;
  std::vector<Kept> kept_;  // a ring of `window` messages
  uint32_t kept_begin_ = 0;
  uint32_t kept_count_ = 0;
  uint64_t event_ns_ = 0;  // when something happened last
  EndpointCounts counts_;
};

}  // namespace cmc::xtp
