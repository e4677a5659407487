#include "solver-bridge/protocol/protocol.h"

#include <random>
#include <string>

#include "solver-bridge/protocol/payload.h"
#include "tests/solver-bridge/constraints.h"

#include "tests/catch.h"

namespace cmc::solver {
namespace {

ByteView view(const std::string& text) { return std::as_bytes(std::span(text)); }

Bytes random_bytes(std::mt19937& random, size_t size) {
  Bytes bytes(size);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

Header example_header() {
  return {.kind = Kind::kReply,
          .function = Function::kSolve,
          .status = ReplyStatus::kNeedPrepare,
          .epoch = 7,
          .request_id = 0x1122334455667788};
}

TEST_CASE("protocol: the bytes of a message are those of PROTOCOL.md") {
  const Bytes message = encode(example_header(), view("abc"));
  const uint8_t expected[] = {'C', 'M', 'C',  'S',  1,    0,    2,    3,    2,    0,    0, 0, 7, 0,
                              0,   0,   0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11, 3, 0, 0, 0};
  REQUIRE(message.size() == kHeaderBytes + 3);
  CHECK(std::memcmp(message.data(), expected, sizeof expected) == 0);
  CHECK(std::memcmp(message.data() + kHeaderBytes, "abc", 3) == 0);
}

TEST_CASE("protocol: what was encoded is decoded") {
  for (const std::string payload : {"", "x", "a longer payload"}) {
    const Bytes message = encode(example_header(), view(payload));
    const Decoded decoded = decode(message);
    REQUIRE(decoded.error == DecodeError::kNone);
    CHECK(decoded.header.kind == Kind::kReply);
    CHECK(decoded.header.function == Function::kSolve);
    CHECK(decoded.header.status == ReplyStatus::kNeedPrepare);
    CHECK(decoded.header.epoch == 7);
    CHECK(decoded.header.request_id == 0x1122334455667788);
    CHECK(std::string(reinterpret_cast<const char*>(decoded.payload.data()), decoded.payload.size()) == payload);
  }
}

TEST_CASE("protocol: another version is recognised, with its request id") {
  Header header = example_header();
  header.version = 2;
  const Bytes message = encode(header, view("whatever version 2 has here"));
  const Decoded decoded = decode(message);
  CHECK(decoded.error == DecodeError::kVersion);
  CHECK(decoded.header.version == 2);
  CHECK(decoded.header.request_id == header.request_id);
  CHECK(decoded.payload.empty());
}

TEST_CASE("protocol: every truncation, extension and flipped bit of a message is refused") {
  const Bytes message = encode(example_header(), view("payload"));
  for (size_t size = 0; size < message.size(); ++size) {
    REQUIRE(decode(ByteView(message).first(size)).error != DecodeError::kNone);
  }
  Bytes longer = message;
  longer.push_back(std::byte{0});
  CHECK(decode(longer).error == DecodeError::kLength);
  for (size_t bit = 0; bit < message.size() * 8; ++bit) {
    Bytes flipped = message;
    flipped[bit / 8] ^= static_cast<std::byte>(1u << (bit % 8));
    INFO("bit " << bit);
    REQUIRE(decode(flipped).error != DecodeError::kNone);
  }
}

TEST_CASE("protocol: field values that do not exist are refused, though the checksum is right") {
  const auto with = [](uint8_t kind, uint8_t function, uint16_t status) {
    return encode({.kind = static_cast<Kind>(kind),
                   .function = static_cast<Function>(function),
                   .status = static_cast<ReplyStatus>(status)},
                  {});
  };
  CHECK(decode(with(1, 1, 0)).error == DecodeError::kNone);
  CHECK(decode(with(3, kLastFunction, kLastStatus)).error == DecodeError::kNone);
  CHECK(decode(with(0, 1, 0)).error == DecodeError::kField);
  CHECK(decode(with(4, 1, 0)).error == DecodeError::kField);
  CHECK(decode(with(1, 0, 0)).error == DecodeError::kField);
  CHECK(decode(with(1, kLastFunction + 1, 0)).error == DecodeError::kField);
  CHECK(decode(with(1, 1, kLastStatus + 1)).error == DecodeError::kField);
}

TEST_CASE("protocol: random bytes are no message") {
  std::mt19937 random(1);
  for (int i = 0; i < 100'000; ++i) {
    Bytes bytes = random_bytes(random, random() % 100);
    if (i % 2 == 0 && bytes.size() >= 6) {  // behind a right magic and version
      store(bytes.data(), kProtocolMagic);
      store(bytes.data() + 4, kProtocolVersion);
    }
    REQUIRE(decode(bytes).error != DecodeError::kNone);
  }
}

Answer example_answer() {
  return {.outcome = Outcome::kSat,
          .witnesses = {{1, -2}, {3, 4}},
          .more = true,
          .reason = "none",
          .from = Source::kColdSolver};
}

template <class T, class Read>
void check_all_damage(const T& value, Read read) {
  PayloadWriter writer;
  write(writer, value);
  const Bytes& bytes = writer.bytes();
  {
    PayloadReader reader(bytes);
    [[maybe_unused]] const auto same = read(reader);
    REQUIRE(reader.finished());
  }
  for (size_t size = 0; size < bytes.size(); ++size) {
    PayloadReader reader(ByteView(bytes).first(size));
    [[maybe_unused]] const auto less = read(reader);
    REQUIRE(!reader.finished());
  }
  for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {  // may be read or not, but only what is there
    Bytes flipped = bytes;
    flipped[bit / 8] ^= static_cast<std::byte>(1u << (bit % 8));
    PayloadReader reader(flipped);
    [[maybe_unused]] const auto other = read(reader);
  }
  std::mt19937 random(2);
  for (int i = 0; i < 20'000; ++i) {
    const Bytes noise = random_bytes(random, random() % 80);
    PayloadReader reader(noise);
    [[maybe_unused]] const auto other = read(reader);
  }
}

TEST_CASE("protocol: payloads survive the way, and damage is noticed or harmless") {
  const Constraint constraint({"p", "q"}, {"x"}, "(assert (= x p))");
  const SolveRequest request{
      .constraint_key = constraint.key(),
      .question = {.goal = Goal::kAll, .max_witnesses = 9, .parameters = {1, -1}, .ranges = {{-3, 5}}},
      .rlimit = 77,
      .cold = true};
  PayloadWriter writer;
  write(writer, constraint);
  write(writer, request);
  write(writer, example_answer());
  PayloadReader reader(writer.bytes());
  const Constraint same = read_constraint(reader);
  CHECK(same.key() == constraint.key());
  CHECK(same.text() == constraint.text());
  CHECK(read_solve_request(reader) == request);
  CHECK(read_answer(reader) == example_answer());
  CHECK(reader.finished());

  check_all_damage(constraint, read_constraint);
  check_all_damage(request, read_solve_request);
  check_all_damage(example_answer(), read_answer);
}

TEST_CASE("protocol: a number of elements that the bytes cannot hold is not believed") {
  PayloadWriter writer;
  writer.u32(0xffffffff);
  writer.u32(1);
  PayloadReader reader(writer.bytes());
  CHECK(reader.count(1) == 0);
  CHECK(reader.failed());
}

TEST_CASE("protocol: names have no gaps") {
  for (uint8_t i = 1; i <= kLastFunction; ++i) CHECK(name_of(static_cast<Function>(i)).size() > 3);
  for (uint16_t i = 0; i <= kLastStatus; ++i) CHECK(name_of(static_cast<ReplyStatus>(i)).size() > 1);
}

}  // namespace
}  // namespace cmc::solver
