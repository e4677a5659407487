#include "studies/latency/measure.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

namespace cmc::latency {

namespace {

using Clock = std::chrono::steady_clock;

double nanoseconds(Clock::duration duration) { return std::chrono::duration<double, std::nano>(duration).count(); }

class Asker {
 public:
  Asker(Channel& channel, uint32_t asker, std::optional<uint32_t> responder, const MeasureOptions& options)
      : channel_(channel),
        asker_(asker),
        responder_(responder),
        options_(options),
        message_(std::clamp(options.bytes, kLeastBytes, kMostBytes)),
        answer_(kMostBytes) {}

  Result<RoundTrips> run() {
    RoundTrips result;
    result.timer_ns = timer_cost_ns();
    const Clock::time_point end =
        Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(options_.seconds));
    if (const Result<double> warm_up = round(result.timer_ns, nullptr); !warm_up.ok()) return Error{warm_up.error()};
    while (result.points_ns.size() < options_.rounds && (result.points_ns.empty() || Clock::now() < end)) {
      CMC_TRY(const double shortest, round(result.timer_ns, &result.all_ns));
      result.points_ns.push_back(shortest);
    }
    put_frame({kLastNumber, asker_, static_cast<uint32_t>(message_.size())}, message_);
    if (const Status sent = channel_.send(message_); !sent.ok()) return Error{sent.error()};
    return result;
  }

 private:
  Result<double> round(double timer_ns, Histogram* all) {
    double shortest = 0;
    for (uint32_t i = 0; i < options_.samples; ++i) {
      put_frame({++number_, asker_, static_cast<uint32_t>(message_.size())}, message_);
      const Clock::time_point start = Clock::now();
      if (const Status sent = channel_.send(message_); !sent.ok()) return Error{sent.error()};
      const Result<size_t> received = channel_.receive(answer_);
      const double time = std::max(0.0, nanoseconds(Clock::now() - start) - timer_ns);
      if (!received.ok()) return Error{received.error()};
      if (const Status own = check_answer(received.value()); !own.ok()) return Error{own.error()};
      if (all != nullptr) all->add(static_cast<uint64_t>(time));
      if (i == 0 || time < shortest) shortest = time;
    }
    return shortest;
  }

  Status check_answer(size_t bytes) {
    const Frame frame = frame_of(answer_);
    if (frame.number != number_) {
      return Error{
          fmt::format("question {} was answered with number {}: something that was left from before is in the "
                      "channel",
                      number_, frame.number)};
    }
    if (frame.sender == asker_) {
      return Error{"the asker got its own question back: both ends of the channel are in one program"};
    }
    if (!responder_) responder_ = frame.sender;
    if (frame.sender != *responder_) {
      return Error{fmt::format("{} answered instead of {}", frame.sender, *responder_)};
    }
    if (bytes != message_.size()) return Error{fmt::format("{} bytes came back of {}", bytes, message_.size())};
    return Success{};
  }

  Channel& channel_;
  const uint32_t asker_;
  std::optional<uint32_t> responder_;
  const MeasureOptions& options_;
  Bytes message_;
  Bytes answer_;
  uint64_t number_ = 0;
};

}  // namespace

Result<RoundTrips> measure(Channel& channel, uint32_t asker, std::optional<uint32_t> responder,
                           const MeasureOptions& options) {
  return Asker(channel, asker, responder, options).run();
}

void respond(Channel& channel, uint32_t responder) {
  Bytes message(kMostBytes);
  for (;;) {
    const Result<size_t> received = channel.receive(message);
    if (!received.ok()) return;
    const std::span<std::byte> answer(message.data(), received.value());
    Frame frame = frame_of(answer);
    if (frame.number == kLastNumber) return;
    frame.sender = responder;
    put_frame(frame, answer);
    if (!channel.send(answer).ok()) return;
  }
}

double timer_cost_ns() {
  std::vector<double> costs;
  for (int i = 0; i < 1001; ++i) {
    const Clock::time_point start = Clock::now();
    costs.push_back(nanoseconds(Clock::now() - start));
  }
  std::ranges::nth_element(costs, costs.begin() + 500);
  return costs[500];
}

}  // namespace cmc::latency
