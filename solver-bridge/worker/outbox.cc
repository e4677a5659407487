#include "solver-bridge/worker/outbox.h"

#include <chrono>
#include <system_error>
#include <thread>

#include <sys/eventfd.h>
#include <unistd.h>

#include "base/check.h"
#include "solver-bridge/protocol/payload.h"

namespace cmc::solver {

Outbox::Outbox() : event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (event_ < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
}

Outbox::~Outbox() { ::close(event_); }

void Outbox::put(Bytes message) {
  {
    const std::scoped_lock lock(mutex_);
    event_before_next_.clear();
    messages_.push_back(std::move(message));
  }
  wake();
}

void Outbox::put_until_next(Bytes event) {
  {
    const std::scoped_lock lock(mutex_);
    event_before_next_ = std::move(event);
  }
  wake();
}

void Outbox::wake() {
  const uint64_t one = 1;
  // It fails only if the counter is full, and then the reader is awake anyway.
  [[maybe_unused]] const ssize_t written = ::write(event_, &one, sizeof one);
}

std::vector<Bytes> Outbox::take_all() {
  uint64_t count = 0;
  [[maybe_unused]] const ssize_t got = ::read(event_, &count, sizeof count);
  const std::scoped_lock lock(mutex_);
  if (!event_before_next_.empty()) messages_.push_back(std::exchange(event_before_next_, {}));
  return std::exchange(messages_, {});
}

Reply::Reply(Outbox& outbox, const Header& request)
    : outbox_(&outbox),
      header_{.kind = Kind::kReply,
              .function = request.function,
              .epoch = request.epoch,
              .request_id = request.request_id} {}

Reply::~Reply() {
  if (!is_open()) return;
  try {
    send_text(ReplyStatus::kError, "the request was not answered");
  } catch (...) {
    // Not even memory for this: the client's deadline, or this process's end, answers.
  }
}

void Reply::send_text(ReplyStatus status, std::string_view text) {
  PayloadWriter payload;
  payload.string(text);
  send(status, payload.bytes());
}

void Reply::send(ReplyStatus status, ByteView payload, Fault fault) {
  CHECK(is_open());
  if (payload.size() > kMaxPayloadBytes) return send_text(ReplyStatus::kError, "the reply is too large");
  Header header = header_;
  header.status = status;
  if (fault == Fault::kWrongId) header.request_id += 1'000'000;
  if (fault == Fault::kWrongEpoch) header.epoch += 1;
  if (fault == Fault::kWrongVersion || fault == Fault::kHelloVersion) header.version = kProtocolVersion + 1;
  Bytes message = encode(header, payload);
  if (fault == Fault::kWrongChecksum) message.back() ^= std::byte{1};
  if (fault == Fault::kTruncated) message.resize(message.size() / 2);
  if (fault == Fault::kGarbage) {
    for (size_t i = 0; i < message.size(); ++i) message[i] = static_cast<std::byte>(i * 151 + 7);
  }
  if (fault == Fault::kLate) std::this_thread::sleep_for(std::chrono::milliseconds(300));
  if (fault == Fault::kDouble) outbox_->put(message);
  if (fault != Fault::kMissing) outbox_->put(std::move(message));
  outbox_ = nullptr;
}

}  // namespace cmc::solver
