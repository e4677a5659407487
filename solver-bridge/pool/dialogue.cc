#include "solver-bridge/pool/dialogue.h"

#include <vector>

#include <fmt/format.h>

#include "solver-bridge/protocol/payload.h"

namespace cmc::solver {

namespace {

constexpr long kPollMilliseconds = 200;  // then `interrupted` and the deadline of the start are looked at

}  // namespace

Status Dialogue::wait_until(const std::function<bool(const WorkerEvent* reply)>& done) {
  while (!interrupted_) {
    for (const WorkerEvent& event : worker_.process()) {
      const bool is_end = event.kind == WorkerEvent::Kind::kLost || event.kind == WorkerEvent::Kind::kUnusable;
      if (is_end) return Error{event.text};
      if (event.kind == WorkerEvent::Kind::kReply && done(&event)) return Success{};
    }
    if (done(nullptr)) return Success{};
    std::vector<zmq_pollitem_t> items;
    worker_.append_poll_items(items);
    zmq_poll(items.data(), static_cast<int>(items.size()), kPollMilliseconds);
  }
  return Error{"interrupted"};
}

Status Dialogue::start() {
  worker_.start(1, false);
  return wait_until([this](const WorkerEvent*) { return worker_.is_ready(); });
}

Result<Bytes> Dialogue::ask(Function function, ByteView payload) {
  if (!worker_.is_ready()) return Error{"there is no solver worker"};
  if (payload.size() > kMaxPayloadBytes) return Error{fmt::format("more than {} bytes", kMaxPayloadBytes)};
  const uint64_t id = ++last_request_;
  worker_.send(function, id, payload);
  WorkerEvent reply;
  const Status answered = wait_until([&](const WorkerEvent* event) {
    if (event == nullptr || event->header.request_id != id) return false;
    reply = *event;
    return true;
  });
  if (!answered.ok()) return Error{answered.error()};
  if (reply.header.status == ReplyStatus::kOk) return std::move(reply.payload);
  return Error{PayloadReader(reply.payload).string()};
}

}  // namespace cmc::solver
