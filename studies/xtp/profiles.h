#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "studies/xtp/endpoint.h"

// Users of the protocol, and the parameter files that describe a run.

namespace cmc::xtp {

struct Parameters {
  bool burst = false;        // messages follow each other; else each is answered before the next (ping-pong)
  uint64_t messages = 100;   // of each connection
  uint64_t connections = 1;  // one after the other
  uint32_t payload_bytes = 10;
  bool aborts = false;  // connections end by an abort, not gracefully
  MediumOptions medium;
  EndpointOptions endpoint;
  std::string events;  // if not empty, each end logs its packets in FILE.0.jsonl and FILE.1.jsonl (packet_log.h)
};

inline constexpr uint32_t kMinPayloadBytes = 9;

// Lines "key = value"; "#" begins a comment. Keys: profile (ping-pong, burst), messages, connections, payload, close
// (graceful, abort), delay_ms, rate (bytes a second), loss, corruption, duplication, seed, timeout_ms, window. An
// error names the line.
[[nodiscard]] Result<Parameters> read_parameters(const std::string& text);
// One line of it.
[[nodiscard]] Status set_parameter(Parameters& parameters, const std::string& key, const std::string& value);

// Numbers its messages and checks those that arrive. The initiator opens and closes connections.
class ProfileUser final : public User {
 public:
  enum class Role : uint8_t { kInitiator, kResponder };
  ProfileUser(Role role, const Parameters& parameters, const Timer& timer);

  // Before anything else; `endpoint` outlives the user.
  void use(Endpoint& endpoint) { endpoint_ = &endpoint; }

  void data(std::span<const std::byte> payload) override;
  void closed() override;
  // Sends and closes what is due. True: something was done.
  bool work();

  // All connections are closed.
  [[nodiscard]] bool done() const { return connection_ == parameters_.connections; }
  [[nodiscard]] uint64_t received() const { return received_; }
  // Messages that were not the expected ones, connections that ended with too few of them.
  [[nodiscard]] uint64_t mistakes() const { return mistakes_; }
  // Of the initiator of ping-pong: ns from the sending of each message to its answer.
  [[nodiscard]] const std::vector<uint64_t>& round_trips() const { return round_trips_; }

 private:
  bool send_next();
  [[nodiscard]] bool answered() const { return parameters_.burst || to_send_ == to_come_; }

  const Role role_;
  const Parameters parameters_;
  const Timer& timer_;
  Endpoint* endpoint_ = nullptr;
  uint64_t connection_ = 0;
  uint64_t to_send_ = 0;  // numbers within the connection
  uint64_t to_come_ = 0;
  bool asked_ = false;  // to close
  uint64_t sent_ns_ = 0;
  uint64_t received_ = 0;
  uint64_t mistakes_ = 0;
  std::vector<uint64_t> round_trips_;
};

}  // namespace cmc::xtp
