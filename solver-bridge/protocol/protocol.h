#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/bytes.h"

// The messages between checker and worker; PROTOCOL.md describes them byte by byte. A message is one ZeroMQ frame: a
// header of 32 bytes and a payload. Decoding accepts any bytes and never reads beyond them.

namespace cmc::solver {

constexpr uint32_t kProtocolMagic = 0x53434d43;  // "CMCS"
constexpr uint16_t kProtocolVersion = 1;
constexpr uint32_t kMaxPayloadBytes = 64u << 20;

enum class Kind : uint8_t { kRequest = 1, kReply = 2, kEvent = 3 };

enum class Function : uint8_t {
  kHello = 1,       // versions: the first request to every worker
  kPrepare = 2,     // a constraint, once
  kSolve = 3,       // one question
  kSolveBatch = 4,  // several
  kCancel = 5,      // gives up a request that waits or is being solved
  kReset = 6,       // interrupts, then forgets all constraints
  kStats = 7,
  kEval = 8,  // SMT-LIB2 commands, for debugging
  kShutdown = 9,
  kEcho = 10,
  kStarted = 11,  // event: the worker begins with the request of this id
  kChaos = 12,    // a fault for tests; only if the worker was started with --chaos
};
constexpr uint8_t kLastFunction = 12;

enum class ReplyStatus : uint16_t {
  kOk = 0,
  kError = 1,        // payload: a text
  kNeedPrepare = 2,  // the constraint is not known (any more)
  kBadVersion = 3,
  kBadMessage = 4,
  kOutOfMemory = 5,  // the worker ends itself behind this reply
  kRefused = 6,      // not allowed here (CHAOS)
};
constexpr uint16_t kLastStatus = 6;

struct Header {
  Kind kind = Kind::kRequest;
  Function function = Function::kHello;
  ReplyStatus status = ReplyStatus::kOk;
  uint32_t epoch = 0;       // the worker's incarnation; a reply has that of its request
  uint64_t request_id = 0;  // a reply has that of its request
  uint16_t version = kProtocolVersion;
};

// The header as it is on the wire.
struct WireHeader {
  uint32_t magic;
  uint16_t version;
  uint8_t kind;
  uint8_t function;
  uint16_t status;
  uint16_t reserved;  // 0
  uint32_t epoch;
  uint64_t request_id;
  uint32_t length;  // of the payload
  uint32_t crc;     // CRC-32 of the header with crc = 0, then of the payload
};
constexpr size_t kHeaderBytes = 32;
static_assert(sizeof(WireHeader) == kHeaderBytes, "no padding");
static_assert(offsetof(WireHeader, version) == 4 && offsetof(WireHeader, kind) == 6);
static_assert(offsetof(WireHeader, function) == 7 && offsetof(WireHeader, status) == 8);
static_assert(offsetof(WireHeader, epoch) == 12 && offsetof(WireHeader, request_id) == 16);
static_assert(offsetof(WireHeader, length) == 24 && offsetof(WireHeader, crc) == 28);

enum class DecodeError : uint8_t {
  kNone,
  kTooShort,
  kMagic,
  kVersion,  // header is filled as far as other versions can be understood: version, epoch, request id
  kChecksum,
  kLength,
  kField,  // a kind, function, status or reserved field that does not exist
};

struct Decoded {
  DecodeError error = DecodeError::kTooShort;
  Header header;
  ByteView payload;  // points into the decoded bytes
};

// REQUIRES: payload.size() <= kMaxPayloadBytes.
[[nodiscard]] Bytes encode(const Header& header, ByteView payload);
[[nodiscard]] Decoded decode(ByteView message);

[[nodiscard]] std::string_view name_of(Function function);
[[nodiscard]] std::string_view name_of(ReplyStatus status);
[[nodiscard]] std::string_view name_of(DecodeError error);

}  // namespace cmc::solver
