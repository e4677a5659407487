#include "studies/xtp/packet.h"

#include <cstring>

#include "base/check.h"

namespace cmc::xtp {
namespace {

constexpr size_t kChecksumOffset = 2;

void put32(std::byte* at, uint32_t value) {
  const uint32_t big = __builtin_bswap32(value);
  std::memcpy(at, &big, sizeof(big));
}
uint32_t get32(const std::byte* at) {
  uint32_t big = 0;
  std::memcpy(&big, at, sizeof(big));
  return __builtin_bswap32(big);
}

}  // namespace

uint16_t checksum(std::span<const std::byte> bytes) {
  // Sums of 32-bit halves in 64 bits cannot overflow below 2^32 words; folding keeps the ones' complement sum.
  uint64_t sum = 0;
  const std::byte* at = bytes.data();
  size_t left = bytes.size();
  for (; left >= 4; at += 4, left -= 4) {
    uint32_t word = 0;
    std::memcpy(&word, at, sizeof(word));
    sum += word;
  }
  uint32_t tail = 0;
  if (left > 0) std::memcpy(&tail, at, left);
  sum += tail;
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<uint16_t>(~sum);
}

void encode(const Header& header, std::span<std::byte> packet) {
  DCHECK(packet.size() == kHeaderBytes + header.length);
  std::byte* const at = packet.data();
  at[0] = static_cast<std::byte>(header.type);
  at[1] = static_cast<std::byte>(header.status_requested ? 1 : 0);
  std::memset(at + kChecksumOffset, 0, sizeof(uint16_t));
  put32(at + 4, header.length);
  put32(at + 8, header.key);
  put32(at + 12, header.sender_key);
  put32(at + 16, header.sequence);
  put32(at + 20, header.acknowledged);
  put32(at + 24, header.credit);
  put32(at + 28, 0);
  const uint16_t sum = checksum(packet);
  std::memcpy(at + kChecksumOffset, &sum, sizeof(sum));
}

std::optional<Header> decode(std::span<const std::byte> packet) {
  if (packet.size() < kHeaderBytes || packet.size() > kMaxPacketBytes) return std::nullopt;
  if (checksum(packet) != 0) return std::nullopt;  // the sum of all words, the checksum included, is 0xffff
  const std::byte* const at = packet.data();
  Header header;
  header.type = static_cast<PacketType>(at[0]);
  header.status_requested = (at[1] & std::byte{1}) != std::byte{0};
  header.length = get32(at + 4);
  header.key = get32(at + 8);
  header.sender_key = get32(at + 12);
  header.sequence = get32(at + 16);
  header.acknowledged = get32(at + 20);
  header.credit = get32(at + 24);
  const bool known = header.type >= PacketType::kFirst && header.type <= PacketType::kGone;
  if (!known || header.length != packet.size() - kHeaderBytes) return std::nullopt;
  return header;
}

}  // namespace cmc::xtp
