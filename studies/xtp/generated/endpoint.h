#pragma once

#include <array>
#include <vector>

#include "checker/program/runner.h"
#include "studies/xtp/endpoint.h"
#include "studies/xtp/generated/program.h"

namespace cmc::xtp {

// An end of the protocol that is a program made of its model. The model's external channels are bound to functions
// that encode and decode packets (packet.h), send and receive them, and look at the clock. Damaged packets do not
// reach the model: it has no checksums, as Estelle had none.
class GeneratedEndpoint final : public Endpoint {
 public:
  // Throws std::runtime_error if the model fails at run time, here and in work().
  GeneratedEndpoint(std::shared_ptr<const Program> program, Link& out, Link& in, User& user, const Timer& timer,
                    const EndpointOptions& options);

  [[nodiscard]] std::byte* room() override;
  void send(size_t bytes, bool first) override;
  bool close() override { return request("SHUT"); }
  bool abort() override { return request("KILL"); }
  bool work() override;
  [[nodiscard]] uint64_t deadline_ns() const override;
  [[nodiscard]] EndpointCounts counts() const override { return counts_; }

 private:
  // Where fields lie in a message.
  struct Layout {
    std::vector<uint32_t> offsets;
    std::vector<uint32_t> bytes;  // of each field
    [[nodiscard]] int32_t get(std::span<const std::byte> message, size_t field) const;
    void set(std::span<std::byte> message, size_t field, int32_t value) const;
  };
  // Payloads outside the state: the model passes their numbers on. Each message is in order of its number, and fewer
  // than kBuffers are in the model's channels and in its window, so a number is free again when its turn comes.
  static constexpr size_t kBuffers = 256;
  class Pool {
   public:
    size_t take() { return next_++ % kBuffers; }
    // `size` bytes at least.
    std::byte* at(size_t number) { return buffers_.data() + number * kMaxPayloadBytes; }

   private:
    std::vector<std::byte> buffers_ = std::vector<std::byte>(kBuffers * kMaxPayloadBytes);
    size_t next_ = 0;
  };

  [[nodiscard]] Layout layout_of(uint32_t channel) const;
  [[nodiscard]] bool handles() const { return program_->options().limit_bytes == 0; }
  bool request(const char* what);
  void write_payload(std::span<std::byte> message, const Layout& layout, size_t field,
                     std::span<const std::byte> payload, Pool& pool);
  [[nodiscard]] std::span<const std::byte> payload_of(std::span<const std::byte> message, const Layout& layout,
                                                      size_t field, Pool& pool);
  bool receive(uint64_t now_ns);
  void take_packet(std::span<const std::byte> packet);
  bool run(bool timeout);
  bool send_packets(uint64_t now_ns);
  bool tell_user();

  const std::shared_ptr<const Program> program_;
  program::Runner runner_;
  Link& out_;
  Link& in_;
  User& user_;
  const Timer& timer_;
  const EndpointOptions options_;
  Layout requests_;
  Layout indications_;
  Layout packets_;
  int32_t data_in_ = 0;
  std::array<int32_t, 6> types_;  // of packets, in the model: by PacketType - 1
  std::vector<std::byte> message_ = std::vector<std::byte>(kMaxPayloadBytes);  // of the user, before it is sent
  Pool outgoing_;
  Pool incoming_;
  uint64_t event_ns_ = 0;
  bool idle_ = false;  // at the last timeout there was nothing to do
  EndpointCounts counts_;
};

}  // namespace cmc::xtp
