#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "studies/latency/channel.h"

// The channels, one file each. Sizes, errors and deadlines as in channel.h.

namespace cmc::latency {

// Shared memory with a spin lock (atomic exchange) and a variable that says whose turn it is: Tanenbaum and Bos,
// Modern Operating Systems, section 2.3.
[[nodiscard]] Result<std::unique_ptr<Link>> make_spin_link();

// Shared memory with a semaphore for each direction. They are unnamed, so no token of an earlier run can be in them.
[[nodiscard]] Result<std::unique_ptr<Link>> make_semaphore_link();

// Shared memory with a futex for each direction (Franke, Russell, Kirkwood: Fuss, Futexes and Furwocks, 2002). The
// receiver looks for so many microseconds before it sleeps; the sender enters the kernel only for one who sleeps.
[[nodiscard]] Result<std::unique_ptr<Link>> make_futex_link(uint32_t active_microseconds);

// A pair of sockets that keep messages apart (SOCK_SEQPACKET).
[[nodiscard]] Result<std::unique_ptr<Link>> make_unix_link();

// TCP on the loopback interface, TCP_NODELAY.
[[nodiscard]] Result<std::unique_ptr<Link>> make_tcp_link();

// Two DEALER sockets. inproc is for two threads, which share a context.
enum class ZmqTransport : uint8_t { kInproc, kIpc, kTcp };
[[nodiscard]] Result<std::unique_ptr<Link>> make_zmq_link(ZmqTransport transport);

// --- to other machines

[[nodiscard]] std::unique_ptr<Channel> make_tcp_channel(int connected_socket);
[[nodiscard]] Result<std::unique_ptr<Channel>> connect_zmq(const std::string& endpoint);
[[nodiscard]] Result<std::unique_ptr<Channel>> bind_zmq(const std::string& endpoint);

}  // namespace cmc::latency
