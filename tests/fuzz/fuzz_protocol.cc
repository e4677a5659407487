#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "solver-bridge/protocol/payload.h"
#include "solver-bridge/protocol/protocol.h"
#include "tests/fuzz/input.h"

// libFuzzer target: any bytes are a message between checker and worker, and the payload of one whose checksum is
// right. What is decoded is what was encoded; of any payload something is read, or the reader has failed.

namespace {

using namespace cmc;
using namespace cmc::solver;

void decode_and_encode(ByteView message) {
  const Decoded decoded = decode(message);
  if (decoded.error != DecodeError::kNone) return;
  const Bytes again = encode(decoded.header, decoded.payload);
  if (!std::ranges::equal(again, message)) __builtin_trap();
}

void read_payload(ByteView payload) {
  PayloadReader constraint(payload);
  static_cast<void>(read_constraint(constraint));
  PayloadReader request(payload);
  static_cast<void>(read_solve_request(request));
  PayloadReader answer(payload);
  static_cast<void>(read_answer(answer));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::Input input(data, size);
  decode_and_encode(input.rest());
  Header header;
  header.kind = static_cast<Kind>(input.take<uint8_t>());
  header.function = static_cast<Function>(input.take<uint8_t>());
  header.status = static_cast<ReplyStatus>(input.take<uint16_t>());
  decode_and_encode(encode(header, input.rest()));
  read_payload(input.rest());
  return 0;
}
