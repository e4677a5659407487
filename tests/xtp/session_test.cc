#include "studies/xtp/session.h"

#include <array>
#include <cstring>

#include "studies/xtp/hand/engine.h"

#include "tests/catch.h"

// Ends of the protocol of models/xtp that talk to each other over the simulated network.

namespace cmc::xtp {
namespace {

constexpr uint64_t kNoEnd = uint64_t{1} << 62;

std::unique_ptr<Endpoint> make_hand(Link& out, Link& in, User& user, const Timer& timer,
                                    const EndpointOptions& options) {
  return std::make_unique<HandEngine>(out, in, user, timer, options);
}

Parameters bad_network() {
  Parameters parameters;
  parameters.medium.loss = parameters.medium.corruption = parameters.medium.duplication = 0.05;
  return parameters;
}

void check_counts(const SessionReport& report) {
  CHECK(report.done);
  for (size_t side = 0; side < 2; ++side) {
    const MediumCounts& out = report.links[side];
    const EndpointCounts& sender = report.sides[side].packets;
    const EndpointCounts& receiver = report.sides[1 - side].packets;
    CHECK(report.sides[side].mistakes == 0);
    CHECK(sender.sent == out.sent);
    CHECK(out.delivered == out.sent - out.lost - out.overflowed + out.duplicated);
    CHECK(receiver.received == out.delivered);
    CHECK(receiver.damaged == out.corrupted);
  }
}

TEST_CASE("session: 10,000 messages are answered over a network that loses, damages and doubles packets") {
  Parameters parameters = bad_network();
  parameters.messages = 10'000;
  const SessionReport report = run_virtual(parameters, make_hand, make_hand, kNoEnd);
  check_counts(report);
  CHECK(report.sides[0].received == 10'000);
  CHECK(report.sides[1].received == 10'000);
  CHECK(report.links[0].lost > 400);
  CHECK(report.links[0].corrupted > 400);
  CHECK(report.links[0].duplicated > 400);
}

TEST_CASE("session: bursts, many connections and aborts come to their end") {
  for (const bool burst : {false, true}) {
    for (const bool aborts : {false, true}) {
      for (uint64_t seed = 1; seed <= 20; ++seed) {
        Parameters parameters = bad_network();
        parameters.burst = burst;
        parameters.aborts = aborts;
        parameters.messages = 5;
        parameters.connections = 40;
        parameters.medium.loss = 0.2;
        parameters.medium.seed = seed;
        const SessionReport report = run_virtual(parameters, make_hand, make_hand, kNoEnd);
        INFO("burst " << burst << ", aborts " << aborts << ", seed " << seed);
        check_counts(report);
      }
    }
  }
}

TEST_CASE("session: the same seed gives the same run, another one another run") {
  const auto counts = [](uint64_t seed) {
    Parameters parameters = bad_network();
    parameters.messages = 300;
    parameters.medium.seed = seed;
    const SessionReport report = run_virtual(parameters, make_hand, make_hand, kNoEnd);
    std::vector<uint64_t> all = report.round_trips_ns;
    for (const MediumCounts& link : report.links) {
      all.insert(all.end(), {link.sent, link.lost, link.duplicated, link.corrupted, link.delivered});
    }
    return all;
  };
  CHECK(counts(7) == counts(7));
  CHECK(counts(7) != counts(8));
}

TEST_CASE("session: in virtual time a round trip over a network without faults takes two delays") {
  Parameters parameters;
  parameters.messages = 3;
  const SessionReport report = run_virtual(parameters, make_hand, make_hand, kNoEnd);
  check_counts(report);
  CHECK(report.round_trips_ns == std::vector<uint64_t>(3, 2 * parameters.medium.delay_ns));
  CHECK(report.sides[0].packets.repeated + report.sides[1].packets.repeated == 0);
}

TEST_CASE("session: the network's rate delays packets by their length") {
  Parameters parameters;
  parameters.messages = 2;
  parameters.payload_bytes = 968;  // packets of 1,000 bytes
  parameters.medium.bytes_per_second = 1e6;
  const SessionReport report = run_virtual(parameters, make_hand, make_hand, kNoEnd);
  check_counts(report);
  CHECK(report.round_trips_ns.back() == 2 * (parameters.medium.delay_ns + 1'000'000));
}

TEST_CASE("session: two processes talk in real time") {
  Parameters parameters = bad_network();
  parameters.messages = 50;
  parameters.medium.delay_ns = 10'000;
  parameters.endpoint.timeout_ns = 200'000;
  const SessionReport report = run_real(parameters, make_hand, make_hand, 20'000'000'000);
  CHECK(report.done);
  CHECK(report.sides[0].received == 50);
  CHECK(report.sides[0].mistakes + report.sides[1].mistakes == 0);
}

TEST_CASE("session: a session that cannot come to its end is given up") {
  Parameters parameters;
  parameters.medium.loss = 1;
  CHECK_FALSE(run_virtual(parameters, make_hand, make_hand, 1'000'000'000).done);
}

TEST_CASE("session: a packet has the bytes that its header says, and any changed bit shows") {
  std::array<std::byte, kHeaderBytes + 3> packet{};
  std::memcpy(packet.data() + kHeaderBytes, "abc", 3);
  Header header;
  header.type = PacketType::kData;
  header.status_requested = true;
  header.length = 3;
  header.key = 1;
  header.sender_key = 0x01020304;
  header.sequence = 255;
  header.acknowledged = 254;
  header.credit = 4;
  encode(header, packet);
  CHECK(packet[12] == std::byte{1});
  CHECK(packet[15] == std::byte{4});
  const auto read = decode(packet);
  REQUIRE(read);
  CHECK(read->sender_key == 0x01020304);
  CHECK(read->sequence == 255);
  CHECK(read->acknowledged == 254);
  CHECK(read->status_requested);
  for (size_t bit = 0; bit < 8 * packet.size(); ++bit) {
    packet[bit / 8] ^= static_cast<std::byte>(1u << (bit % 8));
    CHECK_FALSE(decode(packet));
    packet[bit / 8] ^= static_cast<std::byte>(1u << (bit % 8));
  }
  for (size_t size = 0; size < packet.size(); ++size) CHECK_FALSE(decode(std::span(packet).first(size)));
}

TEST_CASE("session: parameter files are read, and mistakes in them named with their line") {
  const auto read = read_parameters("# a run\nprofile = burst\n payload=1000 # bytes\n\ndelay_ms = 0.5\n");
  REQUIRE(read.ok());
  CHECK(read.value().burst);
  CHECK(read.value().payload_bytes == 1000);
  CHECK(read.value().medium.delay_ns == 500'000);
  for (const char* text : {"profile = bursts", "payload = 8", "payload = 10001", "loss = nan", "loss = 1.5",
                           "messages = 1.5", "speed = 1", "messages", "window = 99", "seed = -1", "delay_ms = 1x"}) {
    const auto bad = read_parameters(std::string("\n") + text);
    INFO(text);
    REQUIRE_FALSE(bad.ok());
    CHECK(bad.error().find("line 2: ") == 0);
  }
}

}  // namespace
}  // namespace cmc::xtp
