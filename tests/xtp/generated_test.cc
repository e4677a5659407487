#include <array>

#include "studies/xtp/generated/endpoint.h"
#include "studies/xtp/hand/engine.h"
#include "studies/xtp/session.h"

#include "tests/catch.h"

// Programs made of the models of the protocol talk to each other and to the hand-written end.

namespace cmc::xtp {
namespace {

constexpr uint64_t kNever = uint64_t{1} << 62;

EndpointMaker hand() {
  return [](Link& out, Link& in, User& user, const Timer& timer, const EndpointOptions& options) {
    return std::make_unique<HandEngine>(out, in, user, timer, options);
  };
}
EndpointMaker generated(const std::string& name, uint32_t limit_bytes, Variant variant = Variant::kVm) {
  ProgramOptions options;
  options.model = std::string(CMC_SOURCE_DIR) + "/models/xtp/" + name + ".pml";
  options.limit_bytes = limit_bytes;
  options.variant = variant;
  const auto program = Program::load(options);
  if (!program.ok()) FAIL(program.error());
  return
      [program = program.value()](Link& out, Link& in, User& user, const Timer& timer, const EndpointOptions& how) {
        return std::make_unique<GeneratedEndpoint>(program, out, in, user, timer, how);
      };
}

void check_packets(const SessionReport& report) {
  CHECK(report.done);
  for (size_t side = 0; side < 2; ++side) {
    const MediumCounts& out = report.links[side];
    CHECK(report.sides[side].mistakes == 0);
    CHECK(report.sides[side].packets.sent == out.sent);
    CHECK(report.sides[1 - side].packets.received == out.delivered);
    CHECK(report.sides[1 - side].packets.damaged == out.corrupted);
  }
}

TEST_CASE("generated protocol: every pair of ends answers 10,000 messages over a bad network, with equal packets") {
  const std::array<EndpointMaker, 2> makers = {hand(), generated("flat", 10)};
  Parameters parameters;
  parameters.messages = 10'000;
  parameters.medium.loss = parameters.medium.corruption = parameters.medium.duplication = 0.05;
  std::vector<std::array<uint64_t, 2>> sent;
  for (const EndpointMaker& initiator : makers) {
    for (const EndpointMaker& responder : makers) {
      const SessionReport report = run_virtual(parameters, initiator, responder, kNever);
      check_packets(report);
      CHECK(report.sides[0].received == 10'000);
      sent.push_back({report.links[0].sent, report.links[1].sent});
    }
  }
  for (const std::array<uint64_t, 2>& pair : sent) CHECK(pair == sent.front());
}

TEST_CASE("generated protocol: the layered model, payloads of any kind, and the reference interpreter do the same") {
  const std::array<EndpointMaker, 5> makers = {hand(), generated("layered", 10), generated("layered", 0),
                                               generated("flat", 0), generated("flat", 10, Variant::kReference)};
  for (const bool burst : {false, true}) {
    for (const bool aborts : {false, true}) {
      for (size_t i = 0; i < makers.size(); ++i) {
        Parameters parameters;
        parameters.burst = burst;
        parameters.aborts = aborts;
        parameters.messages = 20;
        parameters.connections = 5;
        parameters.medium.loss = parameters.medium.corruption = parameters.medium.duplication = 0.1;
        INFO("burst " << burst << ", aborts " << aborts << ", initiator " << i);
        check_packets(run_virtual(parameters, makers[i], makers[(i + 1) % makers.size()], kNever));
      }
    }
  }
}

TEST_CASE("generated protocol: native code sends the packets that the VM sends") {
  Parameters parameters;
  parameters.messages = 200;
  parameters.medium.loss = parameters.medium.corruption = parameters.medium.duplication = 0.1;
  for (const uint32_t limit : {10u, 0u}) {
    std::vector<std::array<uint64_t, 2>> sent;
    for (const Variant variant : {Variant::kVm, Variant::kNative}) {
      const EndpointMaker maker = generated("flat", limit, variant);
      const SessionReport report = run_virtual(parameters, maker, maker, kNever);
      check_packets(report);
      sent.push_back({report.links[0].sent, report.links[1].sent});
    }
    CHECK(sent[0] == sent[1]);
  }
}

TEST_CASE("generated protocol: payloads of 10,000 bytes go through a program") {
  Parameters parameters;
  parameters.messages = 3;
  parameters.payload_bytes = 10'000;
  check_packets(run_virtual(parameters, generated("flat", 10'000), generated("flat", 0), kNever));
}

TEST_CASE("generated protocol: a model that is no end of the protocol is refused") {
  ProgramOptions options;
  options.model = std::string(CMC_SOURCE_DIR) + "/models/classics/dekker.pml";
  CHECK_FALSE(Program::load(options).ok());
  options.model = "no-such-file.pml";
  CHECK_FALSE(Program::load(options).ok());
}

}  // namespace
}  // namespace cmc::xtp
