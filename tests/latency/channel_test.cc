#include "studies/latency/channel.h"

#include <csignal>
#include <cstring>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>
#include <zmq.hpp>

#include "studies/latency/launch.h"
#include "studies/latency/links.h"
#include "studies/latency/peer.h"
#include "studies/latency/shared_block.h"

#include "tests/catch.h"

namespace cmc::latency {
namespace {

constexpr uint32_t kAskerName = 1;
constexpr uint32_t kResponderName = 2;
constexpr MeasureOptions kFew{.bytes = 100, .rounds = 5, .samples = 4, .seconds = 10};

TEST_CASE("latency channel: every channel carries every size, between two threads and between two processes") {
  const std::atomic<bool> interrupted = false;
  for (const ChannelKind& kind : channel_kinds()) {
    for (const size_t bytes : {kLeastBytes, size_t{1000}, kMostBytes}) {
      INFO(kind.name << ", " << bytes << " bytes");
      MeasureOptions options = kFew;
      options.bytes = bytes;
      const Result<Launched> launched = launch(kind, Placement::kUnpinned, options, interrupted);
      INFO((launched.ok() ? "" : launched.error()));
      REQUIRE(launched.ok());
      CHECK(launched.value().trips.points_ns.size() == 5);
      CHECK(launched.value().trips.all_ns.total() == 20);
      CHECK(launched.value().trips.all_ns.most() > 0);
    }
    CHECK(find_kind(kind.name) == &kind);
  }
  CHECK(find_kind("pigeon") == nullptr);
  // Nothing is left of them.
  CHECK(::waitpid(-1, nullptr, WNOHANG) == -1);
}

// A program that opened both ends of its queue: everything that it sends comes back.
class SelfLoop final : public Channel {
 public:
  SelfLoop() : context_(1), push_(context_, ZMQ_PUSH), pull_(context_, ZMQ_PULL) {
    pull_.bind("inproc://self");
    push_.connect("inproc://self");
  }
  Status send(ByteView message) override {
    push_.send(zmq::buffer(message.data(), message.size()), zmq::send_flags::none);
    return Success{};
  }
  Result<size_t> receive(std::span<std::byte> into) override {
    zmq::message_t message;
    if (!pull_.recv(message)) return nothing_came();
    std::memcpy(into.data(), message.data(), message.size());
    return message.size();
  }

 private:
  zmq::context_t context_;
  zmq::socket_t push_;
  zmq::socket_t pull_;
};

TEST_CASE("latency channel: a measurement that answers itself is an error") {
  for (const std::optional<uint32_t> responder : {std::optional(kResponderName), std::optional<uint32_t>()}) {
    SelfLoop loop;
    const Result<RoundTrips> trips = measure(loop, kAskerName, responder, kFew);
    REQUIRE(!trips.ok());
    CHECK(trips.error() == "the asker got its own question back: both ends of the channel are in one program");
  }
}

TEST_CASE("latency channel: a token of an earlier run is an error, and without it there is none") {
  for (const bool leftover : {true, false}) {
    Result<SharedBlockPtr> made = make_shared_block();
    REQUIRE(made.ok());
    SharedBlock& block = *made.value();
    if (leftover) REQUIRE(::sem_post(&block.to_asker.token) == 0);
    // The token must be seen first: the responder begins when the first question may have been answered wrongly.
    std::atomic<bool> is_over = false;
    std::thread responder([&] {
      while (leftover && !is_over) std::this_thread::yield();
      if (!leftover) respond(*open_semaphores(block, Side::kResponder), kResponderName);
    });
    const Result<RoundTrips> trips = measure(*open_semaphores(block, Side::kAsker), kAskerName, kResponderName, kFew);
    is_over = true;
    responder.join();
    CHECK(trips.ok() == !leftover);
    if (leftover) CHECK(trips.error().starts_with("question 1 was answered with number 0: something that was left"));
  }
}

TEST_CASE("latency channel: somebody else who answers is an error") {
  const Result<std::unique_ptr<Link>> link = make_unix_link();
  REQUIRE(link.ok());
  const auto asker = link.value()->open(Side::kAsker);
  const auto other = link.value()->open(Side::kResponder);
  std::thread responder([&] { respond(*other.value(), 77); });
  const Result<RoundTrips> trips = measure(*asker.value(), kAskerName, kResponderName, kFew);
  REQUIRE(!trips.ok());
  CHECK(trips.error() == "77 answered instead of 2");
  Bytes last(kLeastBytes);
  put_frame({kLastNumber, kAskerName, kLeastBytes}, last);
  CHECK(asker.value()->send(last).ok());
  responder.join();
}

TEST_CASE("latency channel: addresses of peers are read, and wrong ones refused") {
  CHECK(parse_peer("localhost:7000").value().port == 7000);
  CHECK(parse_peer("10.0.0.1:65534").value().host == "10.0.0.1");
  for (const char* wrong : {"", ":", "host", "host:", ":7000", "host:0", "host:65535", "host:70000", "host:7x"}) {
    INFO(wrong);
    CHECK(!parse_peer(wrong).ok());
  }
}

TEST_CASE("latency channel: a study has a main cell for each channel, and other sizes and placements beside it") {
  StudyOptions options;
  options.kinds = {find_kind("unix"), find_kind("semaphore threads")};
  options.sizes = {16, 64};
  options.placements = {Placement::kUnpinned, Placement::kOneCore};
  options.rounds = 20;
  options.samples = 2;
  options.launches = 2;
  const std::atomic<bool> interrupted = false;
  size_t last = 0;
  const Study study = run_study(options, interrupted, [&](size_t done, size_t all) {
    CHECK(done == last + 1);
    CHECK(all == 8);
    last = done;
  });
  CHECK(last == 8);
  REQUIRE(study.cells.size() == 6);
  for (const Cell& cell : study.cells) {
    INFO(cell.kind->name << " " << cell.bytes << " " << cell.error);
    CHECK(cell.error.empty());
    CHECK(cell.launches_ns.size() == (cell.is_main ? 2 : 1));
    CHECK(cell.points_ns().size() == (cell.is_main ? 20 : 2));
    CHECK(cell.is_main == (cell.bytes == 16 && cell.placement == Placement::kUnpinned));
  }
}

}  // namespace
}  // namespace cmc::latency
