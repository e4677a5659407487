#include "solver-bridge/protocol/protocol.h"

#include "base/check.h"
#include "base/hash.h"

namespace cmc::solver {

namespace {

uint32_t message_crc(WireHeader wire, ByteView payload) {
  wire.crc = 0;
  return crc32(payload, crc32(std::as_bytes(std::span(&wire, 1))));
}

bool fields_exist(const WireHeader& wire) {
  return wire.kind >= 1 && wire.kind <= static_cast<uint8_t>(Kind::kEvent) && wire.function >= 1 &&
         wire.function <= kLastFunction && wire.status <= kLastStatus && wire.reserved == 0;
}

}  // namespace

Bytes encode(const Header& header, ByteView payload) {
  CHECK(payload.size() <= kMaxPayloadBytes);
  WireHeader wire{.magic = kProtocolMagic,
                  .version = header.version,
                  .kind = static_cast<uint8_t>(header.kind),
                  .function = static_cast<uint8_t>(header.function),
                  .status = static_cast<uint16_t>(header.status),
                  .reserved = 0,
                  .epoch = header.epoch,
                  .request_id = header.request_id,
                  .length = static_cast<uint32_t>(payload.size()),
                  .crc = 0};
  wire.crc = message_crc(wire, payload);
  Bytes message(kHeaderBytes + payload.size());
  store(message.data(), wire);
  if (!payload.empty()) std::memcpy(message.data() + kHeaderBytes, payload.data(), payload.size());
  return message;
}

Decoded decode(ByteView message) {
  Decoded result;
  if (message.size() < kHeaderBytes) return result;
  const auto wire = load<WireHeader>(message.data());
  const ByteView payload = message.subspan(kHeaderBytes);
  const auto fail = [&result](DecodeError error) {
    result.error = error;
    return result;
  };
  if (wire.magic != kProtocolMagic) return fail(DecodeError::kMagic);
  result.header.version = wire.version;
  result.header.epoch = wire.epoch;
  result.header.request_id = wire.request_id;
  if (wire.version != kProtocolVersion) return fail(DecodeError::kVersion);
  if (wire.length != payload.size() || wire.length > kMaxPayloadBytes) return fail(DecodeError::kLength);
  if (wire.crc != message_crc(wire, payload)) return fail(DecodeError::kChecksum);
  if (!fields_exist(wire)) return fail(DecodeError::kField);
  result.header.kind = static_cast<Kind>(wire.kind);
  result.header.function = static_cast<Function>(wire.function);
  result.header.status = static_cast<ReplyStatus>(wire.status);
  result.payload = payload;
  result.error = DecodeError::kNone;
  return result;
}

std::string_view name_of(Function function) {
  constexpr std::array<std::string_view, kLastFunction + 1> kNames = {
      "?",     "HELLO", "PREPARE",  "SOLVE", "SOLVE_BATCH", "CANCEL", "RESET",
      "STATS", "EVAL",  "SHUTDOWN", "ECHO",  "STARTED",     "CHAOS"};
  return kNames[static_cast<uint8_t>(function)];
}

std::string_view name_of(ReplyStatus status) {
  constexpr std::array<std::string_view, kLastStatus + 1> kNames = {
      "OK", "ERROR", "NEED_PREPARE", "BAD_VERSION", "BAD_MESSAGE", "OUT_OF_MEMORY", "REFUSED"};
  return kNames[static_cast<uint16_t>(status)];
}

std::string_view name_of(DecodeError error) {
  switch (error) {
    case DecodeError::kNone: return "correct";
    case DecodeError::kTooShort: return "shorter than a header";
    case DecodeError::kMagic: return "not of this protocol";
    case DecodeError::kVersion: return "of another protocol version";
    case DecodeError::kChecksum: return "damaged (checksum)";
    case DecodeError::kLength: return "damaged (length)";
    case DecodeError::kField: return "damaged (unknown field value)";
  }
  return "?";
}

}  // namespace cmc::solver
