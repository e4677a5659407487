#pragma once

#include "studies/xtp/endpoint.h"

namespace cmc::xtp {

// An end without a protocol: what a message costs in users, the session's loop and the network alone. For networks
// that lose nothing. The message that closes a connection is empty.
class BareEndpoint final : public Endpoint {
 public:
  BareEndpoint(Link& out, Link& in, User& user, const Timer& timer)
      : out_(out), in_(in), user_(user), timer_(timer) {}

  [[nodiscard]] std::byte* room() override { return out_.slot() + 1; }
  void send(size_t bytes, bool) override {
    out_.slot()[0] = std::byte{0};
    out_.send(bytes + 1, timer_.now_ns());
    ++counts_.sent;
  }
  bool close() override {
    out_.slot()[0] = std::byte{1};
    out_.send(1, timer_.now_ns());
    ++counts_.sent;
    closes_ = true;
    return true;
  }
  bool abort() override { return close(); }
  bool work() override {
    bool worked = false;
    if (closes_) {
      closes_ = false;
      user_.closed();
      worked = true;
    }
    const uint64_t now = timer_.now_ns();
    for (auto packet = in_.front(now); !packet.empty(); packet = in_.front(now)) {
      ++counts_.received;
      if (packet[0] == std::byte{1}) {
        user_.closed();
      } else {
        user_.data(packet.subspan(1));
      }
      in_.drop();
      worked = true;
    }
    return worked;
  }
  [[nodiscard]] uint64_t deadline_ns() const override { return UINT64_MAX; }
  [[nodiscard]] EndpointCounts counts() const override { return counts_; }

 private:
  Link& out_;
  Link& in_;
  User& user_;
  const Timer& timer_;
  bool closes_ = false;
  EndpointCounts counts_;
};

}  // namespace cmc::xtp
