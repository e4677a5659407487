#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

// Packets of the protocol of models/xtp/ as bytes, for programs of either kind. A header of 32 bytes, then the
// payload:
//
//   offset  bytes
//   0       1      type (PacketType)
//   1       1      flags: bit 0: status is requested
//   2       2      checksum: of the whole packet with this field 0
//   4       4      length of the payload
//   8       4      key of the receiver, its return key; of FIRST: 0
//   12      4      key of the sender
//   16      4      sequence number
//   20      4      acknowledged: the next one that the sender waits for
//   24      4      credit
//   28      4      zero
//
// Integers are big-endian.

namespace cmc::xtp {

enum class PacketType : uint8_t { kFirst = 1, kData, kControl, kClose, kAbort, kGone };

struct Header {
  PacketType type = PacketType::kControl;
  bool status_requested = false;
  uint32_t length = 0;
  uint32_t key = 0;
  uint32_t sender_key = 0;
  uint32_t sequence = 0;
  uint32_t acknowledged = 0;
  uint32_t credit = 0;
};

inline constexpr size_t kHeaderBytes = 32;
inline constexpr size_t kMaxPayloadBytes = 10'000;
inline constexpr size_t kMaxPacketBytes = kHeaderBytes + kMaxPayloadBytes;

// Writes the header, with the checksum, in front of the payload that is there. REQUIRES: packet.size() ==
// kHeaderBytes + header.length.
void encode(const Header& header, std::span<std::byte> packet);

// None: the packet is damaged.
[[nodiscard]] std::optional<Header> decode(std::span<const std::byte> packet);

// The Internet checksum (RFC 1071, 1988): ones' complement of the ones' complement sum of 16-bit words. Any change
// of fewer than 16 neighbouring bits shows.
[[nodiscard]] uint16_t checksum(std::span<const std::byte> bytes);

}  // namespace cmc::xtp
